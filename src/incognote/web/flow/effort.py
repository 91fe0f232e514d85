"""What a note cost its annotator: active seconds, keystrokes, actions, words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from incognote.web.flow.edits import Mark

LONGEST_PAUSE_MS = 60_000  # who does nothing for longer is not at work


def active(milliseconds: int) -> int:
    """The part of a pause between two strokes that counts as work."""
    return max(0, min(milliseconds, LONGEST_PAUSE_MS))


def actions_needed(before: Sequence[Mark], after: Sequence[Mark]) -> int:
    """The fewest actions that turn one layer into another: a new span takes two, to choose its
    words and to label them; a removal, another label and another edge take one each."""
    gone, come = set(before) - set(after), set(after) - set(before)
    changed = 0
    for mark in sorted(come):
        partner = next((old for old in sorted(gone) if old[0] < mark[1] and mark[0] < old[1]), None)
        if partner is not None:
            gone.discard(partner)
            changed += sum((partner[0] != mark[0], partner[1] != mark[1], partner[2] != mark[2]))
            come = come - {mark}
    return changed + len(gone) + 2 * len(come)


def mean(values: Iterable[float]) -> float:
    found = list(values)
    return sum(found) / len(found) if found else 0.0
