"""The ensemble of a project: its policy with the trained models that are in use."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from sqlalchemy import select
from sqlalchemy.orm import Session

from incognote.core.types import Result, Span
from incognote.pipeline import Pipeline
from incognote.policy import Policy
from incognote.resolve.claims import detector_of
from incognote.web.flow.ordering import doubt
from incognote.web.store.policies import parsed_policy
from incognote.web.store.site import Site
from incognote.web.store.tables import Model, Project

IN_USE = "in use"
LEARNED = ("transformer", "fast", "accurate", "crf", "project_")
_WORD = re.compile(r"\w+")
Row = list[object]


def models_in_use(db: Session, site: Site, project: int) -> dict[str, Path]:
    rows = db.scalars(select(Model).where(Model.project_id == project, Model.state == IN_USE))
    return {row.kind: site.model(project, row.folder) for row in rows}


def ensemble(db: Session, site: Site, project: Project) -> Policy:
    return parsed_policy(
        project.policy, site.policies(project.id), models_in_use(db, site, project.id)
    )


def pipeline_of(policy: Policy, key: bytes | None = None) -> Pipeline:
    return Pipeline(policy, key)


def span_rows(spans: Sequence[Span]) -> list[Row]:
    return [
        [span.start, span.end, span.label, round(span.score, 3), list(span.sources), span.group]
        for span in spans
    ]


def dropped_rows(result: Result) -> list[Row]:
    return [
        [s.start, s.end, s.label, round(s.score, 3), list(s.sources), drop.reason]
        for drop in result.dropped
        for s in (drop.span,)
    ]


def doubt_of(result: Result) -> float:
    """The share of words that some members of the ensemble claim and others contradict, and how
    unsure the learned members are of what they claim."""
    words = max(1, len(_WORD.findall(result.document.text)))
    disputed = sum(
        len(_WORD.findall(result.document.text, drop.span.start, drop.span.end))
        for drop in result.dropped
        if drop.reason.partition(":")[0] in ("safe", "speech", "votes", "overlap", "never")
    )
    alone = [span for span in result.spans if len({*map(detector_of, span.sources)}) == 1]
    unsure = sum(1 - span.score for span in alone if _is_learned(span))
    return doubt(words, disputed, unsure / words)


def _is_learned(span: Span) -> bool:
    return any(detector_of(source).startswith(LEARNED) for source in span.sources)
