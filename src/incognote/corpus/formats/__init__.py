"""Annotated corpora on disk: one module for each format."""
