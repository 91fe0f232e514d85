"""Names of files, folders and members of archives: read like any text, and written as names again.

A tree of paths is renamed part by part, so that what lay in one folder lies in one folder
afterwards. A file's name shares the surrogates of what the file says; a folder's name has its own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import PurePosixPath

from incognote.core.types import Document, Failure, Result
from incognote.formats.base import new_text
from incognote.policy import KEEP, NUMBER

# What replaces a blank in a name. A hyphen between digits is part of a date or number.
_BLANK = re.compile(r"[_+]|(?<![\d\W])[-.]|[-.](?![\d\W])")
# What no file system wants in a name, and what would make it a path.
_FORBIDDEN = re.compile(r'[\x00-\x1f/\\:*?"<>|]+')
# Endings that say how a file is written and nothing of anybody, besides those of our formats. What
# is no known ending ("Adaeze.Okonkwo") is read.
_ENDINGS = frozenset(
    f".{each}"
    for each in """
    7z ann asc avro bak bat bib bin bmp bz2 cfg conf config cpp css dat dbf db dta epub ext feather
    gif go h5 h5ad hdf5 hea heic htm html ics ini ipynb java js key lock log lz4 md5 mdb mht mhtml
    mov mp3 mp4 msg nii nrrd npy npz odp ods odt old orc orig pem pickle pkl pot ppt pptx prn
    properties ps1 pub py rar rda rdata rds rmd rst rtfd sas sas7bdat sav sgml sha256 sh sps
    spss sql sqlite sqlite3 svg swp tex tmp toml ts vault wav webp wma wmv wpd wps xlsb xlsm xlt xps
    xsd xsl xz yaml yml zst
    """.split()
)
# Words that people call files by. A name made of nothing else says nothing. Some are names of
# people, too: written with a capital, those are read.
_ALSO_NAMES = frozenset(
    "alta bar baz bundle carta case chart clinic dev fold foo gold held long main page small temp "
    "train ward wards".split()
)
_PLAIN = frozenset(
    """
    all archive ascii batch bundle bundles case cases ccda cda chart charts clinic copy corpus csv
    data demo dev dicom discharge doc docs document documents docx draft dump email emails eval
    example export fax feed fhir file files final form gold held hl html image images img inbox
    index input json jsonl lab labs letter letters list log mail main message messages ndjson new
    note notes office old order orders out output page parquet part patient patients pdf pdfs
    picture pictures progress raw record records referral report reports result results rtf sample
    samples scan scans small split summary synthetic table tables test text train training tsv valid
    validation vcf visit visits ward wards xls xlsx xml zip
    authors building changelog changes citation codebook codeowners code conduct config
    configuration contributing copying dataset desktop dictionary dockerfile environment errors
    faq guide guideline guidelines history info install instructions legend license licence
    makefile manifest metadata method methods mapping news notice overview package plan procedure
    project protocol pyproject quarantine query queries questionnaire readme release releases
    requirements schema script scripts security settings setup source sources spans study support
    db ini template templates thumbs todo tutorial variables version versions
    adt allergies bar baz cdm chunk chunks claims cohort cohorts column columns control controls
    demographic demographics df diagnoses dx enc encounter encounters extract fold foo icd ids imm
    immunizations loinc long meds medications microbiology mimic obs observation
    observations omop pathology problems proc procedures pts qux radiology random row
    rows rx shard shards snapshot subject subjects temp tmp tbl visits vitals wide
    alta altas analitica analítica archivo archivos cama camas carpeta carta cartas clinica clinicas
    clínica clínicas consentimiento consulta consultas copia correo correos datos de del derivacion
    derivación diagnostico diagnóstico dictado documento documentos ejemplo ejemplos enfermeria
    enfermería entrada epicrisis evolucion evolución exploracion exploración exportacion exportación
    historia historias hoja hojas informe informes ingreso ingresos interconsulta interconsultas
    laboratorio lista listado listados listas mensaje mensajes muestra muestras nota notas paciente
    pacientes parte partes patologia patología planta plantas prueba pruebas quirofano quirófano
    radiologia radiología receta recetas registro registros resultado resultados resumen salida
    seguimiento social tabla tablas texto textos trabajo tratamiento triaje turno turnos urgencia
    urgencias
    """.split()
)


class Renaming:
    """New names for the paths of one tree, none of them twice.

    `choice` is the policy's (`formats.names`). Each path is asked about once (`documents`) and
    settled once, in the same order, with what the pipeline made of those documents. `suffixes` are
    the endings of our formats, which stay, as other well-known ones do; `exists` says which paths
    the tree has, so that a new name does not push aside an old one. `doc_id` is the id of names
    whose file says nothing of itself; without one, they go by what they are.
    """

    def __init__(
        self,
        choice: str,
        suffixes: Sequence[str],
        exists: Callable[[str], bool],
        doc_id: str = "",
    ) -> None:
        self._choice = choice
        self._doc_id = doc_id
        self._suffixes = frozenset(suffixes)
        self._exists = exists
        self._asked: set[str] = set()
        self._settled: dict[str, str] = {"": ""}
        self._taken: set[str] = set()
        self._count = 0

    def documents(self, path: str, content: Sequence[Document] = ()) -> tuple[Document, ...]:
        """The parts of a path that are not settled yet; `content` is what the file says."""
        if self._choice in (KEEP, NUMBER):
            return ()
        new = [part for part in _parts(path) if part not in self._asked]
        self._asked.update(part for part in new if part != path)
        return tuple(
            self._document(part, content if part == path else (), is_file=part == path)
            for part in new
        )

    def _document(self, path: str, content: Sequence[Document], *, is_file: bool) -> Document:
        stem, _ = self._split(path) if is_file else (_last(path), "")
        first = content[0] if content else None
        return Document(
            id=first.id if first else self._doc_id or path,
            text="" if _is_plain(stem) else _BLANK.sub(" ", stem),
            meta=first.meta if first else {},
            locator=f"{path} name",
            known=_stated(content),
            record=first.record if first else "",
        )

    def settle(self, path: str, outcomes: Sequence[Result | Failure]) -> str:
        """The new form of a path, from the outcomes of the documents it was asked as."""
        if self._choice == KEEP:
            return path
        if self._choice == NUMBER:
            return self._numbered(path)
        answers = iter(outcomes)
        new = ""
        for part in _parts(path):
            if part in self._settled:
                new = self._settled[part]
            else:
                new = self._new(part, next(answers), is_file=part == path)
                if part != path:  # files come once, and there may be millions
                    self._settled[part] = new
        return new

    def learn(self, path: str, new: str) -> None:
        """An earlier run named it so."""
        self._taken.add(new.casefold())
        old_parts, new_parts = _parts(path), _parts(new)
        if self._choice != NUMBER and len(old_parts) == len(new_parts):
            for old, fresh in zip(old_parts, new_parts, strict=True):
                self._asked.add(old)
                self._settled[old] = fresh
                self._taken.add(fresh.casefold())

    def _new(self, part: str, outcome: Result | Failure, *, is_file: bool) -> str:
        folder = part.rpartition("/")[0]
        stem, suffix = self._split(part) if is_file else (_last(part), "")
        # A name that nothing could read is better a number than what it was.
        new = None if isinstance(outcome, Failure) else _written(stem, outcome)
        above = self._settled[folder]
        if new == stem and above == folder:
            return part
        if not new:
            self._count += 1
            new = f"{self._count:06d}"
        return self._free(_joined(above, new), suffix)

    def _numbered(self, path: str) -> str:
        if path.endswith("/"):
            return ""
        _, suffix = self._split(path)
        while True:
            self._count += 1
            new = f"{self._count:06d}{suffix}"
            if new.casefold() not in self._taken:
                self._taken.add(new.casefold())
                return new

    def _free(self, stem: str, suffix: str) -> str:
        new, number = stem + suffix, 1
        while new.casefold() in self._taken or self._exists(new):
            number += 1
            new = f"{stem}-{number}{suffix}"
        self._taken.add(new.casefold())
        return new

    def _split(self, path: str) -> tuple[str, str]:
        stem, suffixes = _last(path), ""
        while self._is_ending(suffix := PurePosixPath(stem).suffix):
            stem, suffixes = stem.removesuffix(suffix), suffix + suffixes
        return stem, suffixes

    def _is_ending(self, suffix: str) -> bool:
        # "Quillon.Ann" is a person, "note.ann" and "NOTE.ANN" are files.
        as_programs_write = suffix in (suffix.lower(), suffix.upper())
        return suffix.lower() in self._suffixes or (
            as_programs_write and suffix.lower() in _ENDINGS
        )


def _is_plain(stem: str) -> bool:
    """Plain words with at most a short number or one letter among them: a date or an identifier has
    more, and initials are two."""
    words, numbers = re.findall(r"[^\W\d_]+", stem), re.findall(r"\d+", stem)
    letters = [word for word in words if len(word) == 1]
    # Noughts before a number only make the names of files as long as each other: "part-00001".
    digits = sum(len(number.lstrip("0")) for number in numbers)
    short = digits + len(letters) < 3 and len(numbers) < 2 and len(letters) < 2
    return bool(words) and short and all(_is_plain_word(w) for w in words if len(w) > 1)


def _is_plain_word(word: str) -> bool:
    return word in _PLAIN or (word.lower() in _PLAIN and word.lower() not in _ALSO_NAMES)


def _written(stem: str, result: Result) -> str:
    """The stem with its replacements made, as a name can be written."""
    new_text(result)
    blank = "_" if "_" in stem else " " if " " in stem else "-"
    new, at = "", 0
    for replacement in sorted(result.replacements, key=lambda each: each.span):
        text = _FORBIDDEN.sub("-", replacement.text).replace(" ", blank)
        new += stem[at : replacement.span.start] + text
        at = replacement.span.end
    return (new + stem[at:]).strip(". ") if result.replacements else stem


def _stated(documents: Sequence[Document]) -> tuple[tuple[str, str], ...]:
    """What the labelled fields of a record say, to be found in its name."""
    return tuple(
        dict.fromkeys(
            (span.label, document.text[span.start : span.end])
            for document in documents
            for span in document.given
        )
    )


def _parts(path: str) -> list[str]:
    """`a/b/c` -> a, a/b, a/b/c."""
    names = path.rstrip("/").split("/")
    return ["/".join(names[: i + 1]) for i in range(len(names))]


def _last(path: str) -> str:
    return path.rstrip("/").rpartition("/")[2]


def _joined(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name
