"""Jobs in Spanish notes: another with the same exposure, of the same sex, as retired as before."""

from __future__ import annotations

import re

from incognote.core.caches import once
from incognote.transform.record import TransformRecord
from incognote.transform.spelling import fold
from incognote.transform.word_data import table_of

_RETIRED = re.compile(r"\s+(?:jubilad|retirad)[oa]$", re.IGNORECASE)
_OTHERS = "desk"


@once
def _classes() -> dict[str, tuple[tuple[str, str], ...]]:
    """Class of exposure -> the names of each job, for a man and for a woman."""
    found: dict[str, tuple[tuple[str, str], ...]] = {}
    for name, jobs in table_of("spanish").items():
        if name.startswith("jobs_"):
            pairs = (" ".join(job.split()).partition("/") for job in jobs.split(","))
            found[name.removeprefix("jobs_")] = tuple((man, woman) for man, _, woman in pairs)
    return found


@once
def _known() -> dict[str, tuple[str, int, bool]]:
    """A job as it is written -> its class, its place there, whether it is that of a woman alone."""
    return {
        fold(job): (name, at, is_woman and man != woman)
        for name, jobs in _classes().items()
        for at, (man, woman) in enumerate(jobs)
        for is_woman, job in ((True, woman), (False, man))
    }


def spanish_job(text: str, record: TransformRecord) -> str:
    retired = _RETIRED.search(text)
    job = fold(text[: retired.start()] if retired else text)
    name, at, woman = _known().get(job, (_OTHERS, -1, job.partition(" ")[0].endswith("a")))
    jobs = _classes()[name]
    if at >= 0:
        drawn = record.scope.permuted(f"spanish jobs:{name}", len(jobs), at)
        new = jobs[drawn if drawn != at else (at + 1) % len(jobs)][woman]  # nobody keeps a job
    else:
        new = record.scope.draws.pick(jobs, "PROFESSION", job)[woman]
    if retired:
        new += retired[0].lower()
    if text.isupper():
        return new.upper()
    return new.capitalize() if text[:1].isupper() else new
