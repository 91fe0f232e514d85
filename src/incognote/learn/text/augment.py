"""One epoch's notes: every note resurfaced, some disturbed, some negatives and pairs among them."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field

from incognote.learn.data import Note
from incognote.learn.text import disturb
from incognote.learn.text.pools import Pools
from incognote.learn.text.resurface import Resurfacer


@dataclass(frozen=True, slots=True)
class Augmentation:
    """How often each thing happens to a note. The rates are recorded in the model card."""

    kept: float = 0.2
    upper: float = 0.08
    lower: float = 0.08
    recased: float = 0.1  # names and places alone, in small letters or capitals
    unwrapped: float = 0.15
    rewrapped: float = 0.1
    unpunctuated: float = 0.1
    noisy: float = 0.15
    noise_rate: float = 0.012
    extra: int = 600  # notes without PHI, or with name pairs, drawn anew for each epoch
    unmarked: int = 600  # notes without annotation, for a teacher to read, likewise


@dataclass(frozen=True, slots=True)
class Source:
    """Where epochs come from: the notes, the pools, extra notes (mostly negatives), and notes that
    nobody annotated."""

    notes: Sequence[Note] = field(repr=False)
    pools: Pools = field(repr=False)
    extra: Sequence[Note] = field(default=(), repr=False)
    options: Augmentation = Augmentation()
    unmarked: Sequence[Note] = field(default=(), repr=False)

    def unmarked_epoch(self, seed: int) -> list[Note]:
        rng = random.Random(seed)
        drawn = rng.sample(self.unmarked, min(self.options.unmarked, len(self.unmarked)))
        return [self._disturbed(note, rng) for note in drawn]

    def epoch(self, seed: int) -> list[Note]:
        rng = random.Random(seed)
        options = self.options
        drawn = rng.sample(list(self.extra), min(options.extra, len(self.extra)))
        notes = [self._changed(note, rng) for note in self.notes]
        notes += [self._disturbed(note, rng) for note in drawn]
        rng.shuffle(notes)
        return notes

    def _changed(self, note: Note, rng: random.Random) -> Note:
        if rng.random() >= self.options.kept:
            note = Resurfacer(self.pools, rng, rng.choice((0.4, 0.8, 1.0))).rewrite(note)
        return self._disturbed(note, rng)

    def _disturbed(self, note: Note, rng: random.Random) -> Note:
        options = self.options
        if rng.random() < options.recased:
            note = disturb.recase_marks(note, rng.choice((str.lower, str.upper)))
        if rng.random() < options.unpunctuated:
            note = disturb.drop_punctuation(note, rng, rng.choice((0.3, 0.8)))
        if rng.random() < options.unwrapped:
            note = disturb.drop_line_breaks(note, rng, rng.choice((0.2, 0.5)))
        if rng.random() < options.rewrapped:
            note = disturb.wrap_lines(note, rng, rng.choice((50, 72, 80)))
        if rng.random() < options.noisy:
            note = disturb.noise(note, rng, options.noise_rate)
        case = rng.random()
        if case < options.upper:
            note = disturb.upper_case(note)
        elif case < options.upper + options.lower:
            note = disturb.lower_case(note)
        return note
