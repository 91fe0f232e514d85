"""People's names by word lists and context."""

from incognote.detect.names.detector import NameDetector

__all__ = ["NameDetector"]
