"""Settles conflicts: negative evidence, votes, overlaps. Pure, and blind to the claims' order."""

from __future__ import annotations

import re
from bisect import bisect_left, insort
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate

from incognote.core.labels import all_labels
from incognote.core.types import Dropped, Span
from incognote.resolve.claims import Claim, detector_of, rank

# The labels that a detector learned. One that is not here knows what it says SAFE about from a list
# or a rule, and argues against any label.
Learned = Mapping[str, frozenset[str]]
NOTHING_LEARNED: Learned = {}
_NO_PHI = frozenset({"CODE", "TRAIT"})
# Rules that know a number by a word before it are surer than this, those that go by its shape less.
_SHAPE = 0.8
# A comma and a blank.
_BETWEEN_WORDS = 2


class _Neighbours:
    """Claims by position, to find those that overlap a span without looking at all."""

    def __init__(self, claims: Iterable[Claim]) -> None:
        self._claims = sorted(claims, key=_start)
        self._starts = list(map(_start, self._claims))
        # How far the claims up to each one reach: beyond that, looking further back is in vain.
        self._reach = list(accumulate((claim.span.end for claim in self._claims), max))

    def of(self, span: Span) -> Iterator[Claim]:
        at = bisect_left(self._starts, span.end) - 1
        while at >= 0 and self._reach[at] > span.start:
            if self._claims[at].span.end > span.start:
                yield self._claims[at]
            at -= 1


def weigh_evidence(
    claims: Sequence[Claim], against: Sequence[Claim], learned: Learned = NOTHING_LEARNED
) -> tuple[list[Claim], list[Dropped]]:
    """Drops what a heavier (or equally heavy but surer) detector knows to be harmless.

    Negative evidence counts only for what it covers whole, in one piece or in several: that
    "Parkinson" is a disease says nothing about "James Parkinson". That a model sees no PHI says
    nothing of labels it never learned. A draw goes to PHI.
    """
    kept: list[Claim] = []
    dropped: list[Dropped] = []
    harmless = _Neighbours(against)
    for claim in claims:
        surer = [
            other
            for other in harmless.of(claim.span)
            if _may_argue(other.span, claim.span.label, learned)
            and (other.weight, other.span.score) > (claim.weight, claim.span.score)
        ]
        stronger = [other for other in surer if other.span.covers(claim.span)]
        if not stronger and _cover_together(surer, claim.span):
            stronger = surer
        if stronger:
            winner = min(stronger, key=rank).span
            dropped.append(Dropped(claim.span, f"safe:{','.join(winner.sources)}"))
        else:
            kept.append(claim)
    return kept, dropped


def _cover_together(parts: Sequence[Claim], whole: Span) -> bool:
    """Whether harmless stretches leave no word of a find: "Legg-Calve-Perthes, Herring B"."""
    end = whole.start
    for part in sorted(parts, key=_start):
        if part.span.start > end + _BETWEEN_WORDS:
            return False
        end = max(end, part.span.end)
    return bool(parts) and end + 1 >= whole.end and min(map(_start, parts)) <= whole.start


def _may_argue(harmless: Span, label: str, learned: Learned) -> bool:
    """Whether any of those who call a stretch harmless knows the label that is claimed there. Codes
    and traits are no PHI: a list that says so is no reason not to find them for a policy that wants
    them."""
    known = all_labels().get(label)
    anybody = () if known is not None and known.category in _NO_PHI else (label,)
    return any(
        label in learned.get(detector_of(source), anybody) for source in harmless.sources or ("",)
    )


def count_votes(
    claims: Sequence[Claim], needed: Mapping[str, int]
) -> tuple[list[Claim], list[Dropped]]:
    """Drops what too few detectors agree on. Overlapping finds of one label are agreement."""
    if not needed:
        return list(claims), []
    kept: list[Claim] = []
    dropped: list[Dropped] = []
    neighbours = _Neighbours(claims)
    for claim in claims:
        threshold = needed.get(claim.span.label, 1)
        voters = {
            detector_of(source)
            for other in neighbours.of(claim.span)
            if other.span.label == claim.span.label
            for source in other.span.sources
        }
        if claim.stated or len(voters) >= threshold:
            kept.append(claim)
        else:
            dropped.append(Dropped(claim.span, f"votes:{len(voters)}<{threshold}"))
    return kept, dropped


