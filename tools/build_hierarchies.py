"""Compiles the hierarchies of diagnoses and of towns that ship with the package.

    pip install simple-icd-10-cm==1.5.0 zipcodes==3.0.0
    python tools/build_hierarchies.py

NOTICE names the sources.
"""

from __future__ import annotations

import gzip
from collections import Counter, defaultdict
from pathlib import Path

import simple_icd_10_cm as icd
import zipcodes

OUT = Path(__file__).parents[1] / "src/incognote/anonymize/hierarchies"


def diagnoses() -> str:
    """One line for each category: code, title, block, title, chapter, title."""
    lines = []
    for code in icd.get_all_codes(with_dots=True):
        if not icd.is_category(code) or len(code) != 3:
            continue
        above = icd.get_ancestors(code)
        blocks = [each for each in above if icd.is_block(each)]
        block = blocks[0] if blocks else code
        chapter = next(each for each in above if icd.is_chapter(each))
        row = (code, title(code), block, title(block), chapter, title(chapter))
        if row[0] not in {line.split("\t", 1)[0] for line in lines[-1:]}:
            lines.append("\t".join(row))
    return "\n".join(dict.fromkeys(lines)) + "\n"


def title(code: str) -> str:
    return icd.get_description(code).rsplit(" (", 1)[0].strip()


def towns() -> str:
    """One line for each county: state, county, its towns. A town in two counties is where most of
    its ZIP codes are."""
    homes: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for row in zipcodes.list_all():
        county = row["county"].removesuffix(" County")
        if county and row["city"]:
            homes[row["state"], row["city"]][county] += 1
    counties: dict[tuple[str, str], list[str]] = defaultdict(list)
    for (state, town), found in homes.items():
        county = min(found, key=lambda name: (-found[name], name))
        counties[state, county].append(town)
    rows = ("\t".join((*key, ";".join(sorted(names)))) for key, names in sorted(counties.items()))
    return "\n".join(rows) + "\n"


def main() -> None:
    (OUT / "diagnosis.tsv").write_text(diagnoses(), "utf-8")
    with (OUT / "towns.tsv.gz").open("wb") as file:
        file.write(gzip.compress(towns().encode(), mtime=0))


if __name__ == "__main__":
    main()
