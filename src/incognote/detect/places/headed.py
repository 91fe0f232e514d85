"""Names with a head word: "Lakeview Memorial Hospital", "Range Heart Clinic", "Elm City Livery"."""

from __future__ import annotations

from collections.abc import Iterator

from incognote.detect.places.context import field, preposition
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
    KNOWN,
    PART,
    PARTICLE,
    STOP,
    UPPER,
    WORD,
    word_list,
)  # fmt: skip

_LONGEST_HEAD = 5
_OPENS_OF = frozenset(
    "lady sisters daughters university college church institute center centre children bank city town"
    " state department dept ministry board house friends society hospital hospitals school sons"
    " order knights little missionaries bureau office court diocese archdiocese st saint".split()
)
_COMPANY_FORMS = frozenset("llc inc ltd llp pllc pc pa plc corp co".split())
_ABBREVIATED = frozenset("hosp ctr med univ co inc ltd corp dept".split())
_CUES = frozenset("at from to @ via by through with for near".split())
_OPENING = frozenset((",", "(", "-", "|", ":", ";", "."))
_CLOSING = frozenset((",", ")", "-", "|", ";", "."))
_NOT_AFTER = frozenset("attorney surgeon dr".split())


def find(scan: Scan, taken: bytearray) -> Iterator[Finding]:
    yield from _known(scan, taken)
    for run in scan.run_list:
        if any(taken[run.first : run.end]):
            continue
        found = _headed(scan, run) or _lower_head(scan, run)
        if found and not any(taken[found.first : found.end]):
            yield found


def _known(scan: Scan, taken: bytearray) -> Iterator[Finding]:
    """Chains, agencies and services that everybody knows."""
    for at, bits in enumerate(scan.bits):
        if not bits & KNOWN or taken[at] or (bits & WORD and not bits & CAPITAL and scan.cased(at)):
            continue
        for phrase, label in scan.vocabulary.known[scan.lower(at)]:
            end = at + len(phrase)
            if tuple(map(scan.lower, range(at, end))) != phrase:
                continue
            if len(phrase) == 1 and not _stands_out(scan, at):
                continue
            if "-" in (scan.lower(at - 1), scan.lower(end)):
                break  # the Army-Navy retractor
            run = scan.run_at.get(at)
            if run is None or _last_head(scan, run) is None or run.end <= end:
                yield Finding(at, end, label, "known-name", LIKELY)
            break


def _stands_out(scan: Scan, at: int) -> bool:
    """Whether a known name of one word is meant, and not the word or the abbreviation."""
    if not scan.cased(at):
        return not scan.bits[at] & COMMON
    if not scan.bits[at] & COMMON or scan.lower(at) in word_list("known", "capitalised"):
        return True
    insurer = field(scan, at) in word_list("cues", "organization_fields")
    framed = preposition(scan, at) in _CUES or scan.lower(at + 1) == "#" or insurer
    return framed and bool(scan.bits[at] & CAPITAL)


def _headed(scan: Scan, run: Run) -> Finding | None:
    head = _last_head(scan, run)
    if head is None:
        return None
    head_first, head_end, label, strong = head
    first = _reach_left(scan, run)
    # What a line or a preposition frames is a name even without letter case.
    framed = first < run.first and not run.cased
    named = [at for at in range(first, head_first) if scan.specific(at, run.cased or framed)]
    end = _reach_right(scan, run, head_end)
    if not named:
        # "Hospital of the Redwoods", "Clínica La Fe", "Naval Hospital Rota": the name may follow.
        named = [at for at in range(head_end, end) if scan.specific(at, run.cased)]
        if (
            not strong
            or not named
            or (head_first > first and label == "HOSPITAL" and not run.cased)
        ):
            return None
    if scan.lower(head_end - 1) in word_list("heads", "mixed"):
        medical = any(
            scan.bits[at] & (GENERIC | CLINICAL) for at in range(named[-1] + 1, head_end - 1)
        )
        label = (
            "HOSPITAL"
            if medical or (label == "HOSPITAL" and head_end - head_first > 1)
            else "ORGANIZATION"
        )
        strong = strong or medical
    telling = any(map(scan.telling, named)) or is_city(scan, first, head_first)
    reached = first < run.first
    long_head = strong and run.cased and head_end - head_first > 1
    sure = telling or reached or long_head or (run.cased and end > max(head_end, run.end))
    if not sure and len(named) == 1 and preposition(scan, first) not in _CUES:
        return None
    if (
        not run.cased
        and len(named) == 1
        and head_first - first == 1
        and scan.bits[named[0]] & COMMON
    ):
        return None
    if not strong and (
        _goes_on(scan, run, head_end)
        or (
            not _credible(scan, run, first, end, named)
            and not (telling and head_end - head_first > 1)
        )
    ):
        return None
    rule, score = ("headed", CERTAIN) if strong else ("weakly-headed", LIKELY)
    return Finding(first, end, label, rule, score)


