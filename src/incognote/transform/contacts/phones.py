"""Telephone and fax numbers: the area code of the surrogate place, the rest by permutation.

Numbers of one area stay one to one. `transform.phones = "fictional"` takes the ranges kept for
films instead, 555-0100 to 555-0199 and the British 07700 900 and 01632 960: numbers not in use, but
everybody sees that they are surrogates, and there are only a hundred of them.
"""

from __future__ import annotations

import re

from incognote.core.caches import cached, once
from incognote.transform.numbers.ids import remapped
from incognote.transform.places.geography import (
    PlaceFacts,
    country_image,
    province_image,
    state_image,
)
from incognote.transform.record import Mention, TransformRecord
from incognote.transform.word_data import table_of, word_list, words_of

_EXTENSION = re.compile(
    r"(?:\b(?:ext?\.?|extension|x|opt\.?|option|pin|local|poste)|#)\s*[\d-]+.*$", re.IGNORECASE
)
_DIGITS = re.compile(r"\d")
# Emergency, information and crisis lines are everybody's.
_PUBLIC = frozenset("911 988 411 211 311 511 611 711 811 112 999 111 000".split())
# An exchange begins with 2 to 9 and does not end in 11.
_EXCHANGES = tuple(
    str(number) for number in range(200, 1000) if number % 100 != 11 and number != 555
)
_LINES = 10_000
_WITH_AREA = 8
_STATE = 2


def phone(mention: Mention, record: TransformRecord) -> str:
    """Another number in the same layout; an extension is a number of its own."""
    text = mention.text
    extension = _EXTENSION.search(text)
    main = text[: extension.start()] if extension else text
    digits = "".join(_DIGITS.findall(main))
    if digits in _PUBLIC and not extension:
        return record.chose(text)
    if not digits and not extension:
        return remapped(text, record)
    international = main.lstrip().startswith("+")
    source = iter(_number(digits, international, record) if digits else "")
    out = "".join(next(source) if char.isdecimal() else char for char in main)
    if extension:
        more = iter(record.scope.identifiers("".join(_DIGITS.findall(extension[0]))))
        out += _DIGITS.sub(lambda _: next(more), extension[0])
    return record.chose(out)


def _number(digits: str, international: bool, record: TransformRecord) -> str:
    if international and not digits.startswith("1"):
        return _abroad(digits, record)
    lead, rest = (digits[0], digits[1:]) if len(digits) == 11 and digits[0] == "1" else ("", digits)
    fictional = record.rules.phones == "fictional"
    if len(rest) == 10 and rest[0] != "0":
        return lead + _area(rest[:3], record) + _local(rest[3:], rest[:3], fictional, record)
    if len(digits) == 7:
        return _local(digits, "", fictional, record)
    if fictional and len(digits) == 11 and digits[0] == "0":  # British: a mobile, or no town's line
        line = record.scope.draws.dice("PHONE", digits).below(1000)
        return ("07700900" if digits[1] == "7" else "01632960") + f"{line:03d}"
    return _like(digits, record)


def _like(digits: str, record: TransformRecord) -> str:
    """Another number of as many digits; the prefix of mobiles ("07") stays."""
    if digits[0] == "0" and len(digits) > _WITH_AREA:
        return digits[:2] + record.scope.identifiers(digits[2:])
    return record.scope.identifiers(digits)


def _abroad(digits: str, record: TransformRecord) -> str:
    """The code of the surrogate country, where the digits that follow leave room for it."""
    for length in (3, 2, 1):
        country = _countries().get(digits[:length])
        if country is not None:
            names_countries = record.policy.rule("COUNTRY").action == "surrogate"
            image = country_image(country, record) if names_countries else country
            code = _codes().get(image, digits[:length])
            rest = _like(digits[length:], record)
            # As many digits as before: those of a longer code are taken from the subscriber's.
            return (code + rest)[: len(digits)].ljust(len(digits), "0")
    return _like(digits, record)


def _area(code: str, record: TransformRecord) -> str:
    """An area code of the surrogate state; numbers of one area share it."""
    if code in word_list("contacts", "toll_free"):
        pool = words_of("contacts", "toll_free")
        return pool[record.scope.permuted("toll free", len(pool), pool.index(code))]
    state = _states().get(code)
    if state is None:  # fictional, or from abroad: of the state that the record mentions
        states = sorted(record.know(PlaceFacts).states)
        state = states[0] if len(states) == 1 else ""
    if not state:
        return record.scope.draws.pick(_american(), "AREA", code)
    own = _areas(state)
    image = state_image if len(state) == _STATE else province_image
    new = _areas(image(state, record)) or own
    if code in own and own.index(code) < len(new):
        return new[record.scope.permuted(f"areas:{state}", len(new), own.index(code))]
    return record.scope.draws.pick(new, "AREA", code)


def _local(digits: str, area: str, fictional: bool, record: TransformRecord) -> str:
    """Exchange and line by a permutation of all there are in an area."""
    if fictional:
        return f"55501{record.scope.draws.dice('PHONE', area + digits).below(100):02d}"
    exchange, line = digits[:3], int(digits[3:])
    size = len(_EXCHANGES) * _LINES
    if exchange in _EXCHANGES:
        index = _EXCHANGES.index(exchange) * _LINES + line
        image = record.scope.permuted(f"lines:{area}", size, index)
    else:  # no number that anybody has, as those of films
        image = record.scope.draws.dice("PHONE", area + digits).below(size)
    return _EXCHANGES[image // _LINES] + f"{image % _LINES:04d}"


@cached(128)
def _areas(state: str) -> tuple[str, ...]:
    return tuple(table_of("contacts")["area_codes"].get(state, "").split())


@once
def _american() -> tuple[str, ...]:
    return tuple(code for code, state in _states().items() if len(state) == _STATE)


@once
def _states() -> dict[str, str]:
    """Area code -> code of a state, or name of a Canadian province."""
    return {code: state for state in table_of("contacts")["area_codes"] for code in _areas(state)}


@once
def _codes() -> dict[str, str]:
    found: dict[str, str] = table_of("contacts")["calling_codes"]
    return found


@once
def _countries() -> dict[str, str]:
    return {code: country for country, code in _codes().items() if code != "1"}
