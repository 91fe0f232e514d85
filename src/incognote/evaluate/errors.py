"""Where a system errs: by label, by neighbour, by note, and by what kind of word was missed.

Everything here is counts; only `examples` shows text, and only callers with permission may ask.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
import numpy.typing as npt

from incognote.core.labels import all_labels
from incognote.evaluate.scoring.counts import ratio
from incognote.evaluate.scoring.pairs import Pair
from incognote.evaluate.scoring.words import Mask, WordTable

UNKNOWN = "(not given)"
MISSED = "missed"
NO_PHI = "no PHI"


@dataclass(frozen=True, slots=True)
class Slice:
    """PHI words of one kind: how many there are and how many were missed."""

    words: int
    missed: int

    @property
    def recall(self) -> float:
        return 1 - ratio(self.missed, self.words) if self.words else 0.0

    def interval(self, z: float = 1.96) -> tuple[float, float]:
        """Wilson's interval for the recall."""
        n, p = self.words, self.recall
        if not n:
            return 0.0, 1.0
        middle = (p + z * z / (2 * n)) / (1 + z * z / n)
        half = z * sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / (1 + z * z / n)
        return max(0.0, middle - half), min(1.0, middle + half)


@dataclass(frozen=True, slots=True)
class Confusion:
    """Words by gold label (rows) and by what was said (columns)."""

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    counts: npt.NDArray[np.int64]


def confusion(table: WordTable) -> Confusion:
    """Gold words that were not wholly covered are "missed", whatever was said of a part."""
    size = len(table.labels)
    said = np.where((table.gold > 0) & ~table.found, size, table.pred).astype(np.int64)
    keep = ~table.neutral & ((table.gold > 0) | (table.pred > 0))
    cells = np.bincount(
        table.gold[keep].astype(np.int64) * (size + 1) + said[keep], minlength=size * (size + 1)
    ).reshape(size, size + 1)
    order = [i for i, _ in _taxonomy_order(table.labels[1:], base=1)]
    rows = [*(i for i in order if cells[i].any()), 0]
    columns = [i for i in order if cells[:, i].any()]
    names = (*(table.labels[i] for i in columns), MISSED)
    counts = np.stack([cells[i][[*columns, size]] for i in rows])
    return Confusion((*(table.labels[i] for i in rows[:-1]), NO_PHI), names, counts)


def _taxonomy_order(names: Sequence[str], base: int) -> list[tuple[int, str]]:
    order = {name: at for at, name in enumerate(all_labels())}
    numbered = [(at + base, name) for at, name in enumerate(names)]
    return sorted(numbered, key=lambda item: (order.get(item[1], len(order)), item[1]))


@dataclass(frozen=True, slots=True)
class Contribution:
    """How much one label adds to the recall error; the contributions of all labels sum to it."""

    label: str
    words: int
    missed: int
    share_of_misses: float
    contribution: float


def contributions(table: WordTable) -> list[Contribution]:
    outcome = table.outcome()
    size = len(table.labels)
    words = np.bincount(table.gold[table.gold > 0], minlength=size)
    missed = np.bincount(table.gold[outcome.missed], minlength=size)
    total, misses = int(words.sum()), int(missed.sum())
    rows = [
        Contribution(
            table.labels[i],
            int(words[i]),
            int(missed[i]),
            ratio(int(missed[i]), misses),
            ratio(int(missed[i]), total),
        )
        for i in range(1, size)
        if words[i]
    ]
    return sorted(rows, key=lambda row: (-row.missed, row.label))


@dataclass(frozen=True, slots=True)
class Partial:
    """Missed words: a part of the word was covered, a neighbour in the same mention was found,
    or nothing of the mention was seen at all."""

    part_covered: int
    neighbour_found: int
    unseen: int


def partial_finds(table: WordTable) -> Partial:
    outcome = table.outcome()
    missed = outcome.missed
    same_next = (table.gold[:-1] == table.gold[1:]) & (table.document[:-1] == table.document[1:])
    beside = np.zeros(len(table), bool)
    beside[1:] |= outcome.hit[:-1] & same_next
    beside[:-1] |= outcome.hit[1:] & same_next
    part = missed & (table.pred > 0)
    neighbour = missed & ~part & beside
    unseen = missed & ~part & ~neighbour
    return Partial(int(part.sum()), int(neighbour.sum()), int(unseen.sum()))


