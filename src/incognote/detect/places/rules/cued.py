"""Names without a head word, known by the words before them: "works at", "Pharmacy:", "sent to"."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from incognote.core.caches import once
from incognote.detect.places.context import field, nearby, preposition
from incognote.detect.places.finding import LIKELY, POSSIBLE, Finding
from incognote.detect.places.scan import LINE, Run, Scan
from incognote.detect.places.words import CAPITAL, COMMON, EPONYM, PERSON, UPPER, word_list

# If a field is in several lists, the last one counts.
_FIELDS = (
    ("county_fields", "LOCATION-OTHER"),
    ("organization_fields", "ORGANIZATION"),
    ("hospital_fields", "HOSPITAL"),
)
# The words that may say what follows; only behind them is a closer look worth its time.
_LEADING = frozenset("at @ by for from to via through thru attends attended".split())


@once
def _field_labels() -> Mapping[str, str]:
    """Field name -> what fills it."""
    return {name: label for cue, label in _FIELDS for name in word_list("cues", cue)}


def find(scan: Scan, taken: bytearray) -> Iterator[Finding]:
    for run in scan.run_list:
        if 1 in taken[run.first : run.end]:
            continue
        found = _saint(scan, run)
        if not found and run.named:
            found = _by_field(scan, run) or _by_preposition(scan, run)
        if found:
            yield found


def _saint(scan: Scan, run: Run) -> Finding | None:
    """A house named for a saint: "St. Brendan's", "Our Lady of the Quays"."""
    first, end = run.first, run.end
    opening = scan.lower(first)
    if opening == "lady" and scan.lower(first - 1) == "our" and scan.lower(end) == "of":
        after = scan.run_at.get(end + 2 if scan.lower(end + 1) == "the" else end + 1)
        if after is None:
            return None
        first, end = first - 1, after.end
    elif opening not in ("st", "saint", "ste") or scan.words[end - 1] not in ("'s", "’s"):
        return None
    if end <= first + 2 or scan.lower(end) == "wort":
        return None
    label = "ORGANIZATION" if nearby(scan, run.first, "work") else "HOSPITAL"
    return Finding(first, end, label, "saint", LIKELY)


def _by_field(scan: Scan, run: Run) -> Finding | None:
    name = field(scan, run.first)
    before = run.first - 1
    if not name and before >= 0 and scan.gap(run.first) != LINE:
        # "Payer Culinary Trust", "her employer Cuyuna Fiber": a field without its colon
        word = scan.lower(before)
        if scan.bits[before] & CAPITAL or word in word_list("cues", "lower_fields"):
            name = word
    if not name:
        return None
    label = _field_labels().get(name)
    if label is None or scan.lower(run.end) == ":":
        return None
    if run.cased and not any(map(scan.telling, run.named)):
        return None  # "Lab: Troponin", "Site: Left"
    return Finding(run.first, run.end, label, "field", LIKELY)


def _by_preposition(scan: Scan, run: Run) -> Finding | None:
    if not run.cased:
        return None
    before = preposition(scan, run.first)
    if before not in _LEADING:
        return None
    if len(run.named) < 2 and not scan.telling(run.named[0]):
        return None
    label = _label_after(scan, run, before)
    return Finding(run.first, run.end, label, f"after-{before}", POSSIBLE) if label else None


def _label_after(scan: Scan, run: Run, before: str) -> str:
    """What the word before makes of the run; empty for nothing."""
    named = run.named
    person = all(scan.bits[at] & PERSON for at in named)
    rare = not scan.bits[named[0]] & COMMON
    if before == "by" and rare and not person and nearby(scan, run.first, "carried"):
        return "ORGANIZATION"
    # "at McBurney's point", "murmur at RUSB": anatomy and its eponyms.
    possessive = scan.words[run.end - 1] in ("'s", "’s")
    if possessive or all(scan.bits[at] & (UPPER | EPONYM) for at in named):
        return ""
    working = nearby(scan, run.first, "work")
    cared = nearby(scan, run.first, "transfer")
    if before in ("at", "@"):
        return "HOSPITAL" if cared or (person and not working) else "ORGANIZATION"
    if person:
        return ""
    if before in ("attends", "attended") or (working and before in ("for", "by", "from")):
        return "ORGANIZATION"
    if cared and (before == "from" or (before == "to" and len(named) > 1)):
        return "HOSPITAL"
    return "ORGANIZATION" if before in ("via", "through", "thru") and len(named) > 1 else ""
