"""The routes: JSON under /api/v1, pages elsewhere."""

from __future__ import annotations

from fastapi import APIRouter

from incognote.web.http.routes import (
    adjudication,
    assignments,
    documents,
    exports,
    learning,
    oidc,
    pages,
    people,
    policy,
    projects,
    releases,
    session,
    site,
    sources,
)

ROUTERS: tuple[APIRouter, ...] = (
    session.router,
    oidc.router,
    projects.router,
    sources.router,
    documents.router,
    assignments.router,
    adjudication.router,
    people.router,
    learning.router,
    policy.router,
    releases.router,
    exports.router,
    site.router,
    pages.router,
)
