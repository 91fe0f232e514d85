"""What a corpus format is: a reader and a writer of annotated documents."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from incognote.core.types import AnnotatedDocument

Read = Callable[[Path], Iterator[AnnotatedDocument]]
Write = Callable[[Iterable[AnnotatedDocument], Path], None]


@dataclass(frozen=True, slots=True)
class CorpusFormat:
    """`suffix` is that of its file; a format without one is a folder."""

    description: str
    read: Read
    write: Write
    suffix: str = ""
