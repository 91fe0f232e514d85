"""Checks that rules name: what a regular expression cannot say about a match.

Each takes the match. Digits are those of the whole group `phi`; dates use the groups `month`,
`day` and `year`.
"""

from __future__ import annotations

import calendar
import ipaddress
import re
from collections.abc import Callable

from incognote.core.checkdigits import DEA, IBAN, LUHN, NHS, NPI, VIN
from incognote.lexicon import lexicon
from incognote.lexicon.words import Rank, is_among, is_medical, is_word

CHECKS: dict[str, Callable[[re.Match[str]], bool]] = {}
_NOT_DIGIT = re.compile(r"\D")
_SEPARATOR = re.compile(r"[\s-]")
_MBI = re.compile(
    r"[1-9][AC-HJKMNP-RT-Y][AC-HJKMNP-RT-Y0-9]\d[AC-HJKMNP-RT-Y][AC-HJKMNP-RT-Y0-9]\d[AC-HJKMNP-RT-Y]{2}\d{2}"
)


def _check(function: Callable[[re.Match[str]], bool]) -> Callable[[re.Match[str]], bool]:
    CHECKS[function.__name__] = function
    return function


def _phi(match: re.Match[str]) -> str:
    groups = match.groupdict()
    return groups.get("phi") or match[0]


def _digits(match: re.Match[str]) -> str:
    return _NOT_DIGIT.sub("", _phi(match))


def _plain(match: re.Match[str]) -> str:
    return _SEPARATOR.sub("", _phi(match)).upper()


@_check
def luhn(match: re.Match[str]) -> bool:
    digits = _digits(match)
    return LUHN.valid(digits) and len(set(digits)) > 1


@_check
def npi(match: re.Match[str]) -> bool:
    """A national provider identifier: Luhn with the issuer prefix 80840."""
    return NPI.valid(_digits(match))


@_check
def dea(match: re.Match[str]) -> bool:
    """A DEA registration: two letters, or a letter and a 9, six digits, a check digit."""
    return DEA.valid(_plain(match))


@_check
def vin(match: re.Match[str]) -> bool:
    """A vehicle identification number with its North American check digit."""
    return VIN.valid(_plain(match))


@_check
def ssn(match: re.Match[str]) -> bool:
    """A social security number that could have been issued, or an individual taxpayer's number."""
    digits = _digits(match)
    if len(digits) != 9 or digits == "078051120" or len(set(digits)) == 1:
        return False
    area, group, serial = digits[:3], digits[3:5], digits[5:]
    if area in ("000", "666") or group == "00" or serial == "0000":
        return False
    if area[0] == "9":
        return group in _ITIN_GROUPS
    return True


_ITIN_GROUPS = frozenset(
    f"{group:02d}" for group in (*range(50, 66), *range(70, 89), *range(90, 93), *range(94, 100))
)


@_check
def mbi(match: re.Match[str]) -> bool:
    """A Medicare beneficiary identifier: digits and letters at their places, no S L O I B Z."""
    return _MBI.fullmatch(_plain(match)) is not None


@_check
def iban(match: re.Match[str]) -> bool:
    text = _plain(match)
    return _IBAN_LENGTHS.get(text[:2]) == len(text) and IBAN.valid(text)


_IBAN_LENGTHS = {
    part[:2]: int(part[2:])
    for part in """AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BR29 BY28 CH21 CR22 CY28 CZ24 DE22
    DK18 DO28 EE20 EG29 ES24 FI18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HR21 HU28 IE22 IL23 IQ23
    IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20 LU20 LV21 MC27 MD24 ME22 MK19 MR27 MT31 MU30 NL18
    NO15 PK24 PL28 PS29 PT25 QA29 RO24 RS22 SA24 SC31 SE24 SI19 SK24 SM27 ST25 SV28 TL23 TN24 TR26
    UA29 VA22 VG24 XK20 BI27 DJ27 FK18 LY25 MN20 NI28 OM23 RU33 SD18 SO23 YE30""".split()
}


@_check
def nhs(match: re.Match[str]) -> bool:
    """An NHS number: ten digits, the last one modulo 11."""
    digits = _digits(match)
    return NHS.valid(digits) and len(set(digits)) > 1


@_check
def aba(match: re.Match[str]) -> bool:
    """A US bank routing number."""
    digits = _digits(match)
    weights = (3, 7, 1) * 3
    return (
        len(digits) == 9
        and digits[0] in "01236789"
        and sum(int(d) * w for d, w in zip(digits, weights, strict=True)) % 10 == 0
    )


@_check
def ip(match: re.Match[str]) -> bool:
    try:
        ipaddress.ip_interface(_phi(match))
    except ValueError:
        return False
    return True


