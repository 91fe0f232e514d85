"""Annotated corpora in one shape: documents with stand-off spans, whatever file they came from."""

from incognote.core.types import AnnotatedDocument
from incognote.corpus.files import FORMATS, read_corpus, write_corpus

__all__ = ["FORMATS", "AnnotatedDocument", "read_corpus", "write_corpus"]
