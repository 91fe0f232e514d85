"""Reads a written date into fields; `writing` writes it again in the same form.

A date is cut into fields (numbers, month names, weekdays ...) and what is between them. The
kinds of the fields, one letter each, make a code such as "NNY" or "WMOY"; a short grammar over
the code says which field is the day, the month and the year. What is no field is written back as
it stood, so the form is kept by construction.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from incognote.transform.dates.lexer import Field, clean, lex

_RANGE_WORDS = frozenset({"to", "through", "thru", "until", "till", "and", "or", "vs"})
_RANGE_MARK = re.compile(r"\s-+\s|[–—~&,;]|->|\s/\s")

# One date, the longest reading first. N number, Y year, A '24, D decade, M month name, O ordinal,
# W weekday, Q quarter, S season, H holiday, C compact 20240305.
_DATE = re.compile(
    r"W?(?:YNN|YMN|NNY|NNA|NNN|M[NO][YA]|MNN|[ON]M[YA]|NMN|C|[QSH][YA]|M[NO]|[NO]M|M[YA]|NY|Y[NMQS]"
    r"|NN|[YADMOSHQN])|W"
)
_ROLES = {
    "Y": "year", "A": "year", "D": "decade", "M": "month", "O": "day", "W": "weekday",
    "Q": "quarter", "S": "season", "H": "holiday", "C": "compact",
}  # fmt: skip


@dataclass(slots=True)
class WrittenDate:
    """One date (a range has two): the fields by role, and the values as far as they are known."""

    roles: dict[str, Field] = field(default_factory=dict)
    year: int | None = None
    month: int | None = None
    day: int | None = None

    @property
    def exact(self) -> bool:
        """Whether it names a day of the calendar, with or without its year."""
        return self.day is not None and self.month is not None


@dataclass(slots=True)
class Form:
    """A text that states dates: the text without look-alike letters, its dates in order, and words
    that are neither fields nor known to be harmless."""

    text: str
    dates: list[WrittenDate]
    unknown: list[Field]


def read(
    text: str, *, day_first: bool = False, pivot: int = 2030, month_year: bool = False
) -> Form:
    """What is written. Two-digit years lie in the hundred years before `pivot`; `month_year` tells
    of "6/18" that it is no day."""
    text = clean(text)
    fields, unknown = lex(text)
    code = _code(text, fields)
    dates: list[WrittenDate] = []
    for match in _DATE.finditer(code):
        at = match.start() - code.count("~", 0, match.start())
        group = fields[at : at + len(match[0])]
        dates.append(
            _written_date(group, day_first, month_year, pivot, dates[-1] if dates else None)
        )
    _share(dates)
    return Form(text, dates, unknown)


def _code(text: str, fields: Sequence[Field]) -> str:
    """Kinds in order, with "~" where one date ends and another begins."""
    code: list[str] = []
    slashed = re.search(r"\d[/.]\d", text) is not None
    for i, this in enumerate(fields):
        if i:
            last = fields[i - 1]
            then = fields[i + 1].kind if i + 1 < len(fields) else ""
            between = text[last.end : this.start]
            if _breaks(between, last.kind + this.kind, then, slashed, "".join(code)):
                code.append("~")
        code.append(this.kind)
    return "".join(code)


def _breaks(between: str, kinds: str, then: str, slashed: bool, before: str) -> bool:
    """Whether one date ends and another begins between two fields of these kinds."""
    if any(word in _RANGE_WORDS for word in re.findall(r"[a-z]+", between.lower())):
        return True
    if "," in between and kinds[0] != "W" and kinds[1] in "YA":
        return False
    if kinds[0] == "W" and kinds[1] != "W":
        return False
    if _RANGE_MARK.search(between) and not re.fullmatch(r"\s[-/]\s|,\s*", between):
        return True
    if "," in between:
        return kinds not in ("NY", "OY", "MY", "SY", "HY", "NM", "MN", "MO")
    if "-" not in between:
        return kinds in ("YY", "WW")
    # A hyphen joins the fields of one date or two dates: the other separators show which.
    if slashed or kinds in ("YY", "MM", "WW", "DD"):
        return True
    named = then == "M" or "M" in before.rpartition("~")[2]
    return kinds in ("NN", "ON", "OO", "NO") and named


def _written_date(
    group: Sequence[Field],
    day_first: bool,
    month_year: bool,
    pivot: int,
    before: WrittenDate | None,
) -> WrittenDate:
    when = WrittenDate()
    numbers = [f for f in group if f.kind == "N"]
    for each in group:
        if each.kind in _ROLES:
            when.roles[_ROLES[each.kind]] = each
    code = "".join(f.kind for f in group if f.kind != "W")
    if code == "NY" and before is not None and before.exact and "year" not in before.roles:
        code = "N"  # the second half of "March 5-8, 2014", not August
    values = [f.value for f in numbers]
    if code == "NN" and (values[1] > 31 or (month_year and len(numbers[1].word) == 2)):
        order: tuple[str, ...] = ("month", "year")
    else:
        order = _order(code, values, day_first)
    for role, each in zip(order, numbers, strict=True):
        when.roles[role] = each
    roles = when.roles
    if "compact" in roles:
        _read_compact(when, pivot)
    if "month" in roles:
        when.month = roles["month"].value
    if "day" in roles:
        when.day = roles["day"].value
    if "year" in roles:
        written = roles["year"]
        short = written.value < 100 and not (written.word.isdigit() and len(written.word) >= 4)
        when.year = full_year(written.value, pivot) if short else written.value
    return when


def _order(code: str, n: list[int], day_first: bool) -> tuple[str, ...]:
    """The roles of the plain numbers of one date, in order."""
    match code:
        case "NNN" if n[0] > 31:
            return ("year", "month", "day")
        case "NNY" | "NNA" | "NNN" | "NN":
            day_leads = n[0] > 12 or (day_first and n[1] <= 12)
            two = ("day", "month") if day_leads else ("month", "day")
            return (*two, "year") if code == "NNN" else two
        case "YNN":
            return ("day", "month") if n[0] > 12 >= n[1] else ("month", "day")
        case "MNN":
            return ("day", "year")
        case "NMN":
            return ("year", "day") if n[0] > 31 else ("day", "year")
        case "MN" if n[0] > 31:
            return ("year",)
        case "NY" | "YN":
            return ("month",) if n[0] <= 12 else ("day",)
        case _:
            return ("day",) * len(n)


def full_year(short: int, pivot: int) -> int:
    """A year of two digits, in the hundred years that `pivot` ends."""
    return pivot - (pivot - short) % 100


def compact_layout(word: str) -> str:
    """How digits without separators are laid out: 20240305, 03052024, 202403 or 030524. What
    follows a full date is a clock time."""
    year_first = word[:2] in ("18", "19", "20") and "01" <= word[4:6] <= "12"
    if len(word) == 6:
        return "%Y%m" if year_first and word[:2] > "12" else "%m%d%y"
    return "%Y%m%d" if year_first or len(word) > 8 else "%m%d%Y"


def _read_compact(when: WrittenDate, pivot: int) -> None:
    word = when.roles["compact"].word
    match compact_layout(word):
        case "%Y%m%d":
            when.year, when.month, when.day = int(word[:4]), int(word[4:6]), int(word[6:8])
        case "%m%d%Y":
            when.year, when.month, when.day = int(word[4:8]), int(word[:2]), int(word[2:4])
        case "%Y%m":
            when.year, when.month = int(word[:4]), int(word[4:6])
        case _:
            when.year = full_year(int(word[4:6]), pivot)
            when.month, when.day = int(word[:2]), int(word[2:4])


def _share(dates: list[WrittenDate]) -> None:
    """In a range each date lends the other what is written only once."""
    for before, after in itertools.pairwise(dates):
        if after.month is None and after.day is not None and before.month is not None:
            after.month = before.month
            if after.year is None and "year" not in before.roles:
                after.year = before.year
        if after.year is None and before.year is not None and after.month is not None:
            after.year = before.year
    for before, after in reversed(list(itertools.pairwise(dates))):
        if before.year is None and after.year is not None and before.month is not None:
            before.year = after.year
        if before.month is None and before.day is not None:
            before.month = after.month
