"""Sentences that survive clinical text: abbreviations, headings, lists, no punctuation at all.

A line end that is no wrap always ends a sentence. A full stop ends one if a blank follows and what
comes before it is neither an abbreviation nor an initial, or if the next word starts like a
sentence and the abbreviation is one that can end one.
"""

from __future__ import annotations

import re

# Each begins with one character of a set: such a search runs through the text at full speed.
_BREAK = re.compile(
    r"[\n.!?](?:"
    r"(?<=\n)\n*"
    r"|(?<!\n)(?<![.!?].)[.!?]*[\"')\]]*[ \t]+(?=[\"'(\[]?[A-Z0-9])"
    r"|(?<=[!?])[ \t]+"
    r")"
)
# A note typed without capitals: any letter may start a sentence, so the word before the full stop
# must be a whole word.
_BREAK_LOWER = re.compile(
    r"[\n.!?](?:"
    r"(?<=\n)\n*"
    r"|(?<=[a-z0-9]{2}[.!?])[.!?]*[\"')\]]*[ \t]+"
    r"|(?<=[!?])[ \t]+"
    r")"
)
_LAST_WORD = re.compile(r"([^\W\d_]+(?:\.[^\W\d_]+)*)[.!?]*[\"')\]]*\s*$")

# Words that carry a full stop of their own and are followed by a capital in mid-sentence.
_ABBREVIATIONS = frozenset(
    """dr drs mr mrs ms mx prof st ste mt ft rev fr sr sra jr hon capt lt sgt col gen no nos vs
    approx appt apt ave blvd rd ln ct hwy bldg rm ext tel fax dept univ inc co corp ltd jan feb mar
    apr jun jul aug sep sept oct nov dec mon tue tues wed thu thurs fri sat sun e.g i.e cf al fig
    pt pts hx dx rx tx sx fx wt ht temp resp neg pos bilat hosp med meds dob ref q.d b.i.d t.i.d
    q.i.d p.o p.r.n i.v i.m s.c b.i t.i q.i a.m p.m p.o.box u.s""".split()
)


def split_sentences(text: str) -> tuple[tuple[int, int], ...]:
    """[start, end) of each sentence, without the white space around it."""
    found: list[tuple[int, int]] = []
    start = 0
    breaks = _BREAK_LOWER if text == text.lower() else _BREAK
    for mark in breaks.finditer(text):
        at, end = mark.span()
        if text[at] == "." and _is_abbreviation(text, start, at):
            continue
        _add(found, text, start, end)
        start = end
    _add(found, text, start, len(text))
    return tuple(found)


def _is_abbreviation(text: str, start: int, dot: int) -> bool:
    *_, last = text[max(start, dot - 16) : dot].rsplit(None, 1) or [""]
    if not last.isalpha() or text[dot - 1].isspace():  # most sentences end with a plain word
        word = _LAST_WORD.search(text, max(start, dot - 16), dot)
        if word is None:
            # "1. Aspirin": a list number at the start of the sentence does not end it.
            return text[start:dot].strip().isdigit()
        last = word[1]
    return len(last) == 1 or last.lower() in _ABBREVIATIONS


def _add(found: list[tuple[int, int]], text: str, start: int, end: int) -> None:
    content = text[start:end].lstrip()
    if content:
        begin = end - len(content)
        found.append((begin, begin + len(content.rstrip())))
