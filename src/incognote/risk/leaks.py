"""Leaks: what a sample of the notes, read by people, says of all of them.

Everything here is a bound: the true rate is below it, as sure as the level says, if the sample was
drawn at random. Notes of one patient stand or fall together, so patients are resampled, not words.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from typing import Any

import numpy as np

from incognote.anonymize.table import Ints
from incognote.core.caches import cached
from incognote.core.errors import UsageError
from incognote.core.labels import all_labels
from incognote.core.types import AnnotatedDocument, Span
from incognote.evaluate.confidence import clustered_upper_bound, upper_bound
from incognote.lexicon import lexicon

_STREET_WORDS = frozenset("street st avenue ave road rd drive dr lane ln room rm bed unit".split())
_MATCHED = 0.6  # of the phrases of a note must be in its output
_SAME_NOTE = 0.3  # the same, where its id says that it is its output
_TOKEN = re.compile(r"\w+|[^\w\s]")


@dataclass(frozen=True, slots=True)
class Leak:
    """A stretch of the release that still says what it said: [start, end) in the output."""

    document: str
    start: int
    end: int
    label: str


@dataclass(frozen=True, slots=True)
class Leaks:
    notes: int
    leaking: int
    words: int
    missed: int
    direct: int  # leaking notes with a direct identifier
    found: tuple[Leak, ...] = field(repr=False)
    notes_bound: float
    words_bound: float
    direct_bound: float
    level: float
    random_sample: bool

    def as_dict(self) -> dict[str, Any]:
        return {
            "notes": self.notes,
            "leaking_notes": self.leaking,
            "leaking_notes_bound": self.notes_bound,
            "phi_words": self.words,
            "missed_words": self.missed,
            "missed_words_bound": self.words_bound,
            "notes_with_direct_identifier": self.direct,
            "direct_bound": self.direct_bound,
            "level": self.level,
            "random_sample": self.random_sample,
        }


def matched(gold: Sequence[AnnotatedDocument], outputs: Mapping[str, str]) -> dict[str, str]:
    """The output of each note of the gold, by the note's id. Ids that the release kept decide;
    where it replaced them, the words outside PHI do, which a release leaves as they were."""
    if all(each.id in outputs for each in gold):
        for note in gold:
            own = _phrases(_outside(note))
            if len(own & _phrases(outputs[note.id])) < _SAME_NOTE * len(own):
                raise UsageError("the gold is not of this release: a note of that id is another")
        return {each.id: outputs[each.id] for each in gold}
    holders: defaultdict[tuple[str, ...], set[str]] = defaultdict(set)
    for name, text in outputs.items():
        for words in _phrases(text):
            holders[words].add(name)
    found: dict[str, str] = {}
    for note in gold:
        own = _phrases(_outside(note))
        votes = Counter(name for words in own for name in holders.get(words, ()))
        best = votes.most_common(2)
        if not best or best[0][1] < _MATCHED * len(own):
            raise UsageError("the gold is not of this release: a note of it is not found there")
        if len(best) > 1 and best[0][1] == best[1][1]:
            raise UsageError(
                "two notes of the release fit one note of the gold: let the release keep its ids "
                '([formats.labels] id = "keep"), so that notes can be told apart'
            )
        found[note.id] = outputs[best[0][0]]
    return found


def _outside(note: AnnotatedDocument) -> str:
    """The text of a note with a break for every span."""
    parts, at = [], 0
    for span in sorted(note.spans):
        parts.append(note.text[at : span.start])
        at = max(at, span.end)
    return "\n".join([*parts, note.text[at:]])


def _phrases(text: str) -> set[tuple[str, ...]]:
    """Three words in a row, within a line."""
    found: set[tuple[str, ...]] = set()
    for line in text.splitlines():
        words = [word for _, _, word in _tokens(line)]
        found.update(zip(words, words[1:], words[2:], strict=False))
    return found


def measure_leaks(
    gold: Sequence[AnnotatedDocument],
    outputs: Mapping[str, str],
    *,
    kept: frozenset[str] = frozenset(),
    level: float = 0.95,
    random_sample: bool = False,
) -> Leaks:
    """What of the gold is still in the outputs. `gold` annotates the originals; `outputs` are texts
    of the release by id. `kept` are labels that the policy keeps on purpose.

    A gold span leaks where it appears unchanged in its own surroundings: what is around it places
    it in the output, so that a surrogate that happens to be the same word elsewhere does not count.
    """
    if not gold:
        raise UsageError("the gold is empty")
    if missing := [each.id for each in gold if each.id not in outputs]:
        raise UsageError(f"{len(missing)} of {len(gold)} notes of the gold are not in this release")
    leaking = direct = 0
    found: list[Leak] = []
    words = np.zeros(len(gold), np.int64)
    missed = np.zeros(len(gold), np.int64)
    patients = [each.document.patient_id or each.id for each in gold]
    for number, note in enumerate(gold):
        spans = [span for span in note.spans if span.label not in kept]
        words[number] = sum(len(note.text[s.start : s.end].split()) for s in spans)
        here = list(left_over(note, spans, outputs[note.id]))
        missed[number] = sum(len(outputs[note.id][leak.start : leak.end].split()) for leak in here)
        found += here
        leaking += bool(here)
        direct += any(
            all_labels()[leak.label].direct for leak in here if leak.label in all_labels()
        )
    total = int(words.sum())
    return Leaks(
        notes=len(gold),
        leaking=leaking,
        words=total,
        missed=int(missed.sum()),
        direct=direct,
        found=tuple(found),
        notes_bound=upper_bound(leaking, len(gold), level),
        words_bound=_words_bound(missed, words, patients, level),
        direct_bound=upper_bound(direct, len(gold), level),
        level=level,
        random_sample=random_sample,
    )


def _words_bound(missed: Ints, words: Ints, patients: Sequence[str], level: float) -> float:
    """Resampling cannot see what is not in the sample: where no word was missed, words are bounded
    as patients are."""
    if not words.sum():
        return 1.0
    if not missed.sum():
        return upper_bound(0, len(set(patients)), level)
    return clustered_upper_bound(missed, words, patients, level=level)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a gold span went: [start, end) in the output, and whether it appears there as it
    was."""

    span: Span
    start: int
    end: int
    leaked: bool


