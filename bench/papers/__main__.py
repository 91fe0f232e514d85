"""`python -m bench.papers hide|cincinnati|bert|mayo|ibm [--i2b2 DIR] [--physionet DIR] [--notes N]
[--folds K] [--corpus PATH] [--base DIR] [--write]`

Runs the experiments of a paper on the open corpus, or on data that you may use; prints a page about
it. `--write` writes the page to docs/papers/. Data under an agreement leaves nothing but scores.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from functools import partial
from itertools import chain
from pathlib import Path

from bench.notes import ROOT
from bench.papers import bert, cincinnati, hide, ibm, mayo
from bench.papers.material import Material, open_corpus, open_i2b2, open_physionet
from bench.papers.page import Table, titled, write_page
from incognote.core.errors import IncognoteError
from incognote.learn.network.base import Base, find_base, open_base

PAPERS = {"hide": hide, "cincinnati": cincinnati, "bert": bert, "mayo": mayo, "ibm": ibm}


def arguments(given: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.papers", description=__doc__)
    parser.add_argument("paper", choices=PAPERS)
    parser.add_argument("--i2b2", type=Path, metavar="DIR", help="the data of i2b2 2014 or 2006")
    parser.add_argument("--physionet", type=Path, metavar="DIR", help="the folder with id.text")
    parser.add_argument("--corpus", type=Path, action="append", help="annotated notes", default=[])
    parser.add_argument("--notes", type=int, default=0, help="only so many of them, evenly drawn")
    parser.add_argument("--folds", type=int, default=10, help="of a cross-validation")
    parser.add_argument(
        "--base", action="append", default=[], help="encoders that `bert` studies: folders, models"
    )
    parser.add_argument("--write", action="store_true", help="write docs/papers/NAME.md")
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "papers", help="where")
    return parser.parse_args(given)


def materials(options: argparse.Namespace) -> list[Material]:
    """What was named, or the open corpus."""
    found = [open_i2b2(options.i2b2)] if options.i2b2 else []
    found += [open_physionet(options.physionet)] if options.physionet else []
    found += map(open_corpus, options.corpus)
    if not found:
        found = PAPERS[options.paper].own_material()
    return [one.some(options.notes) for one in found]


def main(given: Sequence[str] | None = None) -> int:
    options = arguments(given)
    paper = PAPERS[options.paper]
    if options.base:
        names = {Path(name).name: name for name in options.base}
        bert.BASES = {name: partial(_base, path) for name, path in names.items()}
    try:
        found = materials(options)
        tables = chain.from_iterable(
            titled(paper.run(one, options.folds), one.name if len(found) > 1 else "")
            for one in found
        )
        if options.paper == "bert" and len(found) > 1:
            tables = chain(tables, bert.between(found))
        about = "; ".join(map(str, found))
        if paper.ABOUT.folded:
            about += f"; {options.folds} folds by patient"
        done: list[Table] = []
        page = ""
        for table in tables:
            done.append(table)
            page = write_page(paper.ABOUT, done, about)
            if options.write:  # a long run that is cut off leaves what it has measured
                options.out.mkdir(parents=True, exist_ok=True)
                (options.out / f"{options.paper}.md").write_text(page, "utf-8")
    except IncognoteError as error:
        print(f"bench.papers: {error}", file=sys.stderr)
        return 1
    print(page)
    return 0


def _base(name: str) -> Base:
    return open_base(find_base(name))


if __name__ == "__main__":
    sys.exit(main())
