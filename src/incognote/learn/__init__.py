"""Trains the detectors that learn."""
