"""i2b2/UTHealth 2014 XML: a folder of files with <TEXT> and stand-off <TAGS>.

The element's name is the category, its TYPE the label. MEDDOCAN uses the same layout. Offsets are
code points of the TEXT node, the line breaks before its first line included.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from xml.etree import ElementTree as ET
from xml.sax.saxutils import quoteattr

from incognote.core.errors import ReadError
from incognote.core.labels import all_labels
from incognote.core.types import AnnotatedDocument, Document, Span
from incognote.corpus.formats.base import CorpusFormat
from incognote.corpus.formats.writing import new_file, xml_legal, xml_text

_PATIENT_RECORD = re.compile(r"(\d+)-\d+")


def read(path: Path) -> Iterator[AnnotatedDocument]:
    for file in sorted(path.glob("*.xml")) if path.is_dir() else [path]:
        try:
            root = ET.parse(file).getroot()  # noqa: S314 - expat resolves no external entity
            spans = tuple(_span(item) for item in root.findall("TAGS/*"))
        except (ET.ParseError, LookupError, ValueError):
            raise ReadError(f"{file.name}: not an i2b2 2014 file") from None
        text = root.findtext("TEXT")
        if text is None:
            raise ReadError(f"{file.name}: has no TEXT")
        of_patient = _PATIENT_RECORD.fullmatch(file.stem)
        meta = {"patient_id": of_patient[1]} if of_patient else {}
        yield AnnotatedDocument(Document(file.stem, text, meta, file.name), spans)


def _span(item: ET.Element) -> Span:
    return Span(int(item.attrib["start"]), int(item.attrib["end"]), item.attrib["TYPE"].upper())


def write(documents: Iterable[AnnotatedDocument], path: Path) -> None:
    for doc in documents:
        new_file(path, doc.id, ".xml").write_text(_render(doc), "utf-8", newline="\n")


def _render(doc: AnnotatedDocument) -> str:
    labels = all_labels()
    lines = ['<?xml version="1.0" encoding="UTF-8" ?>', "<deIdi2b2>"]
    lines += [f"<TEXT>{xml_text(doc.text)}</TEXT>", "<TAGS>"]
    for number, span in enumerate(sorted(doc.spans)):
        name = labels[span.label].category if span.label in labels else "OTHER"
        surface = quoteattr(xml_legal(doc.text[span.start : span.end]))
        lines.append(
            f'<{name} id="P{number}" start="{span.start}" end="{span.end}" '
            f'text={surface} TYPE={quoteattr(span.label)} comment="" />'
        )
    return "\n".join([*lines, "</TAGS>", "</deIdi2b2>", ""])


I2B2_2014 = CorpusFormat("folder of i2b2 2014 XML, stand-off tags", read, write)
