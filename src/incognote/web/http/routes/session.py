"""Signing in and out, one's own password and settings."""

from __future__ import annotations

import re
from typing import Any

from fastapi import APIRouter, HTTPException, Request
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field
from starlette.responses import Response

from incognote.core.errors import UsageError
from incognote.web.http.access import COOKIE, Signed, Stored, check_origin, form_token
from incognote.web.store import accounts
from incognote.web.store.audit import audit
from incognote.web.store.tables import Account

router = APIRouter(prefix="/api/v1")
_PAGE = re.compile(r"/(?:projects|edit|documents|releases|accounts|password)(?:/[a-z0-9]+)*")


class Credentials(BaseModel):
    name: str = Field(max_length=200)
    password: str = Field(max_length=1000, repr=False)
    next: str = Field("", max_length=200)


def page_of_ours(path: str) -> str:
    """The page to go on with after the sign-in; never one of another site."""
    return path if _PAGE.fullmatch(path) else "/"


@router.post("/session")
def sign_in(request: Request, given: Credentials, store: Stored) -> Response:
    check_origin(request)
    name = given.name.strip().lower()
    begin_try(request, name)
    with store.read() as db:
        account = accounts.by_name(db, name)
    if account is None or not accounts.password_fits(account, given.password):
        with store.write() as db:
            audit(db, "sign-in failed", f"account {account.id}" if account else "")
        raise HTTPException(401, "the name or the password is wrong")
    request.app.state.throttle.succeeded(name, _address(request))
    with store.write(account.id) as db:
        token = accounts.begin_session(db, account)
    next_ = "/password" if account.must_change else page_of_ours(given.next)
    response = JSONResponse({"name": account.name, "next": next_, "token": form_token(token)})
    set_cookie(response, token)
    return response


def begin_try(request: Request, name: str) -> None:
    """Signs in with a password; after too many failures, refuses to try."""
    wait = request.app.state.throttle.begin(name, _address(request))
    if wait > 0:
        raise HTTPException(429, f"too many failed tries: wait {max(1, round(wait))} seconds")


def _address(request: Request) -> str:
    return request.client.host if request.client else ""


def set_cookie(response: Response, token: str) -> None:
    response.set_cookie(COOKIE, token, path="/", secure=True, httponly=True, samesite="strict")


@router.get("/session")
def who(person: Signed, request: Request) -> dict[str, Any]:
    return {
        "name": person.name,
        "full_name": person.full_name,
        "admin": person.is_admin,
        "token": form_token(request.cookies[COOKIE]),
    }


@router.delete("/session")
def sign_out(person: Signed, store: Stored) -> Response:
    with store.write(person.id) as db:
        accounts.end_session(db, person)
    response = JSONResponse({"next": "/sign-in"})
    response.delete_cookie(COOKIE, path="/", secure=True, httponly=True, samesite="strict")
    return response


class NewPassword(BaseModel):
    old: str = Field(max_length=1000, repr=False)
    new: str = Field(max_length=1000, repr=False)


@router.put("/session/password")
def change_password(
    given: NewPassword, request: Request, person: Signed, store: Stored
) -> Response:
    begin_try(request, person.name)
    with store.read() as db:
        account = db.get_one(Account, person.id)
    # Outside a transaction: to hash a password takes long, and others want to write.
    if not accounts.password_fits(account, given.old):
        raise HTTPException(403, "the old password is wrong")
    request.app.state.throttle.succeeded(person.name, _address(request))
    if given.old == given.new:
        raise UsageError("the new password must be another one")
    hashed = accounts.hashed(given.new)
    with store.write(person.id) as db:
        account = db.get_one(Account, person.id)
        accounts.set_password(db, account, hashed, must_change=False)
        token = accounts.begin_session(db, account)
    response = JSONResponse({"next": "/", "token": form_token(token)})
    set_cookie(response, token)
    return response


class OwnSettings(BaseModel):
    """Letters of labels ("" for none), and whether letters work at all."""

    keys: dict[str, str] = Field(default_factory=dict, max_length=60)
    letters: bool = True


@router.get("/session/settings")
def settings(person: Signed, store: Stored) -> dict[str, Any]:
    with store.read() as db:
        return dict(db.get_one(Account, person.id).settings or {})


@router.put("/session/settings")
def change_settings(given: OwnSettings, person: Signed, store: Stored) -> dict[str, Any]:
    keys = {label: letter.lower() for label, letter in given.keys.items()}
    letters = [letter for letter in keys.values() if letter]
    if any(len(letter) != 1 or not letter.isalpha() for letter in letters):
        raise UsageError("a key is one letter")
    if len(set(letters)) != len(letters):
        raise UsageError("each label needs a letter of its own")
    with store.write(person.id) as db:
        db.get_one(Account, person.id).settings = {"keys": keys, "letters": given.letters}
    return {"keys": keys, "letters": given.letters}
