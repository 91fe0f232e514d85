"""The shapes of requests and answers, for checking and for the OpenAPI document."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from incognote.serve.limits import RequestError

Id = Annotated[str, Field(max_length=500)]


class _Strict(BaseModel):
    """Unknown fields are errors: a misspelt option must not be passed over."""

    model_config = ConfigDict(extra="forbid", hide_input_in_errors=True)


class DocumentIn(_Strict):
    text: str
    id: Id = ""
    patient_id: Id | None = Field(None, description="notes of one patient share surrogates")
    note_date: str | None = Field(None, max_length=40, description="helps to read short dates")


class DocumentsIn(_Strict):
    documents: list[DocumentIn]
    policy: str = Field("", description="the name of a served policy; empty: the default")


class SpanOut(BaseModel):
    start: int = Field(description="in code points")
    end: int
    label: str
    score: float
    sources: list[str]


class FailureOut(BaseModel):
    stage: str
    type: str
    message: str


class DocumentOut(BaseModel):
    """`text` and `failure` exclude each other: a failed document never comes back as it was."""

    id: str
    text: str | None = None
    spans: list[SpanOut] | None = None
    failure: FailureOut | None = None


class DocumentsOut(BaseModel):
    policy: str
    policy_hash: str
    results: list[DocumentOut]


class ErrorOut(BaseModel):
    error: str


class AnalyzeIn(BaseModel):
    """Presidio's request. What we cannot honour is refused, never passed over in silence."""

    model_config = ConfigDict(extra="forbid", hide_input_in_errors=True)

    text: str | list[str]
    language: str = "en"
    entities: list[str] | None = None
    score_threshold: float = 0.0
    correlation_id: str | None = None
    return_decision_process: bool = False
    allow_list: list[str] | None = None
    allow_list_match: Literal["exact"] = "exact"
    context: list[str] | None = None
    ad_hoc_recognizers: list[Any] | None = None


class Analyzed(BaseModel):
    entity_type: str
    start: int
    end: int
    score: float


class AnonymizeIn(BaseModel):
    model_config = ConfigDict(extra="forbid", hide_input_in_errors=True)

    text: str
    analyzer_results: list[dict[str, Any]]
    anonymizers: dict[str, dict[str, Any]] = {}


Model = TypeVar("Model", bound=BaseModel)


def checked(model: type[Model], tree: Any) -> Model:
    """The request as its model has it. Errors name the place, never the value; and of a place
    only what we named ourselves, since a caller's field may be called anything."""
    try:
        return model.model_validate(tree)
    except ValidationError as error:
        places = [
            f"{'.'.join(map(_own_name, each['loc'])) or 'body'}: {each['type']}"
            for each in error.errors(include_input=False, include_url=False)
        ]
        raise RequestError(422, "; ".join(places[:5])) from None


def _own_name(part: int | str) -> str:
    return str(part) if isinstance(part, int) or part in _NAMES else "?"


_NAMES = frozenset(
    name
    for model in (DocumentIn, DocumentsIn, AnalyzeIn, AnonymizeIn)
    for name in model.model_fields
)
