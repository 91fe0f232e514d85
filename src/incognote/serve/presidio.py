"""Presidio's endpoints, so that its clients switch by changing the host.

Labels come out under Presidio's names, or under ours where the service is asked with
`?labels=incognote`. What a request asks for that we do not do is refused with 400.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse

from incognote.core.labels import all_labels
from incognote.core.types import Document, Failure, Span
from incognote.serve.limits import RequestError, body_of, parsed, require_json
from incognote.serve.service import Service
from incognote.serve.shapes import AnalyzeIn, AnonymizeIn, checked

SCHEME = "presidio"
OURS = "incognote"


def presidio_name(label: str) -> str:
    """Presidio's name of a label; ours where Presidio has none."""
    aliases = all_labels()[label].aliases.get(SCHEME, ())
    return aliases[0] if aliases else label


def presidio_routes(service: Service) -> APIRouter:
    router = APIRouter()

    async def read(request: Request) -> Any:
        require_json(request)
        limits = service.settings.limits
        body = await body_of(request, limits.body_bytes, limits.body_seconds)
        return parsed(body, limits.json_depth)

    @router.post("/analyze")
    async def analyze(request: Request, labels: str = SCHEME) -> JSONResponse:
        """Where PHI appears in one text or in several."""
        caller = service.caller(request)
        asked = checked(AnalyzeIn, await read(request))
        _refuse_what_we_do_not_do(asked)
        texts = [asked.text] if isinstance(asked.text, str) else asked.text
        documents = [Document(str(number), text) for number, text in enumerate(texts)]
        outcomes = await service.outcomes(service.task("detect", "", caller), documents)
        found = []
        for document, outcome in zip(documents, outcomes, strict=True):
            if isinstance(outcome, Failure):
                # Presidio's answer has no place for a failure; an empty list would say "no PHI".
                raise RequestError(422, f"{outcome.stage}: {outcome.message or outcome.error}")
            found.append(_analyzed(outcome.spans, document.text, asked, labels))
        return JSONResponse(found[0] if isinstance(asked.text, str) else found)

    @router.post("/anonymize")
    async def anonymize(request: Request) -> JSONResponse:
        """Replace what the caller marked. Off unless the service was started with it."""
        service.caller(request)
        if not service.settings.allow_anonymize:
            raise RequestError(
                403, "replaces only what the caller marks, so it is off; use /v1/deid instead"
            )
        asked = checked(AnonymizeIn, await read(request))
        return JSONResponse(_anonymized(asked))

    @router.get("/supportedentities")
    async def supported_entities(request: Request, labels: str = SCHEME) -> list[str]:
        service.caller(request)
        policy = service.settings.policies[service.settings.default_policy]
        looked_for = [label for label, rule in policy.labels.items() if rule.action != "off"]
        return sorted({label if labels == OURS else presidio_name(label) for label in looked_for})

    @router.get("/recognizers")
    async def recognizers(request: Request) -> list[str]:
        service.caller(request)
        return sorted(service.settings.policies[service.settings.default_policy].detectors)

    @router.get("/anonymizers")
    async def anonymizers(request: Request) -> list[str]:
        service.caller(request)
        return ["mask", "redact", "replace"]

    return router


def _refuse_what_we_do_not_do(asked: AnalyzeIn) -> None:
    if asked.ad_hoc_recognizers:
        raise RequestError(400, "ad_hoc_recognizers are not supported; add rules to the policy")
    if asked.return_decision_process:
        raise RequestError(400, "return_decision_process is not supported; use `incognote explain`")
    if asked.context:
        raise RequestError(400, "context is not supported")
    if asked.language != "en":
        raise RequestError(400, "the language of a text is found out; only 'en' may be named")


def _analyzed(
    spans: tuple[Span, ...], text: str, asked: AnalyzeIn, labels: str
) -> list[dict[str, Any]]:
    allowed = frozenset(asked.allow_list or ())
    rows = []
    for span in spans:
        name = span.label if labels == OURS else presidio_name(span.label)
        if asked.entities is not None and name not in asked.entities:
            continue
        if span.score < asked.score_threshold or text[span.start : span.end] in allowed:
            continue
        rows.append(
            {
                "entity_type": name,
                "start": span.start,
                "end": span.end,
                "score": round(span.score, 4),
            }
        )
    return rows


def _anonymized(asked: AnonymizeIn) -> dict[str, Any]:
    """Presidio's operators that need no key, on the places that the caller names."""
    spans = _marked(asked)
    out: list[str] = []
    items: list[dict[str, Any]] = []
    at = length = 0
    for start, end, name in spans:
        kept = asked.text[at:start]
        rule = asked.anonymizers.get(name) or asked.anonymizers.get("DEFAULT") or {}
        new = _operated(rule, name, asked.text[start:end])
        out += [kept, new]
        length += len(kept)
        items.append(
            {
                "start": length,
                "end": length + len(new),
                "entity_type": name,
                "text": new,
                "operator": rule.get("type", "replace"),
            }
        )
        length += len(new)
        at = end
    out.append(asked.text[at:])
    return {"text": "".join(out), "items": items[::-1]}


def _marked(asked: AnonymizeIn) -> list[tuple[int, int, str]]:
    """The places in order; of those that overlap, the longest appears."""
    by_start: dict[int, list[tuple[int, int, str]]] = defaultdict(list)
    for row in asked.analyzer_results:
        start, end, name = row.get("start"), row.get("end"), row.get("entity_type")
        if not (isinstance(start, int) and isinstance(end, int) and isinstance(name, str)):
            raise RequestError(422, "analyzer_results: start, end and entity_type are needed")
        if not 0 <= start < end <= len(asked.text):
            raise RequestError(422, "analyzer_results: a place lies outside the text")
        by_start[start].append((start, end, name))
    marked: list[tuple[int, int, str]] = []
    for start in sorted(by_start):
        widest = max(by_start[start], key=lambda each: each[1])
        if marked and start < marked[-1][1]:
            before = marked[-1]
            marked[-1] = (before[0], max(before[1], widest[1]), before[2])
        else:
            marked.append(widest)
    return marked


def _operated(rule: dict[str, Any], name: str, text: str) -> str:
    kind = rule.get("type", "replace")
    if kind == "replace":
        return str(rule.get("new_value", f"<{name}>"))
    if kind == "redact":
        return ""
    if kind == "mask":
        char, count = str(rule.get("masking_char", "*"))[:1] or "*", rule.get("chars_to_mask")
        count = len(text) if not isinstance(count, int) else min(count, len(text))
        if rule.get("from_end"):
            return text[: len(text) - count] + char * count
        return char * count + text[count:]
    raise RequestError(400, "the anonymizer must be one of mask, redact, replace")
