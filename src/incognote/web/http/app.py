"""The application: middlewares, routes, templates."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request
from fastapi.staticfiles import StaticFiles
from starlette.responses import Response

from incognote.web.http import errors
from incognote.web.http.errors import NoTraceback
from incognote.web.http.headers import SecurityHeaders
from incognote.web.http.limits import BodyLimit, Throttle
from incognote.web.http.oidc import Provider
from incognote.web.http.render import renderer
from incognote.web.http.routes import ROUTERS
from incognote.web.store.database.connection import Store

_STATIC = Path(__file__).parents[1] / "static"
LARGEST_UPLOAD = 2 * 1024**3


def create_app(
    store: Store,
    *,
    https: bool = False,
    largest_upload: int = LARGEST_UPLOAD,
    oidc: Provider | None = None,
) -> FastAPI:
    """`https`: the browser uses HTTPS, here or with a proxy before us."""
    app = FastAPI(openapi_url=None, docs_url=None, redoc_url=None)
    app.state.store = store
    app.state.https = https
    app.state.throttle = Throttle()
    app.state.largest_upload = largest_upload
    app.state.oidc = oidc
    app.state.render = renderer(app)
    for router in ROUTERS:
        app.include_router(router)
    app.mount("/static", _Static(directory=_STATIC), name="static")

    def error_page(request: Request, status: int, message: str) -> Response:
        page: Response = app.state.render(
            request, "error.html", status_code=status, status=status, message=message
        )
        return page

    errors.install(app, error_page)
    # The last added is the outermost.
    app.add_middleware(BodyLimit)
    app.add_middleware(NoTraceback)
    app.add_middleware(SecurityHeaders, https=https)
    return app


class _Static(StaticFiles):
    """Scripts and styles change with the version only: they may be kept for a minute."""

    async def get_response(self, path: str, scope: Any) -> Response:
        response = await super().get_response(path, scope)
        response.headers["cache-control"] = "private, max-age=60"
        return response
