"""Scores: documents paired, words and spans counted, the official i2b2 scorer's way too."""
