"""Spans from a text that was already redacted: what changed is what a system took for PHI.

The redacted text is aligned to its original word by word. Words that are gone or replaced are a
span; a replacement that names a label, as "[DATE]" or "<PERSON>", gives the span that label.
"""

from __future__ import annotations

import re
from difflib import SequenceMatcher

from incognote.core.types import AnnotatedDocument, Document, Span

UNTYPED = "PHI"

_PIECE = re.compile(r"\w+|[^\w\s]")
_TAG = re.compile(r"[\[<{(]+\**\s*([A-Z][A-Z_-]+)[^\]>})]*[\]>})]")


def from_redacted(document: Document, redacted: str) -> AnnotatedDocument:
    text = document.text
    before = [piece.span() for piece in _PIECE.finditer(text)]
    after = [piece.span() for piece in _PIECE.finditer(redacted)]
    matcher = SequenceMatcher(
        None,
        [text[start:end] for start, end in before],
        [redacted[start:end] for start, end in after],
        autojunk=False,  # the heuristic drops frequent words, which anchor clinical text
    )
    spans = []
    for kind, i, j, k, m in matcher.get_opcodes():
        if kind not in ("replace", "delete"):
            continue
        words = [bounds for bounds in before[i:j] if text[bounds[0]].isalnum()]
        # Where only punctuation changed, nothing was hidden.
        if words:
            label = _label(redacted[after[k][0] : after[m - 1][1]]) if m > k else UNTYPED
            spans.append(Span(words[0][0], words[-1][1], label))
    return AnnotatedDocument(document, tuple(spans))


def _label(replacement: str) -> str:
    tag = _TAG.search(replacement)
    return tag[1] if tag else UNTYPED
