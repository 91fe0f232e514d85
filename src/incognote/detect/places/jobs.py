"""Jobs of people in the note: "retired plumber", "works as a line cook", "Occupation: farmer"."""

from __future__ import annotations

from collections.abc import Iterator

from incognote.detect.places.context import field, word_before
from incognote.detect.places.finding import CERTAIN, POSSIBLE, Finding
from incognote.detect.places.scan import BLANK, GLUED, Scan
from incognote.detect.places.words import CAPITAL, GENERIC, JOB, STOP, WORD, word_list

LABEL = "PROFESSION"
_LONGEST = 4
_KIN = frozenset(
    "father mother mom dad husband wife son daughter brother sister partner uncle aunt grandfather"
    " grandmother he she who neighbor fiance boyfriend girlfriend".split()
)


def find(scan: Scan, taken: bytearray) -> Iterator[Finding]:
    for at, bits in enumerate(scan.bits):
        if not bits & JOB or taken[at]:
            continue
        found = _job(scan, at)
        if found and not any(taken[found.first : found.end]):
            yield found


def _job(scan: Scan, head: int) -> Finding | None:
    cased = scan.cased(head)
    if cased and scan.bits[head] & CAPITAL and not _announced(scan, head):
        return None
    if scan.lower(head + 1) in ("'s", "’s") or (
        scan.lower(head + 1) == "-" and scan.gap(head + 1) == GLUED
    ):
        return None
    if (
        head + 1 < len(scan)
        and cased
        and scan.bits[head + 1] & CAPITAL
        and scan.gap(head + 1) == BLANK
    ):
        # A job before a name is a title.
        return None
    first = _reach_left(scan, head, cased)
    cue = _cue(scan, first)
    unclear = scan.lower(head) in word_list("jobs", "unclear") or scan.lower(head).removesuffix(
        "s"
    ) in word_list("jobs", "unclear")
    if cue:
        return Finding(first, head + 1, LABEL, "job-cue", CERTAIN)
    if unclear:
        return None
    return Finding(first, head + 1, LABEL, "job", POSSIBLE)


def _reach_left(scan: Scan, head: int, cased: bool) -> int:
    """What narrows the job down: "sugar beet" farmer, "tool-and-die" maker."""
    stop = word_list("jobs", "stop_before")
    first = head
    while first > 0 and head - first < _LONGEST * 2:
        before = first - 1
        gap = scan.gap(first)
        word = scan.lower(before)
        if word == "-" and gap == GLUED and scan.bits[max(0, before - 1)] & WORD:
            first = before
            continue
        if gap > BLANK or not scan.bits[before] & WORD or word in stop:
            break
        if gap == GLUED and scan.words[first] != "-":
            break
        if scan.bits[before] & STOP and word not in ("line", "night", "first", "second", "school"):
            break
        if (
            cased
            and scan.bits[before] & CAPITAL
            and not scan.bits[head] & CAPITAL
            and not scan.bits[before] & GENERIC
        ):
            break
        first = before
    while scan.words[first] == "-":
        first += 1
    return first


def _announced(scan: Scan, head: int) -> bool:
    first = head
    while (
        first > 0 and scan.gap(first) == BLANK and scan.bits[first - 1] & WORD and head - first < 3
    ):
        first -= 1
        if scan.lower(first) in word_list("jobs", "before") or scan.lower(first) in (
            "a",
            "an",
            "as",
        ):
            return True
    return field(scan, first) in word_list("jobs", "fields")


def _cue(scan: Scan, first: int) -> bool:
    """Whether what stands before announces a job."""
    if field(scan, first) in word_list("jobs", "fields"):
        return True
    at = word_before(scan, first)
    if at < 0:
        return False
    word = scan.lower(at)
    if word in word_list("jobs", "before") or word in word_list("jobs", "fields"):
        return True
    if word in ("a", "an"):
        back = scan.lower(at - 1)
        return back in (
            "as",
            "is",
            "was",
            "been",
            "being",
            "be",
            "became",
            "become",
            ",",
            "(",
            "and",
            "s",
            "'s",
            "’s",
        )
    return word == "as" or word in _KIN
