"""The leak check: after replacement, no original may be left in the output.

`needles` says what is looked for and why. Here the output is gone through once, whatever the number
of needles: its distinct words are looked up, and only words that hold a needle are looked at again
where they appear.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import accumulate, pairwise
from operator import attrgetter
from typing import NamedTuple

from incognote.core.types import Span
from incognote.lexicon import speech
from incognote.transform.leaks.canonical import canonical
from incognote.transform.leaks.needles import (
    ATOMS,
    PEOPLE,
    Needles,
    Whole,
    Word,
    counts_inside,
    is_known,
    is_term,
)
from incognote.transform.leaks.word_index import SHORTEST, WordIndex
from incognote.transform.spelling import SPACED

_WORDS = re.compile(r"\w+")
# What every name letter by letter holds. It begins with a mark, which is rarer than a letter.
_LETTER_APART = re.compile(r"([ .\-])[^\W\d_]\1[^\W\d_](?![^\W_])")
_GAPS = re.compile(r"[\W_]+")
_LINE_END = re.compile(r"\n\s*+(?=\w)")
_SPACES = frozenset(" \t\r\f\v\u00a0")
_TITLE = re.compile(r"\b(?:mr|mrs|ms|miss|dr|doctor|prof)\b\.?\s+$", re.IGNORECASE)
_NEAR = 24
_FEW = 64
# Inside a sentence only names have capitals: "when Grace arrived".
_NEXT_WORDS = re.compile(r"(?: [a-z]+){1,6}")
_FINITE = frozenset({"VBD", "VBZ", "MD"})
_MIDDLE = re.compile(r"[a-z][a-z] ")
# Numbers so long are found in any layout: "617-726-2000" is "(617) 726 2000".
_LAID_OUT = range(7, 41)
_WITHDRAWN = frozenset({"new", "date"})
# What the policy keeps, and the words of tags: "Medica" is not in "[MEDICALRECORD]".
_NO_LEAK = frozenset({"kept", "tag"})
_LAYOUT = re.compile(r"[-. /()]{0,2}|-?\s*\n\s*")


class _Blanks(dict[int, int]):
    """For `str.translate`: all but letters and digits becomes blank."""

    def __missing__(self, char: int) -> int:
        self[char] = char if chr(char).isalnum() else ord(" ")
        return self[char]


_BLANKS = _Blanks()


@dataclass(frozen=True, slots=True)
class Leak:
    """An original in the output, in the output's coordinates. `ordinary`: a word of the language,
    used as a name is."""

    start: int
    end: int
    label: str
    ordinary: bool = False

    def moved(self, start: int, end: int) -> Leak:
        return Leak(start, end, self.label, self.ordinary)


class OutputStretch(NamedTuple):
    """A stretch of the output: where it begins, where it came from, and what it is."""

    start: int
    source: int
    kind: str  # "text", "kept", or a replacement: "new", "date" (may meet another), "tag", "fixed"


def find(output: str, wanted: Needles) -> list[Leak]:
    """Every place where an original appears in the output."""
    text = canonical(output)
    atoms = text.folded.translate(_BLANKS).split()
    words = wanted.words
    if len(words) <= _FEW:
        # The usual note has few names, most of which are nowhere: one look at each says so.
        squeezed = "".join(atoms)
        words = {name: word for name, word in words.items() if name in squeezed}
    found = (
        *_words_left(text.cased, text.folded, set(atoms), words),
        *_wholes_left(text.folded, atoms, wanted.wholes),
    )
    return [leak.moved(*text.place(leak.start, leak.end)) for leak in found]


def _words_left(
    output: str, folded: str, atoms: set[str], wanted: Mapping[str, Word]
) -> Iterator[Leak]:
    if not wanted:
        return
    index = WordIndex(wanted)
    words = set(_WORDS.findall(folded)) if "_" in folded else atoms
    # Known words contain names ("challenge"), but do not reveal them.
    held = {
        word: _longest_first(index, word)
        for word in filter(index.holds, words)
        if word in wanted or not is_known(word)
    }
    if held:
        for match in [match for match in _WORDS.finditer(folded) if match[0] in held]:
            word, start, end = match[0], match.start(), match.end()
            for at, name in held[word]:
                leak = _judged(wanted[name], word, at, start, end, output)
                if leak is not None:
                    yield leak
                    break
    yield from _spaced_out(folded, index, wanted)
    broken: dict[str, list[list[tuple[int, int]]]] = {}
    for parts in _broken(folded):
        broken.setdefault("".join(folded[start:end] for start, end in parts), []).append(parts)
    for joined in filter(index.holds, broken):
        found = _longest_first(index, joined)
        for parts in broken[joined]:
            yield from _over_line_ends(found, joined, parts, output, wanted)


def _spaced_out(folded: str, index: WordIndex, wanted: Mapping[str, Word]) -> Iterator[Leak]:
    """Names letter by letter: "S M I T H". A known word so written is a heading."""
    if not _LETTER_APART.search(folded):
        return
    for match in SPACED.finditer(folded):
        word = _GAPS.sub("", match[0])
        if word in wanted or not is_known(word):
            found = [name for _, name in _longest_first(index, word)]
            if found and (len(found[0]) > SHORTEST or found[0] == word):
                yield Leak(match.start(), match.end(), wanted[found[0]].label)


def _broken(text: str) -> Iterator[list[tuple[int, int]]]:
    """Words with nothing but line ends between them: "Kowal-" and "czyk" are one."""
    parts: list[tuple[int, int]] = []
    for line_end in _LINE_END.finditer(text):
        end = line_end.start()
        while end and text[end - 1] in _SPACES:
            end -= 1
        end -= text[end - 1 : end] == "-"
        start = end
        while start and (text[start - 1].isalnum() or text[start - 1] == "_"):
            start -= 1
        after = _WORDS.match(text, line_end.end())
        if start == end or after is None:
            continue
        if not parts or parts[-1] != (start, end):
            if parts:
                yield parts
            parts = [(start, end)]
        parts.append(after.span())
    if parts:
        yield parts


def _over_line_ends(
    found: Iterable[tuple[int, str]],
    joined: str,
    parts: Sequence[tuple[int, int]],
    output: str,
    wanted: Mapping[str, Word],
) -> Iterator[Leak]:
    """Of what was found in joined words, that which no line end leaves whole."""
    ends = list(accumulate(end - start for start, end in parts))
    for at, name in found:
        first, last = bisect_right(ends, at), bisect_right(ends, at + len(name) - 1)
        if first < last:
            begins = ends[first - 1] if first else 0
            word = joined[begins : ends[last]]
            start, end = parts[first][0], parts[last][1]
            leak = _judged(wanted[name], word, at - begins, start, end, output)
            if leak is not None:
                yield leak


def _longest_first(index: WordIndex, word: str) -> list[tuple[int, str]]:
    return sorted(index.inside(word), key=lambda found: -len(found[1]))


def _judged(needle: Word, word: str, at: int, start: int, end: int, output: str) -> Leak | None:
    """A leak, if it counts that the needle appears at this place of the word. The word appears,
    maybe broken, from start to end."""
    if needle.titled:
        alone = not at and word[len(needle.folded) :][:1] in ("", "_")
        is_name = alone and _is_used_as_name(needle, start, output)
        return Leak(start, end, needle.label, ordinary=True) if is_name else None
    if word == needle.folded:
        # Three letters in lower case are a word before they are a name: "ray amputation".
        is_word = len(word) == 3 and needle.cased and output[start].islower()
        return None if is_word else Leak(start, end, needle.label)
    if counts_inside(needle.folded, output[start:end]):
        return Leak(start, end, "USERNAME" if needle.label in PEOPLE else needle.label)
    return None


def _is_used_as_name(needle: Word, start: int, output: str) -> bool:
    """Whether the sentence suggests a name: a title before it, a capital in the middle, or what
    somebody does behind it. Without such evidence a word is a word."""
    if _TITLE.search(output, max(start - _NEAR, 0), start):
        return True
    if not (needle.cased and output.startswith(needle.folded.capitalize(), start)):
        return False
    if _MIDDLE.fullmatch(output, max(start - 3, 0), start):
        return not is_term(needle.folded)
    return _verb_follows(output, start + len(needle.folded))


def _verb_follows(output: str, end: int) -> bool:
    """Whether the next word is a verb if a name comes before it: "Page left", "Black stool"."""
    words = _NEXT_WORDS.match(output, end)
    return words is not None and speech.tag(["Smith", *words[0].split()])[1] in _FINITE


def _wholes_left(folded: str, atoms: Sequence[str], wholes: Iterable[Whole]) -> Iterator[Leak]:
    """Runs of the text that, put together, read as an original.

    From an atom that begins one, the text is read on for as long as it still may become one.
    """
    by_text: dict[str, list[Whole]] = {}
    begun: set[str] = set()
    for whole in wholes:
        by_text.setdefault("".join(whole.atoms), []).append(whole)
        begun.update(accumulate(_steps(whole)))
    hits: list[tuple[int, int, Whole]] = []
    for first in [at for at, atom in enumerate(atoms) if atom in begun]:
        read = ""
        for last in range(first, len(atoms)):
            read += atoms[last]
            if read not in begun:
                break
            hits += [(first, last + 1, whole) for whole in by_text.get(read, ())]
    if not hits:
        return
    places = [match.span() for match in ATOMS.finditer(folded)]
    for first, last, whole in hits:
        if _fits(whole, places[first:last], folded):
            yield Leak(places[first][0], places[last - 1][1], whole.label)


def _is_number(whole: Whole) -> bool:
    """Whether it is one long number, which may be laid out in another way."""
    return (
        whole.label != "DATE"
        and sum(map(len, whole.atoms)) in _LAID_OUT
        and all(atom.isdigit() for atom in whole.atoms)
    )


def _steps(whole: Whole) -> Iterable[str]:
    """The atoms in which a whole original may appear in a text."""
    return "".join(whole.atoms) if _is_number(whole) else whole.atoms


def _fits(whole: Whole, places: Sequence[tuple[int, int]], text: str) -> bool:
    """Whether the text is cut where the original may be."""
    if _is_number(whole):
        return all(_LAYOUT.fullmatch(text, a, b) for (_, a), (b, _) in pairwise(places))
    cuts = set(accumulate(end - start for start, end in places))
    own = set(accumulate(map(len, whole.atoms)))
    # "1/11/2014" is not "11/1/2014", but "Cedar Bluff" is "cedarbluff".
    return cuts == own if whole.label == "DATE" else cuts <= own


@dataclass(frozen=True, slots=True)
class Repair:
    """What to do about leaks: `missed` are spans of the source that no detector had found, `shown`
    the starts of spans whose surrogate shows an original; `unrepairable` counts the others."""

    missed: tuple[Span, ...]
    shown: frozenset[int]
    unrepairable: int

    def __len__(self) -> int:
        return len(self.missed) + len(self.shown) + self.unrepairable


def repair(
    output: str,
    leaks: Iterable[Leak],
    stretches: Sequence[OutputStretch],
    chosen: AbstractSet[str] = frozenset(),
) -> Repair:
    """How to repair an output made of these stretches. `chosen` are the words that permutations
    gave: in a surrogate they are no leak, whatever else they are."""
    starts = [stretch.start for stretch in stretches]
    spans: list[Span] = []
    shown: set[int] = set()
    unrepairable = 0
    for leak in leaks:
        first = bisect_right(starts, leak.start) - 1
        touched = stretches[first : bisect_right(starts, leak.end - 1)]
        kinds = {stretch.kind for stretch in touched}
        if kinds <= _NO_LEAK or (leak.label == "DATE" and kinds <= {"date", "kept"}):
            continue
        if "text" not in kinds and _is_chance(output[leak.start : leak.end], chosen):
            continue
        if leak.ordinary and "text" not in kinds:  # the park of "Cedar Park", not Dr. Park
            continue
        if not kinds.isdisjoint(_WITHDRAWN):
            shown.update(stretch.source for stretch in touched if stretch.kind in _WITHDRAWN)
        elif bare := list(_bare(output, leak, touched)):
            spans += bare
        elif "fixed" in kinds:
            unrepairable += 1
    return Repair(tuple(_disjoint(spans)), frozenset(shown), unrepairable)


def _is_chance(shown: str, chosen: AbstractSet[str]) -> bool:
    words = ATOMS.findall(shown.casefold())
    return bool(chosen) and ("".join(words) in chosen or all(word in chosen for word in words))


def _bare(output: str, leak: Leak, touched: Sequence[OutputStretch]) -> Iterator[Span]:
    """The words of a leak that nothing covers. What the policy keeps beside them stays, and a tag;
    without these words neither is the original."""
    ends = [*(stretch.start for stretch in touched[1:]), leak.end]
    for stretch, end in zip(touched, ends, strict=True):
        start = max(stretch.start, leak.start)
        if stretch.kind == "text" and ATOMS.search(output, start, end):
            at = stretch.source + start - stretch.start
            yield Span(at, at + end - start, leak.label, 1.0, ("leak-check",))


def _disjoint(spans: list[Span]) -> list[Span]:
    """The longest of those that overlap."""
    kept: list[Span] = []
    for span in sorted(spans, key=lambda s: (-s.length, s.start, s.label)):
        at = bisect_right(kept, span.start, key=attrgetter("start"))
        if not any(span.overlaps(other) for other in kept[max(at - 1, 0) : at + 1]):
            kept.insert(at, span)
    return kept
