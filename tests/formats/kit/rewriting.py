"""A stand-in for the pipeline: it rewrites every document, so that formats are tested alone."""

from __future__ import annotations

import codecs
import io
import re
from dataclasses import dataclass, field

from incognote.core.types import Document, Failure, Replacement, Result, Span
from incognote.formats.base import Format, Record
from incognote.policy import FormatRules

OLD, NEW = "Smith", "Quillfeather-Ørsted"
LF = b"\n"


@dataclass
class Rewritten:
    """What came out of a file: its new bytes, its documents and what could not be read."""

    data: bytes = b""
    documents: list[Document] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)

    @property
    def texts(self) -> list[str]:
        return [document.text for document in self.documents]


def rewrite(
    kind: Format, data: bytes, rules: FormatRules | None = None, *, old: str = OLD, new: str = NEW
) -> Rewritten:
    """The file with every `old` in its documents replaced by `new`."""
    out = Rewritten()
    for item in kind.read(io.BytesIO(data), "file", rules or FormatRules()):
        if isinstance(item, Failure):
            out.failures.append(item)
            continue
        assert isinstance(item, Record)
        out.data += item.render([_result(document, old, new) for document in item.documents])
        out.documents += item.documents
    return out


def only_the_name_changes(kind: Format, data: bytes) -> None:
    """Every "Smith" gives way to a "Brown", in whatever encoding, and no other byte moves."""
    out = rewrite(kind, data, new="Brown")
    encoding = "utf-16-le" if data.startswith(codecs.BOM_UTF16_LE) else "ascii"
    assert not out.failures
    assert out.data == data.replace(OLD.encode(encoding), "Brown".encode(encoding))


def one_row_is_refused(kind: Format, before: bytes, row: bytes, after: bytes, reason: str) -> None:
    """The row between goes to quarantine with a reason that shows no text; the others are read."""
    out = rewrite(kind, before + row + after)
    (failure,) = out.failures
    assert failure.message.startswith(f"file:{before.count(LF) + 1}: ")
    assert reason in failure.message
    assert OLD not in repr(failure)
    assert failure.raw == row
    assert out.data == before + after


def _result(document: Document, old: str, new: str) -> Result:
    spans = [Span(*each.span(), "PATIENT") for each in re.finditer(re.escape(old), document.text)]
    replacements = tuple(Replacement(span, new, "test") for span in spans)
    return Result(document, (), (), replacements, document.text.replace(old, new))
