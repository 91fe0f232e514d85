"""Cuts a written date into fields: numbers, months, weekdays, seasons, feasts, years in words."""

from __future__ import annotations

import re
from dataclasses import dataclass

from incognote.transform.dates import words
from incognote.transform.dates.holidays import HOLIDAYS

_LEX = re.compile(
    r"(?P<time>\d{1,2}:\d\d(?::\d\d)?(?:[.,]\d+)?(?:\s?[AaPp]\.?[Mm]\b\.?)?(?:Z|[+-]\d\d:?\d\d)?)"
    r"|(?P<quarter>[Qq][1-4]\b)"
    r"|(?P<ordinal>\d{1,2}(?:st|nd|rd|th|ST|ND|RD|TH)\b)"
    r"|(?P<short>['’`]\d\d(?!\d))"
    r"|(?P<decade>(?:['’]|\b(?:1[5-9]|20)|(?<![\d.'’]))\d0['’]?s\b)"
    r"|(?P<roman>(?<=\d[./ -])(?:I{1,3}|I?V|VI{1,3}|I?X|XI{1,2}|i{1,3}|i?v|vi{1,3}|i?x|xi{1,2})"
    r"(?=[./ -]\d))"
    r"|(?P<number>\d+)"
    r"|(?P<word>[^\W\d_]+(?:['’][^\W\d_]+|-feira\b)*)"
)
# Words that qualify a date and name none.
_PLAIN = frozenset(
    "a about approx around at beginning century circa day days during each early end eve evening "
    "every first half in last late later mid middle month morning my new next night noon of on "
    "previous quarter second since the this t week weekend wk wknd year z am pm "
    "de del el le du den der im am da do di il em".split()
)
_MISREAD_WORD = re.compile(r"(?=[^\W_]*[10])[^\W\d_][^\W_]{2,}")
_MISREAD_NUMBER = re.compile(
    r"(?<![^\W\d_])(?=[lIOo|]*\d)(?=\d*[lIOo|])[\dlIOo|]+(?=(?:st|nd|rd|th)?\b)"
)
# "14/III/24": no scanner turned three ones into a month between marks.
_ROMAN_MONTH = re.compile(r"\d{1,2}[/.-]III[/.-]\d{2,4}")
_DIGITS = str.maketrans("lI|Oo", "11100")
_DIGIT = re.compile(r"\d")
_NOISE = re.compile(r"[\dlIOo| ./\-]+")


@dataclass(frozen=True, slots=True)
class Field:
    """A piece of a written date. `kind` is a letter of the code; `word` is how it was written."""

    start: int
    end: int
    kind: str
    value: int
    word: str


def clean(text: str) -> str:
    """What OCR misread: "lO/O2/23" is 10/02/23, "Ju1y l" is July 1. Digits of other scripts become
    ours, or an unread year would stay as it is. Nothing else is touched."""
    if not text.isascii():
        text = _DIGIT.sub(lambda m: str(int(m[0])), text)
    text = _MISREAD_WORD.sub(lambda m: _month_with_digits(m[0]), text)
    if _ROMAN_MONTH.fullmatch(text):
        return text
    text = _MISREAD_NUMBER.sub(lambda m: m[0].translate(_DIGITS), text)
    if (
        any(char in text for char in "lIOo|")
        and _NOISE.fullmatch(text)
        and re.search(r"\d|/", text)
    ):
        return re.sub(r"(?<=\d) (?=\d)", "", text.translate(_DIGITS))
    return text


def _month_with_digits(word: str) -> str:
    plain = word.replace("1", "l").replace("0", "o")
    return plain if words.month_of(plain.lower()) else word


def lex(text: str) -> tuple[list[Field], list[Field]]:
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
            case "roman":
                fields.append(Field(start, end, "M", words.ROMAN.index(word.upper()) + 1, word))
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
    for kind, value in (
        ("M", words.month_of(lower)),
        ("W", words.weekday_of(lower)),
        ("S", words.SEASON_OF.get(lower)),
    ):
        if value is not None:
            return Field(start, end, kind, value, word)
    return Field(start, end, "?", 0, word)


def _phrases(
    text: str, fields: list[Field], unknown: list[Field]
) -> tuple[list[Field], list[Field]]:
    """Holidays, years and days written in words."""
    holiday = HOLIDAYS.find(text)
    if holiday is not None:
        start, end, found = holiday
        inside = [f for f in (*fields, *unknown) if start <= f.start and f.end <= end]
        fields = [f for f in fields if f not in inside]
        unknown = [f for f in unknown if f not in inside]
        fields.append(Field(start, end, "H", found.index, text[start:end]))
    run = _run(text, [f for f in unknown if words.is_number_word(f.word.lower())])
    spoken_date = _numbers_in_words(text, run)
    if spoken_date:
        fields += spoken_date
        unknown = [f for f in unknown if f not in run]
    fields.sort(key=lambda f: f.start)
    return fields, unknown


def _numbers_in_words(text: str, run: list[Field]) -> list[Field]:
    """Days and years in words, and all three as numbers: "eight eleven fifty-three"."""
    spoken = [f.word.lower() for f in run]

    def field(kind: str, first: int, last: int, value: int) -> Field:
        start, end = run[first].start, run[last - 1].end
        return Field(start, end, kind, value, text[start:end])

    size = len(run)
    for day_end in range(min(2, size), -1, -1):
        day = words.ORDINAL_OF.get("-".join(spoken[:day_end]))
        year = words.read_year(spoken[day_end:])
        if (day_end and day is None) or (day_end < size and year is None):
            continue
        found = [field("O", 0, day_end, day)] if day is not None else []
        return [*found, field("Y", day_end, size, year)] if year is not None else found
    for day_end in (3, 2):
        month = words.read_number(spoken[:1])
        day = words.read_number(spoken[1:day_end])
        year = words.read_year(spoken[day_end:]) or words.read_number(spoken[day_end:])
        if month and day and year and month <= 12 and day <= 31:
            return [
                field("N", 0, 1, month),
                field("N", 1, day_end, day),
                field("Y", day_end, size, year),
            ]
    return []


def _run(text: str, spoken: list[Field]) -> list[Field]:
    """The longest beginning of `spoken` whose words appear next to each other."""
    run: list[Field] = []
    for each in spoken:
        if run and text[run[-1].end : each.start].strip(" -"):
            break
        run.append(each)
    return run
