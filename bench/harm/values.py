"""The values of a structured file, read without incognote.

Each value has a place, by which it is found again in the output, and a field, by which the reviewed
list says what it is: "PID-5.1", "Patient.name.family", "patientRole/id/@extension".
"""

from __future__ import annotations

import csv
import io
import json
import re
import warnings
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, NamedTuple


class Value(NamedTuple):
    place: str
    field: str
    text: str


def fhir(data: bytes) -> Iterator[Value]:
    """Strings and numbers; fields are counted from the innermost resource."""

    def walk(node: Any, place: str, field: str) -> Iterator[Value]:
        if isinstance(node, dict):
            if "resourceType" in node:
                field = str(node["resourceType"])
            for key, each in node.items():
                inner = f"{field}.{key}"
                # What an extension holds depends on its address.
                if key.startswith("value") and "url" in node:
                    inner = f"{field}[{str(node['url']).rpartition('/')[2]}].{key}"
                yield from walk(each, f"{place}.{key}", inner)
        elif isinstance(node, list):
            for number, each in enumerate(node):
                yield from walk(each, f"{place}[{number}]", field)
        elif node is not None and not isinstance(node, bool):
            yield Value(place, field, str(node))

    text = data.decode("utf-8-sig")
    lines = [text] if text.lstrip()[:1] == "{" and _is_json(text) else text.splitlines()
    for number, line in enumerate(lines):
        if line.strip():
            yield from walk(json.loads(line), str(number), "")


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def hl7(data: bytes) -> Iterator[Value]:
    """Subcomponents. A field has the data type of the standard, OBX-5 that of OBX-2."""
    text = data.decode("utf-8-sig", "replace").replace("\r\n", "\r").replace("\n", "\r")
    marks = "^~\\&"
    counted: dict[str, int] = {}
    for line in re.split(r"[\r\x0b\x1c]+", text):
        if not re.match(r"[A-Z][A-Z0-9]{2}\|", line):
            continue
        name, *fields = line.split("|")
        header = name in ("MSH", "BHS", "FHS")
        if header:
            marks = fields[0]
        counted[name] = counted.get(name, 0) + 1
        for number, content in enumerate(fields, 2 if header else 1):
            if header and number == 2:
                continue
            typed = fields[1] if (name, number) == ("OBX", 5) else _data_type(name, number)
            key = f"{name}-{number}:{typed}"
            for at, part in _divided(content, marks):
                if part:
                    yield Value(
                        f"{name}[{counted[name]}]-{number}{at}", key + at[at.find(".") :], part
                    )


@cache
def _data_type(segment: str, number: int) -> str:
    from hl7apy import load_library
    from hl7apy.exceptions import HL7apyException

    try:
        fields = dict(row[:2] for row in load_library("2.5.1").get(segment, "Segment")[1])
        return str(fields[f"{segment}_{number}"][2])
    except (HL7apyException, KeyError):
        return "?"


def _divided(content: str, marks: str) -> Iterator[tuple[str, str]]:
    component, repetition, _, subcomponent = marks.ljust(4)[:4]
    for r, repeated in enumerate(content.split(repetition)):
        for c, part in enumerate(repeated.split(component), 1):
            inner = part.split(subcomponent)
            for s, each in enumerate(inner, 1):
                yield f"[{r}].{c}" + (f".{s}" if len(inner) > 1 else ""), each


def xml(data: bytes) -> Iterator[Value]:
    """Attributes and texts; a field has the last four elements above it."""
    from lxml import etree

    tree = etree.fromstring(data, etree.XMLParser(resolve_entities=False, huge_tree=True))
    counted: dict[str, int] = {}
    for element in tree.iter():
        if not isinstance(element.tag, str):
            continue
        above = [_named(each) for each in reversed([*_above(element)])]
        field = "/".join(above)
        counted[field] = counted.get(field, 0) + 1
        place = f"{field}[{counted[field]}]"
        for name, text in element.attrib.items():
            yield Value(f"{place}/@{name}", f"{field}/@{etree.QName(name).localname}", str(text))
        for number, text in enumerate([element.text, *(child.tail for child in element)]):
            if text and text.strip():
                yield Value(f"{place}/text[{number}]", field, text.strip())


def _named(element: Any) -> str:
    """The name of an element; a participant by its class: "playingEntity[PLC]"."""
    from lxml import etree

    name = etree.QName(element).localname
    kind = element.get("classCode") if name == "playingEntity" else None
    return f"{name}[{kind}]" if kind else name


def _above(element: Any) -> Iterator[Any]:
    while element is not None:
        yield element
        element = element.getparent()


