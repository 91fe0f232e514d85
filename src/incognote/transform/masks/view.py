"""Values of an anonymised table, written back into the text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from incognote.core.caches import cached
from incognote.core.registry import load
from incognote.policy import typed_options
from incognote.transform.dates.facts import is_birth, names_birth
from incognote.transform.record import Mention, TransformRecord

# What becomes of a value that the table does not answer for.
FIXED = {"AGE": "generalize", "ZIP": "zip3"}


@dataclass(frozen=True, slots=True)
class FromView:
    """The value that the anonymised table publishes of the person ("47" -> "40-49"). A mention that
    is nobody's, or says something else than the table's row, gets the fixed rule `otherwise`.
    A birth date gets its tag: moved as other dates are, it would still tell the age."""

    label: str
    otherwise: str = ""
    labels: ClassVar[frozenset[str]] = frozenset()

    def __post_init__(self) -> None:
        _fixed(self.label, self.otherwise)  # a bad name is an error before the first document

    def replace(self, mention: Mention, record: TransformRecord) -> str:
        for start, end, text in record.document.released:
            if (start, end) == (mention.start, mention.end):
                return text
        born = is_birth(mention, record.text) or names_birth(record.document.locator)
        otherwise = "tag" if self.label == "DATE" and born else self.otherwise
        return str(_fixed(self.label, otherwise).replace(mention, record))

    def explain(self) -> str:
        rule = _fixed(self.label, self.otherwise).explain()
        return f"as the anonymised table has it; otherwise {rule}"


@cached(1024)
def _fixed(label: str, otherwise: str) -> Any:
    """The rule for values that the table does not answer for."""
    action = otherwise or FIXED.get(label, "tag")
    return typed_options(load("transform", action), {"label": label}, f"labels.{label}.otherwise")
