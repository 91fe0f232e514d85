"""Verbs about people in a release: who they are, how well they hide, what may be signed."""
