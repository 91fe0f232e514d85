"""Dates, times and ages: read, moved, written as they were written."""
