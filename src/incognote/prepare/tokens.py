"""Tokens: words, digit runs and single punctuation marks, in one regular-expression pass.

Letters and digits never share a token ("58M" is two, "B12" is two), so that rules can start at a
number wherever it stands. O'Brien and D'Angelo are one word; a possessive 's is its own token,
because it stays outside a name.
"""

from __future__ import annotations

import re
from array import array

from incognote.core.types import Tokens

_TOKEN = re.compile(
    r"(?:\b[OD]['’](?=[^\W\d_]{2}))?[^\W\d_]+"  # a word
    r"|\d+"
    r"|['’]s\b"
    r"|[^\w\s]"
    r"|_+",
    re.IGNORECASE,
)


def tokenize(text: str) -> Tokens:
    spans = [match.span() for match in _TOKEN.finditer(text)]
    return Tokens(
        starts=array("l", [start for start, _ in spans]),
        ends=array("l", [end for _, end in spans]),
    )
