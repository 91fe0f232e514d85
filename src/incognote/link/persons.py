"""From groups of mentions to persons: what each name word is, sex, role, and a key."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from incognote.core.labels import MADE_OF_NAMES
from incognote.core.people import (
    NOBODY,
    MentionWord,
    NamePart,
    PartKind,
    People,
    Person,
    PersonMention,
    Role,
    Trait,
    WordForm,
)
from incognote.core.types import Document, Span
from incognote.lexicon.name_words import family_share, likely_pool, name_part, name_pool, name_sex
from incognote.link.grouping import Group
from incognote.link.reading import Mention, NameWord, read


def persons(groups: Sequence[Group], record: People = NOBODY) -> tuple[Person, ...]:
    """The people in order of appearance; at most one of them is the patient. `record` are those
    who are known from other documents of the same patient."""
    patient = _known_patient(groups, record) or _patient(groups)
    shared = Counter(word for each in groups for word in each.family)
    return tuple(_person(each, _role(each, patient), shared) for each in groups)


def stated_people(document: Document, spans: Sequence[Span]) -> People:
    """Whom the other fields of a record name, for addresses that are made of their names."""
    if not any(span.label in MADE_OF_NAMES for span in spans):
        return NOBODY
    names = [(label, value) for label, value in document.known if label in ("PATIENT", "DOCTOR")]
    words = [(label, word) for label, value in names for word in read(value).whole]
    # Fields state given and family names separately: only their order shows which belong together.
    found: list[Person] = []
    for label, word in words:
        part = name_part(word, name_pool(word) or "family")
        if part.kind == "family":
            given = [p for at, p in _given_near(words, label, word)]
            role: Role = "staff" if label == "DOCTOR" else "other"
            found.append(Person(f"stated:{word}", role, (*given, part)))
    return People(tuple(found))


def _given_near(
    words: Sequence[tuple[str, str]], label: str, family: str
) -> Iterator[tuple[int, NamePart]]:
    """The given name that appears nearest to a family name."""
    at = words.index((label, family))
    ranked = sorted(
        (abs(i - at), word)
        for i, (other, word) in enumerate(words)
        if other == label and name_pool(word) == "given"
    )
    for distance, word in ranked[:1]:
        yield distance, name_part(word, "given")


def _known_patient(groups: Sequence[Group], record: People) -> Group | None:
    """Who bears the most words of the name that the patient has in the record."""
    names = {part.canonical for each in record if each.role == "patient" for part in each.parts}
    fitting = [
        each
        for each in groups
        if each.words & names and each.given <= names and not each.is_staff and not each.suffix
    ]
    kin = [each for each in fitting if any(m.cue.kinship for m in each.mentions)]
    free = [each for each in fitting if each not in kin]
    return max(free, key=lambda each: (len(each.words & names), len(each.mentions)), default=None)


def _patient(groups: Sequence[Group]) -> Group | None:
    """Who the note is about: a field says so, or nobody else is named as often without a word for
    a relative."""
    able = [each for each in groups if not each.is_staff]
    stated = [each for each in able if any(m.cue.patient for m in each.mentions)]
    # One mention in passing may be anybody's.
    free = [
        each
        for each in able
        if (len(each.mentions) > 1 or each.mentions[0].cue.title)
        and not any(m.cue.kinship for m in each.mentions)
    ]
    ranked = stated or free
    return max(ranked, key=lambda each: (len(each.mentions), -each.mentions[0].start), default=None)


def _role(each: Group, patient: Group | None) -> Role:
    if each is patient:
        return "patient"
    if each.is_staff:
        return "staff"
    return "relative" if any(m.cue.kinship for m in each.mentions) else "other"


def _person(each: Group, role: Role, shared: Counter[str]) -> Person:
    kinds = _kinds(each, shared)
    sex = _sex(each, kinds)
    parts = {word: name_part(word, kind) for word, kind in kinds.items()}
    mentions = tuple(_mention(m, parts) for m in each.mentions)
    kinship = next((m.cue.kinship for m in each.mentions if m.cue.kinship), "")
    suffix = (NamePart("suffix", each.suffix, each.suffix),) if each.suffix else ()
    origin = next((p.origin for p in parts.values() if p.kind == "family" and p.origin), "")
    return Person(
        _key(each, role, parts, shared),
        role,
        (*parts.values(), *suffix),
        mentions,
        (),
        kinship,
        sex,
        Trait(origin, "list") if origin else Trait(),
    )


def _kinds(each: Group, families: Counter[str]) -> dict[str, PartKind]:
    """What each word is for this person, decided once: what most mentions say, the fuller ones and
    those with a comma before the others; a word that no mention decides is what it mostly is.
    `families` are the family names of all people here."""
    votes: dict[str, Counter[PartKind]] = {}
    for mention in each.mentions:
        reading = mention.reading
        weight = len(reading.whole) + 3 * reading.sure
        for written in reading.words:
            if written.form != "whole":
                continue
            right = mention.misspelt.get(written.folded, written.folded)
            votes_of = votes.setdefault(right, Counter())
            if written.kind:
                votes_of[written.kind] += weight
            elif mention.cue.title and len(reading.whole) == 1:
                votes_of["family"] += 1
            elif _is_called_by_kin(mention) and not name_pool(right) and not families[right]:
                votes_of["given"] += 1
    given = {word for word, found in votes.items() if found["given"]}
    kinds: dict[str, PartKind] = {}
    for word, found in votes.items():
        if found:
            kinds[word] = max(found, key=lambda kind: (found[kind], kind == "family"))
        elif len(votes) > 1:
            kinds[word] = "nickname" if given and family_share(word) < 0.5 else "family"
        else:
            kinds[word] = "family" if families[word] else likely_pool(word)
    return kinds


def _is_called_by_kin(mention: Mention) -> bool:
    """Whether one word follows a word for a relative, as given names do: "husband Joost". Behind
    "baby" and "contact", which say nothing of the sex, family names appear as well."""
    cue = mention.cue
    return bool(cue.kinship and cue.sex) and len(mention.reading.whole) == 1


def _sex(each: Group, kinds: dict[str, PartKind]) -> Trait:
    for mention in each.mentions:
        if mention.sex:
            return Trait(mention.sex, "title" if mention.cue.title else "kinship")
    for word, kind in kinds.items():
        if kind == "given" and (listed := name_sex(word)):
            return Trait(listed, "list")
    return Trait()


def _key(each: Group, role: Role, parts: dict[str, NamePart], shared: Counter[str]) -> str:
    """The key of a person in a record. The patient is one person in all notes; staff go by the
    family name, everybody else by the given name, as notes do."""
    if role == "patient":
        return role
    family = [p.canonical for p in parts.values() if p.kind == "family"]
    given = [p.root for p in parts.values() if p.kind in ("given", "nickname")]
    letters = min((m.reading.letters for m in each.mentions), default="")
    if role == "staff":
        names = family[-1:] or given[:1] or [letters]
        if family and shared[family[-1]] > 1:
            names += given[:1]
    else:
        names = given[:1] or family[-1:] or [letters]
    return ":".join([role if role == "staff" else "person", *names, each.suffix]).rstrip(":")


def _mention(mention: Mention, parts: dict[str, NamePart]) -> PersonMention:
    at = mention.span.start
    words = tuple(
        MentionWord(at + word.start, at + word.end, form, part)
        for word in mention.reading.words
        for form, part in [_word(word, mention, parts)]
    )
    return PersonMention(at, mention.span.end, mention.label, words, mention.reason, mention.was)


def _word(
    word: NameWord, mention: Mention, parts: dict[str, NamePart]
) -> tuple[WordForm, NamePart | None]:
    if word.form == "kept":
        return "kept", None
    if word.form == "initial":
        return "initial", _abbreviated(word, mention, parts)
    right = mention.misspelt.get(word.folded)
    if right is None:
        return "whole", parts[word.folded]
    return ("plural" if word.folded == f"{right}s" else "misspelt"), parts[right]


def _abbreviated(word: NameWord, mention: Mention, parts: dict[str, NamePart]) -> NamePart | None:
    """The part that an initial abbreviates: not one that the mention writes out."""
    written = set(mention.reading.whole)
    for part in parts.values():
        if part.canonical[0] == word.folded and part.canonical not in written:
            return part
    return None
