"""Which label is right: names that were taken for places, institutions or dates.

Three things are put right before people are distinguished: a candidate that lost to a place but
reads as a full name is restored ("ROSENBERG, ABRAHAM", "Daniel Park"); a family name and a given
name with different labels are one name ("SMITH, JOHN" with a town SMITH); and a word that is a
month or a town is the name of somebody whom the note names elsewhere. In each case the context of
the place itself may say otherwise: a town named after a person stays a town.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from operator import attrgetter

from incognote.core.types import Dropped, Span
from incognote.lexicon import fold, lexicon
from incognote.lexicon.name_words import family_share, is_syllable, name_pool
from incognote.lexicon.words import may_be_no_name
from incognote.link.context import (
    MONTHS,
    acts,
    acts_as_human,
    does_work,
    is_agent,
    is_date_here,
    is_described,
    is_followed_as_date,
    is_place_here,
    is_spoken_to,
    is_titled,
    starts_sentence,
)
from incognote.link.cues import cue
from incognote.link.reading import read

PEOPLE = frozenset({"PATIENT", "DOCTOR"})
_PLACES = frozenset(
    "CITY STATE COUNTRY HOSPITAL ORGANIZATION LOCATION-OTHER STREET ROOM PROFESSION".split()
)
_MISTAKABLE = _PLACES | {"DATE"}
# Institutions and streets are named after people: only the names of people found elsewhere count.
_TOWNS = frozenset({"CITY", "STATE", "COUNTRY", "LOCATION-OTHER"})
_FULL = frozenset({"CITY", "STATE", "COUNTRY", "LOCATION-OTHER", "DATE"})
_LOST = ("overlap", "cut", "merged")
_TOWN = 20_000
SOURCE = "link"
_STATED = frozenset({"given", "known_patient"})
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*\.?")
_WORDS = re.compile(r"[^\W\d_]{2,}")
_GAP = re.compile(r",[ \t]{0,2}| [\"“(]?")
# Credentials that are given names, too.
_GIVEN_CREDENTIAL = re.compile(r", (?:PA|MA|DO) ")
_FARTHEST = 5
# What notes say first of a patient: "Sun-Hee Park POD1", "Ann Lee is a 44".
_ON_WARD = re.compile(
    r"['’]?s? (?:POD|HD|PPD|DOL|GA|is an? \d|was seen|seen|\d\d?\s?(?:yo|y/o|[FM]\b))"
)
# A month and then a whole date: the month is the end of a name.
_MONTH_BEFORE_DATE = re.compile(r"([^\W\d_]+)\s+(?=\d{1,2}[/-]\d{1,2}[/-]\d{2,4}$)")

# "begins on June 8. June will drive": the second month begins a sentence.
_DAY_AND_MONTH = re.compile(r"(\d{1,2})\. ([A-Z][a-z]+)$")


def is_stated(span: Span) -> bool:
    """Whether the source itself says what the span is: no evidence outranks that."""
    return any(source.partition("/")[0] in _STATED for source in span.sources)


def _is_person(text: str, span: Span) -> bool:
    """Whether the context of a town's name suggests a person."""
    beside = cue(text, span.start, span.end)
    return bool(beside.title or beside.kinship or acts(text, span.start, span.end, tagger=False))


def restore_names(
    spans: Sequence[Span], dropped: Sequence[Dropped], text: str, allowed: frozenset[str]
) -> list[Span]:
    """Spans with full names in place of the labels that won over them, where nothing supports
    those. Only `allowed` labels are given: the others are switched off."""
    lost = [
        drop.span
        for drop in dropped
        if drop.span.label in PEOPLE
        and drop.reason.partition(":")[0] in ("overlap", "cut", "merged")
    ]
    kept = list(spans)
    for name in sorted(lost, key=lambda span: (-span.length, -span.score, span.start)):
        rivals = [span for span in kept if span.overlaps(name)]
        misread = any(span.label not in PEOPLE for span in rivals)
        if misread and all(_is_misread_part(span, name, text) for span in rivals):
            kept = [span for span in kept if span not in rivals]
            kept.append(name.moved(name.start, name.end))
    # Most spans are neither dates in words nor anything that may be a name.
    if any(span.label == "DATE" and text[span.start].isalpha() for span in kept):
        kept = [each for span in kept for each in _month_apart(span, text)]
        kept = _days_to_months(sorted(kept, key=attrgetter("start")), text)
    kept = [_full_name(span, text, allowed) if span.label in _MISTAKABLE else span for span in kept]
    return sorted(kept, key=attrgetter("start"))


