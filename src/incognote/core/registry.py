"""Where components are found: one table of lazy "module:attr" strings, then entry points.

Built-ins and other packages come through the same door. Nothing is imported before it is asked
for by name. A name offered twice is an error: for a de-identifier, the wrong one silently winning
is a leak.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any

from incognote.core.errors import UsageError

KINDS = ("format", "detector", "transform")

_BUILT_IN: dict[tuple[str, str], str] = {
    ("format", "csv"): "incognote.formats.csv:CsvFormat",
    ("format", "doc"): "incognote.formats.legacy:DocFormat",
    ("format", "xls"): "incognote.formats.legacy:XlsFormat",
    ("format", "gzip"): "incognote.formats.archive:GzipFormat",
    ("format", "image"): "incognote.formats.image:ImageFormat",
    ("format", "parquet"): "incognote.formats.parquet:ParquetFormat",
    ("format", "rtf"): "incognote.formats.rtf:RtfFormat",
    ("format", "pdf"): "incognote.formats.pdf:PdfFormat",
    ("format", "tar"): "incognote.formats.archive:TarFormat",
    ("format", "vcf"): "incognote.formats.vcf:VcfFormat",
    ("format", "zip"): "incognote.formats.archive:ZipFormat",
    ("format", "dicom"): "incognote.formats.dicom:DicomFormat",
    ("format", "docx"): "incognote.formats.docx:DocxFormat",
    ("format", "xlsx"): "incognote.formats.xlsx:XlsxFormat",
    ("format", "fhir"): "incognote.formats.fhir:FhirFormat",
    ("format", "hl7"): "incognote.formats.hl7:Hl7Format",
    ("format", "json"): "incognote.formats.json:JsonFormat",
    ("format", "xml"): "incognote.formats.xml:XmlFormat",
    ("format", "jsonl"): "incognote.formats.jsonl:JsonLinesFormat",
    ("format", "text"): "incognote.formats.text:TextFormat",
    ("detector", "patterns"): "incognote.detect.patterns:PatternDetector",
    ("detector", "names"): "incognote.detect.names:NameDetector",
    ("detector", "places"): "incognote.detect.places:PlaceDetector",
    ("detector", "transformer"): "incognote.detect.transformer:TransformerDetector",
    ("detector", "fast"): "incognote.detect.fast:FastDetector",
    ("detector", "crf"): "incognote.detect.crf:CrfDetector",
    ("detector", "dictionary"): "incognote.detect.dictionary:DictionaryDetector",
    ("detector", "foreign_script"): "incognote.detect.foreign_script:ForeignScriptDetector",
    ("detector", "regex"): "incognote.detect.regex:RegexDetector",
    ("detector", "known_patient"): "incognote.detect.known_patient:KnownPatientDetector",
    ("detector", "templates"): "incognote.detect.templates:TemplateDetector",
    ("detector", "sentence_cache"): "incognote.detect.cache:SentenceCache",
    ("detector", "function"): "incognote.detect.adapters.function:FunctionDetector",
    ("detector", "http"): "incognote.detect.adapters.http:HttpDetector",
    ("detector", "spacy"): "incognote.detect.adapters.spacy:SpacyDetector",
    ("detector", "huggingface"): "incognote.detect.adapters.huggingface:HuggingFaceDetector",
    ("detector", "presidio"): "incognote.detect.adapters.presidio:PresidioDetector",
    ("transform", "age90"): "incognote.transform.ages:Age90",
    ("transform", "fpe"): "incognote.transform.fpe:Fpe",
    ("transform", "generalize"): "incognote.transform.ages:Generalize",
    ("transform", "hash"): "incognote.transform.masks:Hash",
    ("transform", "redact"): "incognote.transform.masks:Redact",
    ("transform", "relative"): "incognote.transform.datemasks:Relative",
    ("transform", "remove"): "incognote.transform.masks:Remove",
    ("transform", "shift"): "incognote.transform.ages:Shift",
    ("transform", "shuffle"): "incognote.transform.shuffle:Shuffle",
    ("transform", "surrogate"): "incognote.transform.surrogate:Surrogate",
    ("transform", "tag"): "incognote.transform.masks:Tag",
    ("transform", "truncate"): "incognote.transform.masks:Truncate",
    ("transform", "year"): "incognote.transform.datemasks:Year",
    ("transform", "zip3"): "incognote.transform.zip3:Zip3",
}


@cache
def _table(kind: str) -> dict[str, str]:
    table = {name: target for (k, name), target in _BUILT_IN.items() if k == kind}
    for point in entry_points(group=f"incognote.{kind}s"):
        if table.get(point.name, point.value) != point.value:
            raise UsageError(f"two packages offer the {kind} {point.name!r}")
        table[point.name] = point.value
    return table


def names(kind: str) -> tuple[str, ...]:
    """Every component of a kind that can be asked for, sorted."""
    return tuple(sorted(_table(kind)))


def load(kind: str, name: str) -> Any:
    """The component, imported now. Unknown names and missing modules are clear errors."""
    target = _table(kind).get(name)
    if target is None:
        raise UsageError(f"no {kind} named {name!r}; there are: {', '.join(names(kind))}")
    module, _, attribute = target.partition(":")
    try:
        return getattr(import_module(module), attribute)
    except ModuleNotFoundError as error:
        raise UsageError(
            f"the {kind} {name!r} needs the module {error.name!r}, which is not installed"
        ) from None
