"""Chains, agencies and services that everybody knows."""

from __future__ import annotations

from collections.abc import Iterator

from incognote.detect.places.context import field, preposition
from incognote.detect.places.finding import LIKELY, Finding
from incognote.detect.places.rules.headed import last_head
from incognote.detect.places.scan import Scan
from incognote.detect.places.words import CAPITAL, COMMON, KNOWN, WORD, word_list


def find(scan: Scan, taken: bytearray) -> Iterator[Finding]:
    for at in scan.listed:
        bits = scan.bits[at]
        if not bits & KNOWN or taken[at] or (bits & WORD and not bits & CAPITAL and scan.cased(at)):
            continue
        found = _known_at(scan, at)
        if found:
            yield found


def _known_at(scan: Scan, at: int) -> Finding | None:
    for phrase, label in scan.vocabulary.known[scan.lower(at)]:
        end = at + len(phrase)
        if tuple(map(scan.lower, range(at, end))) != phrase:
            continue
        if len(phrase) == 1 and not _stands_out(scan, at):
            continue
        if "-" in (scan.lower(at - 1), scan.lower(end)):
            return None  # the Army-Navy retractor
        run = scan.run_at.get(at)
        if run and run.end > end and last_head(scan, run.first, run.end):
            return None  # part of a longer name: "Aetna Park Hospital"
        return Finding(at, end, label, "known-name", LIKELY)
    return None


def _stands_out(scan: Scan, at: int) -> bool:
    """Whether a known name of one word is meant, and not the word or the abbreviation."""
    if not scan.cased(at):
        return not scan.bits[at] & COMMON
    if not scan.bits[at] & COMMON or scan.lower(at) in word_list("known", "capitalised"):
        return True
    insurer = field(scan, at) in word_list("cues", "organization_fields")
    framed = preposition(scan, at) in word_list("heads", "cues") or scan.lower(at + 1) == "#"
    return (framed or insurer) and bool(scan.bits[at] & CAPITAL)