def table(data: bytes) -> Iterator[Value]:
    text = data.decode("utf-8-sig")
    first = text.partition("\n")[0]
    rows = csv.reader(io.StringIO(text), delimiter=max(",\t;|", key=first.count))
    header = next(rows)
    for number, row in enumerate(rows):
        for name, cell in zip(header, row, strict=True):
            if cell.strip():
                yield Value(f"{number}.{name}", name, cell)


def xlsx(data: bytes) -> Iterator[Value]:
    """Cells, by their place in the book: sheets may be called otherwise afterwards."""
    import openpyxl

    book = openpyxl.load_workbook(io.BytesIO(data))
    for number, sheet in enumerate(book.worksheets):
        for row in sheet.iter_rows():
            for cell in row:
                if cell.value is not None:
                    kind = "formula" if cell.data_type == "f" else type(cell.value).__name__
                    yield Value(f"{number}!{cell.coordinate}", kind, str(cell.value))


# Sequences that the profile removes, or in which a tool says what it did itself.
_REPLACED = frozenset(
    """IconImageSequence DeidentificationMethodCodeSequence OtherPatientIDsSequence
    VerifyingObserverIdentificationCodeSequence""".split()
)


def dicom(data: bytes) -> Iterator[Value]:
    """Elements by keyword. Those that the profile (PS3.15) names are not asked here: it removes
    more than identifies anybody, and says so."""
    import pydicom

    def walk(dataset: Any, place: str) -> Iterator[Value]:
        for element in dataset:
            at = f"{place}.{element.tag}"
            if element.keyword in _REPLACED:
                continue
            if element.VR == "SQ":
                for number, item in enumerate(element.value or ()):
                    yield from walk(item, f"{at}[{number}]")
            elif element.tag.is_private or element.keyword in _profiled():
                continue
            elif not isinstance(element.value, bytes) and str(element.value):
                yield Value(at, element.keyword or "unknown", str(element.value))

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield from walk(pydicom.dcmread(io.BytesIO(data)), "")


@cache
def _profiled() -> frozenset[str]:
    """The keywords with an action in the Basic Profile, as the table of somebody else has them."""
    import pydicom.datadict

    from bench.harm.rate import FIXTURES

    rows = json.loads(
        (
            FIXTURES / "dicom_profile" / "innolitics-confidentiality_profile_attributes.json"
        ).read_text()
    )
    tags = (re.findall(r"[0-9A-Fa-f]{4}", row["tag"]) for row in rows)
    numbers = (int("".join(tag), 16) for tag in tags if len(tag) == 2)
    return frozenset(pydicom.datadict.keyword_for_tag(number) for number in numbers)


def vcf(data: bytes) -> Iterator[Value]:
    """Header lines word by word, and the columns of variants."""
    counted: dict[str, int] = {}
    for number, line in enumerate(data.decode("utf-8", "replace").splitlines()):
        if line.startswith("##"):
            key = re.split(r"[=<]", line[2:], maxsplit=1)[0]
            counted[key] = counted.get(key, 0) + 1
            for at, word in enumerate(re.findall(r"[^\s,=<>\"]+", line)):
                yield Value(f"{key}[{counted[key]}].{at}", f"##{key}", word)
        elif line.startswith("#"):
            for at, name in enumerate(line.split("\t")):
                yield Value(f"columns.{at}", "sample" if at > 8 else "column", name)
        else:
            for at, text in enumerate(line.split("\t")):
                yield Value(f"{number}.{at}", "variant", text)


READERS: dict[str, Callable[[bytes], Iterator[Value]]] = {
    "hl7": hl7,
    "fhir": fhir,
    "fhir-xml": xml,
    "ccda": xml,
    "csv": table,
    "xlsx": xlsx,
    "dicom": dicom,
    "vcf": vcf,
}


def kind_of(name: str, data: bytes) -> str | None:
    """Which of the readers a file is for."""
    head = data[:4096]
    if name.endswith((".hl7", ".out")) and head.lstrip(b"\xef\xbb\xbf\x0b")[:3] in (
        b"MSH",
        b"FHS",
        b"BHS",
    ):
        return "hl7"
    if name.endswith((".json", ".ndjson")) and b'"resourceType"' in head:
        return "fhir"
    if name.endswith(".xml"):
        return (
            "ccda"
            if b"<ClinicalDocument" in data
            else "fhir-xml"
            if b"hl7.org/fhir" in head
            else None
        )
    if name.endswith((".csv", ".tsv")):
        return "csv"
    endings = {".xlsx": "xlsx", ".vcf": "vcf", ".dcm": "dicom"}
    return next((kind for ending, kind in endings.items() if name.endswith(ending)), None)
