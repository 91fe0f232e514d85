"""What a column, a key or a named test holds, by its name (columns.toml)."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from dataclasses import dataclass
from importlib.resources import files

from incognote.core.caches import cached, once

# Kinds of columns besides labels: codes of catalogues, and clinical values with their units.
CODES = "codes"
VALUES = "values"

# Another word begins: "patientName", "HTTPServer", "patient_name", "phone2".
_SEAM = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=[A-Za-z])(?=\d)|[\W_]+")
_RUNNING_NUMBER = re.compile(r"(?: \d+)+$")

_Kinds = tuple[tuple[re.Pattern[str], str], ...]


@dataclass(frozen=True, slots=True)
class _Table:
    kinds: _Kinds
    patients: _Kinds
    blanks: frozenset[str]


@once
def _table() -> _Table:
    raw = tomllib.loads(files("incognote.core.fields").joinpath("columns.toml").read_text("utf-8"))

    def compiled(named: dict[str, list[str]]) -> _Kinds:
        return tuple((pattern(names), kind) for kind, names in named.items())

    def pattern(alternatives: list[str]) -> re.Pattern[str]:
        filled = "|".join(alternatives)
        for word, expression in raw["words"].items():
            filled = filled.replace(f"{{{word}}}", expression)
        return re.compile(filled)

    harmless = raw["harmless"]
    named = {**raw["labels"], CODES: harmless["codes"], VALUES: harmless["values"]}
    return _Table(compiled(named), compiled(raw["patients"]), frozenset(harmless["blanks"]))


def words_of(name: str) -> str:
    """`patientName`, `patient_name` and `patient-name` all read "patient Name"."""
    return _SEAM.sub(" ", name).strip()


@cached(4096)
def label_from_header(name: str) -> str | None:
    """What a column of this name holds: a label, CODES, VALUES, or None: it may be anything."""
    return _first(_table().kinds, name)


@cached(4096)
def label_in_patient_table(name: str) -> str | None:
    """What a column holds in a table that has a row for each patient."""
    return _first(_table().patients, name) or label_from_header(name)


def is_blank(value: str) -> bool:
    """Whether a cell says that nothing is known: "n/a", "unknown"."""
    return value.strip().lower() in _table().blanks


def _first(kinds: _Kinds, name: str) -> str | None:
    words = _RUNNING_NUMBER.sub("", _plain(words_of(name)).lower())
    return next((kind for pattern, kind in kinds if pattern.fullmatch(words)), None)


def _plain(words: str) -> str:
    """Without accents, which some programs write and others drop: "Médico" and "Medico"."""
    return "".join(c for c in unicodedata.normalize("NFKD", words) if not unicodedata.combining(c))