def specify(claims: Sequence[Claim]) -> tuple[list[Claim], list[Dropped]]:
    """Numbers as what somebody knows them to be. A rule that sees no more than the shape of a
    number says that it identifies (IDNUM); who calls the same stretch a device or a date knows
    more, whatever his weight."""
    kinds: dict[tuple[int, int], Claim] = {}
    for claim in claims:
        place = _place(claim)
        if not _is_shape(claim) and (place not in kinds or rank(claim) < rank(kinds[place])):
            kinds[place] = claim
    kept: list[Claim] = []
    dropped: list[Dropped] = []
    backed: dict[tuple[int, int], Claim] = {}
    known = _Neighbours(claim for claim in claims if not _is_shape(claim))
    for claim in claims:
        if not _is_shape(claim):
            kept.append(claim)
            continue
        if (whole := _whole_of(claim, known)) is not None:
            where = f"{whole.span.label}@{whole.span.start}-{whole.span.end}"
            dropped.append(Dropped(claim.span, f"merged:{where}"))
            continue
        kind = kinds.get(_place(claim))
        if kind is None:
            kept.append(claim)
            continue
        where = f"{kind.span.label}@{kind.span.start}-{kind.span.end}"
        dropped.append(Dropped(claim.span, f"merged:{where}"))
        backed[_place(claim)] = kind.backed_by(claim)
    if not backed:
        return kept, dropped
    return [backed.get(_place(c), c) if c is kinds.get(_place(c)) else c for c in kept], dropped


def _is_shape(claim: Claim) -> bool:
    return claim.span.label == "IDNUM" and claim.span.score <= _SHAPE and not claim.stated


def _whole_of(shape: Claim, known: _Neighbours) -> Claim | None:
    """What the same detector knows a longer stretch to be. It looked again at a part of it: that is
    no second opinion ("4477522" of "UTM 17T 584937 4477522")."""
    own = set(map(detector_of, shape.span.sources))
    wholes = [
        other
        for other in known.of(shape.span)
        if other.span.covers(shape.span)
        and _place(other) != _place(shape)
        and own.issuperset(map(detector_of, other.span.sources))
    ]
    return min(wholes, key=rank, default=None)


def _place(claim: Claim) -> tuple[int, int]:
    return claim.span.start, claim.span.end


def settle(claims: Iterable[Claim], text: str) -> tuple[list[Claim], list[Dropped]]:
    """Disjoint claims in order of text.

    The strongest claim keeps its place. What an overlapping weaker one says beyond it is not
    thrown away, for it would be a leak: under the same label the winner grows over it, under
    another label the rest stays as a find of its own.
    """
    settled = _PlacedClaims(text)
    for claim in sorted(claims, key=rank):
        settled.place(claim)
    return settled.placed, settled.dropped


