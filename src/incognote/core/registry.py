"""Where components are found: one table of lazy "module:attr" strings, then entry points.

Built-ins and other packages come through the same door. Nothing is imported before it is asked
for by name. A name offered twice is an error: for a de-identifier, the wrong one silently winning
is a leak.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any

from incognote.core.caches import cached
from incognote.core.errors import PolicyError, UsageError

KINDS = ("format", "detector", "transform", "corpus_format")

BUILT_IN: dict[tuple[str, str], str] = {
    ("format", "csv"): "incognote.formats.tables.csv:CsvFormat",
    ("format", "doc"): "incognote.formats.office.legacy:DocFormat",
    ("format", "xls"): "incognote.formats.office.legacy:XlsFormat",
    ("format", "gzip"): "incognote.formats.archives.archive:GzipFormat",
    ("format", "image"): "incognote.formats.pictures.image:ImageFormat",
    ("format", "parquet"): "incognote.formats.tables.parquet:ParquetFormat",
    ("format", "rtf"): "incognote.formats.office.rtf:RtfFormat",
    ("format", "pdf"): "incognote.formats.pdf.document:PdfFormat",
    ("format", "tar"): "incognote.formats.archives.archive:TarFormat",
    ("format", "vcf"): "incognote.formats.tables.vcf:VcfFormat",
    ("format", "zip"): "incognote.formats.archives.archive:ZipFormat",
    ("format", "dicom"): "incognote.formats.dicom.dataset:DicomFormat",
    ("format", "docx"): "incognote.formats.office.docx:DocxFormat",
    ("format", "xlsx"): "incognote.formats.office.xlsx:XlsxFormat",
    ("format", "fhir"): "incognote.formats.fhir.resource:FhirFormat",
    ("format", "hl7"): "incognote.formats.hl7.message:Hl7Format",
    ("format", "json"): "incognote.formats.json.document:JsonFormat",
    ("format", "xml"): "incognote.formats.xml.document:XmlFormat",
    ("format", "jsonl"): "incognote.formats.json.lines:JsonLinesFormat",
    ("format", "text"): "incognote.formats.text:TextFormat",
    ("detector", "patterns"): "incognote.detect.patterns:PatternDetector",
    ("detector", "names"): "incognote.detect.names:NameDetector",
    ("detector", "places"): "incognote.detect.places:PlaceDetector",
    ("detector", "transformer"): "incognote.detect.learned.transformer:TransformerDetector",
    ("detector", "fast"): "incognote.detect.learned.fast:FastDetector",
    ("detector", "crf"): "incognote.detect.learned.crf:CrfDetector",
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
    ("transform", "age90"): "incognote.transform.dates.ages:Age90",
    ("transform", "fpe"): "incognote.transform.numbers.fpe:Fpe",
    ("transform", "generalize"): "incognote.transform.dates.ages:Generalize",
    ("transform", "hash"): "incognote.transform.masks.simple:Hash",
    ("transform", "period"): "incognote.transform.dates.masks:Period",
    ("transform", "redact"): "incognote.transform.masks.simple:Redact",
    ("transform", "relative"): "incognote.transform.dates.masks:Relative",
    ("transform", "remove"): "incognote.transform.masks.simple:Remove",
    ("transform", "shift"): "incognote.transform.dates.ages:Shift",
    ("transform", "shuffle"): "incognote.transform.masks.shuffle:Shuffle",
    ("transform", "surrogate"): "incognote.transform.surrogate:Surrogate",
    ("transform", "tag"): "incognote.transform.masks.simple:Tag",
    ("transform", "truncate"): "incognote.transform.masks.simple:Truncate",
    ("transform", "view"): "incognote.transform.masks.view:FromView",
    ("transform", "year"): "incognote.transform.dates.masks:Year",
    ("transform", "zip3"): "incognote.transform.places.zip3:Zip3",
    ("corpus_format", "bilou"): "incognote.corpus.formats.conll:BILOU",
    ("corpus_format", "brat"): "incognote.corpus.formats.brat:BRAT",
    ("corpus_format", "conll"): "incognote.corpus.formats.conll:IOB2",
    ("corpus_format", "deduce"): "incognote.corpus.formats.rows:DEDUCE",
    ("corpus_format", "doccano"): "incognote.corpus.formats.rows:DOCCANO",
    ("corpus_format", "i2b2-2006"): "incognote.corpus.formats.xml2006:I2B2_2006",
    ("corpus_format", "i2b2-2014"): "incognote.corpus.formats.xml2014:I2B2_2014",
    ("corpus_format", "inline"): "incognote.corpus.formats.inline:INLINE",
    ("corpus_format", "jsonl"): "incognote.corpus.formats.rows:JSONL",
    ("corpus_format", "label-studio"): "incognote.corpus.formats.rows:LABEL_STUDIO",
    ("corpus_format", "physionet"): "incognote.corpus.formats.physionet:PHYSIONET",
    ("corpus_format", "presidio"): "incognote.corpus.formats.rows:PRESIDIO",
    ("corpus_format", "span-table"): "incognote.corpus.formats.span_table:SPAN_TABLE",
}


@cached(16)
def _table(kind: str) -> dict[str, str]:
    table = {name: target for (k, name), target in BUILT_IN.items() if k == kind}
    for point in entry_points(group=f"incognote.{kind}s"):
        if table.get(point.name, point.value) != point.value:
            raise UsageError(f"two packages offer the {_spoken(kind)} {point.name!r}")
        table[point.name] = point.value
    return table


def names(kind: str) -> tuple[str, ...]:
    """Every component of a kind that can be asked for, sorted."""
    return tuple(sorted(_table(kind)))


def load(kind: str, name: str) -> Any:
    """The component, imported now. Unknown names and missing modules are clear errors."""
    target, spoken = _table(kind).get(name), _spoken(kind)
    if target is None:
        raise UsageError(f"no {spoken} named {name!r}; there are: {', '.join(names(kind))}")
    module, _, attribute = target.partition(":")
    try:
        return getattr(import_module(module), attribute)
    except ModuleNotFoundError as error:
        raise UsageError(
            f"the {spoken} {name!r} needs the module {error.name!r}, which is not installed"
        ) from None


def _spoken(kind: str) -> str:
    return kind.replace("_", " ")


# Packages whose functions a policy may name, joined by commas. Worker processes inherit it.
ALLOW_FUNCTIONS = "INCOGNOTE_ALLOW_FUNCTIONS"


def allow_functions(prefixes: Iterable[str]) -> None:
    """Functions of these packages or modules may be named by policies, in this process and those it
    starts."""
    allowed = [*_allowed(), *prefixes]
    os.environ[ALLOW_FUNCTIONS] = ",".join(dict.fromkeys(allowed))


def load_function(target: str, who: str) -> Any:
    """A function that a policy names: a registered one, or "module:name" that is allowed."""
    registered = {point.name: point for point in entry_points(group="incognote.functions")}
    module, _, name = target.partition(":")
    if target not in registered and not any(
        module == prefix or module.startswith(f"{prefix}.") for prefix in _allowed()
    ):
        raise PolicyError(
            f"{who}: the function {target!r} is neither registered nor allowed; if you trust it, "
            f"allow its package (--allow-functions {module.partition('.')[0] or 'PACKAGE'})"
        )
    try:
        if target in registered:
            return registered[target].load()
        return getattr(import_module(module), name)
    except (ImportError, AttributeError, ValueError):
        raise PolicyError(f"{who}: cannot import {target!r}") from None


def _allowed() -> list[str]:
    return [each for each in os.environ.get(ALLOW_FUNCTIONS, "").split(",") if each]
