"""Runs `deid` over files in memory and compares their values."""

from __future__ import annotations

import io
import re
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import NamedTuple

from bench.harm.values import READERS, Value, kind_of
from incognote.core.types import Failure, Result
from incognote.formats import HEAD, format_of
from incognote.formats.base import with_records
from incognote.pipeline import Pipeline

ROOT = Path(__file__).parents[2]
FIXTURES = ROOT.parent / "shared" / "fixtures"
MORE_FIXTURES = ROOT.parent / "shared" / "fixtures_more"
PHI, TEXT, HARMLESS = "phi", "text", "harmless"


class Change(NamedTuple):
    """A value that is no PHI, as it was and as it came out ("" where it is gone)."""

    file: str
    place: str
    field: str
    before: str
    after: str


@dataclass(slots=True)
class Harm:
    """What became of the values of one format."""

    values: int = 0
    changes: list[Change] = field(default_factory=list)
    # Files that did not come out, each with the reason.
    refused: list[str] = field(default_factory=list)
    # Files whose output an independent reader cannot open.
    broken: list[str] = field(default_factory=list)

    @property
    def rate(self) -> float:
        """Per 1,000 values that are no PHI."""
        return 1000 * len(self.changes) / self.values if self.values else 0.0


@cache
def _lists() -> dict[str, dict[str, re.Pattern[str]]]:
    raw = tomllib.loads(Path(__file__).with_name("phi.toml").read_text("utf-8"))
    return {
        kind: {what: re.compile("|".join(patterns)) for what, patterns in lists.items()}
        for kind, lists in raw.items()
    }


def what_is(kind: str, value: Value) -> str:
    """PHI, free text or harmless, as the reviewed list says. Exceptions come first."""
    lists = _lists()[kind]
    for what in (HARMLESS, PHI, TEXT):
        if what in lists and lists[what].fullmatch(value.field):
            return what
    if "values" in lists and lists["values"].fullmatch(value.text):
        return PHI
    return HARMLESS


def rates(paths: Iterable[Path], pipeline: Pipeline) -> dict[str, Harm]:
    """The harm done to each structured format."""
    found: dict[str, Harm] = {}
    for path in paths:
        data = path.read_bytes()
        kind = kind_of(path.name, data)
        if kind is None:
            continue
        harm = found.setdefault(kind, Harm())
        outcome = deidentified(data, path.name, pipeline)
        if isinstance(outcome, Failure):
            harm.refused.append(f"{path.name}: {outcome.stage}: {outcome.error}")
            continue
        harmless = [v for v in READERS[kind](data) if what_is(kind, v) == HARMLESS]
        harm.values += len(harmless)
        try:
            after = list(READERS[kind](outcome))
        except Exception as error:  # noqa: BLE001 - readers of others raise what they like
            harm.broken.append(f"{path.name}: {type(error).__name__}")
            continue
        harm.changes += changed(harmless, after, path.name)
    return found


def changed(before: Iterable[Value], after: Iterable[Value], file: str) -> Iterator[Change]:
    new = {value.place: value.text for value in after}
    for value in before:
        if new.get(value.place) != value.text:
            yield Change(file, value.place, value.field, value.text, new.get(value.place, ""))


def deidentified(data: bytes, name: str, pipeline: Pipeline) -> bytes | Failure:
    """The file as `deid` writes it, all in memory."""
    out = b""
    rules = pipeline.policy.formats
    contents = format_of(name, data[:HEAD]).read(io.BytesIO(data), name, rules)
    for record in with_records(contents, name):
        if isinstance(record, Failure):
            return record
        results: list[Result] = []
        for outcome in pipeline.deid(record.documents):
            if isinstance(outcome, Failure):
                return outcome
            results.append(outcome)
        out += record.render(results)
    return out
