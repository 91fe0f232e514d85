"""Signing in with the organisation's provider: there and back."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, HTTPException, Query, Request
from starlette.responses import RedirectResponse, Response

from incognote.web.http.access import Stored, scheme_of
from incognote.web.http.oidc import PATIENCE, Provider, SignInRefused
from incognote.web.http.routes.pages import Page
from incognote.web.http.routes.session import set_cookie
from incognote.web.store import accounts
from incognote.web.store.audit import audit

router = APIRouter(prefix="/oidc", include_in_schema=False)
COOKIE = "__Host-incognote-oidc"


def _provider(request: Request) -> Provider:
    found: Provider | None = request.app.state.oidc
    if found is None:
        raise HTTPException(404, "this workbench has no provider to sign in with")
    return found


@router.get("/start")
def start(request: Request) -> Response:
    provider = _provider(request)
    site = provider.settings.url or f"{scheme_of(request)}://{request.headers.get('host', '')}"
    begun = provider.begin(f"{site.rstrip('/')}/oidc/callback")
    response = RedirectResponse(begun.url, 303)
    # Lax, unlike the session's: the browser comes back from another site.
    response.set_cookie(
        COOKIE,
        begun.binding,
        max_age=int(PATIENCE),
        path="/",
        secure=True,
        httponly=True,
        samesite="lax",
    )
    return response


@router.get("/callback")
def callback(
    request: Request,
    store: Stored,
    page: Page,
    state: Annotated[str, Query(max_length=200)] = "",
    code: Annotated[str, Query(max_length=4000)] = "",
) -> Response:
    provider = _provider(request)
    try:
        subject = provider.finish(state, code, request.cookies.get(COOKIE, ""))
    except SignInRefused as error:
        with store.write() as db:
            audit(db, "sign-in failed")
        return _page(page, "oidc_refused.html", 403, reason=str(error), subject="")
    with store.read() as db:
        account = accounts.by_subject(db, subject)
    if account is None or not account.is_active:
        with store.write() as db:
            audit(db, "sign-in failed", f"account {account.id}" if account else "")
        reason = "this account is locked" if account else ""
        return _page(page, "oidc_refused.html", 403, reason=reason, subject=subject)
    with store.write(account.id) as db:
        token = accounts.begin_session(db, account)
    # A page, not a redirect: the session's cookie goes with no request that another site began,
    # and a redirect would still be the provider's.
    response = _page(page, "oidc_done.html", 200)
    set_cookie(response, token)
    return response


def _page(page: Page, name: str, status: int, **values: object) -> Response:
    response = page(name, status_code=status, **values)
    response.delete_cookie(COOKIE, path="/", secure=True, httponly=True, samesite="lax")
    return response
