"""Clock times: moved by one number of minutes for the whole scope, in the form they had."""

from __future__ import annotations

import re

from incognote.transform.record import Mention, TransformRecord

_CLOCK = re.compile(r"(?P<hour>\d{1,2})(?:(?P<joint>[:.h]?)(?P<minute>\d\d))?(?!\d)")
_HALF_DAY = re.compile(r"\s*[ap]\b|\s*[ap]\.?\s?m", re.IGNORECASE)
_LETTER = re.compile(r"[apAP]")
_OTHER_HALF = {"a": "p", "p": "a", "A": "P", "P": "A"}


def clock_time(mention: Mention, record: TransformRecord) -> str:
    """The surrogate of a clock time; words such as "noon" stay.

    A full hour stays a full hour: it goes to the one that is nearest to where it moves.
    """
    text = mention.text
    match = _CLOCK.search(text)
    if match is None:
        return text
    minutes = 1 + record.scope.draws.dice("TIME", "").below(59)
    half = _HALF_DAY.match(text, match.end())
    twelve = half is not None
    hour = int(match["hour"]) % 12 if twelve else int(match["hour"])
    moved = hour * 60 + int(match["minute"] or 0) + minutes
    if match["minute"] is None:
        moved = (moved + 30) // 60 * 60
    tail = text[match.end() :]
    if half is not None and moved >= 12 * 60:
        tail = _LETTER.sub(lambda m: _OTHER_HALF[m[0]], tail, count=1)  # past noon or midnight
    hour = moved // 60 % (12 if twelve else 24) or (12 if twelve else 0)
    padded = len(match["hour"]) == 2 and (match["hour"][0] == "0" or not twelve)
    new = f"{hour:02d}" if padded else str(hour)
    if match["minute"] is not None:
        new += f"{match['joint']}{moved % 60:02d}"
    return text[: match.start()] + new + tail