def aligned(note: AnnotatedDocument, spans: Sequence[Span], output: str) -> list[Place]:
    """Where the spans of a note are in its output, by the words around them that did not change."""
    if output == note.text:
        return [Place(span, span.start, span.end, leaked=True) for span in spans]
    source, target = _tokens(note.text), _tokens(output)
    blocks = SequenceMatcher(
        None, [text for _, _, text in source], [text for _, _, text in target], autojunk=False
    ).get_matching_blocks()
    moved = {
        source[a + step][0]: target[b + step][:2] for a, b, size in blocks for step in range(size)
    }
    starts = [token[0] for token in source]
    found = []
    for span in spans:
        first = bisect_left(starts, span.start)
        after = bisect_left(starts, span.end)
        wordy = [token for token in source[first:after] if token[2][0].isalnum()]
        stayed = [moved[token[0]] for token in wordy if token[0] in moved]
        kept = [token[0] in moved for token in wordy]
        if stayed and _leaks(span.label, [token[2] for token in wordy], kept):
            found.append(Place(span, stayed[0][0], stayed[-1][1], leaked=True))
            continue
        before = [
            moved[token[0]][1] for token in source[max(0, first - 8) : first] if token[0] in moved
        ]
        behind = [moved[token[0]][0] for token in source[after : after + 8] if token[0] in moved]
        start = before[-1] if before else 0
        end = behind[0] if behind else len(output)
        piece = output[start:end]
        start += len(piece) - len(piece.lstrip())
        end -= len(piece) - len(piece.rstrip())
        if start < end:
            found.append(Place(span, start, end, leaked=False))
    return found


def _leaks(label: str, words: Sequence[str], kept: Sequence[bool]) -> bool:
    """Whether the words of a span that stayed give it away. Of a name or a place, half of those
    that identify will do: "Hospital" and "Street" do not. A date or a number leaks as a whole."""
    if max(map(len, words)) < 2:
        return False  # one letter alone identifies nobody
    row = all_labels().get(label)
    telling = [stayed for word, stayed in zip(words, kept, strict=True) if not _generic(word)]
    if row is None or row.category in ("DATE", "TIME", "AGE", "ID", "CONTACT") or not telling:
        return all(kept)
    return 2 * sum(telling) >= len(telling)


@cached(65536)
def _generic(word: str) -> bool:
    folded = word.casefold()
    heads = lexicon().facility_heads | lexicon().organization_heads
    return lexicon().is_ordinary(word) or folded in heads or folded in _STREET_WORDS


def _tokens(text: str) -> list[tuple[int, int, str]]:
    return [(m.start(), m.end(), m[0]) for m in _TOKEN.finditer(text)]


def left_over(note: AnnotatedDocument, spans: Sequence[Span], output: str) -> list[Leak]:
    """The spans of a note that appear in its output as they were."""
    return [
        Leak(note.id, place.start, place.end, place.span.label)
        for place in aligned(note, spans, output)
        if place.leaked
    ]
