"""The application: routes, errors, metrics, log, life cycle."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, PlainTextResponse
from starlette.exceptions import HTTPException

from incognote import __version__
from incognote.serve.limits import RequestError, error_answer
from incognote.serve.logs import RequestLog
from incognote.serve.presidio import presidio_routes
from incognote.serve.service import Service
from incognote.serve.settings import ServeSettings
from incognote.serve.v1 import v1_routes
from incognote.serve.watch import Watch
from incognote.serve.work import Workers


def create_app(settings: ServeSettings, log: RequestLog | None = None) -> FastAPI:
    """The service as an ASGI application. Its workers live as long as it does."""
    limits = settings.limits
    workers = Workers(
        settings.policies,
        settings.key,
        settings.workers,
        most_waiting=limits.waiting_documents,
        seconds=limits.seconds,
    )
    service = Service(settings, workers, log=log or RequestLog())

    @asynccontextmanager
    async def life(_: FastAPI) -> AsyncIterator[None]:
        await workers.start()
        yield
        await workers.stop()

    app = FastAPI(
        title="incognote",
        version=__version__,
        description="De-identifies clinical text.",
        lifespan=life,
        docs_url=None,
        redoc_url=None,
    )
    app.include_router(v1_routes(service))
    app.include_router(presidio_routes(service))
    _add_probes(app, service)
    _add_errors(app)
    app.add_middleware(Watch, service=service, paths=frozenset(app.openapi()["paths"]))
    return app


def _add_probes(app: FastAPI, service: Service) -> None:
    @app.get("/health", response_class=PlainTextResponse)
    async def health() -> str:
        """Alive. Presidio's clients ask this, too."""
        return "incognote is up"

    @app.get("/ready")
    async def ready() -> JSONResponse:
        """Whether the models are loaded and there is room in the queue."""
        room = service.workers.waiting < service.settings.limits.waiting_documents
        fine = service.workers.is_ready and room
        return JSONResponse({"ready": fine}, 200 if fine else 503)

    @app.get("/metrics", response_class=PlainTextResponse)
    async def metrics(request: Request) -> Response:
        service.caller(request)
        service.metrics.waiting.set(service.workers.waiting)
        return Response(service.metrics.text(), media_type="text/plain; version=0.0.4")


def _add_errors(app: FastAPI) -> None:
    """One shape for every error, with our words: other people's messages may quote a note."""

    @app.exception_handler(RequestError)
    async def refused(_: Request, error: RequestError) -> JSONResponse:
        return error_answer(error)

    @app.exception_handler(RequestValidationError)
    async def invalid(_: Request, error: RequestValidationError) -> JSONResponse:
        places = "; ".join(".".join(map(str, each["loc"])) for each in error.errors()[:5])
        return error_answer(RequestError(422, f"not as it should be: {places}"))

    @app.exception_handler(HTTPException)
    async def unknown(_: Request, error: HTTPException) -> JSONResponse:
        return error_answer(RequestError(error.status_code, "no such endpoint or method"))
