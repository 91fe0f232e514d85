"""Verbs about annotated notes and what is learned from them: corpora, measuring, training."""
