"""Clinical values: where the source says that a field holds one, only strong evidence counts.

Results, units and names of tests look like dates, numbers and people to a detector that reads
them without their field: "4-10", "TSH", "Kell". Strong evidence is what the record itself states,
a form that no clinical value has (an e-mail address, a date with its year), a word that says what
follows ("Dr.", "MRN"), or two detectors that agree.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from incognote.core.labels import label
from incognote.core.types import Document, Dropped
from incognote.lexicon.words import is_medical
from incognote.resolve.claims import Claim, detector_of

# Labels whose values have a form of their own.
_PHONE = re.compile(r"\+\d[\d .()-]{7,}|\(?\d{3}\)?[-. ]?\d{3}[-. ]?\d{4}(?:\D.*)?|\d{3}-\d{4}")
_FORMS = {
    "EMAIL": re.compile(r".+@.+"),
    # A path on a disk is none.
    "URL": re.compile(r"(?:https?|ftps?)://[^/].*|www\..+", re.IGNORECASE),
    "IPADDR": re.compile(
        r"(?:(?:0|[1-9]\d{0,2})\.){3}(?:0|[1-9]\d{0,2})(?!\d).*|[0-9a-f]{2}(?:[:-][0-9a-f]{2}){5}|(?:[0-9a-f]{0,4}:){3,}.*",
        re.IGNORECASE,
    ),
    "SSN": re.compile(r"\d{3}[- ]\d{2}[- ]\d{4}|\d{9}"),
    "PHONE": _PHONE,
    "FAX": _PHONE,
}
_YEAR = re.compile(r"(?<!\d)(?:18|19|20|21)\d\d(?!\d)|(?:18|19|20|21)\d{6}")
_MONTH = re.compile(r"\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\b", re.IGNORECASE)
_MERE_YEAR = re.compile(r"\d{4}")
_IN_YEAR = re.compile(
    r"(?:^|\b(?:in|since|from|until|till|of|year|by|before|after)\s+)$", re.IGNORECASE
)
_WORD = re.compile(r"[^\W\d_]{2,}")
_DIGITS = re.compile(r"\d")
_SHORT_DAY = re.compile(r"\d{1,2}[/.-]\d{1,2}[/.-]\d{2}")
# Who or what comes next.
_TITLE = re.compile(
    r"\b(?:dr|mr|mrs|ms|miss|prof|nurse|rn|np|pa|md|sister|pt|patient|name|by|attn)\b[.:]?\s*$",
    re.IGNORECASE,
)
_NUMBER_CUE = re.compile(
    r"(?:\b(?:mrn|ssn|acct|account|member|policy|record|case|id|no|nr|number|serial|lot|nhs|dob)\b|#)"
    r"[.:#]*\s*$",
    re.IGNORECASE,
)
# A quantity: "at VQS Lod: -3.10 <= x".
_VALUE = re.compile(r"\s*[:=<>]{1,2}\s*[-+]?\d")
_DEGREE = re.compile(r",?\s*(?:MD|M\.D\.|DO|RN|NP|PA|PhD|Ph\.D\.)\b")


def drop_doubtful(claims: Sequence[Claim], document: Document) -> tuple[list[Claim], list[Dropped]]:
    """The claims on a clinical value for which there is strong evidence."""
    if not document.clinical:
        return list(claims), []
    kept: list[Claim] = []
    dropped: list[Dropped] = []
    for claim in claims:
        if claim.stated or _is_strong(claim, claims, document):
            kept.append(claim)
        else:
            dropped.append(Dropped(claim.span, "clinical"))
    return kept, dropped


def _is_strong(claim: Claim, claims: Sequence[Claim], document: Document) -> bool:
    span, text = claim.span, document.text
    if span.start < document.lead:
        return False
    found, before = text[span.start : span.end], text[document.lead : span.start]
    category = label(span.label).category
    if category == "DATE" or span.label == "AGE":
        return _is_dated(found, before)
    if form := _FORMS.get(span.label):
        return form.fullmatch(found) is not None
    if category == "NAME":
        cued = _TITLE.search(before) or _DEGREE.match(text, span.end)
        return cued is not None or _agreed(claim, claims, text)
    if _DIGITS.search(found):
        return _NUMBER_CUE.search(before) is not None
    return _agreed(claim, claims, text)


def _is_dated(found: str, before: str) -> bool:
    """Whether a date is more than two numbers with a mark between; a year alone may be the number
    of a model, unless something happened in it."""
    if _MERE_YEAR.fullmatch(found):
        return _IN_YEAR.search(before) is not None
    if _SHORT_DAY.fullmatch(found):
        return True
    return bool(_DIGITS.search(found) and (_YEAR.search(found) or _MONTH.search(found)))


def _agreed(claim: Claim, claims: Sequence[Claim], text: str) -> bool:
    """Whether two detectors find PHI of one category here, in words that no clinician uses.

    One word alone is not enough for a name: drugs and organisms have names, too. What has a value
    is a quantity.
    """
    category = label(claim.span.label).category
    beside = [other for other in claims if other.span.overlaps(claim.span)]
    if any(_VALUE.match(text, other.span.end) for other in beside):
        return False
    words = _WORD.findall(text[claim.span.start : claim.span.end])
    if (category == "NAME" and len(words) < 2) or any(map(is_medical, words)):
        return False
    finders = {
        detector_of(source)
        for other in beside
        if label(other.span.label).category == category
        for source in other.span.sources
    }
    return len(finders) > 1