@dataclass(frozen=True, slots=True)
class NotesByErrors:
    """So many notes have so many missed words; `cumulative` is the share with at most that many."""

    missed: int
    notes: int
    cumulative: float


def errors_per_note(table: WordTable) -> list[NotesByErrors]:
    per_note = np.bincount(table.document[table.outcome().missed], minlength=len(table.documents))
    rows = []
    so_far = 0
    for missed, notes in sorted(Counter(per_note.tolist()).items()):
        so_far += notes
        rows.append(NotesByErrors(missed, notes, so_far / len(per_note)))
    return rows


def by_note_type(table: WordTable, pairs: Sequence[Pair]) -> dict[str, dict[str, float]]:
    """Words, PHI, misses and false alarms for each note type that the corpus names."""
    types = [pair.document.meta.get("note_type", UNKNOWN) for pair in pairs]
    names, owner = np.unique(np.array(types), return_inverse=True)
    of_word = owner[table.document]
    outcome = table.outcome()
    size = len(names)
    notes = np.bincount(owner, minlength=size)
    columns = {
        "words": np.bincount(of_word, minlength=size),
        "phi": np.bincount(of_word[table.gold > 0], minlength=size),
        "missed": np.bincount(of_word[outcome.missed], minlength=size),
        "false": np.bincount(of_word[outcome.false], minlength=size),
    }
    leaking = np.bincount(owner[np.unique(table.document[outcome.missed])], minlength=size)
    rows = {
        str(name): {
            "notes": int(notes[i]),
            "leaking": int(leaking[i]),
            **{key: int(column[i]) for key, column in columns.items()},
            "recall": 1 - ratio(int(columns["missed"][i]), int(columns["phi"][i])),
        }
        for i, name in enumerate(names)
    }
    return dict(sorted(rows.items(), key=lambda item: (-item[1]["notes"], item[0])))


