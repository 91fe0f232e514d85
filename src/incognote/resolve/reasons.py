"""Why a candidate was dropped, in words. The codes are for machines: "never:1", "votes:1<2"."""

from __future__ import annotations

_WORDS = {
    "empty": "only white space",
    "weight-zero": "its detector has weight 0 for this label",
    "label-off": "the policy does not look for this label",
    "inclusion": "its sentence is on the inclusion list",
    "safe": "{} knows that it is no PHI",
    "clinical": "the field holds a clinical value, and the evidence is weak",
    "never": "resolve.never[{}] says that it is never PHI",
    "speech": "neither noun nor adjective here: {}",
    "votes": "too few detectors agree: {}",
    "overlap": "lost to {}",
    "cut": "lost a part to {}; the rest is kept",
    "merged": "merged into {}",
    "joined": "became part of {}",
}


def in_words(reason: str) -> str:
    code, _, detail = reason.partition(":")
    return _WORDS[code].format(detail.replace("@", " at "))
