"""A mention as it is written: its words, what each seems to be, and what is beside it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Literal

from incognote.core import name_forms
from incognote.core.caches import cached
from incognote.core.name_forms import Word
from incognote.core.people import PartKind, Sex
from incognote.core.types import Span
from incognote.lexicon import fold, lexicon
from incognote.lexicon.language import is_spanish
from incognote.lexicon.name_words import family_share, is_syllable
from incognote.link.cues import Cue, cue

# How sure the lists must be to read "SMITH JOHN" from the end.
_FAMILY, _GIVEN = 0.9, 0.4
# And of the first of two family names, where everybody has two.
_FIRST_OF_TWO = 0.5
# So many bear a name with "O'" that its "O" is no initial.
_IRISH = 1_000
# Vietnamese middle names that show the sex.
_BETWEEN = frozenset({"thi", "van"})
_GENERATIONS = frozenset("jr sr ii iii iv".split())


@dataclass(frozen=True, slots=True)
class NameWord:
    """A word of a written name, relative to the mention. `form` is whole, initial or kept;
    `kind` is what its place in this mention makes it, "" where that says nothing."""

    start: int
    end: int
    folded: str = field(repr=False)
    form: str
    kind: PartKind | None


class Reading:
    """A written name. `whole` are its words, `initials` the letters that abbreviate others,
    `letters` the first letters of all; `sure` where its form says which is the family name."""

    __slots__ = ("_kinds", "initials", "letters", "suffix", "sure", "whole", "words")

    def __init__(
        self, words: tuple[NameWord, ...], suffix: str = "", *, sure: bool = False
    ) -> None:
        self.words = words
        self.suffix = suffix
        self.sure = sure
        self.whole = tuple(word.folded for word in words if word.form == "whole")
        self.initials = "".join(word.folded for word in words if word.form == "initial")
        self.letters = "".join(word.folded[:1] for word in words if word.form != "kept")
        self._kinds: dict[str, tuple[str, ...]] = {
            kind: tuple(w.folded for w in words if w.kind == kind and w.form == "whole")
            for kind in ("given", "family")
        }

    def of(self, kind: Literal["given", "family"]) -> tuple[str, ...]:
        return self._kinds[kind]


@dataclass(slots=True)
class Mention:
    """A span that names a person, while it is being linked."""

    span: Span
    reading: Reading
    cue: Cue
    label: str
    reason: str = ""
    was: str = ""
    misspelt: dict[str, str] = field(default_factory=dict, repr=False)

    @property
    def start(self) -> int:
        return self.span.start

    @property
    def sex(self) -> Sex:
        return self.cue.sex


def mentions_of(spans: Iterable[Span], text: str) -> list[Mention]:
    """The mentions of spans that name people."""
    spans = list(spans)
    mentions = [_mention_of(span, text) for span in spans]
    # The language counts for names of three words only, so few notes are asked for it.
    if any(len(each.reading.whole) > 2 for each in mentions) and is_spanish(text):
        return [_mention_of(span, text, two_families=True) for span in spans]
    return mentions


def _mention_of(span: Span, text: str, two_families: bool = False) -> Mention:
    return Mention(
        span,
        read(text[span.start : span.end], span.label == "INITIALS", two_families),
        cue(text, span.start, span.end),
        span.label,
    )


@cached(16384)
def read(text: str, initials: bool = False, two_families: bool = False) -> Reading:
    """The words of a written name; `two_families` where everybody has two family names."""
    if initials and text.isalpha() and text.isupper() and len(text) <= 4:
        letters = (NameWord(i, i + 1, char.lower(), "initial", None) for i, char in enumerate(text))
        return Reading(tuple(letters))
    written = _joined(name_forms.read(text).words, text)
    names = [word for word in written if word.role in ("first", "last", "one")]
    comma = _has_comma(text, names)
    turned = not comma and _is_turned(names, text)
    first_family = _FIRST_OF_TWO if two_families else _FAMILY
    kinds = _kinds(names, comma=comma, turned=turned, text=text, first_family=first_family)
    words: list[NameWord] = []
    suffix = ""
    for word in written:
        folded = fold(word.text)
        if word.role == "initials":
            words += [
                NameWord(word.start + i, word.start + i + 1, char, "initial", None)
                for i, char in enumerate(folded)
            ]
        elif word.role == "initial":
            words.append(NameWord(word.start, word.end, folded, "initial", None))
        elif word.role == "kept" or not folded:
            words.append(NameWord(word.start, word.end, folded, "kept", None))
            suffix = folded if folded in _GENERATIONS else suffix
        else:
            words.append(NameWord(word.start, word.end, folded, "whole", kinds.get(word.start)))
    return Reading(tuple(words), suffix, sure=comma)


def _joined(written: list[Word], text: str) -> list[Word]:
    """The words, with the two halves of "O Sullivan" as one."""
    found: list[Word] = []
    for word in written:
        last = found[-1] if found else None
        if last and last.text == "O" and text[last.end : word.start] == " ":
            whole = f"O'{word.text}"
            if (lexicon().surname_bearers(whole) or 0) >= _IRISH:
                found[-1] = Word(last.start, word.end, whole, word.role)
                continue
        found.append(word)
    return found


def _has_comma(text: str, names: list[Word]) -> bool:
    """Whether a comma (or "^", "/") parts family and given names."""
    roles = [word.role for word in names]
    if "first" not in roles or "last" not in roles:
        # "Smith, J.": the given name is an initial.
        comma = text.find(",")
        return bool(names) and comma >= names[-1].end and any(map(str.isalpha, text[comma:]))
    return roles.index("last") < roles.index("first")


def _is_turned(names: list[Word], text: str) -> bool:
    """Whether the family name leads without a comma: "SMITH JOHN", "Park Dong-Hyun"."""
    if len(names) < 2:
        return False
    first, last = fold(names[0].text), fold(names[-1].text)
    if text[names[0].end] == "-":
        return False
    if family_share(first) < _FAMILY and not _is_asian_family(first):
        return False
    if len(names) > 2 and fold(names[1].text) in _BETWEEN and _is_asian_family(first):
        return True
    hyphened = len(names) > 2 and text[names[-2].end] == "-"
    if hyphened and all(is_syllable(fold(word.text)) for word in names[-2:]):
        return True
    return family_share(first) >= _FAMILY and family_share(last) <= _GIVEN


@cached(4096)
def _is_asian_family(folded: str) -> bool:
    row = lexicon().surname(folded)
    return row is not None and row.ethnicity[3] > 0.7 and row.count > 1000


def _kinds(
    names: list[Word], *, comma: bool, turned: bool, text: str, first_family: float
) -> dict[int, PartKind]:
    """What each whole word is by its place. A name of one word says nothing by itself."""
    if comma:
        before = [word for word in names if word.role == "last"]
        after = [word for word in names if word.role != "last"]
        if not before:  # "Smith, J."
            before, after = names, []
    elif len(names) < 2:
        role = names[0].role if names else ""
        return {names[0].start: "family"} if role == "last" else {}
    elif turned:
        before, after = names[:1], names[1:]
    else:
        before, after = _family_at_end(names, text, first_family)
    found: dict[int, PartKind] = {word.start: "family" for word in before}
    if turned and len(after) > 1 and fold(after[0].text) in _BETWEEN:
        found[after[0].start] = "middle"
        # What Vietnamese are called by may be two words: "Lan Anh".
        return found | {word.start: "given" for word in after[1:]}
    for at, word in enumerate(after):
        joined = at > 0 and text[after[at - 1].end] == "-"
        found[word.start] = "given" if at == 0 or joined else "middle"
    return found


def _family_at_end(
    names: list[Word], text: str, first_family: float
) -> tuple[list[Word], list[Word]]:
    """Family and given names of "Maria Garcia Lopez": two words that are rarely given names
    are two family names."""
    cut = next((i for i, word in enumerate(names) if word.role == "last"), len(names) - 1)
    while cut > 1 and family_share(fold(names[cut - 1].text)) >= first_family:
        cut -= 1
    # Both halves of "Smith-Jones" are family names.
    while cut > 1 and text[names[cut - 1].end] == "-":
        cut -= 1
    return names[cut:], names[:cut]


def initial_orders(reading: Reading) -> Iterator[str]:
    """Ways to write the initials of a name: all, first and last, from the family name on, and the
    given name with either of two family names."""
    letters = reading.letters
    yield letters
    yield letters[0] + letters[-1]
    yield letters[1:] + letters[0]
    if len(letters) > 2:
        yield letters[1] + letters[0]
    for given in reading.of("given")[:1]:
        yield from (given[0] + family[0] for family in reading.of("family"))
