"""Clock times: moved by one number of minutes for the whole scope, in the form they had."""

from __future__ import annotations

import re

from incognote.transform.ids import redraw
from incognote.transform.record import Mention, Record

_CLOCK = re.compile(r"(?P<hour>\d{1,2})(?P<joint>[:.h]?)(?P<minute>\d\d)(?!\d)")
_DAY = 24 * 60
_HALF = 12 * 60


def clock_time(mention: Mention, record: Record) -> str:
    match = _CLOCK.search(mention.text)
    if match is None:
        return redraw("TIME", mention.text, record)
    text = mention.text
    # Within half an hour the shift of the day is hardly ever another.
    minutes = 1 + record.scope.draws.dice("TIME", "").below(59)
    hour, joint, minute = int(match["hour"]), match["joint"], int(match["minute"])
    twelve = re.search(r"[ap]\.?\s?m?\b", text[match.end() :], re.IGNORECASE)
    span = _HALF if twelve else _DAY
    moved = (hour * 60 + minute + minutes) % span
    hours = moved // 60 or (12 if twelve else 0)
    padded = match["hour"][0] == "0" or (len(match["hour"]) == 2 and not twelve)
    new = f"{hours:0{2 if padded else 1}d}{joint}{moved % 60:02d}"
    return text[: match.start()] + new + text[match.end() :]
