"""A stand-in for the pipeline: it rewrites every document, so that formats are tested alone."""

from __future__ import annotations

import io
from dataclasses import dataclass, field

from incognote.core.types import Document, Failure, Result
from incognote.formats.base import Format, Record
from incognote.policy import FormatRules

OLD, NEW = "Smith", "Quillfeather-Ørsted"


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
        results = [
            Result(document, (), text=document.text.replace(old, new))
            for document in item.documents
        ]
        out.data += item.render(results)
        out.documents += item.documents
    return out