def _month_apart(span: Span, text: str) -> Iterator[Span]:
    """A month before a whole date is no part of it: "FREEMAN, AUGUST  5/21/20"."""
    written = text[span.start : span.end]
    match = _MONTH_BEFORE_DATE.match(written) if span.label == "DATE" else None
    if match is None or fold(match[1]) not in MONTHS or is_stated(span):
        yield span
        return
    yield span.moved(span.start, span.start + match.end(1))
    yield span.moved(span.start + match.end(), span.end)


def _days_to_months(spans: Sequence[Span], text: str) -> list[Span]:
    """A day between two months belongs to the first: "on June 8. June will drive"."""
    out: list[Span] = []
    for span in spans:
        last = out[-1] if out else None
        match = _DAY_AND_MONTH.match(text, span.start, span.end) if span.label == "DATE" else None
        between = match and last and last.label == "DATE" and span.start == last.end + 1
        if match and last and between and _is_month(text, last) and fold(match[2]) in MONTHS:
            out[-1] = last.moved(last.start, match.end(1))
            out.append(span.moved(match.start(2), span.end))
        else:
            out.append(span)
    return out


def _is_month(text: str, span: Span) -> bool:
    return fold(text[span.start : span.end]) in MONTHS


def _is_misread_part(rival: Span, name: Span, text: str) -> bool:
    """Whether a find is no more than a misread part of a full name."""
    if is_stated(rival) or not name.covers(rival):
        return False
    if rival.label in PEOPLE:
        return True
    if rival.label not in _MISTAKABLE:
        return False
    if not _reads_as_full(text, name.start, name.end, bearers=1_000):
        return False
    reading = read(text[name.start : name.end])
    last = reading.whole[-1]
    clear = rival.label in _FULL or reading.sure or bool(reading.suffix)
    # "Cash Hardy" may be a person, "Emory Decatur" is a hospital of two towns' names.
    if not clear and (_is_town(last) or name_pool(last) != "family"):
        return False
    return not _has_evidence(rival.label, text, name.start, name.end, full=True)


def _is_large_place(name: str) -> bool:
    """Whether a town, state or country is known by that name to people who live elsewhere."""
    lex = lexicon()
    return bool(lex.state(name)) or fold(name) in lex.countries or _is_town(name)


def _is_town(word: str) -> bool:
    return any(city.population > _TOWN for city in lexicon().city(word))


def _has_evidence(label: str, text: str, start: int, end: int, *, full: bool = False) -> bool:
    """Whether the context says that something is what its label says, and no person. A full name
    is somebody's also where a town may appear."""
    if is_titled(text, start):
        return False
    if label == "DATE":
        return is_date_here(text, start, end)
    return is_place_here(text, start, end, inside=full)


def _reads_as_full(text: str, start: int, end: int, bearers: int) -> bool:
    """Whether a stretch is written as a full name, of words that so many bear: "ROSENBERG,
    ABRAHAM", "Park Dong-Hyun", "John Smith, Jr."; "A. March" only with a credential behind it."""
    reading = read(text[start:end])
    whole = reading.whole
    if len(whole) == 1 and reading.initials:
        listed = text[max(0, start - 2) : start] == ", " or cue(text, start, end).staff
        return name_pool(whole[0]) == "family" and listed
    if not 2 <= len(whole) <= 4 or "\n" in text[start:end]:
        return False
    given, family = reading.of("given"), reading.of("family")
    if not given or not family:
        return False
    lex = lexicon()
    if (lex.surname_bearers(family[-1]) or 0) <= bearers:
        return False
    # "Sun-Hee" is on no list, but its halves are.
    halves = len(given) > 1 and "-" in text[start:end] and all(map(is_syllable, given))
    return halves or (lex.first_name_bearers(given[0]) or 0) > bearers


def _full_name(span: Span, text: str, allowed: frozenset[str]) -> Span:
    """A full name, or a word that does what only people do, is a person."""
    if span.group:
        return span
    written = text[span.start : span.end]
    if any(map(str.isdigit, written)) or is_stated(span):
        return span
    is_person = _is_person_in_full if " " in written else _is_person_by_deed
    if not is_person(span, written, text):
        return span
    label = "DOCTOR" if cue(text, span.start, span.end).staff else "PATIENT"
    if label not in allowed:
        return span
    return Span(span.start, span.end, label, span.score, tuple(sorted({*span.sources, SOURCE})))


