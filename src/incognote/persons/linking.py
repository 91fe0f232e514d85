"""Which documents are about the same person.

stated     the source says so: never overruled
exact      the same record, social security or plan number; neither name nor birth date contradicts
probable   Splink finds it likely enough

A person split in two makes classes look larger than they are. Where not every record states whose
it is, people are therefore also counted cautiously, whatever the method: by the links of a lower
threshold, and without the records that say too little to know a person again. The worse result
counts. Where that count cannot be made, `why` says so.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from incognote.core.errors import MissingExtra, UsageError
from incognote.persons.identity import NUMBERS, Identity

if TYPE_CHECKING:
    from incognote.persons.probable import LinkedPair

HOW = ("stated", "exact", "probable")
LINK_AT, CAUTIOUS_AT = 0.9, 0.5
NOBODY = -1  # the cautious cluster of a record that may be anybody's


@dataclass(frozen=True, slots=True)
class Clusters:
    """`of[record]` is the cluster of a record; `how` and `probability` say by what it came there.
    `contradicting[record]`: a number of the record joins it to others and a name, a birth date or a
    stated id parts them; `conflicts` counts how often.
    `why` is the reason where the cautious clusters could not be made; they are empty then."""

    of: tuple[int, ...] = field(repr=False)
    how: tuple[str, ...] = field(repr=False)
    probability: tuple[float, ...] = field(repr=False)
    cautious: tuple[int, ...] = field(repr=False)
    contradicting: tuple[bool, ...] = field(repr=False)
    conflicts: int = 0
    why: str = ""

    @property
    def count(self) -> int:
        return len(set(self.of))

    @property
    def cautious_count(self) -> int:
        return len(set(self.cautious) - {NOBODY})


def cluster(identities: Sequence[Identity], method: str = "exact") -> Clusters:
    """Clusters of records. `method` is the farthest that linking goes."""
    if method not in HOW:
        raise UsageError(f"linking is one of {', '.join(HOW)}")
    groups = _Groups(identities)
    for same in _by(identities, "stated").values():
        for record in same[1:]:
            groups.join(same[0], record, "stated", 1.0)
    if method != "stated":
        for name in NUMBERS:
            for same in _by(identities, name).values():
                _join_exact(groups, identities, same)
    pairs, why = _probable(identities, method)
    if method == "probable":
        _join_probable(groups, [pair for pair in pairs if pair[2] >= LINK_AT])
    return Clusters(
        tuple(groups.roots()),
        tuple(groups.how),
        tuple(groups.probability),
        () if why else _cautious(groups, identities, pairs),
        tuple(groups.contradicting),
        groups.conflicts,
        why,
    )


def _probable(identities: Sequence[Identity], method: str) -> tuple[Sequence[LinkedPair], str]:
    """Pairs that are likely enough to be one person, or why they are not known."""
    from incognote.persons.probable import possible_pairs, probable_pairs, same_name_and_birth

    if all(each.stated for each in identities):
        return (), ""
    try:
        pairs = probable_pairs(identities, CAUTIOUS_AT)
    except MissingExtra as error:
        if method == "probable":
            raise
        return (), f"not every document states whose it is: {error}"
    if pairs is None:
        return possible_pairs(identities), ""
    return (*pairs, *same_name_and_birth(identities)), ""


def _cautious(
    groups: _Groups, identities: Sequence[Identity], pairs: Sequence[LinkedPair]
) -> tuple[int, ...]:
    """The clusters of all pairs. What says too little, and is not linked to what says more, may be
    anybody's: it is no person of its own."""
    wide = groups.copy()
    for same in (each for name in NUMBERS for each in _by(identities, name).values()):
        _join_exact(wide, identities, same)
    _join_probable(wide, pairs)
    named = {
        root
        for root, each in zip(wide.roots(), identities, strict=True)
        if each.stated or each.is_sure
    }
    return tuple(root if root in named else NOBODY for root in wide.roots())


def _join_probable(groups: _Groups, pairs: Sequence[LinkedPair]) -> None:
    """The surest first: which of two contradicting links is made does not depend on order."""
    for one, other, probability in sorted(pairs, key=lambda pair: (-pair[2], pair)):
        groups.join(one, other, "probable", probability)


def _by(identities: Sequence[Identity], name: str) -> dict[str, list[int]]:
    found: defaultdict[str, list[int]] = defaultdict(list)
    for record, each in enumerate(identities):
        if value := getattr(each, name):
            found[value].append(record)
    return found


def _join_exact(groups: _Groups, identities: Sequence[Identity], same: list[int]) -> None:
    """Records with one number. None joins a cluster that it contradicts in any member: a record
    that says little must not bridge two people."""
    for at, record in enumerate(same[1:], 1):
        tried: set[int] = set()
        for earlier in same[:at]:
            root = groups.root(earlier)
            if root in tried:
                continue
            tried.add(root)
            mine = groups.members(record)
            if not any(
                identities[one].contradicts(identities[other])
                for one in mine
                for other in groups.members(earlier)
            ):
                groups.join(earlier, record, "exact", 1.0)
                break
        else:
            groups.contradict(record, same[:at])


class _Groups:
    """Disjoint sets; two that bear different stated ids are never joined."""

    def __init__(self, identities: Sequence[Identity]) -> None:
        self._parent = list(range(len(identities)))
        self._members = [[record] for record in range(len(identities))]
        self._stated = [{each.stated} if each.stated else set[str]() for each in identities]
        self.how = ["stated" if each.stated else "alone" for each in identities]
        self.probability = [1.0] * len(identities)
        self.contradicting = [False] * len(identities)
        self.conflicts = 0

    def contradict(self, record: int, others: Sequence[int]) -> None:
        self.conflicts += 1
        for each in (record, *others):
            self.contradicting[each] = True

    def copy(self) -> _Groups:
        other = _Groups([])
        other._parent = list(self._parent)
        other._members = [list(each) for each in self._members]
        other._stated = [set(each) for each in self._stated]
        other.how, other.probability = list(self.how), list(self.probability)
        other.contradicting = list(self.contradicting)
        return other

    def root(self, at: int) -> int:
        while self._parent[at] != at:
            self._parent[at] = self._parent[self._parent[at]]
            at = self._parent[at]
        return at

    def members(self, at: int) -> list[int]:
        return self._members[self.root(at)]

    def roots(self) -> list[int]:
        return [self.root(at) for at in range(len(self._parent))]

    def join(self, one: int, other: int, how: str, probability: float) -> None:
        a, b = sorted((self.root(one), self.root(other)))
        if a == b:
            return
        if len(self._stated[a] | self._stated[b]) > 1:
            self.contradict(one, [other])
            return
        self._parent[b] = a
        self._members[a] += self._members[b]
        self._stated[a] |= self._stated[b]
        for record in (one, other):
            if self.how[record] == "alone":
                self.how[record], self.probability[record] = how, probability
