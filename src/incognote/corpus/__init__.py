"""Annotated corpora in one shape: documents with stand-off spans, whatever file they came from."""

from incognote.core.types import AnnotatedDocument
from incognote.corpus.files import corpus_formats, read_corpus, write_corpus

__all__ = ["AnnotatedDocument", "corpus_formats", "read_corpus", "write_corpus"]
