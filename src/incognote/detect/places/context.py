"""What comes before a run: a preposition, a field name, and the words that give it its sense."""

from __future__ import annotations

from incognote.detect.places.scan import BLANK, LINE, Scan
from incognote.detect.places.words import CAPITAL, WORD, word_list

# What separates the parts of an address, in prose and in exported records.
ADDRESS_MARKS = frozenset((",", "^", ";", "·", "~"))
_SKIPPED = frozenset("( [ \" ' * - – — ~ · • > =".split())
_NEAR = 7


def word_before(scan: Scan, at: int) -> int:
    """The token before `at` on its line, past opening marks and "the"; -1 if there is none."""
    found = scan.before.get(at)
    if found is None:
        found = at
        while found > 0 and scan.gap(found) != LINE:
            found -= 1
            if scan.words[found] not in _SKIPPED and scan.lower(found) != "the":
                break
        else:
            found = -1
        scan.before[at] = found
    return found


def preposition(scan: Scan, at: int) -> str:
    """The word before `at` ("at", "from", ...), or empty."""
    before = word_before(scan, at)
    return (
        scan.lower(before)
        if before >= 0 and (scan.bits[before] & WORD or scan.words[before] == "@")
        else ""
    )


def nearby(scan: Scan, at: int, cue: str) -> bool:
    """Whether a word of the cue appears among the few before `at`, in the same sentence."""
    wanted = word_list("cues", cue)
    for back in range(at - 1, max(-1, at - 1 - _NEAR), -1):
        word = scan.lower(back)
        if word in wanted:
            return True
        if word in (".", ";", "?", "!") and scan.gap(back + 1) != 0:
            return False
    return False


def field(scan: Scan, at: int) -> str:
    """The word of the field that `at` fills: "pharmacy" for "Pharmacy: ..."; or empty."""
    before = word_before(scan, at)
    if before <= 0 or (scan.words[before] not in (":", "....") and not _leader(scan, before)):
        return ""
    back = before - 1
    while back > 0 and (not scan.bits[back] & WORD) and before - back < 40:
        back -= 1
    # In running text a colon follows a word in lower case; a field name has a capital.
    phrase = scan.bits[back] | (scan.bits[back - 1] if scan.gap(back) == BLANK else 0)
    return scan.lower(back) if phrase & CAPITAL or not scan.cased(back) else ""


def _leader(scan: Scan, at: int) -> bool:
    """Dots that lead from a field name to its value."""
    return (
        scan.words[at] == "." and at > 1 and scan.words[at - 1] == "." and scan.words[at - 2] == "."
    )
