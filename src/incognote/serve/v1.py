"""Our own endpoints: detect and deid for documents, streams of them, and whole files."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.responses import JSONResponse
from starlette.types import Receive, Scope, Send

from incognote.core.types import Document, Failure
from incognote.serve.lane import Outcome, Task
from incognote.serve.limits import RequestError, body_of, parsed, require_json
from incognote.serve.service import Service
from incognote.serve.shapes import DocumentIn, DocumentsIn, DocumentsOut, ErrorOut, checked

_STREAM_BATCH = 32
NDJSON = "application/x-ndjson"
_ERRORS: dict[int | str, dict[str, Any]] = {
    status: {"model": ErrorOut} for status in (400, 401, 403, 408, 413, 415, 422, 503, 504)
}


def v1_routes(service: Service) -> APIRouter:
    router = APIRouter(prefix="/v1", responses=_ERRORS)
    # Worked out once: it takes as long as reading a note.
    hashes = {name: policy.hash for name, policy in service.settings.policies.items()}

    async def documents(request: Request, verb: str) -> JSONResponse:
        caller = service.caller(request)
        require_json(request)
        limits = service.settings.limits
        body = await body_of(request, limits.body_bytes, limits.body_seconds)
        asked = checked(DocumentsIn, parsed(body, limits.json_depth))
        task = service.task(verb, asked.policy, caller)
        given = [_document(each, number) for number, each in enumerate(asked.documents)]
        outcomes = await service.outcomes(task, given)
        answer = {
            "policy": task.policy,
            "policy_hash": hashes[task.policy],
            "results": [
                _row(document, outcome) for document, outcome in zip(given, outcomes, strict=True)
            ],
        }
        return JSONResponse(answer)

    @router.post("/deid", response_model=DocumentsOut, openapi_extra=_takes(DocumentsIn))
    async def deid(request: Request) -> JSONResponse:
        """Documents again, with the PHI replaced."""
        return await documents(request, "deid")

    @router.post("/detect", response_model=DocumentsOut, openapi_extra=_takes(DocumentsIn))
    async def detect(request: Request) -> JSONResponse:
        """Where PHI appears in documents."""
        return await documents(request, "detect")

    @router.post("/stream", response_class=Response)
    async def stream(request: Request, policy: str = "", verb: str = "deid") -> Response:
        """JSON Lines in and out: a document a line, answered while the next ones arrive."""
        if verb not in ("deid", "detect"):
            raise RequestError(400, "the verb must be deid or detect")
        task = service.task(verb, policy, service.caller(request))
        return _Answering(_streamed(service, task, request))

    @router.post("/files", response_class=Response)
    async def files(request: Request, name: str, policy: str = "") -> Response:
        """A file of any format, back in kind. `name` shows its format: notes.csv."""
        task = service.task("deid", policy, service.caller(request))
        limits = service.settings.limits
        data = await body_of(request, limits.file_bytes, limits.body_seconds)
        written = await service.file(task, name, data)
        if isinstance(written, Failure):
            raise RequestError(422, f"{written.stage}: {written.message or written.error}")
        return Response(written, media_type="application/octet-stream")

    return router


class _Answering(Response):
    """A body that is written while the request's is read. (Starlette's own streaming answer reads
    the request too, to see whether the caller left.)"""

    def __init__(self, chunks: AsyncIterator[bytes]) -> None:
        super().__init__(media_type=NDJSON)
        del self.headers["content-length"]
        self._chunks = chunks

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002
        start = {"type": "http.response.start", "status": 200, "headers": self.raw_headers}
        await send(start)
        async for chunk in self._chunks:
            await send({"type": "http.response.body", "body": chunk, "more_body": True})
        await send({"type": "http.response.body", "body": b""})


async def _streamed(service: Service, task: Task, request: Request) -> AsyncIterator[bytes]:
    """Answers in the order of the lines. What is wrong with a line is that line's failure."""
    batch: list[Document | dict[str, Any]] = []
    limits = service.settings.limits
    number = 0
    try:
        async for line in lines(request.stream(), limits.stream_line_bytes, limits.body_seconds):
            batch.append(_from_line(service, line, number))
            number += 1
            if len(batch) >= _STREAM_BATCH:
                yield await _answered(service, task, batch)
                batch = []
    except RequestError as error:  # the status line is gone, so the next line's failure says it
        batch.append(_failed(str(number), "read", "RequestError", str(error)))
    if batch:
        yield await _answered(service, task, batch)


