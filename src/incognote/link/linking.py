"""The order of linking: correct labels, find missed mentions, group mentions into people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter

from incognote.core.labels import all_labels
from incognote.core.people import NOBODY, People
from incognote.core.types import Document, Dropped, Span
from incognote.link.bare import SURE, find_bare, find_listed
from incognote.link.belongings import with_belongings
from incognote.link.grouping import Group, group
from incognote.link.initials import stated_names, with_initials
from incognote.link.labels import PEOPLE, is_stated, join_names, known_names, relabel, restore_names
from incognote.link.missed import find_missed, grow_names, known_people, merged, name_users
from incognote.link.persons import persons, stated_people
from incognote.link.reading import Mention, mentions_of
from incognote.link.roles import Role, roles_in
from incognote.link.stretches import capitalised, union
from incognote.policy import Policy

NAMES = PEOPLE | {"INITIALS"}
# What the policy itself says is no PHI is not looked at again.
_CLOSED = ("never", "inclusion")
_LOST = ("overlap", "cut", "merged")


@dataclass(frozen=True, slots=True)
class LinkRules:
    """`labels` are those that are not switched off: linking gives no others. `repetitions` are
    looked for, or not, as everywhere. `bare_names` are looked for where some detector finds names
    in any text: who runs none of these wants no names found."""

    labels: frozenset[str]
    repetitions: bool = True
    bare_names: bool = True

    @classmethod
    def of(cls, policy: Policy, *, finds_names: bool) -> LinkRules:
        return cls(policy.wanted, policy.resolve.repetitions, finds_names)


EVERYTHING = LinkRules(frozenset(all_labels()))


@dataclass(frozen=True, slots=True)
class Linked:
    """The spans of a document after linking, sorted and disjoint, and the people they name."""

    spans: tuple[Span, ...]
    people: People


def link(
    document: Document,
    spans: Sequence[Span],
    dropped: Sequence[Dropped] = (),
    rules: LinkRules = EVERYTHING,
    harmless: Sequence[tuple[int, int]] = (),
    doubted: Sequence[tuple[int, int]] = (),
) -> Linked:
    """Who is meant by the names of a document. `dropped` are candidates that did not become spans:
    where the policy says that a place is no PHI, nothing is looked for. In `harmless` stretches no
    word is taken for a name without a cue, in `doubted` ones none that is more than a name."""
    text = document.text
    before = {span.start: span.label for span in spans}
    if document.free_text:
        spans = _found(document, spans, dropped, rules, harmless, union(doubted))
    mentions = mentions_of((span for span in spans if span.label in NAMES), text)
    if not mentions:
        return Linked(tuple(spans), stated_people(document, spans))
    groups = group(mentions)
    roles = roles_in(text, [mention.span for mention in mentions])
    for each in groups:
        _settle_label(each, roles)
    for mention in mentions:
        was = before.get(mention.start, "")
        mention.was = "" if was == mention.label else was or "missed"
    by_start = {mention.start: mention.label for mention in mentions}
    spans = [
        replace(span, label=by_start[span.start]) if _changes(span, by_start) else span
        for span in spans
    ]
    people = People(with_belongings(persons(groups, document.people), spans, text))
    elsewhere = (*document.people, *stated_names(document.known))
    return Linked(tuple(spans), with_initials(people, text, elsewhere))


def _found(
    document: Document,
    spans: Sequence[Span],
    dropped: Sequence[Dropped],
    rules: LinkRules,
    harmless: Sequence[tuple[int, int]],
    doubted: Sequence[tuple[int, int]],
) -> Sequence[Span]:
    """The spans with labels put right, and with those that were missed."""
    text, allowed = document.text, rules.labels
    stated = [pair for pair in document.known if pair[0] in PEOPLE & allowed]
    if stated:  # whose name it is, the record says: no context needs to
        spans = relabel(spans, text, known_names((), text, stated))
    spans = join_names(restore_names(spans, dropped, text, allowed), text, allowed)
    spans = relabel(spans, text, known_names(spans, text, stated))
    closed = [
        (drop.span.start, drop.span.end)
        for drop in dropped
        if drop.reason.partition(":")[0] in _CLOSED
    ]
    known = known_people(spans, text, stated, _backed(spans, dropped))
    capitals = capitalised(text)
    if rules.repetitions and (missed := find_missed(known, spans, text, capitals, closed, doubted)):
        permitted = [span for span in missed if span.label in allowed]
        spans = sorted([*spans, *permitted], key=attrgetter("start"))
    if "USERNAME" in allowed:
        spans = name_users(spans, text, known)
    spans = join_names(grow_names(spans, text), text, allowed)
    # Organisms, tests and drugs are named after people, too.
    if document.clinical or not rules.bare_names:
        return spans
    taken = union([*((span.start, span.end) for span in spans), *closed, *harmless])
    bare = [span for span in find_bare(text, capitals, taken) if span.label in allowed]
    bare = merged(bare, text)
    if "PATIENT" in allowed:
        bare += find_listed(text, union([*taken, *((span.start, span.end) for span in bare)]))
    if not bare:
        return spans
    spans = sorted([*spans, *bare], key=attrgetter("start"))
    # Who holds a role is found again; halves of full names are looked for in the first round only.
    sure = [s for s in bare if s.score >= SURE and " " not in text[s.start : s.end]]
    if rules.repetitions and sure:
        again = find_missed(known_people(sure, text), spans, text, (), closed)
        spans = sorted([*spans, *again], key=attrgetter("start"))
    return join_names(spans, text, allowed)


def _backed(spans: Sequence[Span], dropped: Sequence[Dropped]) -> frozenset[int]:
    """The starts of names that another detector claimed as well, as a name of other people."""
    rivals = [
        drop.span
        for drop in dropped
        if drop.span.label in PEOPLE and drop.reason.partition(":")[0] in _LOST
    ]
    return frozenset(
        span.start
        for span in spans
        if any(rival.overlaps(span) and rival.sources != span.sources for rival in rivals)
    )


def people_in(document: Document, spans: Sequence[Span]) -> People:
    """The people whom given spans name, with the spans as they are: for annotated corpora."""
    text = document.text
    mentions = mentions_of((span for span in spans if span.label in NAMES), text)
    if not mentions:
        return NOBODY
    return People(with_belongings(persons(group(mentions), document.people), spans, text))


def _changes(span: Span, labels: dict[int, str]) -> bool:
    return labels.get(span.start, span.label) != span.label


def _settle_label(each: Group, roles: Mapping[int, Role]) -> None:
    """PATIENT or DOCTOR, once for the person: what the source states, what the words beside say in
    Spanish, then titles, credentials and kinship, then what most finds say."""
    labels = {mention.label for mention in each.mentions} & PEOPLE
    told: set[str] = {role for m in each.mentions if (role := roles[m.start])}
    if len(labels | told) < 2:
        return
    stated = {m.label for m in each.mentions if is_stated(m.span)} & PEOPLE
    if len(stated) == 1:
        label = stated.pop()
    else:
        label = told.pop() if len(told) == 1 else _likelier(each.mentions)
    for mention in each.mentions:
        if mention.label in PEOPLE and not is_stated(mention.span):
            mention.label = label


def _likelier(mentions: Sequence[Mention]) -> str:
    staff = 0.0
    for mention in mentions:
        if mention.cue.staff:
            staff += 3
        elif mention.cue.patient or mention.cue.kinship:
            staff -= 3
        staff += mention.span.score if mention.label == "DOCTOR" else -mention.span.score
    return "DOCTOR" if staff > 0 else "PATIENT"
