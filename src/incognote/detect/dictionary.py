"""A site's own word lists as a detector: staff, wards, employers, local place names.

    [detectors.staff]
    use = "dictionary"
    weight = 50
    options = { label = "DOCTOR", file = "staff.csv" }

A TXT file holds one entry a line. A CSV file has a header; the column `term` holds the entry and
an optional column `label` its label. Entries may have several words. With the label SAFE a list
says what is no PHI. A list reads notes in all languages; one that names `languages` reads those
alone, and a note in one of them counts as read.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path

from incognote.core.errors import PolicyError
from incognote.core.labels import SAFE, all_labels
from incognote.core.text.phrases import Phrases
from incognote.core.types import Span, View
from incognote.policy.signing import SIGNED


class DictionaryDetector:
    def __init__(
        self,
        label: str = "",
        file: str = "",
        words: Sequence[str] = (),
        *,
        ignore_case: bool = True,
        languages: Sequence[str] = ("*",),
    ) -> None:
        self.name = "dictionary"
        self.languages = frozenset(languages)
        entries = [(word, label) for word in words]
        if file:
            entries += _read(Path(file), label)
        for term, of in entries:
            if of not in all_labels() and of != SAFE:
                raise PolicyError(f"dictionary {file}: no label named {of!r}")
            if not term.strip():
                raise PolicyError(f"dictionary {file}: an entry is empty")
        self.labels = frozenset(of for _, of in entries)
        self._entries = entries
        self._ignore_case = ignore_case

    @cached_property
    def _phrases(self) -> Phrases[str]:
        return Phrases(self._entries, ignore_case=self._ignore_case)

    def detect(self, views: Sequence[View]) -> list[list[Span]]:
        return [
            [
                Span(match.start, match.end, match.value, sources=(self.name,))
                for match in self._phrases.find(view.text)
            ]
            for view in views
        ]


def _read(path: Path, label: str) -> list[tuple[str, str]]:
    try:
        with path.open(encoding="utf-8-sig", newline="") as lines:
            if path.suffix.lower() == ".csv":
                return list(_rows(csv.DictReader(lines), path, label))
            return [(line.strip(), label) for line in lines if line.strip()]
    except OSError as error:
        raise PolicyError(f"dictionary {path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise PolicyError(f"dictionary {path}: not UTF-8 text") from None


def _rows(rows: csv.DictReader[str], path: Path, label: str) -> Iterator[tuple[str, str]]:
    if "term" not in (rows.fieldnames or ()):
        raise PolicyError(f"dictionary {path}: needs a column named 'term'")
    for row in rows:
        # A list of proposals has a column for the person who signs them.
        if (row.get("keep", "yes") or "").strip().lower() in SIGNED:
            yield row["term"] or "", row.get("label") or label
