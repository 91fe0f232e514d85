"""Jinja templates, escaped always."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request
from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape
from starlette.responses import HTMLResponse, Response

from incognote import __version__
from incognote.web.http.access import COOKIE, form_token, maybe_person

_PAGES = Path(__file__).parents[1] / "pages"
Render = Callable[..., Response]


def renderer(app: FastAPI) -> Render:
    environment = Environment(
        loader=FileSystemLoader(_PAGES),
        autoescape=select_autoescape(default=True, default_for_string=True),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"day": day, "ago": ago, "percent": percent, "count": count}
    environment.filters |= {"why": why, "reasons": reasons}
    environment.globals |= {"version": __version__, "oidc": app.state.oidc is not None}

    def render(request: Request, page: str, *, status_code: int = 200, **values: Any) -> Response:
        token = request.cookies.get(COOKIE, "")
        common = {
            "path": request.url.path,
            "person": maybe_person(request),
            "token": form_token(token) if token else "",
            "project": None,
            "may": lambda _: False,
        }
        if access := values.get("access"):
            common |= {"project": access.project, "may": access.may}
        text = environment.get_template(page).render(common | values)
        return HTMLResponse(text, status_code)

    return render


def day(milliseconds: int | None) -> str:
    if milliseconds is None:
        return ""
    return time.strftime("%Y-%m-%d %H:%M", time.gmtime(milliseconds / 1000))


# Errors of jobs that people can do something about; of others the type says where to look.
_WHY = {
    "TooLittleGold": "too few settled notes to learn from",
    "NothingHard": "the last transformer makes no error on the settled notes",
    "MissingExtra": "an extra that it needs is not installed",
    "WorkerLost": "its worker died three times",
    "PolicyError": "the policy of the project does not work",
    "ReadError": "the file is damaged or not what its name says",
}


def why(error: str) -> str:
    return _WHY.get(error, error)


def reasons(failures: list[dict[str, str]]) -> list[tuple[str, str, int]]:
    """(stage, error, how often), the most frequent first."""
    found = Counter((one["stage"], one["error"]) for one in failures)
    return [(stage, error, number) for (stage, error), number in found.most_common()]


def ago(milliseconds: int | None) -> str:
    """A length of time in words that fit a table."""
    if milliseconds is None:
        return ""
    seconds = max(0, milliseconds // 1000)
    for size, unit in ((86_400, "d"), (3600, "h"), (60, "min")):
        if seconds >= size:
            return f"{seconds // size} {unit}"
    return f"{seconds} s"


def percent(share: float | None, digits: int = 1) -> str:
    return "–" if share is None else f"{100 * share:.{digits}f} %"


def count(number: float | None) -> str:
    return "–" if number is None else f"{number:,.0f}".replace(",", " ")