def _is_person_in_full(span: Span, written: str, text: str) -> bool:
    if lexicon().city(written):
        return False
    met = span.label not in _FULL
    if met and not _is_person_by_context(span, text):
        return False
    if not _reads_as_full(text, span.start, span.end, bearers=1_000 if met else 5_000):
        return False
    words = read(written).whole
    if span.label == "DATE":  # "Dr. May Day"
        sure = bool(cue(text, span.start, span.end).title) or MONTHS.issuperset(words)
    else:
        # Words that end the names of places are family names if very many bear them.
        pools = name_pool(words[0]), name_pool(words[-1])
        sure = met or (
            (pools[0] != pools[1] or len(words) > 2)
            and (
                not may_be_no_name(words[-1])
                or (lexicon().surname_bearers(words[-1]) or 0) > 100_000
            )
        )
    return sure and not _has_evidence(span.label, text, span.start, span.end, full=True)


def _is_person_by_context(span: Span, text: str) -> bool:
    """Whether what was taken for an institution appears where a person would: spoken to, acting, or
    at the head of a line that goes on about a patient."""
    if span.label not in ("HOSPITAL", "ORGANIZATION"):
        return False
    beside = cue(text, span.start, span.end)
    return bool(
        beside.title
        or beside.kinship
        or beside.staff
        or is_spoken_to(text, span.start)
        or is_agent(text, span.start)
        or acts_as_human(text, span.end)
        or does_work(text, span.end)
        or is_described(text, span.end)
        or (_heads_line(text, span.start) and _ON_WARD.match(text, span.end))
    )


def _is_person_by_deed(span: Span, written: str, text: str) -> bool:
    """A single word that is a name: "March pronounced", "done by Castle", "teaching to Mary"."""
    folded = fold(written)
    lex = lexicon()
    given, family = lex.first_name_bearers(folded) or 0, lex.surname_bearers(folded) or 0
    if max(given, family) < 2_000 or span.label == "PROFESSION":
        return False
    if span.label == "DATE":
        return _is_month_name(span, text, given)
    if _has_evidence(span.label, text, span.start, span.end, full=True):
        return False
    if acts_as_human(text, span.end) and starts_sentence(text, span.start):
        return True
    if is_agent(text, span.start) and family > 5_000:
        return not lex.city(written) or not is_place_here(text, span.start, span.end)
    # So many are called so that a town of that name must be said to be one.
    large = any(
        city.population > (20_000 if city.state else given / 2) for city in lex.city(written)
    )
    return given > 100_000 and span.label in ("CITY", "LOCATION-OTHER") and not large


def _is_month_name(span: Span, text: str, given: int) -> bool:
    """Whether a month is a person: "0930 August c/o pain", "phoned June on", "States June was
    lightheaded"."""
    if is_followed_as_date(text, span.end):
        return False
    if acts_as_human(text, span.end) and starts_sentence(text, span.start):
        return True
    if given < 2_000:
        return False
    return is_spoken_to(text, span.start) or (
        not is_date_here(text, span.start, span.end) and is_described(text, span.end)
    )


def join_names(spans: Sequence[Span], text: str, allowed: frozenset[str]) -> list[Span]:
    """Names that were cut in two, because one half was taken for something else."""
    joined: list[Span] = []
    for span in spans:
        if joined and (label := _one_name(joined[-1], span, text)) in allowed:
            left = joined.pop()
            sources = tuple(sorted({*left.sources, *span.sources, SOURCE}))
            score = max(left.score, span.score)
            joined.append(Span(left.start, span.end, label, score, sources))
        else:
            joined.append(span)
    return joined


