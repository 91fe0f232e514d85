"""Verbs that read notes and write them: find, replace, explain, restore."""
