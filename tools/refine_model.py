"""Goes on from a trained model: gives it exits, and teaches it notes that are new.

    python tools/refine_model.py MODEL OUT --minutes 60 [--exits 3] [--new w31,w32,w33]

It runs on a CPU in an hour or two. By default the layers below the first exit stay as
they are; those above learn to read the pieces that stay. New notes come more often than those that
MODEL knows. With --keep, the weights that come out lie between those of MODEL and the new ones: on
notes of either kind the middle errs less than its ends.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from safetensors.numpy import load_file, save_file

import train_models
import training_data
from incognote.detect.learned.model_folder import open_model
from incognote.learn import recipe
from incognote.learn.data import Note
from incognote.learn.network.base import Base, find_base, open_base, with_exits
from incognote.learn.network.export import export_transformer
from incognote.learn.network.feed import Lesson, LessonMaker
from incognote.learn.text.augment import Augmentation, Source
from incognote.learn.transformer import Training

TIMES = 2  # that each new note comes in an epoch
OVERLAP = 24  # pieces that two windows share


@dataclass(frozen=True, slots=True)
class Refresher:
    """Epochs of a share of the known notes and of all that are new."""

    source: Source
    new: Sequence[Note]
    share: int  # notes of an epoch that the model has learned from before

    def __call__(self, seed: int) -> list[Lesson]:
        count = min(self.share, len(self.source.notes))
        known = random.Random(seed).sample(self.source.notes, count)
        return LessonMaker(replace(self.source, notes=[*known, *self.new * TIMES]))(seed)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("model", help="a model folder, or one that ships")
    parser.add_argument("out", type=Path)
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--epochs", type=int, default=12)
    parser.add_argument("--exits", default="3")
    parser.add_argument("--new", default="", help="groups of notes, separated by commas")
    parser.add_argument("--known", type=int, default=1200, help="notes of an epoch that are known")
    parser.add_argument("--frozen", type=int, help="layers that stay (default: to the first exit)")
    parser.add_argument("--keep", type=float, default=0.0, help="share of MODEL's weights, 0 to 1")
    parser.add_argument("--description", help="of the new model, for its card")
    parser.add_argument("--resume", action="store_true", help="go on with what OUT has learned")
    parser.add_argument("--workers", type=int, default=2, help="threads that share a batch")
    parser.add_argument("--rate", type=float, default=5e-5)
    parser.add_argument("--work", type=Path, default=train_models.ROOT / "build" / "models")
    parser.add_argument("--corpus", type=Path, default=train_models.ROOT / "data" / "train.jsonl")
    parser.add_argument("--data", type=Path, default=train_models.SHARED / "data")
    args = parser.parse_args()
    if not (args.work / "extra.jsonl").is_file():
        training_data.main(args.data, args.work)
    work = train_models.Work(args.work, args.corpus, Path(), None, args.minutes)
    data = work.data("en")
    groups = set(args.new.split(",")) - {""}
    new = [note for note in data.notes if note.id.partition("_")[0] in groups]
    exits = tuple(int(layer) for layer in args.exits.split(","))
    base = with_exits(open_base(find_base(args.model)), exits)
    augmentation = Augmentation(extra=150, unmarked=0)
    source = data.source(augmentation)
    known = [note for note in data.notes if note not in new]
    options = Training(
        epochs=args.epochs, minutes=args.minutes, window=train_models.WINDOW, overlap=OVERLAP,
        budget=2048 * args.workers, workers=args.workers, rate=args.rate,
        head_rate=4 * args.rate, averaging=0.995, patience=args.epochs, feeders=1,
        frozen=exits[0] if args.frozen is None else args.frozen,
    )  # fmt: skip
    description = args.description or open_model(args.model).description
    recipe.train_transformer(
        data, base, args.out, options, train_models.say, augmentation=augmentation,
        lessons=Refresher(replace(source, notes=known), new, args.known), resume=args.resume,
        description=description,
    )  # fmt: skip
    if args.keep:
        card = data.card | {"description": description, "kept_of_base": args.keep}
        blended = blend(args.out / recipe.TRAINING, base, args.keep)
        export_transformer(blended, base, data.held, args.out, card)


def blend(trained: Path, base: Base, keep: float) -> Path:
    """The trained weights moved back towards those of the base, in a folder below `trained`. What
    the base lacks (exits) stays as trained; the error of the epoch is no longer true and goes."""
    weights = load_file(trained / "weights.safetensors")
    for name in weights.keys() & base.weights.keys():
        weights[name] = (1 - keep) * weights[name] + keep * base.weights[name]
    out = trained / "blended"
    out.mkdir(exist_ok=True)
    save_file(weights, out / "weights.safetensors")
    state = json.loads((trained / "state.json").read_text("utf-8"))
    del state["held_out_error"]
    (out / "state.json").write_text(json.dumps(state, indent=1), "utf-8")
    return out


if __name__ == "__main__":
    main()
