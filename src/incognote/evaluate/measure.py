"""Everything that is measured of one prediction, as one JSON-able value.

The JSON file, the CSV files and the HTML page are all written from it, so they cannot disagree.
It holds no clinical text unless text was asked for.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from incognote import __version__
from incognote.core.labels import all_labels
from incognote.core.types import AnnotatedDocument
from incognote.evaluate import confidence, errors, sensitivity, utility
from incognote.evaluate.scoring import i2b2
from incognote.evaluate.scoring.counts import Counts, Macro, ratio
from incognote.evaluate.scoring.pairs import Pair, pair
from incognote.evaluate.scoring.spans import MODES, SpanTable, span_table
from incognote.evaluate.scoring.subsets import ALL, subsets
from incognote.evaluate.scoring.tokens import DEFAULT
from incognote.evaluate.scoring.words import NEUTRAL, WordTable, by_label, word_table

Json = dict[str, Any]

_CURVE_POINTS = 400
_NAMES = {"precision": "precision", "recall": "recall", "f1": "F1"}
WORDS, MENTIONS = "words", "exact mentions"
# Every further test makes each one weaker: the overlapping subsets are left out.
_COMPARED = ("group A", "group B", "group C", ALL)


@dataclass(frozen=True, slots=True)
class Options:
    """How to measure. `terms` are a user's own lists of clinical words, by name."""

    tokeniser: str = DEFAULT
    neutral: Collection[str] = NEUTRAL
    level: float = 0.95
    resamples: int = confidence.RESAMPLES
    official: bool = False
    idnum_is_hipaa: bool = False
    show_text: bool = False
    terms: Mapping[str, Sequence[str]] | None = None


def measure(
    gold: Sequence[AnnotatedDocument],
    pred: Sequence[AnnotatedDocument],
    options: Options | None = None,
) -> Json:
    options = options or Options()
    pairs = pair(gold, pred)
    words = word_table(pairs, options.tokeniser, options.neutral)
    spans = span_table(pairs, options.neutral)
    patients = _patients(pairs)
    found: Json = {
        "about": _about(pairs, words, options),
        "words": {
            name: _word_scores(words, wanted, patients, options)
            for name, wanted in subsets().items()
        },
        "word_means": _word_means(words),
        "spans": _span_scores(spans),
        "labels": _labels(words, spans),
        "categories": _categories(words),
        "sensitivity": _sensitivity(words),
        "confidence": _confidence(words, patients, options.level),
        "errors": _errors(words, pairs),
        "utility": {
            name: {"words": s.words, "lost": s.lost, "share": s.share}
            for name, s in utility.survival(words, pairs, utility.term_lists(options.terms)).items()
        },
    }
    if options.official:
        found["official"] = _official(pairs, options)
    if options.show_text:
        found["examples"] = [asdict(one) for one in errors.examples(words, pairs)]
    return found


def _patients(pairs: Sequence[Pair]) -> list[str] | None:
    """Clusters for resampling, where the corpus says who the patients are."""
    if not any(one.document.patient_id for one in pairs):
        return None
    return [one.document.patient_id or f"document {one.document.id}" for one in pairs]


def _about(pairs: Sequence[Pair], words: WordTable, options: Options) -> Json:
    return {
        "incognote": __version__,
        "documents": len(pairs),
        "characters": sum(len(one.document.text) for one in pairs),
        "words": len(words),
        "phi_words": int((words.gold > 0).sum()),
        "gold_spans": sum(len(one.gold) for one in pairs),
        "predicted_spans": sum(len(one.pred) for one in pairs),
        "tokeniser": options.tokeniser,
        "neutral": sorted(options.neutral),
        "level": options.level,
    }


def _word_scores(
    words: WordTable,
    wanted: Collection[str] | None,
    patients: Sequence[str] | None,
    options: Options,
) -> Json:
    by_document = words.by_document(wanted)
    counts = by_document.total()
    intervals = confidence.bootstrap(
        by_document, patients, level=options.level, resamples=options.resamples
    )
    return {
        **counts.as_row(),
        "intervals": {name: [one.low, one.high] for name, one in intervals.items()},
        "typed": words.counts(wanted, typed=True).as_row(),
        "missed_per_1000": 1000 * ratio(counts.fn, len(words)),
        "false_per_1000": 1000 * ratio(counts.fp, len(words)),
        "leaking_notes": words.leaking(wanted),
    }


