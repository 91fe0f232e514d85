"""Rows of named fields (JSON Lines, CSV, TSV): which fields become documents, under which id."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from incognote.core.errors import ReadError
from incognote.core.types import Document, Span
from incognote.formats.base import Unreadable
from incognote.formats.charset import check
from incognote.policy import DROP, KEEP, TEXT, FormatRules

_DEFAULTS = FormatRules()


@dataclass(frozen=True, slots=True)
class Row:
    """A row as its format read it: where it stands, and its fields as text."""

    name: str
    number: int
    fields: Mapping[str, str] = field(repr=False)

    def id(self, rules: FormatRules) -> str:
        return self.fields.get(rules.id) or place(self.name, self.number)

    def documents(self, rules: FormatRules) -> dict[str, Document]:
        """Document by field: the free texts first, then the fields that are PHI as a whole.

        All share the row's id, so that they share surrogates where the scope of a policy is the
        document.
        """
        meta = self.meta(rules)
        named = (*rules.text, *(key for key in rules.labels if key not in rules.text))
        documents = {}
        for key in named:
            choice = TEXT if key in rules.text else rules.labels[key]
            if key not in self.fields or choice in (KEEP, DROP):
                continue
            text = check(self.fields[key])
            whole = None if choice == TEXT else choice
            documents[key] = Document(
                id=self.id(rules),
                text=text,
                meta=meta,
                locator=f"{place(self.name, self.number)} {key}",
                given=(Span(0, len(text), whole),) if whole and text else (),
                free_text=whole is None,
            )
        return documents

    def meta(self, rules: FormatRules) -> dict[str, str]:
        """What the other fields say of the row's texts."""
        meta = {key: value for key, value in self.fields.items() if key not in rules.text}
        if rules.patient in self.fields:
            meta["patient_id"] = self.fields[rules.patient]
        return meta

    def dropped(self, rules: FormatRules) -> list[str]:
        """The fields whose values go, whatever they say."""
        return [key for key in self.fields if rules.labels.get(key) == DROP]


def require(present: Mapping[str, object], rules: FormatRules) -> None:
    """A ReadError where a field is missing that the user asked for by name.

    The defaults for id and patient may be absent; a name the user typed may not, because a typing
    error there would silently break apart what belongs to one patient.
    """
    wanted = dict.fromkeys(rules.text, "text")
    if rules.id != _DEFAULTS.id:
        wanted[rules.id] = "id"
    if rules.patient != _DEFAULTS.patient:
        wanted[rules.patient] = "patient"
    for key, what in wanted.items():
        if key not in present:
            raise ReadError(f"no field named {key!r}, which should hold the {what}")


def place(name: str, number: int) -> str:
    return f"{name}:{number}"


def unreadable(
    name: str, number: int, error: ReadError, raw: bytes, row_id: str = ""
) -> Unreadable:
    """A row for the quarantine, under its id where that could be read."""
    where = place(name, number)
    return Unreadable(row_id or where, error.stage, type(error).__name__, f"{where}: {error}", raw)