def _one_name(left: Span, right: Span, text: str) -> str:
    """The label of the two as one name; "" where they are two things."""
    # Most neighbours are far apart: they are dismissed first.
    if right.start - left.end > _FARTHEST:
        return ""
    if left.label in PEOPLE and right.label in PEOPLE:
        # "XIONG, PA HOUA": a credential is followed by no second name.
        between = _GIVEN_CREDENTIAL.fullmatch(text, left.end, right.start)
        return right.label if between and not (is_stated(left) or is_stated(right)) else ""
    labels = {left.label, right.label}
    if not labels <= PEOPLE | _MISTAKABLE or is_stated(left) or is_stated(right):
        return ""
    if labels.isdisjoint(PEOPLE):
        return _in_name_field(left, right, text)
    gap = text[left.end : right.start]
    if gap == "-":  # "Sun-Hee", of which one half was taken for something else
        return (labels & PEOPLE).pop()
    if not _GAP.fullmatch(gap):
        return ""
    one, other = text[left.start : left.end], text[right.start : right.end]
    name, odd = (left, right) if left.label in PEOPLE else (right, left)
    if not _WORD.fullmatch(text[odd.start : odd.end]):
        return ""
    if "," not in gap:
        fits = _is_given(one) and _is_family(other.split()[-1])
        if odd is right:  # "Dr. August March", not "Dr. August March 3"
            fits = fits and odd.label == "DATE" and not is_date_here(text, left.start, right.end)
        return (
            name.label if fits and not _has_evidence(odd.label, text, left.start, left.end) else ""
        )
    # "SMITH, JOHN", not "seen in Boston, John said".
    if is_place_here(text, left.start, left.end) and not is_titled(text, left.start):
        return ""
    if not (_WORD.fullmatch(one) and _is_family(one) and _is_given(_first_word(other))):
        return ""
    # "STERN, ISRAEL": of one case, and in a field.
    in_field = one.isupper() == other.isupper() and _heads_line(text, left.start)
    return name.label if odd is left or in_field else ""


def _in_name_field(left: Span, right: Span, text: str) -> str:
    """The label of "Ordering: Dare, Virginia", where both were taken for places."""
    beside = cue(text, left.start, right.end)
    if not (beside.staff or beside.patient) or text[left.end : right.start] not in (", ", ","):
        return ""
    one, other = text[left.start : left.end], text[right.start : right.end]
    if not (_WORD.fullmatch(one) and _WORD.fullmatch(other) and _is_family(one)):
        return ""
    return ("DOCTOR" if beside.staff else "PATIENT") if _is_given(other) else ""


def _first_word(text: str) -> str:
    match = _WORD.match(text)
    return match[0] if match else ""


def _is_given(word: str) -> bool:
    return (lexicon().first_name_bearers(fold(word)) or 0) > 100


def _is_family(word: str) -> bool:
    folded = fold(word)
    return name_pool(folded) == "family" or family_share(folded) > 0.3 or name_pool(folded) is None


def _heads_line(text: str, start: int) -> bool:
    line = text[text.rfind("\n", 0, start) + 1 : start]
    # A cell of a table begins behind white space as wide as no sentence has it.
    cell = line.endswith(("   ", "\t"))
    return cell or not line.strip() or line.rstrip().endswith((":", "|", "-"))


def known_names(
    spans: Sequence[Span], text: str, stated: Sequence[tuple[str, str]] = ()
) -> dict[str, str]:
    """Folded name words of the people found or stated, with the label of who bears each."""
    words = {word: label for label, name in stated for word in read(name).whole}
    for span in spans:
        if span.label in PEOPLE:
            for word in read(text[span.start : span.end]).whole:
                words.setdefault(word, span.label)
    return words


def relabel(spans: Sequence[Span], text: str, names: dict[str, str]) -> list[Span]:
    """Spans whose words are all names of people of this document become names of theirs."""
    return [_relabelled(span, text, names) for span in spans]


def _relabelled(span: Span, text: str, names: dict[str, str]) -> Span:
    if span.label not in _MISTAKABLE or span.group:
        return span
    written = text[span.start : span.end]
    words = [fold(word) for word in _WORDS.findall(written)]
    if not words or not all(word in names for word in words) or is_stated(span):
        return span
    if any(map(str.isdigit, written)):
        return span
    # "Will route to Field": a person, not the hamlet of that name.
    sure = span.label in _TOWNS and not _is_large_place(written)
    if _has_evidence(span.label, text, span.start, span.end, full=sure):
        return span
    if span.label == "PROFESSION" and written.islower():  # Dr. Baker, and a patient who is a baker
        return span
    if span.label in _TOWNS and _is_large_place(written) and not _is_person(text, span):
        return span
    sources = tuple(sorted({*span.sources, SOURCE}))
    return Span(span.start, span.end, names[words[-1]], span.score, sources)
