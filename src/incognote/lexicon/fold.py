"""One spelling for lookups: lower case, no accents, no apostrophes or full stops."""

from __future__ import annotations

import unicodedata

from incognote.core.caches import cached

_DROPPED = str.maketrans("", "", "'’‘ʻ`.")
# Letters that Unicode does not decompose.
_LETTERS = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "ß": "ss", "æ": "ae", "œ": "oe", "þ": "th", "ı": "i"}
)
_LONG_FORMS = {"st": "saint", "ste": "sainte", "mt": "mount", "ft": "fort"}


# A new word is looked up a dozen times, in one list after the other.
@cached(1024)
def fold(text: str) -> str:
    """Folds "O'Brien" and "OBRIEN" to "obrien", "Muñoz" to "munoz", "St. Paul" to "st paul"."""
    if not text.isascii():
        parts = unicodedata.normalize("NFKD", text)
        text = "".join(c for c in parts if not unicodedata.combining(c))
        return text.lower().translate(_LETTERS).translate(_DROPPED)
    return text.lower().translate(_DROPPED)


def fold_place(text: str) -> str:
    """As `fold`, with Saint, Mount and Fort spelled out and hyphens read as spaces."""
    words = fold(text).replace("-", " ").split()
    return " ".join(_LONG_FORMS.get(word, word) for word in words)