def _word_means(words: WordTable) -> Json:
    """All labels: pooled, and the means over notes and over labels."""
    return {
        name: {
            ALL: words.counts(typed=typed).as_row(),
            "macro_by_document": asdict(words.by_document(typed=typed).macro()),
            "macro_by_type": asdict(
                Macro.of([c for c in by_label(words, typed=typed).values() if c.gold])
            ),
        }
        for name, typed in (("typed", True), ("phi", False))
    }


def _span_scores(spans: SpanTable) -> Json:
    return {
        mode: {
            name: {
                **{
                    subset: spans.counts(mode, wanted, typed=typed).as_row()
                    for subset, wanted in subsets().items()
                },
                "macro_by_document": asdict(spans.by_document(mode, typed=typed).macro()),
                "macro_by_type": asdict(
                    Macro.of([c for c in spans.by_label(mode, typed=typed).values() if c.gold])
                ),
            }
            for name, typed in (("typed", True), ("phi", False))
        }
        for mode in MODES
    }


def _labels(words: WordTable, spans: SpanTable) -> Json:
    """Words are PHI or not; spans must have the right label."""
    of_spans = {mode: spans.by_label(mode) for mode in MODES}
    return {
        name: {
            "words": counts.as_row(),
            **{mode: of_spans[mode].get(name, Counts()).as_row() for mode in MODES},
        }
        for name, counts in by_label(words).items()
    }


def _categories(words: WordTable) -> Json:
    labels = all_labels()
    total: dict[str, Counts] = {}
    for name, counts in by_label(words).items():
        category = labels[name].category if name in labels else name
        total[category] = total.get(category, Counts()) + counts
    return {name: counts.as_row() for name, counts in total.items()}