class _PlacedClaims:
    """Disjoint claims in order of text, to which weaker ones are added one by one."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.placed: list[Claim] = []
        self.dropped: list[Dropped] = []

    def place(self, claim: Claim) -> None:
        rivals = self._overlapping(claim.span)
        if not rivals:
            insort(self.placed, claim, key=_start)
            return
        rests = list(self._rests(claim.span, rivals))
        winner = min(rivals, key=rank).span
        if rests and len(rivals) == 1 and _is_part_of(rivals[0], claim):
            if self._is_word_before(rests, rivals[0]):
                self.dropped.append(
                    Dropped(claim.span, f"overlap:{winner.label}@{winner.start}-{winner.end}")
                )
                return
            self.dropped.append(
                Dropped(winner, f"merged:{claim.span.label}@{claim.span.start}-{claim.span.end}")
            )
            self._swap(rivals, claim.backed_by(rivals[0]))
            return
        same = any(rival.span.label == claim.span.label for rival in rivals)
        code = "merged" if same else "cut" if rests else "overlap"
        where = f"{winner.label}@{winner.start}-{winner.end}"
        self.dropped.append(Dropped(claim.span, f"{code}:{where}"))
        for rival in rivals:
            if rival.span.label == claim.span.label:
                self._swap([rival], rival.backed_by(claim))
        for start, end in rests:
            self._place_rest(Claim(claim.span.moved(start, end), claim.weight))

    def _is_word_before(self, rests: Sequence[tuple[int, int]], rival: Claim) -> bool:
        """Whether all that is left of an identifier is the word that says what it is: "MAC" of "MAC
        00 1B 44 11 3A B7"."""
        end = rests[-1][1]
        return (
            end < rival.span.start
            and self.text[end : rival.span.start].isspace()
            and not any(char.isdigit() for char in self.text[rests[0][0] : end])
        )

    def _rests(self, span: Span, rivals: Sequence[Claim]) -> Iterable[tuple[int, int]]:
        at = span.start
        for rival in rivals:
            if at < rival.span.start:
                yield from content(self.text, at, rival.span.start)
            at = max(at, rival.span.end)
        if at < span.end:
            yield from content(self.text, at, span.end)

    def _place_rest(self, rest: Claim) -> None:
        """A rest joins the neighbours it was cut from if they carry its label."""
        at = bisect_left(self.placed, rest.span.start, key=_start)
        before, after = self.placed[at - 1 : at] if at else [], self.placed[at : at + 1]
        joined = rest
        gone = []
        for neighbour in (*before, *after):
            near = _between(neighbour.span, rest.span)
            same = neighbour.span.label == rest.span.label and not neighbour.stated
            if same and not content(self.text, *near) and "\n" not in self.text[slice(*near)]:
                start = min(neighbour.span.start, joined.span.start)
                end = max(neighbour.span.end, joined.span.end)
                joined = joined.backed_by(neighbour)
                joined = Claim(joined.span.moved(start, end), joined.weight)
                gone.append(neighbour)
        self._swap(gone, joined)

    def _overlapping(self, span: Span) -> list[Claim]:
        first = bisect_left(self.placed, span.start, key=_end_exclusive)
        last = bisect_left(self.placed, span.end, lo=first, key=_start)
        return self.placed[first:last]

    def _swap(self, old: Sequence[Claim], new: Claim) -> None:
        for claim in old:
            # What is placed is disjoint, so that nothing else starts where it does.
            del self.placed[bisect_left(self.placed, claim.span.start, key=_start)]
        insort(self.placed, new, key=_start)


def _is_part_of(part: Claim, whole: Claim) -> bool:
    """Whether one identifier is a part of another, however strongly it is claimed: "A123456" of
    "A123456(3)". Who saw the whole knows what it is; cut in two, it would be two numbers."""
    both = {all_labels()[claim.span.label].category for claim in (part, whole)}
    return both == {"ID"} and not part.stated and whole.span.covers(part.span)


_start: Callable[[Claim], int] = lambda claim: claim.span.start  # noqa: E731
_end_exclusive: Callable[[Claim], int] = lambda claim: claim.span.end - 1  # noqa: E731


def _between(one: Span, other: Span) -> tuple[int, int]:
    return min(one.end, other.end), max(one.start, other.start)


# Words that join names but identify no person by themselves.
_PARTICLES = frozenset(
    "and the for from with but was via per not are has had his her who our".split()
)
# Two letters written like a name may be one: "Xu", "Ng", "Li". These are none.
_SHORT_NAME = re.compile(r"[A-Z][a-z]")
_NO_NAMES = frozenset("At By Dr Ft In Jr Mr Ms Mt No Of On Pt Rm Sr St To We".split())
_WORD = re.compile(r"\w+")


def content(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """The part of a stretch that could still identify a person, at most one [start, end).

    It runs from the first to the last word that identifies: a number, three letters and no
    particle, or two that are written like a name.
    """
    words = [
        word
        for word in _WORD.finditer(text, start, end)
        if any(char.isdigit() for char in word[0])
        or (len(word[0]) >= 3 and word[0].lower() not in _PARTICLES)
        or (_SHORT_NAME.fullmatch(word[0]) and word[0] not in _NO_NAMES)
    ]
    return [(words[0].start(), words[-1].end())] if words else []