def _last_head(scan: Scan, run: Run) -> tuple[int, int, str, bool] | None:
    heads = scan.vocabulary.heads
    for last in range(run.end - 1, run.first - 1, -1):
        if not scan.bits[last] & HEAD and scan.words[last] not in ("'s", "’s"):
            continue
        for size in range(min(_LONGEST_HEAD, last + 1 - run.first), 0, -1):
            phrase = tuple(map(scan.lower, range(last + 1 - size, last + 1)))
            found = heads.get(phrase)
            if found:
                return last + 1 - size, last + 1, *found
    return None


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
        both_generic = scan.bits[joiner - 1] & scan.bits[first] & GENERIC
        opens = scan.lower(before.first) in _OPENS_OF or (
            scan.bits[before.first] & PART and scan.gap(before.first) >= COLUMN
        )
        if (word in ("of", "for") and opens) or (
            word in ("and", "&", ",") and both_generic and run.cased
        ):
            first = before.first
        else:
            break
    if scan.lower(first) == "lady" and scan.lower(first - 1) == "our":
        return first - 1
    return first


def _reach_left_uncased(scan: Scan, first: int) -> int:
    """Without letter case, ordinary words belong to the name if a line or a preposition starts it."""
    at = first
    while first - at < _LONGEST_HEAD and scan.gap(at) in (GLUED, BLANK):
        bits = scan.bits[at - 1]
        if scan.lower(at - 1) in _CUES:
            return at
        if not bits & WORD or bits & STOP:
            return at if scan.words[at - 1] in ("-", "|", "(", ":", ",") and scan.gap(at) else first
        at -= 1
    return at if scan.gap(at) >= COLUMN else first


def _reach_right(scan: Scan, run: Run, end: int) -> int:
    """Branches and forms behind the head: "of Mountain Home", "#123", ", LLC", "- Hutchinson"."""
    if end < run.end:
        # "Presbyterian Española"; in notes without case, what follows may be anything.
        branch = run.cased and run.end - end <= 3 and not _goes_on(scan, run, end)
        end = run.end if branch else end
    word = scan.lower(end)
    if word == "." and scan.lower(end - 1) in _ABBREVIATED and _goes_on_after_stop(scan, end + 1):
        end += 1
        word = scan.lower(end)
    if word in ("of", "at", "for") and scan.gap(end) == BLANK:
        start = end + 1
        if scan.lower(start) == "the":
            start += 1
        after = scan.run_at.get(start)
        if (
            after
            and after.cased
            and scan.specific(after.first, cased=True)
            and (word == "of" or scan.gap(run.first) == LINE)
        ):
            return after.end
    if word == "#" and scan.bits[min(end + 1, len(scan) - 1)] & DIGITS:
        return end + 2
    if word == "," and scan.lower(end + 1) in _COMPANY_FORMS:
        return end + 2
    if word == "," and scan.lower(end + 1) == "p" and scan.lower(end + 2) == ".":
        return min(end + 5, len(scan)) if scan.lower(end + 4) == "." else end  # ", P.C."
    return end


def _goes_on_after_stop(scan: Scan, at: int) -> bool:
    """Whether the sentence goes on, so that the full stop is the abbreviation's."""
    return at < len(scan) and scan.gap(at) != LINE and not scan.bits[at] & CAPITAL


def _goes_on(scan: Scan, run: Run, end: int) -> bool:
    """Whether an ordinary word follows the head: "Mental Health Screen", "Medical Evaluator"."""
    bits = scan.bits[end] if end < run.end else PART
    return bool(bits & COMMON) and not bits & (PART | PARTICLE)


def _credible(scan: Scan, run: Run, first: int, end: int, named: list[int]) -> bool:
    """Whether a name with a weak head is one: a rare word, a cue, or marks on both sides."""
    before = preposition(scan, first)
    if before in _NOT_AFTER:
        return False
    opened = scan.gap(first) >= COLUMN or scan.words[first - 1] in _OPENING
    closed = scan.gap(end) >= COLUMN or scan.words[end] in _CLOSING
    parts = sum(1 for at in range(first, end) if scan.bits[at] & PART)
    if not run.cased:
        rare = any(not scan.bits[at] & COMMON for at in named)
        framed = before in _CUES or opened
        return (rare and (len(named) > 1 or framed)) or (framed and max(len(named), parts) > 1)
    if all(scan.bits[at] & UPPER and len(scan.words[at]) < 5 for at in named):
        return before in _CUES  # "FEN/GI", "OBOT Group"
    if any(not scan.bits[at] & FAMILIAR for at in named):
        return True
    return max(len(named), parts) > 1 or before in _CUES or (opened and closed and end - first > 1)


def _lower_head(scan: Scan, run: Run) -> Finding | None:
    """A name with its head in lower case: "the Worland clinic"."""
    if not run.cased or run.end >= len(scan) or scan.gap(run.end) != BLANK:
        return None
    head = scan.lower(run.end)
    if scan.bits[run.end] & CAPITAL or head not in word_list("heads", "lower_heads"):
        return None
    named = [at for at in range(run.first, run.end) if scan.specific(at, cased=True)]
    if not any(scan.words[at][1:].islower() and len(scan.words[at]) > 4 for at in named):
        return None
    if all(scan.bits[at] & COMMON for at in named) or scan.words[run.end - 1] in ("'s", "’s"):
        return None
    label = scan.vocabulary.heads[(head,)][0]
    return Finding(run.first, run.end + 1, label, "lower-head", POSSIBLE)
