"""Names with a head word: "Lakeview Memorial Hospital", "Range Heart Clinic", "Elm City Livery"."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from incognote.detect.places.context import preposition
from incognote.detect.places.finding import CERTAIN, LIKELY, POSSIBLE, Finding
from incognote.detect.places.gazetteer import is_city
from incognote.detect.places.scan import BLANK, COLUMN, GLUED, LINE, Run, Scan
from incognote.detect.places.words import (
    CAPITAL,
    CLINICAL,
    COMMON,
    DIGITS,
    FAMILIAR,
    GENERIC,
    HEAD,
    PART,
    PARTICLE,
    STOP,
    UPPER,
    WORD,
    phrase_list,
    word_list,
)  # fmt: skip

_LONGEST_HEAD = 5
_OPENING = frozenset((",", "(", "-", "|", ":", ";", "."))
_CLOSING = frozenset((",", ")", "-", "|", ";", "."))


class Head(NamedTuple):
    """Tokens [first, end) of the head, its label, and whether one word before it makes a name."""

    first: int
    end: int
    label: str
    strong: bool

    @property
    def long(self) -> bool:
        return self.end - self.first > 1


def find(scan: Scan, taken: bytearray) -> Iterator[Finding]:
    for run in scan.run_list:
        if 1 in taken[run.first : run.end]:
            continue
        found = _headed(scan, run) or _lower_head(scan, run)
        if found and not any(taken[found.first : found.end]):
            yield found


def last_head(scan: Scan, first: int, end: int) -> Head | None:
    """The last head in a stretch, the longest that ends there."""
    heads, bits = scan.vocabulary.heads, scan.bits
    for last in range(end - 1, first - 1, -1):
        if not bits[last] & HEAD:
            continue
        for size in range(min(_LONGEST_HEAD, last + 1 - first), 0, -1):
            found = heads.get(tuple(map(scan.lower, range(last + 1 - size, last + 1))))
            if found:
                return Head(last + 1 - size, last + 1, *found)
    return None


def _headed(scan: Scan, run: Run) -> Finding | None:
    head = last_head(scan, run.first, run.end)
    if head is None:
        return None
    opening = tuple(map(scan.lower, range(run.first, run.first + 3)))
    if not {opening, opening[:2]}.isdisjoint(phrase_list("heads", "not_names")):
        return None
    first, end = _reach_left(scan, run), _reach_right(scan, run, head.end)
    # What a line or a preposition frames is a name even without letter case.
    framed = first < run.first and not run.cased
    named = [at for at in range(first, head.first) if scan.specific(at, run.cased or framed)]
    if not named:
        # "Hospital of the Redwoods", "Clínica La Fe", "Naval Hospital Rota": the name may follow.
        named = [at for at in range(head.end, end) if scan.specific(at, run.cased)]
        bare = head.first > first and head.label == "HOSPITAL" and not run.cased
        after = scan.run_to.get(end)
        if after and after.first > run.first and last_head(scan, after.first, after.end):
            return None  # "University of Northfield Hospital": the later head takes it all
        follows_of = end > run.end and all(map(scan.telling, named))
        if not named or bare or not (head.strong or follows_of):
            return None
        head = head._replace(strong=True)
    head = _settle_label(scan, head, named)
    if not _is_name(scan, run, head, first, end, named):
        return None
    rule, score = ("headed", CERTAIN) if head.strong else ("weakly-headed", LIKELY)
    return Finding(first, end, head.label, rule, score)


def _settle_label(scan: Scan, head: Head, named: list[int]) -> Head:
    """A center is one of care if a medical word says so: "Diabetes Center", "Job Center"."""
    if scan.lower(head.end - 1) not in word_list("heads", "mixed"):
        return head
    between = range(named[-1] + 1, head.end - 1)
    if any(scan.bits[at] & (GENERIC | CLINICAL) for at in between):
        return head._replace(label="HOSPITAL", strong=True)
    return head if head.label == "HOSPITAL" and head.long else head._replace(label="ORGANIZATION")


def _is_name(scan: Scan, run: Run, head: Head, first: int, end: int, named: list[int]) -> bool:
    telling = any(map(scan.telling, named)) or is_city(scan, first, head.first)
    if len(named) == 1:
        reached = first < run.first or (run.cased and end > max(head.end, run.end))
        if not (telling or reached or (head.strong and run.cased and head.long)) and preposition(
            scan, first
        ) not in word_list("heads", "cues"):
            return False
        if not run.cased and head.first - first == 1 and scan.bits[named[0]] & COMMON:
            return False  # "VILLAGE CLINIC" in a heading
    if head.strong:
        return True
    if _goes_on(scan, run, head.end) or _heads_a_document(scan, first, head):
        return False
    return (telling and head.long) or _credible(scan, run, first, end, named)


def _credible(scan: Scan, run: Run, first: int, end: int, named: list[int]) -> bool:
    """Whether a name with a weak head is one: a rare word, a cue, or marks on both sides."""
    before = preposition(scan, first)
    if before in word_list("heads", "not_after"):
        return False
    cued = before in word_list("heads", "cues")
    opened = scan.gap(first) >= COLUMN or scan.words[first - 1] in _OPENING
    closed = scan.gap(end) >= COLUMN or scan.words[end] in _CLOSING
    parts = sum(1 for at in range(first, end) if scan.bits[at] & PART)
    several = max(len(named), parts) > 1
    if not run.cased:
        rare = any(not scan.bits[at] & COMMON for at in named)
        return (rare and len(named) > 1) or ((cued or opened) and (rare or several))
    if all(scan.bits[at] & UPPER and len(scan.words[at]) < 5 for at in named):
        return cued  # "FEN/GI", "OBOT Group"
    rare = any(not scan.bits[at] & FAMILIAR for at in named)
    return rare or several or cued or (opened and closed and end - first > 1)


def _reach_left(scan: Scan, run: Run) -> int:
    """Across "of", "and", "for": "Sisters of Mercy Hospital", "Ear, Nose and Throat Clinic"."""
    first = run.first if run.cased else _reach_left_uncased(scan, run.first)
    for _ in range(2):
        joiner = first - 1
        while joiner > 0 and scan.lower(joiner) == "the":
            joiner -= 1
        before = scan.run_to.get(joiner)
        if joiner < 1 or before is None or before.cased != run.cased or scan.gap(first) != BLANK:
            break
        word = scan.lower(joiner)
        opens = scan.lower(before.first) in word_list("heads", "opens_of") or (
            scan.bits[before.first] & PART and scan.gap(before.first) >= COLUMN
        )
        both_generic = scan.bits[joiner - 1] & scan.bits[first] & GENERIC and run.cased
        if not (opens if word in ("of", "for") else both_generic and word in ("and", "&", ",")):
            break
        first = before.first
    return first - 1 if scan.lower(first) == "lady" and scan.lower(first - 1) == "our" else first


def _reach_left_uncased(scan: Scan, first: int) -> int:
    """Without letter case, ordinary words belong to the name if a line or preposition starts it."""
    at = first
    while first - at < _LONGEST_HEAD and scan.gap(at) in (GLUED, BLANK):
        bits = scan.bits[at - 1]
        if scan.lower(at - 1) in word_list("heads", "cues"):
            return at
        if not bits & WORD or bits & STOP:
            return at if scan.words[at - 1] in _OPENING and scan.gap(at) else first
        at -= 1
    return at if scan.gap(at) >= COLUMN else first


def _reach_right(scan: Scan, run: Run, end: int) -> int:
    """Branches and forms behind the head: "of Mountain Home", "#123", ", LLC", ", P.C."."""
    if end < run.end and run.cased and run.end - end <= 3 and not _goes_on(scan, run, end):
        end = run.end  # "Presbyterian Española"; without case, what follows may be anything
    if (
        scan.lower(end) == "."
        and scan.lower(end - 1) in word_list("heads", "abbreviated")
        and _sentence_goes_on(scan, end + 1)
    ):
        end += 1
    word, following = scan.lower(end), scan.lower(end + 1)
    if word in ("of", "at", "for") and scan.gap(end) == BLANK:
        after = scan.run_at.get(end + 2 if following == "the" else end + 1)
        # "at" belongs to a name in a letterhead only: elsewhere it says where.
        joins = word == "of" or scan.gap(run.first) == LINE
        if after and after.cased and joins and scan.specific(after.first, cased=True):
            return after.end
    if word == "#" and end + 1 < len(scan) and scan.bits[end + 1] & DIGITS:
        return end + 2
    if word == "," and following in word_list("heads", "company_forms"):
        return end + 2
    if word == "," and following == "p" and scan.lower(end + 2) == scan.lower(end + 4) == ".":
        return end + 5
    return end


def _sentence_goes_on(scan: Scan, at: int) -> bool:
    """Whether the full stop before `at` is an abbreviation's."""
    return at < len(scan) and scan.gap(at) != LINE and not scan.bits[at] & CAPITAL


