"""What a note says of people: identifiers, quasi-identifiers and sensitive attributes, each with
its place and its subject."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from incognote.core.caches import once
from incognote.core.errors import IncognoteError, UsageError
from incognote.core.people import People
from incognote.core.types import Document, Result
from incognote.lexicon import fold, lexicon
from incognote.persons import fields
from incognote.persons.subjects import PATIENT, RELATIVE, Subjects, vocabulary, word_pattern
from incognote.policy import Policy
from incognote.transform.dates.ages import years
from incognote.transform.dates.facts import DateFacts
from incognote.transform.record import Mention as Written
from incognote.transform.record import Scope, TransformRecord

# Attributes by what an attacker does with them. `[roles]` of a policy may say otherwise.
DIRECT = ("name", "mrn", "ssn", "plan")
QUASI = (
    "age", "birth_date", "sex", "zip", "city", "state", "profession",
    "ethnicity", "religion", "marital", "language", "orientation", "employment",
)  # fmt: skip
SENSITIVE = ("diagnosis",)
DATED = ("admission", "visit")
# Worked out from the others; no mention has it.
DERIVED = ("birth_year",)
ATTRIBUTES = (*DIRECT, *QUASI, *SENSITIVE, *DATED, *DERIVED)

_ROLES = {
    **dict.fromkeys(DIRECT, "direct"),
    **dict.fromkeys(QUASI, "quasi"),
    **dict.fromkeys(SENSITIVE, "sensitive"),
    **dict.fromkeys((*DATED, *DERIVED), "ignore"),
}


def roles_of(said: Mapping[str, str]) -> dict[str, str]:
    """The role of every attribute; `said` is what a policy says of some."""
    if unknown := sorted(said.keys() - _ROLES.keys()):
        raise UsageError(f"roles.{unknown[0]}: no attribute; there are {', '.join(ATTRIBUTES)}")
    return {**_ROLES, **said}


LABELS = {
    "AGE": "age",
    "ZIP": "zip",
    "STATE": "state",
    "PROFESSION": "profession",
    "MEDICALRECORD": "mrn",
    "SSN": "ssn",
    "HEALTHPLAN": "plan",
    "PATIENT": "name",
    "CITY": "city",
    "DATE": "visit",
    "RELIGION": "religion",
    "MARITAL": "marital",
    "ETHNICITY": "ethnicity",
    "LANGUAGE": "language",
    "ORIENTATION": "orientation",
    "EMPLOYMENT": "employment",
}
_BIRTH = re.compile(
    r"\b(?:d\.?\s?o\.?\s?b\.?|birth\s?date|date\s+of\s+birth|birth|born)\b[^\n\d]{0,14}$",
    re.IGNORECASE,
)
_ADMITTED = re.compile(r"\badmi(?:t|tted|ssion)\b[^\n\d]{0,24}$", re.IGNORECASE)
_SEX = (
    (
        re.compile(
            r"\b(?:sex|gender)\s?[:=]\s{0,3}(f(?:emale)?|m(?:ale)?|woman|man)\b", re.IGNORECASE
        ),
        1.0,
    ),
    (
        re.compile(
            r"\b\d{1,3}[\s-]{0,2}(?:years?|yrs?|y|months?|weeks?|days?)?[\s/.-]{0,2}(?:old|o)?[\s.,/-]{0,2}"
            r"(?:[\w-]+[\s,]){0,3}?(male|female|man|woman|gentleman|lady|boy|girl|[mf])\b",
            re.IGNORECASE,
        ),
        0.9,
    ),
    (re.compile(r"\b(mr|mrs|ms|miss)\b\.?\s(?=[A-Z])"), 0.7),
    (re.compile(r"\b(he|she|his|her|him)\b", re.IGNORECASE), 0.2),
)
_FEMALE = frozenset("f female woman lady girl mrs ms miss she her".split())
# What a release writes in place of a value says nothing of a person.
_TAG = re.compile(r"\[[A-Z][A-Z-]{1,20}(?:-\d{1,4})?\]")
_NEGATED = 40
_SAME = {
    "latina": "latino", "latinx": "latino", "african-american": "african american",
    "asian-american": "asian american", "mexican-american": "mexican american",
    "mixed-race": "mixed race", "filipina": "filipino", "widow": "widowed", "widower": "widowed",
    "divorcee": "divorced", "unmarried": "single", "never married": "single", "bachelor": "single",
    "spinster": "single",
    "jehovahs witness": "jehovah's witness", "seventh day adventist": "seventh-day adventist",
    "asl": "american sign language", "self employed": "self-employed", "housewife": "homemaker",
    "out of work": "unemployed", "not working": "unemployed", "on long-term disability": "disabled",
    "on short-term disability": "disabled", "on disability": "disabled", "common law": "common-law",
    "msm": "gay", "ashkenazi jewish": "jewish", "ashkenazi": "jewish",
    "orthodox jew": "orthodox jewish",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Mention:
    """A value of a person at a place of a document.

    `document` is the note as the view counts it, `source` the document that it appears in,
    `locator` the field of a row; `digest` shows whether a text has changed since.
    """

    document: str
    start: int
    end: int
    label: str
    attribute: str
    value: str = field(repr=False)
    subject: str
    score: float
    detectors: tuple[str, ...] = ()
    source: str = ""
    locator: str = ""
    digest: str = field(default="", repr=False)


def mentions_of(result: Result, policy: Policy) -> list[Mention]:
    """All of them, in the order of the text. `policy` is the one the note was read with."""
    document = result.document
    subjects = Subjects(document.text, result.people)
    record = TransformRecord(
        document, result.spans, Scope(b"\0" * 16, document.id, policy.transform), policy
    )
    found = [*_from_spans(record, subjects, result.people), *_sexes(document, subjects)]
    if document.free_text:
        found += _diagnoses(document, subjects)
    mark = digest(document.text)
    placed = [
        replace(each, source=document.id, locator=document.locator, digest=mark) for each in found
    ]
    return sorted(placed, key=lambda each: (each.start, each.end, each.attribute, each.value))


def digest(text: str) -> str:
    """Recognises a text that has changed. Not keyed: it is stored beside the text itself."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def _from_spans(record: TransformRecord, subjects: Subjects, people: People) -> Iterator[Mention]:
    document = record.document
    facts = DateFacts(record)
    states = {
        mention.span.group: mention for mention in record.mentions if mention.label == "STATE"
    }
    tags = [match.span() for match in _TAG.finditer(document.text)]
    for written in record.mentions:
        attribute = LABELS.get(written.label)
        tagged = any(start < written.end and written.start < end for start, end in tags)
        if attribute is None or tagged:
            continue
        if attribute == "visit":
            attribute, value = _dated(written, record, facts)
            if value and (kind := fields.kind_of_date(document.locator)):
                attribute = kind
        elif attribute == "city":
            value = _city(written, states)
        elif attribute == "name":
            value = _name_of(people, written.start) or name_form(written.text)
        else:
            value = _value(attribute, written, record)
        if not value:
            continue
        given = not document.free_text or written.span in document.given
        subject = subjects.of(written.start, written.end)
        if given:
            value = fields.decoded(attribute, value)
            subject = RELATIVE if fields.is_of_relative(document.locator) else PATIENT
        yield Mention(
            document.id,
            written.start,
            written.end,
            written.label,
            attribute,
            value,
            subject,
            written.span.score,
            written.span.sources,
        )


