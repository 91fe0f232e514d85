"""People's names by word lists judged in context."""

from incognote.detect.names.detector import NameDetector

__all__ = ["NameDetector"]
