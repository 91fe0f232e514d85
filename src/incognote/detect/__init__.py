"""Detectors: each finds candidate spans in a batch of views."""