def _value(attribute: str, written: Written, record: TransformRecord) -> str:
    """The normal form of what is written; "" where it cannot be read."""
    text = " ".join(written.text.split())
    if attribute == "age":
        age = years(written, record)
        return "" if age is None or age > 130 else str(age)
    if attribute == "zip":
        digits = re.sub(r"\D", "", text)
        return digits[:5] if len(digits) in (5, 9) else ""
    if attribute == "state":
        return lexicon().state(text) or ""
    if attribute in ("mrn", "ssn", "plan"):
        return re.sub(r"[^0-9A-Za-z]", "", text).upper()
    folded = text.casefold()
    return _SAME.get(folded, folded)


def _name_of(people: People, start: int) -> str:
    """The name of who is meant there, as linking within the note knows it: all of it, also where
    only a part is written."""
    named = people.at(start)
    if named is None:
        return ""
    family = [part.canonical for part in named[0].of("family") if not part.is_initial]
    given = [part.canonical for part in named[0].of("given") if not part.is_initial]
    return f"{family[-1]}, {given[0]}" if family and given else ""


def name_form(text: str) -> str:
    """Family and given name in plain letters; "" for one word, which may be either."""
    plain = fold(
        re.sub(r"\b(?:mr|mrs|ms|miss|dr|jr|sr|ii|iii)\b\.?", " ", text, flags=re.IGNORECASE)
    )
    if "," in text:
        family, _, given = text.partition(",")
        parts = fold(family).split(), fold(given).split()
        return f"{parts[0][-1]}, {parts[1][0]}" if parts[0] and parts[1] else ""
    words = [word for word in plain.split() if word]
    return f"{words[-1]}, {words[0]}" if len(words) > 1 else ""


