"""The notes that the experiments run on: the open corpus, or data that needs an agreement.

    i2b2 2014    the folder as it is handed out: folders of XML files, those of the test set with
                 "test" in their names
    i2b2 2006    two XML files, the one of the test set with "test" in its name
    PhysioNet    id.text with id-phi.phrase (or id.deid) beside it

Labels become ours. Nothing of such data is written but scores.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from bench.notes import CORPORA
from incognote.core.errors import UsageError
from incognote.core.types import AnnotatedDocument
from incognote.corpus import read_corpus
from incognote.corpus.files import guess
from incognote.corpus.labelmaps import label_map
from incognote.corpus.split import split

Documents = Sequence[AnnotatedDocument]


@dataclass(frozen=True, slots=True)
class Material:
    """`train` is learned from or cross-validated; `test` is there where the split is fixed."""

    name: str
    train: Documents
    test: Documents = ()

    def parts(self) -> tuple[Documents, Documents]:
        """To learn from and to test on: 70 to 30 by patient where nothing is fixed."""
        if self.test:
            return self.train, self.test
        parts = split(self.train, {"train": 0.7, "test": 0.3})
        return parts["train"], parts["test"]

    @property
    def tested(self) -> Documents:
        """What a system that learns nothing here is tested on."""
        return self.test or self.train

    def some(self, notes: int) -> Material:
        """So many notes at the most of either part, evenly drawn."""
        return replace(self, train=some(self.train, notes), test=some(self.test, notes))

    def without(self, ids: Container[str]) -> Material:
        train, test = ([doc for doc in part if doc.id not in ids] for part in self._both)
        return replace(self, train=train, test=test)

    @property
    def _both(self) -> tuple[Documents, Documents]:
        return self.train, self.test

    def changed(self, change: Callable[[AnnotatedDocument], AnnotatedDocument]) -> Material:
        return replace(self, train=[*map(change, self.train)], test=[*map(change, self.test)])

    def __str__(self) -> str:
        fixed = f" and {len(self.test):,} to test on" if self.test else ""
        return f"{len(self.train):,} notes{fixed} ({self.name})"


def some(documents: Documents, notes: int) -> Documents:
    if not notes:
        return documents
    step = max(1, len(documents) // notes)
    return documents[::step][:notes]


def open_corpus(path: Path | str) -> Material:
    """One of ours by name, or any corpus by its path."""
    if path in CORPORA:
        return Material(str(path), read_corpus(CORPORA[str(path)]))
    return Material(Path(path).name, read_corpus(path))


def open_i2b2(folder: Path) -> Material:
    """Both years; whatever lies in the folder beside the notes is passed over."""
    if not folder.is_dir():
        raise UsageError(f"--i2b2 {folder}: no such folder")
    train, test = [], []
    scheme = ""
    for place in _places(folder):
        form = guess(place)
        if form not in ("i2b2-2014", "i2b2-2006"):
            continue
        if scheme and form != scheme:
            raise UsageError(f"--i2b2 {folder}: holds notes of 2006 and of 2014; name one of them")
        scheme = form
        mapped = map(label_map(form).apply, map(_without_other, read_corpus(place, form)))
        in_test = any("test" in part.lower() for part in place.relative_to(folder).parts)
        (test if in_test else train).extend(mapped)
    if not train:
        raise UsageError(f"--i2b2 {folder}: no XML notes to learn from in it")
    return Material(scheme.replace("-", " "), train, test)


def _places(folder: Path) -> Iterator[Path]:
    """Folders of XML files with one note each, or XML files with many. The test set of 2014 is also
    handed out without its tags."""
    for place in sorted({file.parent for file in folder.rglob("*.xml")}):
        if "notag" in str(place.relative_to(folder)).lower():
            continue
        files = sorted(place.glob("*.xml"))
        if guess(files[0]) == "i2b2-2006":
            yield from files
        else:
            yield place


def _without_other(doc: AnnotatedDocument) -> AnnotatedDocument:
    """i2b2 2014 has mentions of the type OTHER, which are no kind of PHI."""
    return replace(doc, spans=tuple(span for span in doc.spans if span.label != "OTHER"))


def open_physionet(folder: Path) -> Material:
    if not folder.is_dir() or not (places := sorted(folder.rglob("*.text"))):
        raise UsageError(f"--physionet {folder}: no id.text in it")
    documents = read_corpus(places[0], "physionet")
    return Material("PhysioNet deid", [*map(label_map("physionet").apply, documents)])