async def lines(chunks: AsyncIterator[bytes], longest: int, seconds: float) -> AsyncIterator[bytes]:
    """The lines of a body; a longer one is empty. 408 where the next piece of it takes too long."""
    rest = b""
    is_cut = False  # inside a line that was too long
    while True:
        try:
            async with asyncio.timeout(seconds):
                chunk = await anext(chunks)
        except StopAsyncIteration:
            break
        except TimeoutError:
            raise RequestError(408, f"nothing came for {seconds:g} seconds") from None
        if is_cut:
            _, end, chunk = chunk.partition(b"\n")
            is_cut = not end
        *whole, rest = (rest + chunk).split(b"\n")
        for line in whole:
            if line.strip():
                yield line if len(line) <= longest else b""
        if len(rest) > longest:
            yield b""  # refused below: such a line is no document
            rest, is_cut = b"", True
    if rest.strip():
        yield rest


def _from_line(service: Service, line: bytes, number: int) -> Document | dict[str, Any]:
    limits = service.settings.limits
    try:
        asked = checked(DocumentIn, parsed(line, limits.json_depth))
    except RequestError as error:
        return _failed(str(number), "read", "RequestError", str(error))
    if len(asked.text) > limits.document_characters:
        message = f"a document of over {limits.document_characters} characters"
        return _failed(asked.id or str(number), "read", "RequestError", message)
    return _document(asked, number)


async def _answered(service: Service, task: Task, batch: list[Document | dict[str, Any]]) -> bytes:
    given = [each for each in batch if isinstance(each, Document)]
    try:
        outcomes = iter(await service.outcomes(task, given))
        rows = [
            _row(each, next(outcomes)) if isinstance(each, Document) else each for each in batch
        ]
    except RequestError as error:  # the status line is gone: each document says so instead
        rows = [
            _failed(each.id, "serve", "RequestError", str(error))
            if isinstance(each, Document)
            else each
            for each in batch
        ]
    return b"".join(json.dumps(row, ensure_ascii=False).encode() + b"\n" for row in rows)


def _document(asked: DocumentIn, number: int) -> Document:
    meta = {"patient_id": asked.patient_id, "note_date": asked.note_date}
    known = {name: value for name, value in meta.items() if value}
    return Document(asked.id or str(number), asked.text, known)


def _row(document: Document, outcome: Outcome) -> dict[str, Any]:
    if isinstance(outcome, Failure):
        return _failed(document.id, outcome.stage, outcome.error, outcome.message)
    spans = [
        {
            "start": span.start,
            "end": span.end,
            "label": span.label,
            "score": round(span.score, 4),
            "sources": list(span.sources),
        }
        for span in outcome.spans
    ]
    row: dict[str, Any] = {"id": document.id, "spans": spans}
    return row if outcome.text is None else {**row, "text": outcome.text}


def _failed(document_id: str, stage: str, error: str, message: str) -> dict[str, Any]:
    return {"id": document_id, "failure": {"stage": stage, "type": error, "message": message}}


def _takes(model: type[Any]) -> dict[str, Any]:
    """The request body for the OpenAPI document; we read it ourselves, to bound it."""
    schema = model.model_json_schema(ref_template="#/components/schemas/{model}")
    schema.pop("$defs", None)
    return {"requestBody": {"required": True, "content": {"application/json": {"schema": schema}}}}