def _city(written: Written, states: dict[str, Written]) -> str:
    town = " ".join(written.text.split()).title()
    if written.span.group and written.span.group in states:
        state = lexicon().state(states[written.span.group].text)
        return f"{town}, {state}" if state else town
    known = lexicon().city(town)
    # A town without a state: the largest of that name, if it is a large one.
    sure = known and known[0].state and known[0].population > 100_000
    return f"{town}, {known[0].state}" if sure else town


def _dated(written: Written, record: TransformRecord, facts: DateFacts) -> tuple[str, str]:
    """Whether a date is a birth, an admission or a visit, and the day."""
    before = record.text[max(0, written.start - 40) : written.start]
    try:
        parts = facts.form(written).dates
    except (IncognoteError, ValueError, ArithmeticError):
        return "visit", ""
    exact = [part for part in parts if part.exact and part.year and part.month and part.day]
    if not exact:
        return "visit", ""
    day = facts.resolve(exact[0]).isoformat()
    if _BIRTH.search(before):
        return "birth_date", day
    return ("admission" if _ADMITTED.search(before) else "visit"), day


def _sexes(document: Document, subjects: Subjects) -> Iterator[Mention]:
    """Sex by the field that states it, or by the surest words that the note has of the patient."""
    if fields.is_sex(document.locator):
        if value := fields.sex(document.text[document.lead :]):
            start, end = document.lead, len(document.text)
            yield Mention(document.id, start, end, "", "sex", value, PATIENT, 1.0, ("field",))
        return
    for pattern, score in _SEX:
        found = []
        for match in pattern.finditer(document.text):
            start, end = match.span(1)
            if subjects.of(start, end) == PATIENT:
                value = "female" if match[1].casefold() in _FEMALE else "male"
                found.append(
                    Mention(document.id, start, end, "", "sex", value, PATIENT, score, ("words",))
                )
        if found:
            yield from found[:20]
            return


@once
def _diagnosis_terms() -> tuple[re.Pattern[str], dict[str, str], frozenset[str]]:
    terms = {
        term.strip().casefold(): code
        for code, names in vocabulary()["diagnosis"].items()
        for term in names.split(";")
    }
    listed = "|".join(map(re.escape, sorted(terms, key=len, reverse=True)))
    capitals = frozenset(
        term.strip().casefold()
        for names in vocabulary()["diagnosis"].values()
        for term in names.split(";")
        if term.strip().isupper()
    )
    return re.compile(rf"(?<![\w-])(?:{listed})(?![\w-])", re.IGNORECASE), terms, capitals


def _diagnoses(document: Document, subjects: Subjects) -> Iterator[Mention]:
    pattern, terms, capitals = _diagnosis_terms()
    negation = word_pattern("negation")
    for match in pattern.finditer(document.text):
        before = re.split(
            r"[.;\n]", document.text[max(0, match.start() - _NEGATED) : match.start()]
        )[-1]
        if negation.search(before):
            continue
        word = match[0]
        # Short abbreviations are written in capitals, or they are words.
        if not word.isupper() and (len(word) <= 3 or word.casefold() in capitals):
            continue
        yield Mention(
            document.id,
            match.start(),
            match.end(),
            "",
            "diagnosis",
            terms[" ".join(word.casefold().split())],
            subjects.of(match.start(), match.end()),
            0.9,
            ("vocabulary",),
        )
