"""`python -m bench.papers PAPER [--notes N] [--folds K] [--corpus PATH] [--base DIR] [--write]`

Runs the experiments of a paper on the open corpus, or on another that you may use; prints a page
about it. `--write` writes the page to docs/papers/.
"""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path

from bench.notes import CORPORA, ROOT
from bench.papers import bert, cincinnati, hide, ibm, mayo
from bench.papers.page import write_page
from incognote.corpus import read_corpus
from incognote.learn.network.base import open_base

PAPERS = {"hide": hide, "cincinnati": cincinnati, "bert": bert, "mayo": mayo, "ibm": ibm}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.papers", description=__doc__)
    parser.add_argument("paper", choices=PAPERS)
    parser.add_argument("--corpus", type=Path, help="annotated notes")
    parser.add_argument("--notes", type=int, default=0, help="only so many of them, evenly drawn")
    parser.add_argument("--folds", type=int, default=10, help="of a cross-validation")
    parser.add_argument(
        "--base", type=Path, action="append", default=[], help="encoders that `bert` studies"
    )
    parser.add_argument("--write", action="store_true", help="write docs/papers/NAME.md")
    options = parser.parse_args()
    paper = PAPERS[options.paper]
    if options.base:
        bert.BASES = {path.name: partial(open_base, path) for path in options.base}
    documents = read_corpus(options.corpus or CORPORA[paper.CORPUS])
    if options.notes:
        step = max(1, len(documents) // options.notes)
        documents = documents[::step][: options.notes]
    tables = paper.run(documents, options.folds)
    corpus = options.corpus.name if options.corpus else paper.CORPUS
    about = f"{len(documents):,} notes ({corpus})"
    if paper.ABOUT.folded:
        about += f", {options.folds} folds by patient"
    page = write_page(paper.ABOUT, tables, about)
    print(page)
    if options.write:
        path = ROOT / "docs" / "papers" / f"{options.paper}.md"
        path.parent.mkdir(exist_ok=True)
        path.write_text(page, "utf-8")


if __name__ == "__main__":
    main()
