"""WordPiece, as BERT-family vocabularies use it, over units.

Clinical text repeats its words, so nearly every unit is answered from a dictionary; that makes
this about as fast as a compiled tokenizer and saves a dependency.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

from incognote.core.caches import cached

_LONGEST = 64  # a longer unit is no word; it becomes one unknown piece


class WordPiece:
    """Splits units into vocabulary ids, longest match first."""

    def __init__(self, vocabulary: Iterable[str], *, lower: bool = True) -> None:
        self.vocabulary = tuple(vocabulary)
        self._ids = {piece: index for index, piece in enumerate(self.vocabulary)}
        self.lower = lower
        # MPNet's vocabulary has both kinds of specials, and uses BERT's for unknown pieces alone.
        self.unknown = self._special("[UNK]", "<unk>")
        self.pad = self._special("<pad>", "[PAD]")
        self.first = self._special("<s>", "[CLS]")
        self.last = self._special("</s>", "[SEP]")
        self.pieces = cached(131_072)(self._pieces)

    def __reduce__(self) -> tuple[object, ...]:
        return (_rebuild, (self.vocabulary, self.lower))

    @property
    def size(self) -> int:
        return len(self.vocabulary)

    def _special(self, *names: str) -> int:
        for name in names:
            if name in self._ids:
                return self._ids[name]
        raise ValueError(f"the vocabulary has none of {', '.join(names)}")

    def _pieces(self, unit: str) -> tuple[int, ...]:
        if unit[0] == unit[-1] and not unit[0].isalnum():
            unit = unit[0]  # a ruler of dashes reads as one dash
        if self.lower:
            folded = unicodedata.normalize("NFD", unit.lower())
            unit = "".join(c for c in folded if unicodedata.category(c) != "Mn")
        if not unit or len(unit) > _LONGEST:
            return (self.unknown,)
        return self.split(unit) or (self.unknown,)

    def split(self, text: str, *, continues: bool = False) -> tuple[int, ...]:
        """The longest pieces from left to right; nothing where one is missing. `continues`: the
        text follows others in its word."""
        found: list[int] = []
        start = 0
        while start < len(text):
            mark = "##" if start or continues else ""
            for end in range(len(text), start, -1):
                index = self._ids.get(mark + text[start:end])
                if index is not None:
                    found.append(index)
                    start = end
                    break
            else:
                return ()
        return tuple(found)


def _rebuild(vocabulary: tuple[str, ...], lower: bool) -> WordPiece:
    return WordPiece(vocabulary, lower=lower)
