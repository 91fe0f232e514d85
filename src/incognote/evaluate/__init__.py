"""Measures how good a de-identification is."""
