"""Surrogates of numbers and codes: one to one, in the same format, valid where they were valid."""
