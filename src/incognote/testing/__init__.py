"""Test kits for authors of components: what incognote demands of its own, for yours as well.

    from incognote.testing import check_detector

    def test_my_detector():
        check_detector(MyDetector(), ["Ward [[Z9|ROOM]] is full.", "Zone 9 is empty."])

A check raises an AssertionError that says what is wrong. Cases are text with inline markup, where
`[[text|LABEL]]` is what must be found.
"""

from incognote.core.text.markup import parse_markup, render_markup
from incognote.testing.corpora import check_corpus_format
from incognote.testing.detectors import check_detector, found_by
from incognote.testing.formats import check_format, documents, masked, read, unchanged
from incognote.testing.transforms import check_transform

__all__ = [
    "check_corpus_format",
    "check_detector",
    "check_format",
    "check_transform",
    "documents",
    "found_by",
    "masked",
    "parse_markup",
    "read",
    "render_markup",
    "unchanged",
]
