"""`risk.measure`: a release, notes that `deid` wrote or a table of people, measured as a whole."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from incognote.anonymize.counts.budget import Ledger
from incognote.anonymize.hierarchy import ROOT
from incognote.anonymize.release import Release
from incognote.anonymize.table import check_persons, read_table
from incognote.core.errors import UsageError
from incognote.core.types import Failure, Result
from incognote.corpus.files import read_corpus
from incognote.engine.settings import Settings, ignore
from incognote.persons.mentions import LABELS
from incognote.persons.reading import read_people
from incognote.persons.view import LINKS, View, read_view
from incognote.persons.write_back import Published
from incognote.policy import DEFAULT, load_policy
from incognote.risk.certificate import CERTIFICATE, subjects_of
from incognote.risk.diversity import Diversity, diversity
from incognote.risk.leaks import Leaks, matched, measure_leaks
from incognote.risk.parrot import USUAL, Attack, parrot
from incognote.risk.provenance import how_made, policy_of
from incognote.risk.report import Limits, Report, marked_notes
from incognote.risk.singling import (
    Singling,
    clinical_words,
    of_view,
    singling_out,
)

_KEY = b"only to group"


@dataclass(frozen=True, slots=True)
class Known:
    """What the one who releases knows of it, an attacker does not: a sample of the originals with
    every PHI marked, the folder that `anonymize` made of the view, the ledger of published counts,
    how many persons the release is drawn from."""

    gold: Path | None = None
    random_sample: bool = False
    view: Path | None = None
    ledger: Path | None = None
    population: int | None = None


@dataclass(frozen=True, slots=True)
class Asked:
    """What is asked. `quasi` is what an attacker may know (default: all that is found),
    `sensitive` what he wants to learn; `link` is how far notes of one person are linked; `person`
    is the column of a table that names the person."""

    limits: Limits = field(default_factory=Limits)
    quasi: tuple[str, ...] = ()
    sensitive: str | None = None
    missing: str = "value"
    link: str = "exact"
    attackers: tuple[str, ...] = USUAL
    person: str = ""


def measure(
    release: Path | str,
    known: Known | None = None,
    asked: Asked | None = None,
    *,
    settings: Settings | None = None,
    table: bool = False,
    refused: Callable[[Failure], None] = ignore,
) -> Report:
    """The report of a release. `settings` is how its notes are read (default: with the default
    policy); with `table` it is a table with one row for each person."""
    known, asked = known or Known(), asked or Asked()
    settings = settings or Settings(load_policy(DEFAULT))
    path = Path(release)
    if not path.exists():
        raise UsageError(f"{path}: no such file or folder")
    shared: dict[str, Any] = {
        "limits": asked.limits,
        "utility": Release.read(known.view).utility if known.view else None,
        "spent": Ledger(known.ledger).spent() if known.ledger else None,
        "subjects": subjects_of(path),
    }
    if table:
        if known.gold:
            raise UsageError("a table has no notes, so no gold belongs to it")
        single, diverse, others = _of_table(path, known, asked)
        made = how_made(path, settings.policy, known.view, {"rows": "one for each person"})
        return Report(
            singling=single, diversity=diverse, made=made, columns_not_measured=others, **shared
        )
    view, texts, words, published = _read(path, settings, known, asked, refused)
    single_out, diverse = _of_notes(view, words, known, asked, published)
    leaks, attacks, why = _with_gold(known, asked, settings, texts)
    made = how_made(path, settings.policy, known.view, view.linkage())
    return Report(
        singling=single_out,
        leaks=leaks,
        attacks=attacks,
        diversity=diverse,
        why=why,
        made=made,
        **shared,
    )


def _of_table(
    path: Path, known: Known, asked: Asked
) -> tuple[Singling, Diversity | None, tuple[str, ...]]:
    everything = read_table(path)
    check_persons(everything, asked.person)
    data, hidden = _shown(everything, asked.quasi)
    single = singling_out(
        data,
        asked.quasi,
        threshold=asked.limits.threshold,
        population=known.population,
        missing=asked.missing,
    )
    single = replace(single, classes=replace(single.classes, suppressed=hidden))
    diverse = diversity(data, asked.sensitive, single.classes) if asked.sensitive else None
    others = tuple(name for name in data if name not in asked.quasi and name != asked.sensitive)
    return single, diverse, others


def _shown(
    data: dict[str, list[Any]], quasi: Sequence[str]
) -> tuple[Mapping[str, Sequence[Any]], int]:
    """The rows of a table that say anything, and how many do not: of a suppressed row, every
    quasi-identifier is "*"."""
    cells = [data[name] for name in quasi if name in data]
    kept = [row for row, found in enumerate(zip(*cells, strict=True)) if {*found} != {ROOT}]
    hidden = len(cells[0]) - len(kept) if kept else 0
    if not hidden:
        return data, 0
    return {name: [column[row] for row in kept] for name, column in data.items()}, hidden


def _read(
    path: Path, settings: Settings, known: Known, asked: Asked, refused: Callable[[Failure], None]
) -> tuple[View, dict[str, str], dict[str, frozenset[str]], frozenset[str]]:
    """The people of the release as its output describes them, its texts by document, the clinical
    words of each person, and which persons the view suppressed."""
    texts: dict[str, str] = {}
    words: defaultdict[str, set[str]] = defaultdict(set)

    def keep(result: Result) -> None:
        document = result.document
        texts[document.id] = texts.get(document.id, "") + document.text
        words[document.id] |= clinical_words(document.text)

    own = frozenset(
        (path / name).resolve()
        for name in ("manifest.jsonl", "quarantine.jsonl", CERTIFICATE)
        if path.is_dir()
    )
    links = read_view(known.view) if known.view and (known.view / LINKS).is_file() else None
    view = read_people(
        str(path), settings, _KEY, asked.link, 0, refused, own, keep, links.owner if links else {}
    )
    of_person: defaultdict[str, set[str]] = defaultdict(set)
    for document, found in words.items():
        if document in view.owner:
            of_person[view.owner[document]] |= found
    suppressed: frozenset[str] = frozenset()
    if links is not None and known.view is not None:
        published = Published.read(known.view)
        view = _with_published(view, links.owner, published, texts)
        suppressed = frozenset(
            person
            for document, person in view.owner.items()
            if links.owner.get(document) in published.suppressed
        )
    return (
        _counted(view, links, path, settings),
        texts,
        {person: frozenset(found) for person, found in of_person.items()},
        suppressed,
    )


def _with_published(
    view: View, owner: Mapping[str, str], published: Published, texts: Mapping[str, str]
) -> View:
    """The view with published values as they were published, wherever a text has them: read anew,
    "worker in construction trades" may be a "worker" in one note and nothing in another, and people
    of one class would look different. What else is read stays as it is."""
    of_person: defaultdict[str, list[str]] = defaultdict(list)
    for document, owned_by in view.owner.items():
        of_person[owned_by].append(document)
    persons = []
    for person in view.persons:
        documents = of_person[person.id]
        own = next((owner[each] for each in documents if each in owner), "")
        values = dict(person.values)
        for name, wordings in published.wordings(own).items() if own else ():
            read = values[name]
            for text in wordings:
                # Of other attributes, a part of what was published may be a leak: an age at one
                # end of its range, the town of a county.
                partly = name == "profession" and read.value.casefold() in text.casefold()
                if (not read.value or partly) and any(
                    text in texts.get(each, "") for each in documents
                ):
                    values[name] = replace(read, value=text)
        persons.append(replace(person, values=values))
    return replace(view, persons=tuple(persons))


def _counted(view: View, links: View | None, path: Path, settings: Settings) -> View:
    """The view with the cautious links that are right for it, or with the reason why they cannot
    say how many people these notes are of."""
    if links is not None:
        saying = {each.document for each in view.mentions}
        strangers = [name for name in view.owner if name not in links.owner and name in saying]
        if not strangers:
            return _as_linked(view, links)
        if any(how != "stated" for how, _ in view.how.values()):
            why = (
                f"{len(strangers)} of {len(view.owner)} documents of the release are not in the "
                "view (--view): other files, or other names of files"
            )
            return replace(view, why=why)
    loose = sum(how != "stated" for how, _ in view.how.values())
    if not loose or view.why:
        return view
    policy = settings.policy
    if policy.transform.scope == "corpus" and policy_of(path) == policy.hash:
        return view  # a person has one name in all notes: they can be linked as they are
    return replace(
        view,
        why=f"{loose} of {len(view.how)} documents do not state whose they are, and a person may "
        "have another name in each: the links of the originals are needed (--view)",
    )


def _as_linked(view: View, links: View) -> View:
    """The view with the links of the originals. A document without any, which says nothing of
    anybody, is no person."""
    owner = {name: person for name, person in view.owner.items() if name in links.owner}
    people = frozenset(owner.values())
    return replace(
        view,
        owner=owner,
        how={name: links.how[name] for name in owner},
        persons=tuple(person for person in view.persons if person.id in people),
        cautious={name: links.cautious[name] for name in owner if name in links.cautious},
        why=links.why,
        method=links.method,
    )


def _of_notes(
    view: View,
    words: Mapping[str, frozenset[str]],
    known: Known,
    asked: Asked,
    suppressed: frozenset[str],
) -> tuple[Singling | None, Diversity | None]:
    quasi = list(asked.quasi) or view.known("quasi")
    if not quasi:
        return None, None
    shown = tuple(
        person
        for person in view.persons
        if person.id not in suppressed or any(person.values[name].value for name in quasi)
    )
    hidden = len(view.persons) - len(shown) if shown else 0
    view = replace(view, persons=shown or view.persons)
    single = of_view(
        view,
        words,
        asked.limits.k,
        quasi=quasi,
        threshold=asked.limits.threshold,
        population=known.population,
        missing=asked.missing,
    )
    single = replace(single, classes=replace(single.classes, suppressed=hidden))
    name = asked.sensitive
    if name is None:
        return single, None
    found = diversity(view.table([name]), name, single.classes)
    if single.cautious is not None:
        found = found.worse(diversity(view.cautious_table([name]), name, single.cautious))
    return single, found


def _with_gold(
    known: Known, asked: Asked, settings: Settings, texts: Mapping[str, str]
) -> tuple[Leaks | None, tuple[Attack, ...], dict[str, str]]:
    if not known.gold:
        return None, (), {}
    gold = read_corpus(known.gold)
    kept = {label for label, rule in settings.policy.labels.items() if rule.action == "keep"}
    if known.view:
        # Values that the table publishes as they are stay on purpose: their classes are measured.
        quasi = Release.read(known.view).quasi
        kept |= {label for label, attribute in LABELS.items() if attribute in quasi}
        kept |= {"STATE"} if "city" in quasi else set()  # a town implies its state
    outputs = matched(gold, texts)
    leaks = measure_leaks(gold, outputs, kept=frozenset(kept), random_sample=known.random_sample)
    if len(gold) < 2:
        return leaks, (), {"parrot": "the attack needs at least two notes"}
    attacks = parrot(marked_notes(gold, outputs), asked.attackers, ignore=frozenset(kept))
    return leaks, tuple(attacks), {}
