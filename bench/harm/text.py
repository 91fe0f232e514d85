"""The harm rate of free text: words that are no PHI and come out changed, per 1,000.

    python -m bench.harm.text [--policy P] [--show] [--corpus dev [--groups w26,w27]] [FILE ...]

A FILE has clinical look-alikes without any PHI, one a line behind its kind: `score | Wells 4.5`.
With `--corpus`, the words outside of the annotated mentions of a corpus are counted.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bench.notes import CORPORA, ROOT, notes
from incognote.core.types import AnnotatedDocument, Document, Failure, Result
from incognote.pipeline import Pipeline
from incognote.policy import DEFAULT

LOOKALIKES = ROOT / "tests" / "harm"
TUNED, KEPT_BACK = LOOKALIKES / "tuned.txt", LOOKALIKES / "kept_back.txt"
SECOND, THIRD = LOOKALIKES / "second.txt", LOOKALIKES / "third.txt"
KEY = b"a key for measuring, and nothing else"
_WORD = re.compile(r"\w+")


@dataclass(slots=True)
class TextHarm:
    """How many words there were, and which of them changed: kind, old words, new ones, label."""

    words: int = 0
    changed: int = 0
    changes: list[tuple[str, str, str, str]] = field(default_factory=list)
    kinds: Counter[str] = field(default_factory=Counter)

    @property
    def rate(self) -> float:
        return 1000 * self.changed / max(self.words, 1)


def lookalikes(path: Path) -> list[tuple[str, str]]:
    """(kind, text) of each line."""
    lines = (line for line in path.read_text("utf-8").splitlines() if not line.startswith("#"))
    pairs = (line.partition("|") for line in lines if line.strip())
    return [(kind.strip(), text.strip()) for kind, _, text in pairs]


def harm(cases: Iterable[tuple[str, AnnotatedDocument]], pipeline: Pipeline) -> TextHarm:
    """What a policy changes outside of the annotated spans; a quarantined text counts whole."""
    found = TextHarm()
    rows = list(cases)
    for (kind, case), result in zip(
        rows, pipeline.deid([case.document for _, case in rows]), strict=True
    ):
        inside = [(span.start, span.end) for span in case.spans]
        words = [w.span() for w in _WORD.finditer(case.text) if not _touches(w.span(), inside)]
        found.words += len(words)
        if isinstance(result, Failure):
            found.changed += len(words)
            found.changes.append((kind, "", "", f"quarantined: {result.stage}"))
            continue
        _count(found, kind, result, words)
    return found


def _count(found: TextHarm, kind: str, result: Result, words: Sequence[tuple[int, int]]) -> None:
    for each in result.replacements:
        old = result.document.text[each.span.start : each.span.end]
        place = each.span.start, each.span.end
        hit = sum(1 for word in words if _touches(word, [place])) if each.text != old else 0
        if hit:
            found.changed += hit
            found.kinds[kind] += hit
            found.changes.append((kind, old, each.text, each.span.label))


def _touches(place: tuple[int, int], others: Iterable[tuple[int, int]]) -> bool:
    return any(place[0] < end and start < place[1] for start, end in others)


def of_file(path: Path, pipeline: Pipeline) -> TextHarm:
    rows = lookalikes(path)
    documents = [
        (kind, AnnotatedDocument(Document(f"{path.name}:{n}", text), ()))
        for n, (kind, text) in enumerate(rows, 1)
    ]
    return harm(documents, pipeline)


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m bench.harm.text",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--policy", default=DEFAULT)
    parser.add_argument("--show", action="store_true", help="print every change")
    parser.add_argument("--corpus", choices=sorted(CORPORA))
    parser.add_argument("--groups", type=lambda text: tuple(text.split(",")), default=())
    parser.add_argument("files", type=Path, nargs="*", help=f"default: {KEPT_BACK.name}")
    options = parser.parse_args()
    pipeline = Pipeline(options.policy, KEY)
    measured = {}
    if options.corpus:
        gold = notes(options.corpus, options.groups)
        measured[options.corpus] = harm([(doc.id, doc) for doc in gold], pipeline)
    for path in options.files or ([] if options.corpus else [KEPT_BACK]):
        measured[path.name] = of_file(path, pipeline)
    for name, each in measured.items():
        if options.show:
            for kind, old, new, label in each.changes:
                print(f"{kind:<16} {label:<14} {old!r} -> {new!r}")
        print(f"{name}: {each.changed} of {each.words:,} words changed, {each.rate:.2f} per 1,000")


if __name__ == "__main__":
    main()
