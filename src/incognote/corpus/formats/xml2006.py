"""i2b2 2006 XML: one file of <RECORD ID><TEXT>, with <PHI TYPE> around the identifiers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from xml.etree import ElementTree as ET
from xml.sax.saxutils import quoteattr

from incognote.core.errors import ReadError
from incognote.core.types import AnnotatedDocument, Document, Span
from incognote.corpus.formats.base import CorpusFormat
from incognote.corpus.formats.writing import without_overlap, xml_text


def read(path: Path) -> Iterator[AnnotatedDocument]:
    try:
        root = ET.parse(path).getroot()  # noqa: S314 - expat resolves no external entity
    except ET.ParseError as error:
        raise ReadError(f"{path.name}, line {error.position[0]}: not XML") from None
    except (LookupError, ValueError):
        raise ReadError(f"{path.name}: in an encoding that nobody knows") from None
    for number, record in enumerate(root.iter("RECORD"), 1):
        node = record.find("TEXT")
        if node is None or "ID" not in record.attrib:
            raise ReadError(f"{path.name}, record {number}: has no ID or no TEXT")
        text, spans = _untag(node, path.name)
        yield AnnotatedDocument(
            Document(record.attrib["ID"], text, {}, f"{path.name}:{number}"), spans
        )


def _untag(node: ET.Element, name: str) -> tuple[str, tuple[Span, ...]]:
    parts = [node.text or ""]
    length = len(parts[0])
    spans = []
    for phi in node:
        surface = "".join(phi.itertext())
        if phi.tag == "PHI" and surface:
            if "TYPE" not in phi.attrib:
                raise ReadError(f"{name}: a PHI element without TYPE")
            spans.append(Span(length, length + len(surface), phi.attrib["TYPE"].upper()))
        parts += [surface, phi.tail or ""]
        length += len(parts[-2]) + len(parts[-1])
    return "".join(parts), tuple(spans)


def write(documents: Iterable[AnnotatedDocument], path: Path) -> None:
    out = ['<?xml version="1.0" encoding="UTF-8" ?>\n<ROOT>\n']
    for doc in documents:
        out.append(f"<RECORD ID={quoteattr(doc.id)}><TEXT>")
        at = 0
        for span in without_overlap(doc):
            out.append(xml_text(doc.text[at : span.start]))
            surface = xml_text(doc.text[span.start : span.end])
            out.append(f"<PHI TYPE={quoteattr(span.label)}>{surface}</PHI>")
            at = span.end
        out.append(f"{xml_text(doc.text[at:])}</TEXT></RECORD>\n")
    path.write_text("".join([*out, "</ROOT>\n"]), "utf-8", newline="\n")


I2B2_2006 = CorpusFormat("one i2b2 2006 XML file, tags in the text", read, write, ".xml")