@_check
def nanp(match: re.Match[str]) -> bool:
    """A North American number: area code and exchange do not start with 0 or 1."""
    digits = re.sub(r"\D", "", re.split(r"[a-z]", _phi(match), maxsplit=1, flags=re.IGNORECASE)[0])
    digits = digits[1:] if len(digits) == 11 and digits[0] == "1" else digits
    return len(digits) == 10 and digits[0] not in "01" and len(set(digits)) > 2


@_check
def calendar_date(match: re.Match[str]) -> bool:
    """Day, month and year (where given) make a date in either order."""
    groups = match.groupdict()
    first, second = int(groups["a"]), int(groups["b"])
    year = groups.get("y")
    leap = calendar.isleap(int(year)) if year and len(year) == 4 else True
    return _month_day(first, second, leap) or _month_day(second, first, leap)


def _month_day(month: int, day: int, leap: bool) -> bool:
    return 1 <= month <= 12 and 1 <= day <= _DAYS[leap][month - 1]


_DAYS = tuple(
    tuple(calendar.monthrange(year, month)[1] for month in range(1, 13)) for year in (2023, 2024)
)


@_check
def compact_date(match: re.Match[str]) -> bool:
    """YYYYMMDD, or MMDDYYYY."""
    digits = match["stamp"]
    first = 1880 <= int(digits[:4]) <= 2099 and _month_day(int(digits[4:6]), int(digits[6:8]), True)
    return first or (
        1880 <= int(digits[4:]) <= 2099 and _month_day(int(digits[:2]), int(digits[2:4]), True)
    )


@_check
def not_a_fraction(match: re.Match[str]) -> bool:
    """A month and day that reads as such: month first, and no "4/10", "5/5" or "2/12".

    Scales end at ten or twelve; a zero in front is what only dates have.
    """
    first, second = match["a"], match["b"]
    if first[0] == "0" or second[0] == "0":
        return True
    month, day = int(first), int(second)
    return month <= 12 and month != day and (month > day or (day > 10 and day != 12))


_PAIR = re.compile(r"(?<![\d/.])(\d{1,3})/(\d{1,3})(?![\d/]|\.\d)")
_COLUMN = re.compile(r"  |\t")
_WORD = re.compile(r"[A-Za-z]+")
_ROW = 60  # how far away the neighbours in a row may be
_BESIDE = 30


@_check
def not_among_ratios(match: re.Match[str]) -> bool:
    """No number pair that cannot be a date is beside it in the row: "cat 10/40  dog 3/11".

    With a colon after it, it is still a date: "diary 54/56. CT 1/29: stable".
    """
    text, start, end = match.string, match.start(), match.end()
    if text[end : end + 1] == ":":
        return True
    leftmost, rightmost = max(0, start - _ROW), end + _ROW
    first = max(leftmost, text.rfind("\n", leftmost, start) + 1)
    line_end = text.find("\n", end, rightmost)
    last = rightmost if line_end < 0 else line_end
    for pair in _PAIR.finditer(text, first, last):
        if _ratio(int(pair[1]), int(pair[2])):
            gap = text[pair.end() : start] if pair.end() <= start else text[end : pair.start()]
            if _COLUMN.search(gap) or (len(gap) < _BESIDE and len(_WORD.findall(gap)) < 3):
                return False
    return True


def _ratio(first: int, second: int) -> bool:
    """No date in either order; nor a blood pressure, an acuity of 20/40 or a score out of ten,
    which are beside dates everywhere."""
    if _month_day(first, second, True) or _month_day(second, first, True):
        return False
    return first != 20 and second != 10 and not (first >= 60 and second >= 30)


_WORD_BEFORE = re.compile(r"([A-Za-z]{3,24})[ ]{1,2}\Z")


@_check
def not_a_dose(match: re.Match[str]) -> bool:
    """No drug comes right before: "Loestrin 1/20" is a strength."""
    before = _WORD_BEFORE.search(match.string, max(0, match.start() - 26), match.start())
    return before is None or not lexicon().is_drug(before[1])


@_check
def mixed(match: re.Match[str]) -> bool:
    """An identifier has a digit in it."""
    return any(c.isdigit() for c in _phi(match))


@_check
def phone_length(match: re.Match[str]) -> bool:
    """Eight to fifteen digits, not counting an extension."""
    number = re.split(r"[a-z#]", _phi(match), maxsplit=1, flags=re.IGNORECASE)[0]
    return 8 <= len(_NOT_DIGIT.sub("", number)) <= 15


