"""Records of made-up people, with the errors that registration desks make."""

from __future__ import annotations

import random
from collections import Counter
from datetime import date, timedelta

from incognote.lexicon import lexicon
from incognote.persons.identity import Identity


def people_and_records(people: int, records: int, seed: int) -> tuple[list[Identity], list[int]]:
    """Identities, and who each belongs to. Half of them have no record number."""
    chance = random.Random(seed)
    first = {sex: lexicon().first_names(sex)[:400] for sex in ("female", "male")}
    last = lexicon().surnames()[:1500]
    towns = [f"{chance.randrange(100, 99999):05d}" for _ in range(150)]
    persons = []
    for _ in range(people):
        sex = chance.choice(("female", "male"))
        born = date(1935, 1, 1) + timedelta(days=chance.randrange(29_000))
        persons.append(
            {
                "given": chance.choice(first[sex]).casefold(),
                "family": chance.choice(last).casefold(),
                "birth_date": born.isoformat(),
                "zip": chance.choice(towns),
                "sex": sex,
                "mrn": f"{chance.randrange(10**7, 10**8)}",
            }
        )
    owners = [*range(people), *(chance.randrange(people) for _ in range(records - people))]
    chance.shuffle(owners)
    return [_written(persons[owner], chance, towns) for owner in owners], owners


def _written(person: dict[str, str], chance: random.Random, towns: list[str]) -> Identity:
    fields = dict(person)
    if chance.random() < 0.5:
        fields.pop("mrn")
    elif chance.random() < 0.04:
        fields["mrn"] = _misspelt(fields["mrn"], chance, "0123456789")
    nicknames = sorted(lexicon().nicknames(fields["given"]))
    if nicknames and chance.random() < 0.15:
        fields["given"] = chance.choice(nicknames)
    for name, rate in (("given", 0.04), ("family", 0.05)):
        if chance.random() < rate:
            fields[name] = _misspelt(fields[name], chance, "abcdefghijklmnopqrstuvwxyz")
    if chance.random() < 0.05:
        year, month, day = fields["birth_date"].split("-")
        day = f"{chance.randrange(1, 29):02d}"
        fields["birth_date"] = f"{year}-{month}-{day}"
    for name, rate in (("birth_date", 0.08), ("zip", 0.25), ("sex", 0.05), ("given", 0.03)):
        if chance.random() < rate:
            fields.pop(name, None)
    if "zip" in fields and chance.random() < 0.1:  # people move
        fields["zip"] = chance.choice(towns)
    return Identity(**fields)


def _misspelt(word: str, chance: random.Random, letters: str) -> str:
    at = chance.randrange(len(word))
    kind = chance.randrange(3)
    if kind == 0:
        return word[:at] + chance.choice(letters) + word[at + 1 :]
    if kind == 1 and len(word) > 3:
        return word[:at] + word[at + 1 :]
    return word[:at] + chance.choice(letters) + word[at:]


def cluster_scores(clusters: list[int], owners: list[int]) -> tuple[float, float, int]:
    def pairs_in(groups) -> int:
        return sum(size * (size - 1) // 2 for size in Counter(groups).values())

    both = pairs_in(zip(clusters, owners, strict=True))
    claimed, real = pairs_in(clusters), pairs_in(owners)
    return both / claimed if claimed else 1.0, both / real, len(set(clusters))