def _goes_on(scan: Scan, run: Run, end: int) -> bool:
    """Whether an ordinary word follows the head: "Mental Health Screen", "Medical Evaluator"."""
    bits = scan.bits[end] if end < run.end else PART
    return bool(bits & COMMON) and not bits & (PART | PARTICLE)


def _heads_a_document(scan: Scan, first: int, head: Head) -> bool:
    """A person's name before the name of a document: "on gerald finch medical record"."""
    titles = word_list("heads", "document_titles")
    titled = scan.gap(head.end) == BLANK and scan.lower(head.end) in titles
    return titled and scan.may_be_person(max(first, head.first - 2), head.first)


def _lower_head(scan: Scan, run: Run) -> Finding | None:
    """A name with its head in lower case: "the Worland clinic"."""
    if not run.cased or run.end >= len(scan) or scan.gap(run.end) != BLANK:
        return None
    head = scan.lower(run.end)
    if scan.bits[run.end] & CAPITAL or head not in word_list("heads", "lower_heads"):
        return None
    if not any(scan.words[at][1:].islower() and len(scan.words[at]) > 4 for at in run.named):
        return None
    if all(scan.bits[at] & COMMON for at in run.named) or scan.words[run.end - 1] in ("'s", "’s"):
        return None
    label = scan.vocabulary.heads[(head,)][0]
    return Finding(run.first, run.end + 1, label, "lower-head", POSSIBLE)
