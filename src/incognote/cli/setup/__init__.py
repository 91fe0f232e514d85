"""Verbs that prepare a run: policies, keys, shell completion."""
