"""Packs the open corpus for people who do not use incognote: JSONL, BRAT, i2b2 XML, CoNLL, and a
folder that the Hugging Face library `datasets` loads.

    python tools/pack_corpus.py [OUT]

SHA256SUMS in the archive lists every file. The same corpus gives the same bytes, so that an
archive can be named by its hash.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
import tempfile
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from incognote.core.types import AnnotatedDocument
from incognote.corpus import read_corpus, write_corpus
from incognote.corpus.files import corpus_format

ROOT = Path(__file__).parents[1]
DATA = ROOT / "data"
# Files by configuration and by the names that `datasets` gives their parts; records have people.
RECORDS = "records"
CONFIGURATIONS = {
    "default": {"train": "train", "dev": "validation", "unseen": "test"},
    "spanish": {"spanish": "train", "spanish_unseen": "test"},
    RECORDS: {RECORDS: "test"},
}
FORMS = ("brat", "i2b2-2014", "conll")
SUMS = "SHA256SUMS"
People = Mapping[tuple[str, int, int], str] | None
DAY = (1980, 1, 1, 0, 0, 0)  # the first that zip knows; when it was packed is of no interest


def version() -> str:
    found = re.search(r"version (\S+)", (DATA / "README.md").read_text("utf-8").partition("\n")[0])
    if found is None:
        sys.exit("data/README.md does not say its version in its first line")
    return found[1]


def write_rows(documents: Sequence[AnnotatedDocument], path: Path, people: People = None) -> None:
    """Every row has the same columns: the library takes its types from them. With `people`, spans
    say whom they name, the same in all notes of a patient."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="\n") as out:
        for doc in documents:
            spans = [
                {"start": s.start, "end": s.end, "label": s.label}
                | ({} if people is None else {"person": people.get((doc.id, s.start, s.end), "")})
                for s in sorted(doc.spans)
            ]
            row = {
                "id": doc.id,
                "patient_id": doc.document.patient_id or "",
                "note_type": doc.document.meta.get("note_type", ""),
                "text": doc.text,
                "spans": spans,
            }
            out.write(json.dumps(row, ensure_ascii=False) + "\n")


def people_of(path: Path) -> dict[tuple[str, int, int], str]:
    """Whom each mention of a record names."""
    rows = map(json.loads, path.read_text("utf-8").splitlines())
    return {
        (row["id"], span["start"], span["end"]): span["person"]
        for row in rows
        for span in row["spans"]
        if "person" in span
    }


def dataset_card() -> str:
    """The front matter says where the parts are; the rest is how to load them."""
    rows = []
    for name, parts in CONFIGURATIONS.items():
        rows += [f"  - config_name: {name}", "    data_files:"]
        for part, split in parts.items():
            rows += [f"      - split: {split}", f"        path: data/{part}.jsonl"]
    configurations = "\n".join(rows)
    return f"""---
license: cc-by-4.0
language: [en, es]
task_categories: [token-classification]
tags: [de-identification, clinical, synthetic]
configs:
{configurations}
---

# The open corpus of incognote, version {version()}

Fictional clinical notes in which every mention of PHI is annotated. `spans` are half-open, in code
points, with the labels of the guidelines (GUIDELINES.md). The datasheet is README.md one folder up.

```python
from datasets import load_dataset

notes = load_dataset("path/to/this/folder")
note = notes["train"][0]
[note["text"][span["start"] : span["end"]] for span in note["spans"]]
```

Measure on `validation`, and on `test`, which no model has learned from; never train on them.
`load_dataset("path/to/this/folder", "spanish")` gives notes in Spanish.
`load_dataset("path/to/this/folder", "{RECORDS}")` gives longitudinal records: several notes of a
patient, with a `person` for each mention of somebody, the same in all notes of the record. They are
for measuring, too.

```bibtex
@misc{{incognote-corpus, title = {{The incognote corpus, version {version()}}},
  author = {{The incognote authors}}, note = {{CC BY 4.0}}}}
```
"""


def checksums(*roots: Path) -> str:
    """A line for each file, as `sha256sum --check` reads it."""
    lines = [
        f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.relative_to(root).as_posix()}"
        for root in roots
        for path in sorted(path for path in root.rglob("*") if path.is_file())
    ]
    return "\n".join(lines) + "\n"


def main() -> None:
    name = f"incognote-corpus-{version()}"
    out = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "dist" / f"{name}.zip"
    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder)
        for part in (part for parts in CONFIGURATIONS.values() for part in parts):
            documents = list(read_corpus(DATA / f"{part}.jsonl"))
            for form in FORMS:
                suffix = corpus_format(form).suffix
                path = made / form / f"{part}{suffix}"
                path.parent.mkdir(parents=True, exist_ok=True)
                write_corpus(documents, path, form)
            people = people_of(DATA / f"{part}.jsonl") if part == RECORDS else None
            write_rows(documents, made / "datasets" / "data" / f"{part}.jsonl", people)
        (made / "datasets" / "README.md").write_text(dataset_card(), "utf-8")
        (made / SUMS).write_text(checksums(DATA, made), "utf-8")
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
            for root in (DATA, made):
                for path in sorted(path for path in root.rglob("*") if path.is_file()):
                    entry = zipfile.ZipInfo(f"{name}/{path.relative_to(root).as_posix()}", DAY)
                    entry.compress_type = zipfile.ZIP_DEFLATED
                    archive.writestr(entry, path.read_bytes())
            count = len(archive.namelist())
    digest = hashlib.sha256(out.read_bytes()).hexdigest()
    print(f"{out}: {count} files, {out.stat().st_size / 1e6:.1f} MB, sha256 {digest}")


if __name__ == "__main__":
    main()