def breakdowns(table: WordTable, pairs: Sequence[Pair]) -> dict[str, dict[str, Slice]]:
    """Recall of PHI words by what they look like and where they appear."""
    phi = np.flatnonzero(table.gold > 0)
    texts = [pair.document.text for pair in pairs]
    words = [
        texts[doc][start:end]
        for doc, start, end in zip(
            table.document[phi].tolist(),
            table.start[phi].tolist(),
            table.end[phi].tolist(),
            strict=True,
        )
    ]
    missed = table.outcome().missed[phi]
    lengths = np.array([max(1, len(text)) for text in texts])
    fifth = (5 * table.start[phi] // lengths[table.document[phi]]).clip(0, 4)
    return {
        "length of the word": _sliced([_length(word) for word in words], missed, LENGTHS),
        "letter case": _sliced([_case(word) for word in words], missed, CASES),
        "position in the note": _sliced([POSITIONS[at] for at in fifth], missed, POSITIONS),
    }


def name_breakdowns(table: WordTable, pairs: Sequence[Pair]) -> dict[str, dict[str, Slice]]:
    """Recall of people's names: known to the lists or not, by ethnicity and by sex.

    A word is classified by the census shares of the people with that name, so these are properties
    of names, not of the people in the notes.
    """
    from incognote.lexicon import ETHNICITIES, lexicon

    known = lexicon()
    origins = [_ORIGINS.get(name, name) for name in ETHNICITIES]
    people = table.ids([name for name in table.labels if _is_person(name)])
    rows = np.flatnonzero(np.isin(table.gold, people))
    texts = [pair.document.text for pair in pairs]
    buckets: dict[str, tuple[str, str | None, str | None]] = {}

    def judge(word: str) -> tuple[str, str | None, str | None]:
        first, last = known.first_name(word), known.surname(word)
        entry = last if last and (not first or last.count >= first.count) else first
        if entry is None:
            return NOT_LISTED, None, None
        listed = ALSO_A_WORD if entry.common_word else LISTED
        share = max(entry.ethnicity)
        ethnicity = origins[entry.ethnicity.index(share)] if share >= 0.5 else "mixed"
        sex = None
        if first:
            sex = "female" if first.female >= 0.9 else "male" if first.female <= 0.1 else "both"
        return listed, ethnicity, sex

    judged = []
    for at in rows:
        word = texts[table.document[at]][table.start[at] : table.end[at]]
        if word not in buckets:
            buckets[word] = judge(word) if len(word) > 1 else (INITIAL, None, None)
        judged.append(buckets[word])
    missed = table.outcome().missed[rows]
    return {
        "names on the lists": _sliced([one[0] for one in judged], missed, LISTS),
        "ethnicity of the name": _sliced([one[1] for one in judged], missed, (*origins, "mixed")),
        "sex of the first name": _sliced([one[2] for one in judged], missed, SEXES),
    }


_ORIGINS = {"api": "Asian, Pacific"}
LENGTHS = ("1-2", "3-5", "6-9", "10 or more")
CASES = ("UPPER", "lower", "Title", "mIxed", "no letters")
POSITIONS = ("first fifth", "second fifth", "third fifth", "fourth fifth", "last fifth")
LISTED, ALSO_A_WORD, NOT_LISTED, INITIAL = (
    "on a list",
    "on a list, also a word",
    "on no list",
    "one letter",
)
LISTS = (LISTED, ALSO_A_WORD, NOT_LISTED, INITIAL)
SEXES = ("female", "male", "both")


def _is_person(name: str) -> bool:
    row = all_labels().get(name)
    return row is not None and row.category == "NAME" and name != "USERNAME"


def _sliced(buckets: Sequence[str | None], missed: Mask, order: Sequence[str]) -> dict[str, Slice]:
    words = Counter(buckets)
    lost = Counter(bucket for bucket, miss in zip(buckets, missed, strict=True) if miss)
    return {name: Slice(words[name], lost[name]) for name in order if words[name]}


def _length(word: str) -> str:
    size = len(word)
    return LENGTHS[0 if size <= 2 else 1 if size <= 5 else 2 if size <= 9 else 3]


def _case(word: str) -> str:
    letters = "".join(filter(str.isalpha, word))
    if not letters:
        return "no letters"
    if letters.isupper():
        # A capital alone is how any word begins.
        return "UPPER" if len(letters) > 1 else "Title"
    if letters.islower():
        return "lower"
    return "Title" if letters[0].isupper() and letters[1:].islower() else "mIxed"


def places(table: WordTable, mask: Mask) -> list[tuple[int, int]]:
    """First and last row of each run of neighbouring words in the mask."""
    rows = np.flatnonzero(mask)
    if not len(rows):
        return []
    breaks = (np.diff(rows) != 1) | (np.diff(table.document[rows]) != 0)
    firsts = np.concatenate(([True], breaks))
    lasts = np.concatenate((breaks, [True]))
    return list(zip(rows[firsts].tolist(), rows[lasts].tolist(), strict=True))


@dataclass(frozen=True, slots=True)
class Example:
    """A wrong place with its text: only for reports that may show text."""

    kind: str
    label: str
    document_id: str
    before: str
    text: str
    after: str


def examples(
    table: WordTable, pairs: Sequence[Pair], per_label: int = 5, context: int = 40
) -> list[Example]:
    outcome = table.outcome()
    found = []
    for kind, mask, column in (
        (MISSED, outcome.missed, table.gold),
        ("false alarm", outcome.false, table.pred),
    ):
        shown: Counter[str] = Counter()
        for first, last in places(table, mask):
            label = table.labels[column[first]]
            if shown[label] >= per_label:
                continue
            shown[label] += 1
            pair = pairs[table.document[first]]
            text, start, end = pair.document.text, table.start[first], table.end[last]
            found.append(
                Example(
                    kind,
                    label,
                    pair.document.id,
                    text[max(0, start - context) : start],
                    text[start:end],
                    text[end : end + context],
                )
            )
    return found