_DATE_LIKE = re.compile(
    r"\d{1,2}([/.-])\d{1,2}(\1(\d{2}|(18|19|20)\d{2}))?"
    r"|\d{1,2}:\d\d(:\d\d)?"
    r"|(19|20)\d\d[/-]\d\d?([/-]\d\d?)?"
    r"|(19|20)\d\d[/-](19|20)\d\d"
)


# "SN 3w4": three skilled nursing visits a week for four weeks.
_VISITS = re.compile(r"\d[wdx]\d{1,2}")


@_check
def identifier(match: re.Match[str]) -> bool:
    """At least three letters and digits with a digit among them, and neither a date nor a time."""
    text = _phi(match)
    characters = sum(c.isalnum() for c in text)
    if characters < 3 or not any(c.isdigit() for c in text) or _VISITS.fullmatch(text):
        return False
    return not _DATE_LIKE.fullmatch(text) or text.count("-") == 2


@_check
def long_identifier(match: re.Match[str]) -> bool:
    """An identifier after a word that also has everyday uses: three digits, or a long code.

    Values that clinical text puts behind such words are refused: pressures, decimals, and numbers
    behind an abbreviation ("order: INR 1.5").
    """
    text = _phi(match)
    digits = sum(c.isdigit() for c in text)
    length = sum(c.isalnum() for c in text)
    if length < 4 or digits < 2 or _DATE_LIKE.fullmatch(text) or _VALUE_LIKE.match(text):
        return False
    if text.split(" ")[0].isalpha() and digits < 4:
        return False
    if _LOWER_WORD.search(text):
        return False
    return digits > 2 or length > 4


# "18-gauge", "2000-calorie": a count, unless the whole note is in lower case and without words.
_LOWER_WORD = re.compile(r"[a-z]{4}")
_VALUE_LIKE = re.compile(r"[A-Za-z ]*\d+(?:\.\d{1,3}|/\d{2,3})(?:-[\d.]+)?$|\d{2,3}s?-\d{2,3}s?$")


@_check
def seven_digits(match: re.Match[str]) -> bool:
    text = _phi(match)
    return sum(c.isdigit() for c in text) >= 7 and not _DATE_LIKE.fullmatch(text)


_CLINICAL = re.compile(
    r"(?:covid|omega|beta|glucose|were|was|approximately|factor|vitamin|stage|grade|type|level|phase|day|week|cycle|gene|hemoglobin|spo|fio|paco|pco|etco|"
    r"sars|cms|hcfa|mcsa|form|brca|msh|mlh|pms|kras|braf|egfr|her|alk|ros|tp|cyp|hla|nct|icd|cpt|jak|idh|flt|npm|calr|pik|smad|palb|chek|cd|ki|cc|il|tnf|ifn|anti|mirna|phq|gad|moca|step|"
    r"para|gravida|grav|visit|dose|apgar|score|lead|segment|zone|tooth|teeth|rib|line|item|part|ages?|approx|about|"
    r"trop|troponin|lumbar|page|x|q|hs|wk|mo|yr|pod|dol|hod|pgy|t|n|m|p|g|s|l|c|d)-?[0-9]",
    re.IGNORECASE,
)


@_check
def mixed_code(match: re.Match[str]) -> bool:
    """Letters and digits that are neither a billing code, a gene, a form nor an obstetric score."""
    text = _phi(match)
    length = sum(c.isalnum() for c in text)
    return length > 5 - ("-" in text) and not _MEDICAL_CODE.fullmatch(text)


_MEDICAL_CODE = re.compile(
    r"[A-Z]\d{4}(?:[/-][A-Z]?\d{4}|-[A-Z]{2})*"  # HCPCS, alone, in a list or with a modifier
    r"|\d{5}(?:-[A-Z0-9]{2}|[A-Z]{2})"  # CPT with a modifier
    r"|G\d{1,2}P\d{1,4}|P\d{4}|P(?:-\d){3,4}|[FCA]Y(?:19|20)\d\d"  # births; fiscal years
    r"|(?:BP|HR|RR|WT|RBC|WBC|PLT|HGB|HCT)\d.*"  # a value typed without its blank
    r"|(?:SARS|CMS|HCFA|MCSA|FORM|HLA|CYP|FEF|HPV|NCT|CD|FMC|BRCA|DRB|VDRL|ECOG|KRAS|HER|PIK|JAK)-?\d.*"
    r"|.*\d(?:MG|ML|MCG|KG|CM|MM|HZ|H|HR)(?:/.*)?"
    r"|[TMPD]-\d{5}|[A-Z]\d{1,2}-[A-Z]?\d{1,2}|\d{2,3}(?:-\d{2,3})+-[A-Z]{1,2}|\d+/\d+/[A-Z]+"
    r"|(?:[A-Z]{2,5}\d{1,2}/)+[A-Z]{2,5}\d{1,2}"  # genes
    r"|(?:HLA|SARS)-.*|\d{4}-\d\d-\d\dT\d\d|[A-Z]\d{2,4}[A-Z]-\dT"
)


