"""Alembic's scripts, one for each change of the tables."""
