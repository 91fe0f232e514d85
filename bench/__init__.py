"""Measurements of incognote against gold notes and against other tools."""