@_check
def not_clinical_code(match: re.Match[str]) -> bool:
    """Neither a gene, a vaccine, a spinal level nor a numbered step."""
    text = _phi(match)
    if text[-1] == "1" and text[-2] in "aeiou":
        return False  # a scanned "l": "norma1"
    return not _CLINICAL.match(text) or sum(c.isdigit() for c in text) > 4


_PHRASES = frozenset(
    """and/or he/she his/her him/her s/p w/o c/o h/o p/o d/c f/u r/o i/o n/v n/v/d w/u a/p h/p m/f
    tid/qid bid/tid yes/no on/off am/pm re:all cc:all to:all na/k bun/cr pt/ot pt/inr ot/pt pt/ptt
    dnr/dni qty/mo ekg/cxr ml/min mg/dl mg/kg cc/hr ml/hr d/w b/l s/s n/a u/a l/s a/o
    a/ox""".split()
)
# Ranks of words that everybody uses.
_ORDINARY = frozenset(
    """days day weeks week months month years year hours hour minutes times mg ml units
    of on the a to in with and or at for per by from is was mm cm kg lb x tabs
    tablets pills doses pack packs blocks chamber vessel lead miles mile feet drinks
    beers""".split()
)


@_check
def not_a_phrase(match: re.Match[str]) -> bool:
    """Neither an abbreviation with a slash nor a count of something followed by a road word."""
    text = _phi(match).lower()
    return text not in _PHRASES and not _ORDINARY.intersection(text.split()[1:-1] or [text])


@_check
def not_a_doctor(match: re.Match[str]) -> bool:
    """A number, one word and "Dr" is an address only if the word is no clinical unit or title."""
    words = _phi(match).lower().split()
    return not _ORDINARY.intersection(words[1:-1])


@_check
def login(match: re.Match[str]) -> bool:
    """A made-up word: no English word, no name, nothing clinical, and not a word with an ending."""
    text = _phi(match).rpartition("\\")[2]
    if any(c.isdigit() or c in "._" for c in text):
        return True
    words = lexicon()
    stem = text.partition("-")[0]
    return (
        len(stem) > 4
        and not stem.endswith(("ing", "ed", "ly", "tion", "ally", "ness", "ology", "itis"))
        and words.word_rank(stem) is None
        and words.word_rank(stem.removesuffix("s")) is None
        and not is_medical(stem)
        and words.first_name(stem) is None
        and words.surname(stem) is None
    )


@_check
def town_in_state(match: re.Match[str]) -> bool:
    """Whether a place before a state is a town in it. A code behind a comma says so by itself; a
    list of states ("Texas, Oklahoma") must not, so the gazetteer has to know the town."""
    if match["code"]:
        return match["code"] != lexicon().state(_phi(match))
    state = lexicon().state(match["state"])
    return any(city.state == state for city in lexicon().city(_phi(match)))


@_check
def first_name(match: re.Match[str]) -> bool:
    """Whether the first word is one that people are called by, and no word of medicine."""
    word = _phi(match).split()[0]
    lex = lexicon()
    return lex.first_name(word) is not None and not (lex.is_clinical(word) or lex.is_eponym(word))


@_check
def numbered_name(match: re.Match[str]) -> bool:
    """Whether words with numbers at their ends are names, one of them at least that of a person and
    of nothing else."""
    lex = lexicon()
    words = [word.rstrip("0123456789") for word in _phi(match).split()]
    named = [word for word in words if lex.first_name(word) or lex.surname(word)]
    return any(not is_word(word) for word in named) and not any(map(lex.is_drug, words))


@_check
def eponym(match: re.Match[str]) -> bool:
    """Whether a disease, a sign or a thing is named by this word."""
    return all(lexicon().is_eponym(part) for part in _phi(match).split("-"))


@_check
def species(match: re.Match[str]) -> bool:
    """Whether the word behind a genus may be a species: no word that everybody uses."""
    return not is_among(_phi(match).split()[-1], Rank.USUAL)


@_check
def part_of_whole(match: re.Match[str]) -> bool:
    """Whether "3/4" counts how many out of a few: the first number is not above the second."""
    part, whole = _phi(match).split("/")
    return int(part) <= int(whole)


@_check
def picture(match: re.Match[str]) -> bool:
    """Whether letters describe a date or time: some part is written twice, or as "h:m"."""
    text = _phi(match).lower()
    return any(part * 2 in text for part in "dmyhsx") or ":" in text
