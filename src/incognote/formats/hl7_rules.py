"""What the fields and components of HL7 v2 hold: the table, data types, and looks."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files

from incognote.formats.hl7_text import Part
from incognote.policy import TEXT, FormatRules

# Types of observations that are numbers and codes, and types that are values of a known kind.
NUMBERS = frozenset({"NM", "SN", "SI", "ID", "IS", "TM", "NA"})
VALUE_KINDS = {
    "DT": "DATE", "TS": "DATE", "DTM": "DATE", "XPN": "NAME:PATIENT", "PN": "NAME:PATIENT",
    "XCN": "XCN:DOCTOR", "CN": "XCN:DOCTOR", "XAD": "ADDRESS", "AD": "ADDRESS", "XTN": "PHONE",
    "TN": "PHONE", "CX": "ID:IDNUM", "EI": "ID:IDNUM", "CK": "ID:IDNUM", "XON": "ORG", "HD": "ORG",
    "PL": "PLACE", "DR": "TIMES", "RP": "POINTER",
}  # fmt: skip
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
# The components of other types that are known by their number.
_NUMBERED = {
    "NAME": {1, 2, 3, 15}, "XCN": {1, 2, 3, 4, 9, 14}, "NDL": {1, 2, 3, 4, 5, 6, 7},
    "ID": {1, 2, 4, 6, 9}, "PAIR": {1, 2}, "DATE": {1, 2},
}  # fmt: skip
# The component of a name that says how its bearer is called.
CALLED_BY = 15
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
# Catalogues of the world (HL7 table 0396), whose names of things name nobody. Local ones may.
_CATALOGUES = frozenset(
    """
    ACR ANS+ ASTM ATC C4 C5 CAS CCC CDCA CDCM CDCREC CDS CLP CPT CPT4 CPTM CVX DCM ENZC FDDC FDDX
    FDK FIPS5_2 FIPS6_4 HCPCS HCPT HI HIBCC HPC I10 I10C I10P I9 I9C I9CDX I9CP IBT IBTNNNN IC2
    ICD10 ICD10CM ICD10PCS ICD9 ICD9CM ICDO ICDO2 ICDO3 ICS ICSD ISBT ISO ISO+ ISO3166_1 ITIS IUPC
    IUPP JC10 LN LOINC MCD MCR MDC MDDX MEDC MEDR MGPI MVX NAICS NCIT NDA NDC NDFRT NIC NIP001
    NIP002 NUBC NUCC NULLFL POS RXNORM SCT SCT2 SDM SIC SNM SNM3 SNOMED SNOMED-CT SNT UB04 UB92 UCUM
    UMD UML UNII UPC USPS W1 W2 W4 WC
    """.split()
)
_TABLE = re.compile(r"HL7\d{3,4}|PHINQUESTION|PHVS_\w{1,60}")
_CODE = re.compile(r"(?=[A-Z.-]*\d)[\dA-Z.-]+")
# What an identifier is unique in (table 0301): no name.
_TYPES_OF_ID = frozenset("DNS GUID UUID HCD HL7 ISO L M N CLIA CLIP NPI CMS URI EUI64".split())


# What the type of an identifier (table 0203) says of it, whatever field it stands in.
_LABELS_OF_ID = {"SS": "SSN", "DL": "LICENSE"}
_TYPE_OF_ID = 5


@cache
def _table() -> Mapping[str, Mapping[str, str]]:
    return tomllib.loads(files("incognote.formats").joinpath("hl7_fields.toml").read_text("utf-8"))


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
            named = _table().get(segment, {}).get(str(number)) if chosen is None else chosen
            self._named[segment, number] = found = "TEXT" if named == TEXT else named
            return found

    def told(self, segment: str, number: int, text: str) -> str:
        """As anybody names the field, else by its looks: "" for what need not be read."""
        named = self.of(segment, number)
        if named is not None:
            return named
        known = segment in _table()
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


def unlisted(components: Sequence[Part]) -> list[Part]:
    """The components without codes and names from a catalogue: code^name^catalogue, twice, and
    their versions."""

    def names_catalogue(part: Part) -> bool:
        return part.text in _CATALOGUES or _TABLE.fullmatch(part.text) is not None

    listed: set[int] = set()
    for first, version in ((0, 6), (3, 7)):
        if len(components) > first + 2 and names_catalogue(components[first + 2]):
            listed |= {first, first + 1, first + 2, version}
    return [each for number, each in enumerate(components) if number not in listed]


def in_words(components: Sequence[Part]) -> list[Part]:
    """The components of a coded field that are no codes, of whatever catalogue."""
    return [each for each in unlisted(components) if not _CODE.fullmatch(each.text)]


def says_something(text: str) -> bool:
    """Whether a stretch that nothing is known of may name or number somebody."""
    return text not in _TYPES_OF_ID and _PERSONAL.search(text) is not None


def unnumbered(components: Sequence[Part], family: str) -> list[Part]:
    """The components of a typed value whose number says nothing of what they hold."""
    numbered = _NUMBERED.get(family) or set(COMPONENTS.get(family, (1,)))
    return [each for number, each in enumerate(components, 1) if number not in numbered]


def label_of_id(components: Sequence[Part]) -> str | None:
    """What an identifier says of itself: a surrogate of an SSN must be none that somebody has."""
    if len(components) < _TYPE_OF_ID:
        return None
    return _LABELS_OF_ID.get(components[_TYPE_OF_ID - 1].text)


def is_assigner(part: Part, number: int) -> bool:
    """Whether a component of an identifier says who gave it; the second may be a check digit."""
    return part.text not in _TYPES_OF_ID and (number > 2 or WORD.search(part.text) is not None)


def is_oid(part: Part) -> bool:
    return _OID.fullmatch(part.text) is not None
