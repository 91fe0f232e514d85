"""Hospitals, organisations, towns, countries, landmarks and jobs, by word lists and grammar."""

from incognote.detect.places.detector import PlaceDetector

__all__ = ["PlaceDetector"]
