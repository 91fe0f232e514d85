"""How the time to de-identify grows with the length of a note, and with notes that break others.

    python -m bench.growth [POLICY]

Each size runs in one process on one core, measured in processor time, which other programs on the
machine do not change. Linear means: the same characters a second at any length.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator, Sequence

from bench.notes import notes
from incognote.core.types import Document, Failure
from incognote.pipeline import Pipeline

SIZES = (1_000, 10_000, 100_000, 1_000_000, 10_000_000)


def cases(sizes: Sequence[int] = SIZES) -> Iterator[tuple[str, str]]:
    """Names and texts: dev notes strung together, and what hangs other tools."""
    text = "\n\n".join(note.text for note in notes("dev"))
    for size in sizes:
        yield f"{size // 1000:,} kB", (text * (size // len(text) + 1))[:size]
    top = max(sizes)
    dense = "\n\n".join(note.text for note in notes("train")[:300])
    for name, corpus in (("in one line", text), ("in one line, dense", dense)):
        one_line = " ".join(corpus.split())
        yield f"{top // 1_000_000} MB {name}", (one_line * (top // len(one_line) + 1))[:top]
    yield "200,000 digits", "1234567890" * 20_000
    yield "100,000 opening brackets", "(" * 100_000
    yield "100,000 capitals", "A" * 100_000
    yield "100,000 spaces", " " * 100_000


def measure(policy: str | None, sizes: Sequence[int] = SIZES) -> list[dict[str, object]]:
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    pipeline = Pipeline(policy)
    pipeline.deid([doc.document for doc in notes("dev")[:10]])
    rows = []
    for name, text in cases(sizes):
        began = time.process_time()
        [result] = pipeline.deid([Document("note", text)])
        seconds = time.process_time() - began
        failed = f"{result.stage}: {result.error}" if isinstance(result, Failure) else ""
        rows.append(
            {"case": name, "seconds": seconds, "chars_per_s": len(text) / seconds, "failed": failed}
        )
    return rows


def main() -> None:
    import json

    print(json.dumps(measure(sys.argv[1] if len(sys.argv) > 1 else None)))


if __name__ == "__main__":
    main()
