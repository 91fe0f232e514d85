"""Verbs that serve: the workbench and the HTTP service."""
