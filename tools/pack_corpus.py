"""Packs the open corpus, as JSONL, BRAT and i2b2 XML, for people who do not use incognote.

    python tools/pack_corpus.py [OUT]

The same corpus gives the same bytes, so that an archive can be named by its hash.
"""

from __future__ import annotations

import hashlib
import re
import sys
import tempfile
import zipfile
from pathlib import Path

from incognote.corpus import read_corpus, write_corpus

ROOT = Path(__file__).parents[1]
DATA = ROOT / "data"
PARTS = ("train", "dev")
FORMS = ("brat", "i2b2-2014")
DAY = (1980, 1, 1, 0, 0, 0)  # the first that zip knows; when it was packed is of no interest


def version() -> str:
    found = re.search(r"version (\S+)", (DATA / "README.md").read_text("utf-8").partition("\n")[0])
    if found is None:
        sys.exit("data/README.md does not say its version in its first line")
    return found[1]


def main() -> None:
    name = f"incognote-corpus-{version()}"
    out = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "dist" / f"{name}.zip"
    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder)
        for part in PARTS:
            documents = list(read_corpus(DATA / f"{part}.jsonl"))
            for form in FORMS:
                write_corpus(documents, made / form / part, form)
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
