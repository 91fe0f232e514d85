"""Rows of named fields (CSV, TSV, JSON Lines, Parquet): which become documents, and of what kind.

Fail closed: a field that the policy does not name is not copied. Its name often says what it holds
(`headers`); otherwise it is read as text, with its name before it as context.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from incognote.core.errors import ReadError, wording
from incognote.core.fields import CODES, VALUES, words_of
from incognote.core.types import Document, Result, Span
from incognote.formats.base import Unreadable, new_text
from incognote.formats.charset import check
from incognote.formats.clinical import VALUE
from incognote.formats.headers import classify_value, is_patient_number, labels_from_headers
from incognote.formats.patch import asks_known, facts, spread
from incognote.policy import DROP, KEEP, TEXT, FormatRules

_DEFAULTS = FormatRules()
# What the fields are that rows are known by, where their names say nothing better.
_KEY = "IDNUM"


def new_value(result: Result) -> str:
    """What a field becomes, without the lead-in that its document has."""
    lead = result.document.lead
    if not lead:
        return new_text(result)
    [value] = spread(result, [result.document.text[lead:]], [lead])
    return value


class Columns:
    """What each field of a table is: as the policy says, else as its name says."""

    def __init__(self, names: Iterable[str], rules: FormatRules) -> None:
        self.rules = rules
        self._labels = labels_from_headers(names)
        self.patient = self._patient()
        for key in self._labels:
            if key in self.keys and not self.is_label(key):
                self._labels[key] = _KEY

    def _patient(self) -> str:
        """The field whose value rows of one patient share: as named, or the first that must be."""
        if self.rules.patient in self._labels or self.rules.patient != _DEFAULTS.patient:
            return self.rules.patient
        numbers = [name for name in self._labels if is_patient_number(name)]
        records = [name for name, kind in self._labels.items() if kind == "MEDICALRECORD"]
        return next(iter([*numbers, *records]), self.rules.patient)

    def choice(self, name: str) -> str | None:
        """What the policy says of a field; None where its name and its value decide."""
        if name in self.rules.text:
            return TEXT
        chosen = self.rules.labels.get(name)
        if chosen is None and name not in self.keys and self.rules.unnamed != TEXT:
            return self.rules.unnamed
        return chosen

    def decide(self, name: str, value: str) -> tuple[str, int, int]:
        """KEEP, DROP, TEXT or a label for one value, and which stretch of it that is about."""
        chosen = self.choice(name)
        if chosen is not None:
            return chosen, 0, len(value)
        kind, start, end = classify_value(self.label_of_header(name), value)
        # Whatever it looks like, what a row or a patient is known by identifies: all of it goes.
        is_key = kind in (TEXT, VALUE) and name in self.keys
        return (self._labels.get(name) or _KEY if is_key else kind), start, end

    def label_of_header(self, name: str) -> str | None:
        return self._labels.get(name)

    def set_label(self, name: str, kind: str) -> None:
        """The source itself says what a column holds, whatever its name is."""
        self._labels[name] = kind

    @property
    def keys(self) -> tuple[str, str]:
        """The fields that rows are known by. They are mapped, one to one, and not copied: naming
        one asks for consistency, not for its values to stay."""
        return self.rules.id, self.rules.patient

    @property
    def keeps_id(self) -> bool:
        return self.choice(self.rules.id) == KEEP

    def is_label(self, name: str) -> bool:
        """Whether the values of a field are masked as a whole, if they can be what it says."""
        chosen = self.choice(name) or self.label_of_header(name)
        return chosen not in (None, KEEP, DROP, TEXT, CODES, VALUES)

    def is_named(self, name: str) -> bool:
        """Whether anything but the value itself says what a field is."""
        return self.choice(name) is not None or self.label_of_header(name) is not None


@dataclass(frozen=True, slots=True)
class Row:
    """A row as its format read it: where it appears, and its fields as text."""

    name: str
    number: int
    fields: Mapping[str, str] = field(repr=False)

    def id(self, columns: Columns) -> str:
        """What the row is known by. Ids appear in the manifest: one that is masked must not."""
        given = self.fields.get(columns.rules.id) if columns.keeps_id else None
        return given or place(self.name, self.number)

    def documents(self, columns: Columns) -> dict[str, Document]:
        """The fields that become documents: those named as text first, as people look for them.

        All share the row's id, so that they share surrogates where the scope of a policy is the
        document; and what labelled fields state is looked for in the texts.
        """
        rules = columns.rules
        meta = self.meta(columns)
        texts = [key for key in rules.text if key in self.fields]
        # Headers that may be PHI appear in no message.
        names = {key: f"column {n}" if rules.keys else key for n, key in enumerate(self.fields, 1)}
        documents: dict[str, Document] = {}
        for key in (*texts, *(key for key in self.fields if key not in rules.text)):
            value = check(self.fields[key])
            kind, start, end = columns.decide(key, value)
            if kind in (KEEP, DROP):
                continue
            read = kind in (TEXT, VALUE)
            lead = f"{words_of(key)}: " if read and columns.choice(key) is None else ""
            whole = not read and start < end
            documents[key] = Document(
                id=self.id(columns),
                text=lead + value,
                meta=meta,
                locator=f"{place(self.name, self.number)} {names[key]}",
                given=(Span(start, end, kind),) if whole else (),
                free_text=read,
                lead=len(lead),
                clinical=kind == VALUE,
            )
        known = facts(documents.values())
        if not known:
            return documents
        return {
            key: replace(document, known=known) if asks_known(document) else document
            for key, document in documents.items()
        }

    def meta(self, columns: Columns) -> dict[str, str]:
        """What the other fields say of the row's texts."""
        meta = {key: value for key, value in self.fields.items() if key not in columns.rules.text}
        if patient := self.fields.get(columns.patient):
            meta["patient_id"] = patient
        return meta

    def dropped(self, columns: Columns) -> list[str]:
        """The fields whose values go, whatever they say."""
        return [key for key in self.fields if columns.choice(key) == DROP]


def require(present: Iterable[str], rules: FormatRules) -> None:
    """A ReadError where a field is missing that the user asked for by name.

    The defaults may be absent; a name the user typed may not, because a typing error there would
    silently break apart what belongs to one patient, or leave a note to be taken for a cell.
    """
    wanted = {} if rules.text == _DEFAULTS.text else dict.fromkeys(rules.text, "text")
    if rules.id != _DEFAULTS.id:
        wanted[rules.id] = "id"
    if rules.patient != _DEFAULTS.patient:
        wanted[rules.patient] = "patient"
    names = frozenset(present)
    for key, what in wanted.items():
        if key not in names:
            raise ReadError(f"no field named {key!r}, which should hold the {what}")


def place(name: str, number: int) -> str:
    return f"{name}:{number}"


def unreadable(
    name: str, number: int, error: ReadError, raw: bytes, row_id: str = ""
) -> Unreadable:
    """A row for the quarantine, under its id where that could be read."""
    where = place(name, number)
    message = f"{where}: {wording(error)}"
    return Unreadable(row_id or where, error.stage, type(error).__name__, message, raw)
