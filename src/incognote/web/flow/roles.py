"""Who may do what. A person has one or more roles in a project; the site has administrators."""

from __future__ import annotations

from collections.abc import Collection
from types import MappingProxyType

ANNOTATOR = "annotator"
ADJUDICATOR = "adjudicator"
REVIEWER = "reviewer"
MANAGER = "manager"
AUDITOR = "auditor"
ROLES = (ANNOTATOR, ADJUDICATOR, REVIEWER, MANAGER, AUDITOR)

# Action -> roles. What is not listed here is forbidden to all.
PERMISSIONS = MappingProxyType(
    {
        "see project": frozenset(ROLES),
        "annotate": frozenset({ANNOTATOR}),
        "adjudicate": frozenset({ADJUDICATOR}),
        "review": frozenset({REVIEWER}),
        "see agreement": frozenset({ANNOTATOR, ADJUDICATOR, MANAGER}),
        "see learning": frozenset({MANAGER, ADJUDICATOR}),
        "see releases": frozenset({MANAGER, REVIEWER}),
        "see audit": frozenset({AUDITOR, MANAGER}),
        "see jobs": frozenset({MANAGER, AUDITOR}),
        "read notes": frozenset({MANAGER, ADJUDICATOR}),
        "manage": frozenset({MANAGER}),
    }
)


def may(action: str, roles: Collection[str]) -> bool:
    return not PERMISSIONS[action].isdisjoint(roles)


def may_adjudicate(account: int, annotators: Collection[int]) -> bool:
    """Nobody may adjudicate a dispute in which they took part."""
    return account not in annotators


def may_see_spans(roles: Collection[str], *, settled: bool) -> bool:
    """Who annotates sees what others and the ensemble say of a note only when it is settled:
    whatever else they are, they could still be given this note."""
    return settled or ANNOTATOR not in roles


def may_review(account: int, drafted_by: int | None) -> bool:
    """Nobody approves what they drafted."""
    return account != drafted_by
