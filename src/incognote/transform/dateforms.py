"""Reads a written date into fields, and writes it again with other values in the same form.

A date is cut into fields (numbers, month names, weekdays ...) and what stands between them. The
kinds of the fields, one letter each, make a code such as "NNY" or "WMOY"; a short grammar over
the code says which field is the day, the month and the year. What is no field is written back as
it stood, so the form is kept by construction.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date

from incognote.transform import datewords as words
from incognote.transform.holidays import HOLIDAYS, Holiday

_LEX = re.compile(
    r"(?P<time>\d{1,2}:\d\d(?::\d\d)?(?:[.,]\d+)?(?:\s?[AaPp]\.?[Mm]\b\.?)?(?:Z|[+-]\d\d:?\d\d)?)"
    r"|(?P<quarter>[Qq][1-4]\b)"
    r"|(?P<ordinal>\d{1,2}(?:st|nd|rd|th|ST|ND|RD|TH)\b)"
    r"|(?P<short>['’`]\d\d(?!\d))"
    r"|(?P<decade>(?:['’]|\b(?:1[89]|20))\d0['’]?s\b)"
    r"|(?P<number>\d+)"
    r"|(?P<word>[^\W\d_]+(?:['’][^\W\d_]+)*)"
)
_RANGE_WORDS = frozenset({"to", "through", "thru", "until", "till", "and", "or", "vs"})
_RANGE_MARK = re.compile(r"\s-+\s|[–—~&,;]|->|\s/\s")
# Words that qualify a date and name none.
_PLAIN = frozenset(
    "a about approx around at beginning century circa day days during each early end eve evening "
    "every first half in last late later mid middle month morning my new next night noon of on "
    "previous quarter second since the this t week weekend year z am pm".split()
)
_NOISE = re.compile(r"[\dlIOo| ./\-]+")

# One date, the longest reading first. N number, Y year, A '24, D decade, M month name, O ordinal,
# W weekday, Q quarter, S season, H holiday, C compact 20240305.
_DATE = re.compile(
    r"W?(?:YNN|YMN|NNY|NNA|NNN|M[NO][YA]|MNN|[ON]M[YA]|NMN|C|[QSH][YA]|M[NO]|[NO]M|M[YA]|NY|YQ|YS"
    r"|NN|[YADMOSHQN])|W"
)
_ROLES = {
    "Y": "year", "A": "year", "D": "decade", "M": "month", "O": "day", "W": "weekday",
    "Q": "quarter", "S": "season", "H": "holiday", "C": "compact",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Field:
    """A piece of a written date. `kind` is a letter of the code; `word` is how it was written."""

    start: int
    end: int
    kind: str
    value: int
    word: str


@dataclass(slots=True)
class Part:
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
    """A written date: its text (cleaned of look-alike letters), its parts in order, and the words
    that are neither fields nor known to be harmless."""

    text: str
    parts: list[Part]
    unknown: list[Field]


def read(text: str, *, day_first: bool = False, pivot: int = 2030) -> Form:
    """What is written. Two-digit years lie in the hundred years before `pivot`."""
    text = _clean(text)
    fields, unknown = _lex(text)
    code = _code(text, fields)
    parts: list[Part] = []
    for match in _DATE.finditer(code):
        at = match.start() - code.count("~", 0, match.start())
        group = fields[at : at + len(match[0])]
        parts.append(_part(group, day_first, pivot, parts[-1] if parts else None))
    _share(parts)
    return Form(text, parts, unknown)


def _clean(text: str) -> str:
    """Digits where OCR read letters: "lO/O2/23" is 10/02/23. Nothing else is touched."""
    if (
        any(char in text for char in "lIOo|")
        and _NOISE.fullmatch(text)
        and re.search(r"\d|/", text)
    ):
        digits = re.sub(r"[lI|]", "1", re.sub(r"[Oo]", "0", text))
        return re.sub(r"(?<=\d) (?=\d)", "", digits)
    return text


def _lex(text: str) -> tuple[list[Field], list[Field]]:
    fields: list[Field] = []
    unknown: list[Field] = []
    for match in _LEX.finditer(text):
        start, end, word = match.start(), match.end(), match[0]
        match match.lastgroup:
            case "number":
                fields.append(Field(start, end, _number_kind(word), int(word), word))
            case "word":
                found = _word_field(start, end, word)
                (unknown if found.kind == "?" else fields).append(found)
            case "ordinal":
                fields.append(Field(start, end, "O", int(word[:-2]), word))
            case "short":
                fields.append(Field(start, end, "A", int(word[1:]), word))
            case "quarter":
                fields.append(Field(start, end, "Q", int(word[1]), word))
            case "decade":
                digits = re.sub(r"\D", "", word)
                fields.append(Field(start, end, "D", int(digits), word))
    if unknown:
        fields, unknown = _phrases(text, fields, unknown)
        unknown = [f for f in unknown if f.word.lower() not in _PLAIN]
    return [f for f in fields if f.kind != "."], unknown


def _number_kind(word: str) -> str:
    if len(word) <= 2:
        return "N"
    if len(word) == 4 and "1700" <= word <= "2199":
        return "Y"
    return "C" if len(word) in (6, 8, 12, 14) else "."


def _word_field(start: int, end: int, word: str) -> Field:
    lower = word.lower()
    for kind, table in (
        ("M", words.MONTH_OF),
        ("W", words.WEEKDAY_OF),
        ("S", words.SEASON_OF),
    ):
        if lower in table:
            return Field(start, end, kind, table[lower], word)
    return Field(start, end, "?", 0, word)


def _phrases(
    text: str, fields: list[Field], unknown: list[Field]
) -> tuple[list[Field], list[Field]]:
    """Holidays, years and days written in words, and weekdays by their letters (M/W/F)."""
    holiday = HOLIDAYS.find(text)
    if holiday is not None:
        start, end, found = holiday
        inside = [f for f in (*fields, *unknown) if start <= f.start and f.end <= end]
        fields = [f for f in fields if f not in inside]
        unknown = [f for f in unknown if f not in inside]
        fields.append(Field(start, end, "H", found.index, text[start:end]))
    letters = [f for f in unknown if f.word.lower() in words.LETTER_WEEKDAYS]
    if letters and len(letters) + sum(f.kind == "W" for f in fields) == len(fields) + len(unknown):
        fields += [
            Field(f.start, f.end, "W", words.LETTER_WEEKDAYS[f.word.lower()], f.word)
            for f in letters
        ]
        unknown = []
    spoken = [f for f in unknown if words.is_number_word(f.word.lower())]
    run = _run(text, spoken)
    if run:
        said = [f.word.lower() for f in run]
        start, end = run[0].start, run[-1].end
        year = words.read_year(said)
        day = words.ORDINAL_OF.get("-".join(said)) if year is None else None
        if year is not None or day is not None:
            kind, value = ("Y", year) if year is not None else ("O", day)
            fields.append(Field(start, end, kind, value or 0, text[start:end]))
            unknown = [f for f in unknown if f not in run]
    fields.sort(key=lambda f: f.start)
    return fields, unknown


def _run(text: str, spoken: list[Field]) -> list[Field]:
    """The longest beginning of `spoken` whose words stand next to each other."""
    run: list[Field] = []
    for each in spoken:
        if run and text[run[-1].end : each.start].strip(" -"):
            break
        run.append(each)
    return run


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
    # A hyphen joins the fields of one date or two dates: the other separators tell.
    if slashed or kinds in ("YY", "MM", "WW", "DD"):
        return True
    named = then == "M" or "M" in before.rpartition("~")[2]
    return kinds in ("NN", "ON", "OO", "NO") and named


def _part(group: Sequence[Field], day_first: bool, pivot: int, before: Part | None) -> Part:
    part = Part()
    numbers = [f for f in group if f.kind == "N"]
    for each in group:
        if each.kind in _ROLES:
            part.roles[_ROLES[each.kind]] = each
    code = "".join(f.kind for f in group if f.kind != "W")
    if code == "NY" and before is not None and before.exact and "year" not in before.roles:
        code = "N"  # the second half of "March 5-8, 2014", not August
    for role, each in zip(
        _order(code, [f.value for f in numbers], day_first), numbers, strict=True
    ):
        part.roles[role] = each
    roles = part.roles
    if "compact" in roles:
        _read_compact(part)
    if "month" in roles:
        part.month = roles["month"].value
    if "day" in roles:
        part.day = roles["day"].value
    if "year" in roles:
        part.year = full_year(roles["year"], pivot)
    return part


def _order(code: str, n: list[int], day_first: bool) -> tuple[str, ...]:
    """The roles of the plain numbers of one date, in order."""
    match code:
        case "NNN" if n[0] > 31:
            return ("year", "month", "day")
        case "NNY" | "NNA" | "NNN" | "NN":
            if code == "NN" and n[1] > 31:
                return ("month", "year")
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
        case "NY":
            return ("month",) if n[0] <= 12 else ("day",)
        case _:
            return ("day",) * len(n)


def full_year(written: Field, pivot: int) -> int:
    if written.value >= 100 or len(written.word) >= 4:
        return written.value
    return pivot - (pivot - written.value) % 100


def _read_compact(part: Part) -> None:
    """20240305, 03052024, 030524; a clock time behind it stays as it is."""
    word = part.roles["compact"].word
    length = len(word)
    if length != 6 and word[:2] in ("18", "19", "20") and "01" <= word[4:6] <= "12":
        part.year, part.month, part.day = int(word[:4]), int(word[4:6]), int(word[6:8])
    elif length == 8:
        part.year, part.month, part.day = int(word[4:8]), int(word[:2]), int(word[2:4])
    else:
        part.year, part.month, part.day = 2000 + int(word[4:6]), int(word[:2]), int(word[2:4])


def _share(parts: list[Part]) -> None:
    """In a range each date lends the other what is written only once."""
    for before, after in itertools.pairwise(parts):
        if after.month is None and after.day is not None and before.month is not None:
            after.month = before.month
            if after.year is None and "year" not in before.roles:
                after.year = before.year
        if after.year is None and before.year is not None and after.month is not None:
            after.year = before.year
    for before, after in reversed(list(itertools.pairwise(parts))):
        if before.year is None and after.year is not None and before.month is not None:
            before.year = after.year
        if before.month is None and before.day is not None:
            before.month = after.month


@dataclass(frozen=True, slots=True)
class Moved:
    """New values for one part."""

    date: date
    weekday: int
    season: int = 0
    holiday: Holiday | None = None


@dataclass(frozen=True, slots=True)
class Style:
    """How a record writes dates, for where a single date does not show it: numbers padded to two
    digits, months cut to three letters (is "May" a whole word?)."""

    padded: bool = False
    short_months: bool = False


def write(form: Form, moved: Sequence[Moved], style: Style) -> str:
    """The form with new values."""
    out: list[tuple[int, int, str]] = []
    style = Style(_padding(form, style.padded), style.short_months)
    for i, (part, new) in enumerate(zip(form.parts, moved, strict=True)):
        for role, each in part.roles.items():
            out.append((each.start, each.end, _render(role, each, new, style, form.text)))
        if "month" not in part.roles and "day" in part.roles and len(form.parts) > 1:
            _add_month(out, form, i, moved, style)
    pieces: list[str] = []
    at = 0
    for start, end, text in sorted(out):
        pieces += [form.text[at:start], text]
        at = end
    pieces.append(form.text[at:])
    return "".join(pieces)


def _padding(form: Form, default: bool) -> bool:
    numbers = [
        f.word
        for part in form.parts
        for role, f in part.roles.items()
        if f.kind == "N" and role != "year"
    ]
    if any(word.startswith("0") for word in numbers):
        return True
    if any(len(word) == 1 for word in numbers):
        return False
    named = next((p for p in form.parts if "month" in p.roles and "day" in p.roles), None)
    if named is not None and named.roles["month"].kind == "M":
        # "14-AUG-2018" and "12OCT93" come from machines that pad; "14 August" does not.
        first, second = sorted((named.roles["day"].start, named.roles["month"].start))
        joint = form.text[first:second].lstrip("0123456789")
        return joint in ("", "-", "/")
    return default


def _render(role: str, each: Field, new: Moved, style: Style, text: str) -> str:
    match role:
        case "month" if each.kind == "M":
            lower = each.word.lower()
            # "May" is both the word and its abbreviation; what stands around it decides.
            near = text[each.end : each.end + 1], text[max(each.start - 1, 0) : each.start]
            short = (len(lower) <= 4 and lower not in ("june", "july", "may")) or (
                lower == "may" and (style.short_months or "." in near or "-" in near)
            )
            return words.month_like(each.word, new.date.month, short)
        case "month":
            return _number(new.date.month, each.word, style.padded)
        case "day" if each.kind == "O":
            return _ordinal(new.date.day, each.word)
        case "day":
            return _number(new.date.day, each.word, style.padded)
        case "year" if each.word[:1].isalpha():
            return words.like_case(each.word, words.year_words(new.date.year))
        case "year" if len(each.word) >= 4:
            return f"{new.date.year:04d}"
        case "year":
            return each.word[:-2] + f"{new.date.year % 100:02d}"
        case "decade":
            year = new.date.year // 10 * 10
            digits = re.sub(r"\D", "", each.word)
            return each.word.replace(digits, f"{year if len(digits) == 4 else year % 100:02d}")
        case "weekday":
            return words.weekday_like(each.word, new.weekday)
        case "quarter":
            return each.word[0] + str((new.date.month + 2) // 3)
        case "season":
            name = words.SEASONS[new.season]
            fall = "fall" in text.lower()
            return words.like_case(each.word, "fall" if name == "autumn" and fall else name)
        case "holiday":
            assert new.holiday is not None
            return words.like_case(each.word, new.holiday.name)
        case _:
            return _write_compact(each.word, new.date)


def _number(value: int, word: str, pad: bool) -> str:
    return f"{value:02d}" if pad and len(word) == 2 else str(value)


def _ordinal(day: int, word: str) -> str:
    if word[:1].isalpha():
        return words.like_case(word, words.ordinal_words(day))
    suffix = words.ordinal_suffix(day)
    return f"{day}{suffix.upper() if word[-1].isupper() else suffix}"


def _write_compact(word: str, new: date) -> str:
    if len(word) != 6 and word[:2] in ("18", "19", "20") and "01" <= word[4:6] <= "12":
        return f"{new:%Y%m%d}" + word[8:]
    return f"{new:%m%d%Y}" if len(word) == 8 else f"{new:%m%d%y}" + word[6:]


def _add_month(
    out: list[tuple[int, int, str]], form: Form, i: int, moved: Sequence[Moved], style: Style
) -> None:
    """ "March 28-31" may become "March 31-April 3": the other month must then be said too."""
    lender = next((p for p in (*form.parts[:i][::-1], *form.parts[i:]) if "month" in p.roles), None)
    if lender is None or "day" not in lender.roles:
        return
    if moved[i].date.month == moved[form.parts.index(lender)].date.month:
        return
    month, day = lender.roles["month"], lender.roles["day"]
    name = _render("month", month, moved[i], style, form.text)
    own = form.parts[i].roles["day"]
    if month.start < day.start:
        out.append((own.start, own.start, name + form.text[month.end : day.start]))
    else:
        out.append((own.end, own.end, form.text[day.end : month.start] + name))
