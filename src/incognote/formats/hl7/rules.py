"""What the fields and components of HL7 v2 hold: the table, data types, and looks."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files

from incognote.core.caches import once
from incognote.core.fields import identifier_label, is_public_code_system
from incognote.formats.clinical import is_measurement
from incognote.formats.hl7.text import Element
from incognote.policy import TEXT, FormatRules

# Types of observations that are numbers and codes.
NUMBERS = frozenset({"NM", "SN", "SI", "ID", "IS", "TM", "NA"})
# Component number -> label, for types whose components are values of their own.
COMPONENTS: dict[str, dict[int, str]] = {
    "ADDRESS": {1: "STREET", 2: "STREET", 3: "CITY", 4: "STATE", 5: "ZIP", 6: "COUNTRY",
                8: "LOCATION-OTHER", 9: "LOCATION-OTHER", 10: "LOCATION-OTHER", 19: "PATIENT"},
    "PHONE": {1: "PHONE", 4: "EMAIL", 6: "PHONE", 7: "PHONE", 8: "PHONE", 9: "TEXT", 12: "PHONE"},
    "PLACE": {1: "ROOM", 2: "ROOM", 3: "ROOM", 4: "HOSPITAL", 7: "LOCATION-OTHER",
              8: "ROOM", 9: "LOCATION-OTHER"},
    "TIMING": {4: "DATE", 5: "DATE"},
    "TIMES": {1: "DATE", 2: "DATE"},
    "DLN": {1: "LICENSE", 2: "STATE", 3: "DATE"},
    "WHERE": {4: "ROOM", 5: "ROOM", 6: "ROOM", 7: "HOSPITAL"},
    "POINTER": {1: "URL", 2: "HOSPITAL"},
}  # fmt: skip
# The components that say who gave an identifier.
AUTHORITIES = {"ID": (2, 4, 6, 9, 10), "XCN": (9, 14, 22, 23)}
# The components of other types that are known by their number.
_NUMBERED = {
    "NAME": {1, 2, 3, 15}, "XCN": {1, 2, 3, 4, *AUTHORITIES["XCN"]}, "NDL": {1, 2, 3, 4, 5, 6, 7},
    "ID": {1, *AUTHORITIES["ID"]}, "PAIR": {1, 2}, "DATE": {1, 2},
}  # fmt: skip
# Kinds of PHI that an observation may be by the name of its test.
LABELS_OF_TESTS = frozenset(
    """SSN MEDICALRECORD HEALTHPLAN ACCOUNT LICENSE PHONE FAX EMAIL STREET CITY ZIP PATIENT DOCTOR
    DATE""".split()
)
# The component of a name that says how its bearer is called.
CALLED_BY = 15
# And that which says what was studied: a clinical value, not a text.
DEGREE = {"NAME": slice(5, 6), "XCN": slice(6, 7)}
# Fields whose text goes on in the next segment of the same name.
NARRATIVE = {"OBX": 5, "NTE": 3}
DATE = re.compile(r"\d{8}|\d{6}$|\d{4}$")
# Numbers that are ages, which may be too high to stay.
AGE = re.compile(r"\bage\b", re.IGNORECASE)
STAMP = re.compile(r"(?:18|19|20|21)\d\d(?:0[1-9]|1[0-2])(?:[0-2]\d|3[01])(?:\d{2,6}(?!\d)|(?!\d))")
_OID = re.compile(r"[0-2](?:\.\d+)+")
WORD = re.compile(r"[^\W\d_]{2}")
# What may be a name or a number of somebody; shorter words and numbers are codes.
_PERSONAL = re.compile(r"[^\W\d_]{4}|[^\W\d_]{2} \S*[^\W\d_]{2}|\d{5}")
_SHORTEST_GUESS = 4
_REMEMBERED = 4096
_CODE = re.compile(r"(?=[A-Z.-]*\d)[\dA-Z.-]+")
# What an identifier is unique in (table 0301): no name.
_TYPES_OF_ID = frozenset("DNS GUID UUID HCD HL7 ISO L M N CLIA CLIP NPI CMS URI EUI64".split())

_TYPE_OF_ID = 5
# The components of a coded value that name its code systems, and the versions of these.
_CODE_SYSTEMS = frozenset({2, 5, 6, 7})


@once
def _table() -> Mapping[str, Mapping[str, str]]:
    return tomllib.loads(files("incognote.formats.hl7").joinpath("fields.toml").read_text("utf-8"))


@once
def _types() -> Mapping[str, list[str]]:
    """Segment -> the data types of its fields, from the first on."""
    source = files("incognote.formats.hl7").joinpath("types.toml")
    return {name: types.split() for name, types in tomllib.loads(source.read_text("utf-8")).items()}


@once
def _kinds_of_types() -> Mapping[str, str]:
    return {name: kind for kind, names in _table()["default"].items() for name in names.split()}


def kind_of_type(name: str) -> str | None:
    """What a value of a data type holds; None where it is a string, which may say anything."""
    return _kinds_of_types().get(name)


def kind_of_field(segment: str, number: int) -> str | None:
    """As the table says of the field, else as its data type says."""
    named = _table().get(segment, {}).get(str(number))
    types = _types().get(segment, [])
    if named is None and 0 < number <= len(types):
        return kind_of_type(types[number - 1])
    return named


@dataclass(slots=True)
class Kinds:
    """What the fields of segments hold, asked for each field of each message of a file."""

    rules: FormatRules
    _named: dict[tuple[str, int], str | None] = field(default_factory=dict)
    # Reports say the same around the text of segment after segment: what had nothing to be read.
    silent: set[tuple[str, ...]] = field(default_factory=set)

    def of(self, segment: str, number: int) -> str | None:
        """As the policy says, else as the table says; None where neither names the field."""
        try:
            return self._named[segment, number]
        except KeyError:
            chosen = self.rules.choice(f"{segment}-{number}", segment)
            named = kind_of_field(segment, number) if chosen is None else chosen
            self._named[segment, number] = found = "TEXT" if named == TEXT else named
            return found

    def kind_of(self, segment: str, number: int, text: str) -> str:
        """What policy or table say, else a guess by the text; "" for what need not be read."""
        named = self.of(segment, number)
        if named is not None:
            return named
        known = segment in _types()
        if len(text) < _SHORTEST_GUESS:
            return "" if known else "TEXT"
        # Of fields the table does not name, codes stay and whatever reads like words is read.
        if STAMP.match(text):
            return "TIMES"
        return "TEXT" if not known or says_something(text) else ""

    def remember(self, silent: tuple[str, ...]) -> None:
        if len(self.silent) >= _REMEMBERED:
            self.silent.clear()
        self.silent.add(silent)


def unlisted(components: Sequence[Element]) -> list[Element]:
    """The components without codes and names from a catalogue: code^name^catalogue, twice, and
    their versions."""
    listed: set[int] = set()
    for first, version in ((0, 6), (3, 7)):
        if len(components) > first + 2 and is_public_code_system(components[first + 2].text):
            listed |= {first, first + 1, first + 2, version}
    return [each for number, each in enumerate(components) if number not in listed]


def in_words(components: Sequence[Element]) -> list[Element]:
    """The components of a clinical value that say something in words: no codes, of whatever
    catalogue, and no quantities. How a catalogue is called is a code, too."""
    named = [each for at, each in enumerate(components) if at not in _CODE_SYSTEMS]
    return [
        each
        for each in unlisted(components)
        if each in named and not (_CODE.fullmatch(each.text) or is_measurement(each.text))
    ]


def says_something(text: str) -> bool:
    """Whether a stretch that nothing is known of may name or number somebody."""
    return not is_type_of_id(text) and _PERSONAL.search(text) is not None


def unnumbered(components: Sequence[Element], family: str) -> list[Element]:
    """The components of a typed value whose number says nothing of what they hold."""
    numbered = _NUMBERED.get(family) or set(COMPONENTS.get(family, (1,)))
    return [each for number, each in enumerate(components, 1) if number not in numbered]


def label_of_id(components: Sequence[Element]) -> str | None:
    """What an identifier says of itself: a surrogate of an SSN must be none that somebody has."""
    if len(components) < _TYPE_OF_ID:
        return None
    return identifier_label([components[_TYPE_OF_ID - 1].text])


def is_assigner(element: Element, number: int) -> bool:
    """Whether a component of an identifier says who gave it; the second may be a check digit."""
    return not is_type_of_id(element.text) and (number > 2 or WORD.search(element.text) is not None)


def is_type_of_id(text: str) -> bool:
    """Whether this says what an identifier is unique in; some write several: "L,M,N"."""
    return all(each in _TYPES_OF_ID for each in text.split(","))


def is_oid(element: Element) -> bool:
    return _OID.fullmatch(element.text) is not None
