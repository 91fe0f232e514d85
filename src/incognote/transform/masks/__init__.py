"""Transforms that hide a value without inventing another."""
