"""Clinical values: results, units, ranges, tests, techniques. What a field is comes before any
detector.

A field table says of a field that it holds clinical values. Then a number with its unit is not even
read; words are read, but only strong evidence counts there (`Document.clinical`): "TSH" and "Kell"
stay, "called to Dr. Brandvold" does not.
"""

from __future__ import annotations

import re

from incognote.policy import TEXT

# The kind of such a field in field tables.
VALUE = "value"
# The kinds of fields that detectors read.
READ = (TEXT, VALUE)

# A number has at most six digits before its point: seven may be a record number.
_NUMBER = r"[+-]?(?:\d{1,6}|\d{1,3}(?:,\d{3}){1,2})(?:[.,]\d{1,8})?(?:[eE][+-]?\d{1,3})?"
_UNIT = r"[A-Za-z%\u00b0\u00b5\u03bc][\w%/^.*{}\[\]()\u00b5\u03bc\u00b2\u00b3\u00b0+-]{0,24}"
_MEASUREMENT = re.compile(
    rf"(?:[<>=~\u2264\u2265]{{0,2}}\s?{_NUMBER}\s?%?"  # 4.1, <0.01, 12 %
    rf"(?:\s?(?:-|to|/|:|x|\u2013)\s?[<>=]?{_NUMBER}\s?%?){{0,2}}"  # 3.5-5.1, 120/80, 1:40
    rf"(?:\s?\(?{_UNIT}\)?){{0,2}})"
)
# Lists of few digits may still be days: 3-4-2020, 2020/03/04, 03.04.20; or hold a year.
_DAY = re.compile(
    r"\d{1,4}[/.-]\d{1,2}[/.-]\d{2,4}|.*(?<!\d)(?:19|20)\d\d(?!\d).*|\d{8,}|\d{3}-\d{2}-\d{4}"
)
# Units alone, as UCUM and older habits write them: mmol/L, 10*3/uL, mm[Hg], K/uL, giga.l-1.
_UNITS_ALONE = re.compile(r"(?=\S{1,25}$)(?=.*[/^*\[\]{}%])[\w/^.*{}\[\]()%\u00b5\u03bc\u00b0+-]+")
# Marks and grades: H, LL, AB, neg, pos, +, 1+, A2.
_MARK = re.compile(r"[<>+-]{1,4}|[A-Z]{1,2}|\d\+|[A-Z]\d")


def is_measurement(text: str) -> bool:
    """Whether a value is nothing but a quantity, a range, a unit or a mark."""
    plain = text.strip()
    if _MARK.fullmatch(plain):
        return True
    if _DAY.fullmatch(plain):
        return False
    return bool(_MEASUREMENT.fullmatch(plain) or _UNITS_ALONE.fullmatch(plain))
