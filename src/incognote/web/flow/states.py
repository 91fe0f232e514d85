"""The states of notes and releases, and the events that lead from one to the next."""

from __future__ import annotations

from types import MappingProxyType

from incognote.core.errors import IncognoteError

NEW, SUGGESTED, ASSIGNED, ANNOTATED = "new", "suggested", "assigned", "annotated"
AGREED, DISPUTED, GOLD, FAILED, SKIPPED = "agreed", "disputed", "gold", "failed", "skipped"
NOTE_STATES = (NEW, SUGGESTED, ASSIGNED, ANNOTATED, AGREED, DISPUTED, GOLD, SKIPPED, FAILED)

DRAFTED, IN_REVIEW, APPROVED = "drafted", "in review", "approved"
EXPORTED, RETURNED = "exported", "returned"
RELEASE_STATES = (DRAFTED, IN_REVIEW, APPROVED, EXPORTED, RETURNED)


class Refused(IncognoteError):  # noqa: N818 - reads as what happened
    """What was asked for is not possible in this state."""


_ANY = frozenset(NOTE_STATES)

# event -> (states it may happen in, the state after it)
_NOTE = MappingProxyType(
    {
        "suggest": (frozenset({NEW, SUGGESTED, FAILED}), SUGGESTED),
        "assign": (frozenset({NEW, SUGGESTED, ASSIGNED}), ASSIGNED),
        "release": (frozenset({ASSIGNED}), SUGGESTED),
        "annotate": (frozenset({ASSIGNED}), ANNOTATED),
        "agree": (frozenset({ASSIGNED, ANNOTATED}), AGREED),
        "dispute": (frozenset({ASSIGNED, ANNOTATED}), DISPUTED),
        "settle": (frozenset({ANNOTATED, AGREED, DISPUTED}), GOLD),
        "import gold": (frozenset({NEW, SUGGESTED}), GOLD),
        "reopen": (frozenset({ANNOTATED, AGREED, DISPUTED, GOLD, SKIPPED, FAILED}), ASSIGNED),
        "readjudicate": (frozenset({GOLD}), DISPUTED),
        "skip": (_ANY - {SKIPPED, FAILED}, SKIPPED),
        "put back": (frozenset({SKIPPED}), SUGGESTED),
        "fail": (_ANY - {FAILED}, FAILED),
    }
)
_RELEASE = MappingProxyType(
    {
        "ask": (frozenset({DRAFTED}), IN_REVIEW),
        "approve": (frozenset({IN_REVIEW}), APPROVED),
        "return": (frozenset({IN_REVIEW, APPROVED}), RETURNED),
        "export": (frozenset({APPROVED, EXPORTED}), EXPORTED),
    }
)
NOTE_EVENTS = tuple(_NOTE)
RELEASE_EVENTS = tuple(_RELEASE)


def note_after(state: str, event: str) -> str:
    return _after(_NOTE, state, event)


def release_after(state: str, event: str) -> str:
    return _after(_RELEASE, state, event)


def _after(table: MappingProxyType[str, tuple[frozenset[str], str]], state: str, event: str) -> str:
    allowed, after = table[event]
    if state not in allowed:
        raise Refused(f"'{event}' is not possible: the state is '{state}'")
    return after
