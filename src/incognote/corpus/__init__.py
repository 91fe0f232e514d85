"""Annotated corpora in one shape."""
