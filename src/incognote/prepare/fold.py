"""Folding: a view's text with typographic and typing variants made plain.

Most characters fold one for one, which keeps offsets as they are: curly quotes, dashes, odd
spaces, accented letters, carriage returns. A few do not: a ligature becomes two letters, a
combining accent, a soft hyphen or a zero-width mark nothing, and a word hyphenated at a line end
is joined. Only then is an offset map of several pieces needed.

A letter of another script that looks like a Latin one, in a word that is otherwise Latin, is a
slip of a keyboard or a scanner and becomes that letter: no list would know "Sмith".
"""

from __future__ import annotations

import re
import unicodedata

from incognote.core.caches import cached
from incognote.core.text.letters import is_invisible
from incognote.core.text.offsets import OffsetMap, OffsetMapBuilder

_PLAIN = {
    **dict.fromkeys("‘’‚‛ʼ′`´", "'"),
    **dict.fromkeys("“”„‟″«»", '"'),
    **dict.fromkeys("‐‑‒–—―−﹣－", "-"),
    **dict.fromkeys(map(chr, (0xA0, *range(0x2000, 0x200B), 0x202F, 0x205F, 0x3000)), " "),
    **dict.fromkeys("\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029", " "),
    "ł": "l", "Ł": "L", "ø": "o", "Ø": "O", "đ": "d", "Đ": "D", "ı": "i",
    "ß": "ss", "æ": "ae", "Æ": "AE", "œ": "oe", "Œ": "OE",
}  # fmt: skip
_LOOKALIKES = str.maketrans(
    "АВЕЅІЈКМНОРСТУХаеорсухіјѕԁһԛԝмΑΒΕΖΗΙΚΜΝΟΡΤΥΧο",
    "ABESIJKMHOPCTYXaeopcyxijsdhqwmABEZHIKMNOPTYXo",
)
_STRANGERS = re.escape("".join(map(chr, _LOOKALIKES)))
_DISGUISED = re.compile(
    rf"\b(?=[{_STRANGERS}]*[a-zA-Z])[a-zA-Z]*[{_STRANGERS}][a-zA-Z{_STRANGERS}]*\b"
)

# What needs a look: anything beyond ASCII, carriage returns and other odd spaces, and a hyphen
# that breaks a word at a line end. Lower case on both sides: "Anne-\nMarie" keeps her hyphen.
# It begins with one character of a set: such a search runs through the text at full speed.
_ODD = re.compile(
    r"[-`\r\x0b\x0c\x1c-\x1e\x80-\U0010ffff]"
    r"(?:(?<!-)|(?<=[a-zà-ÿ]-)[ \t]{0,8}\r?\n[ \t]{0,80}(?=[a-zà-ÿ]))"
)


@cached(4096)
def fold_character(character: str) -> str:
    """The plain form of one character: usually one character, sometimes two or none."""
    if is_invisible(character) or unicodedata.combining(character):
        return ""
    plain = _PLAIN.get(character)
    if plain is not None:
        return plain
    decomposed = unicodedata.normalize("NFKD", character)
    base = "".join(c for c in decomposed if not unicodedata.combining(c))
    # Only Latin letters, digits and punctuation have a plain form; other scripts stay themselves.
    return base if base.isascii() and base.strip() else character


def fold(text: str, base: int = 0) -> tuple[str, OffsetMap]:
    """Plain text and the map back to the document, in which this text starts at `base`."""
    if not _ODD.search(text):
        return text, OffsetMap.identity(len(text), base)
    if not text.isascii():
        text = _DISGUISED.sub(lambda word: word[0].translate(_LOOKALIKES), text)
    builder = OffsetMapBuilder(base)
    parts: list[str] = []
    at = 0
    for odd in _ODD.finditer(text):
        start, end = odd.span()
        # A hyphen and the line end behind it vanish together.
        plain = fold_character(odd[0]) if end - start == 1 else ""
        parts += [text[at:start], plain]
        builder.keep(start - at)
        if plain:
            builder.replace(end - start, len(plain))
        else:
            builder.drop(end - start)
        at = end
    parts.append(text[at:])
    builder.keep(len(text) - at)
    return "".join(parts), builder.build()