def _sensitivity(words: WordTable) -> Json:
    points = sensitivity.curve(words)
    every = max(1, len(points) // _CURVE_POINTS)
    return {
        "fixed": {
            f"{100 * target:.1f} %": None if point is None else _point(point)
            for target, point in sensitivity.fixed_sensitivity(points).items()
        },
        "curve": [_point(point) for point in points[::every]],
    }


def _point(point: sensitivity.OperatingPoint) -> Json:
    return {
        "threshold": point.threshold,
        **point.counts.as_row(),
        "missed_per_1000": point.missed_per_1000,
        "false_per_1000": point.false_per_1000,
    }


def _confidence(words: WordTable, patients: Sequence[str] | None, level: float) -> Json:
    """What this sample of notes says about the archive it was drawn from."""
    notes = len(words.documents)
    missed = words.by_document().fn
    per_note = np.bincount(words.document, minlength=notes)
    leaks = int((missed > 0).sum())
    return {
        "notes": notes,
        "leaking_notes": leaks,
        "leaking_share": leaks / notes,
        "leaking_share_at_most": confidence.upper_bound(leaks, notes, level),
        "missed_words_per_1000_at_most": 1000
        * confidence.clustered_upper_bound(missed, per_note, patients, level=level),
        "clusters": len(set(patients)) if patients else notes,
        "clean_notes_needed": {
            f"{100 * wanted:g} %": confidence.sample_size(wanted, level=level)
            for wanted in (0.05, 0.02, 0.01, 0.005, 0.001)
        },
    }


def _errors(words: WordTable, pairs: Sequence[Pair]) -> Json:
    matrix = errors.confusion(words)
    slices = errors.breakdowns(words, pairs) | errors.name_breakdowns(words, pairs)
    return {
        "confusion": {
            "rows": matrix.rows,
            "columns": matrix.columns,
            "counts": matrix.counts.tolist(),
        },
        "contributions": [asdict(row) for row in errors.contributions(words)],
        "partial": asdict(errors.partial_finds(words)),
        "per_note": [asdict(row) for row in errors.errors_per_note(words)],
        "note_types": errors.by_note_type(words, pairs),
        "breakdowns": {
            factor: {
                name: {
                    "words": one.words,
                    "missed": one.missed,
                    "recall": one.recall,
                    "interval": list(one.interval()),
                }
                for name, one in rows.items()
            }
            for factor, rows in slices.items()
            if rows
        },
    }


def _official(pairs: Sequence[Pair], options: Options) -> Json:
    def side(which: str) -> list[AnnotatedDocument]:
        return [AnnotatedDocument(one.document, getattr(one, which)) for one in pairs]

    gold, pred = i2b2.from_annotated(side("gold")), i2b2.from_annotated(side("pred"))
    return official(gold, pred, idnum_is_hipaa=options.idnum_is_hipaa)


def official(
    gold: Sequence[i2b2.TaggedText],
    system: Sequence[i2b2.TaggedText],
    *,
    idnum_is_hipaa: bool = False,
) -> Json:
    """The blocks of the official i2b2 2014 scorer."""
    blocks = i2b2.official_scores(gold, system, idnum_is_hipaa=idnum_is_hipaa)
    return {
        name: {
            **block.counts.as_row(),
            "macro_precision": block.macro_precision,
            "macro_precision_sd": block.macro_precision_sd,
            "macro_recall": block.macro_recall,
            "macro_recall_sd": block.macro_recall_sd,
            "macro_f1": block.macro_f1,
        }
        for name, block in blocks.items()
    }


def compare(
    gold: Sequence[AnnotatedDocument],
    systems: Mapping[str, Sequence[AnnotatedDocument]],
    options: Options | None = None,
    shuffles: int = confidence.SHUFFLES,
) -> Json:
    """Is the first system better than the second? Words, PHI or not, by subset, and exact mentions
    by label; one correction over all tests."""
    options = options or Options()
    name_a, name_b = systems
    joined = [pair(gold, one, ("the gold", name)) for name, one in systems.items()]
    words = [word_table(pairs, options.tokeniser, options.neutral) for pairs in joined]
    spans = [span_table(pairs, options.neutral) for pairs in joined]
    labels = sorted({label for one in spans for label in one.by_label("strict")})
    of_words = {
        subset: (words[0].by_document(wanted), words[1].by_document(wanted))
        for subset, wanted in subsets().items()
        if subset in _COMPARED
    }
    of_mentions = {
        name: (spans[0].by_document("strict", wanted), spans[1].by_document("strict", wanted))
        for name, wanted in [(ALL, None), *((label, {label}) for label in labels)]
    }
    # Names of subsets and labels may be the same: the unit keeps them apart.
    both = {(WORDS, name): one for name, one in of_words.items()}
    both |= {(MENTIONS, name): one for name, one in of_mentions.items()}
    keys = {f"{unit}: {name}": (unit, name) for unit, name in both}
    tests = confidence.randomisation(
        {key: both[place] for key, place in keys.items()}, shuffles=shuffles
    )
    overall = [one for one in tests if keys[one.subset] == (WORDS, ALL)]
    return {
        "a": name_a,
        "b": name_b,
        "tokeniser": options.tokeniser,
        "documents": len(gold),
        "shuffles": shuffles,
        "tests": [
            asdict(one)
            | {"difference": one.difference, "unit": keys[one.subset][0]}
            | {"subset": keys[one.subset][1]}
            for one in tests
        ],
        "verdict": _verdict(overall, name_a, name_b, 1 - options.level),
    }


def _verdict(tests: Sequence[confidence.Test], a: str, b: str, alpha: float) -> str:
    """Of all three scores: a system may find more and be right less often."""
    better: dict[str, list[str]] = {a: [], b: []}
    for test in tests:
        if test.adjusted <= alpha and test.difference:
            better[a if test.difference > 0 else b].append(_NAMES[test.metric])
    scores = "; ".join(
        f"{_NAMES[test.metric]} {test.a:.4f} and {test.b:.4f}, p = {test.p:.4f}, "
        f"{test.adjusted:.4f} after correction"
        for test in tests
    )
    claims = [
        f"{one} is better than {other} in {' and '.join(metrics)}"
        for one, other, metrics in ((a, b, better[a]), (b, a, better[b]))
        if metrics
    ]
    if not claims:
        return f"No difference can be shown between {a} and {b}: {scores}."
    return f"{', and '.join(claims)}: {scores}."
