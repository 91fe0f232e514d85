"""Neural training from end to end, on a toy encoder. Needs the training extra."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import numpy as np
import pytest
from tests.toy_encoder import write_toy_encoder

from incognote.cli import main
from incognote.core.errors import UsageError
from incognote.core.registry import load
from incognote.core.types import AnnotatedDocument, Document, Span
from incognote.corpus import write_corpus
from incognote.detect.learned.model_folder import open_model
from incognote.detect.learned.units import split
from incognote.learn import recipe, transformer
from incognote.learn.data import Note, only
from incognote.learn.fast import FastTraining
from incognote.learn.network.base import open_base, with_words
from incognote.learn.network.teachers import mean_answer, open_teacher
from incognote.policy import PrepareRules
from incognote.prepare import prepare
from incognote.prepare.fold import fold


def documents(notes):
    return [
        AnnotatedDocument(Document(n.id, n.text), tuple(Span(*mark) for mark in n.marks))
        for n in notes
    ]


def data(notes, unmarked=0):
    texts = [note.text for note in notes[:unmarked]]
    return recipe.prepare_data(documents(notes), unmarked=texts, held_out=6)


@pytest.mark.parametrize(
    ("files", "message"),
    [
        pytest.param({}, "no config.json", id="empty"),
        pytest.param({"config.json": '{"auto_map": {}}'}, "own code", id="remote-code"),
        pytest.param({"config.json": "{}", "pytorch_model.bin": ""}, "pickled", id="pickle"),
        pytest.param(
            {"config.json": "{}", "m.safetensors": ""}, "neither vocab.txt", id="no-vocabulary"
        ),
    ],
)
def test_unusable_bases_are_refused(tmp_path, files, message):
    for name, content in files.items():
        (tmp_path / name).write_text(content)
    with pytest.raises(UsageError, match=message):
        open_base(tmp_path)


@pytest.fixture(scope="module")
def toy(tmp_path_factory):
    return write_toy_encoder(tmp_path_factory.mktemp("toy"))


@pytest.fixture(scope="module")
def base(toy):
    return open_base(toy)


def test_a_transformer_trains_resumes_and_learns_from_its_errors(base, notes, tmp_path):
    out = tmp_path / "mine"
    options = transformer.Training(epochs=1, window=64, workers=2, rate=1e-3)
    said: list[str] = []
    folder = recipe.train_transformer(data(notes), base, out, options, said.append)
    assert folder == open_model(str(out), "transformer")
    assert folder.card["epoch"] == 1
    more = transformer.Training(epochs=2, window=64, workers=1, rate=1e-3)
    again = recipe.train_transformer(data(notes), base, out, more, said.append, resume=True)
    assert again.card["epoch"] in (1, 2)  # whichever was better on the held-out notes
    assert any(line.startswith("epoch 2") for line in said)
    newest = recipe.train_transformer(
        data(notes), base, out, options, said.append, hard_examples=True
    )
    assert any("notes have errors" in line for line in said)
    assert not any("Abara" in line for line in said)
    before = open_model(str(out / "version-1"), "transformer")
    assert before.hashes == again.hashes != newest.hashes
    both = load("detector", "transformer")(model=[str(out), str(before.path)], sensitivity=1.0)
    (spans,) = both.detect(prepare(Document("n", notes[0].text), PrepareRules()))
    assert spans


def test_the_gpu_bench_runs_on_a_cpu_and_finds_no_difference(base, notes, tmp_path, capsys):
    bench = pytest.importorskip("bench.gpu", reason="needs incognote[gpu]")
    options = transformer.Training(epochs=1, window=64, rate=1e-3)
    folder = recipe.train_transformer(data(notes), base, tmp_path / "m", options, str)
    options = {"model": folder.path, "device": "cpu", "pieces": 3000, "workers": 1}
    bench.main([f"--{name}={value}" for name, value in options.items()])
    shown = capsys.readouterr().out
    assert "pieces/s" in shown
    assert "one by one: the same spans" in shown
    same = re.search(r"have the same label \((\d+)\.", shown)
    assert int(same[1]) >= 95


def test_the_command_trains_and_goes_on_from_errors(toy, notes, tmp_path, capsys):
    pytest.importorskip("torch")
    gold, out = tmp_path / "gold.jsonl", tmp_path / "mine"
    write_corpus(documents(notes), gold, "jsonl")
    command = ["train", "transformer", f"--data={gold}", f"--base={toy}", f"--out={out}"]
    command += ["--epochs=1", "--window=64", "--threads=1", "--types=names,DATE"]
    assert main(command) == 0
    first = capsys.readouterr()
    assert f'model = "{out}"' in first.out
    assert "no example of INITIALS, USERNAME" in first.err
    assert open_model(str(out)).labels == ("DATE", "DOCTOR", "PATIENT")
    assert main([*command, "--hard-examples"]) == 0
    second = capsys.readouterr()
    assert "notes have errors" in second.err
    assert re.search(r'model = \["\S+mine\S*", "\S+mine\S*"\]', second.out)
    assert not {"Abara", "Castillo"} & set(re.findall(r"\w+", first.err + second.err))


def test_the_fast_model_learns_and_takes_a_teacher(base, notes, tmp_path):
    pytest.importorskip("torch")
    options = FastTraining(
        epochs=3, width=32, word_width=4, affix_width=2, budget=512, rate=1e-2, rounds=1
    )
    teacher = recipe.train_transformer(
        data(notes), base, tmp_path / "t", transformer.Training(epochs=1, window=64), str
    )
    folder = recipe.train_fast(
        data(notes, unmarked=5), tmp_path / "f", options, str,
        teacher=recipe.model_reader(str(teacher.path)),
    )  # fmt: skip
    assert folder.labels == teacher.labels
    assert folder.card["unmarked_texts"] == 5
    assert json.loads((tmp_path / "f" / "model.json").read_text())["kind"] == "fast"
    assert folder.points[0].recall >= 0.9


def test_a_student_learns_from_teachers_with_another_vocabulary(base, notes, tmp_path):
    pytest.importorskip("torch")
    large = with_words(base, [*reversed(base.pieces.vocabulary), "seen", "blood"])
    slow = transformer.Training(epochs=2, window=64, rate=1e-3, learn_words=True)
    recipe.train_transformer(data(notes), large, tmp_path / "t", slow, str)
    teachers = [
        open_teacher(tmp_path / "t"),
        open_teacher(tmp_path / "t" / recipe.TRAINING, large),
    ]
    said = mean_answer(teachers, [notes[0].text * 20, ""])
    assert list(map(len, said)) == [len(split(notes[0].text)) * 20, 0]
    assert said[0][:, :-1].astype(np.float32).sum(axis=1) == pytest.approx(1.0, abs=0.02)
    fed = transformer.Training(epochs=2, window=64, rate=1e-3, feeders=1)
    folder = recipe.train_transformer(
        data(notes, unmarked=5), base, tmp_path / "s", fed, str, teachers=teachers
    )
    assert folder.card["teachers"] == f"t; {base.name}, seed 1"


def test_a_model_is_a_base(base, notes, tmp_path):
    options = transformer.Training(epochs=6, window=64, rate=3e-3)
    recipe.train_transformer(data(notes), base, tmp_path / "a", options, str)
    model = open_base(tmp_path / "a")
    assert model.labels == ("DATE", "DOCTOR", "MEDICALRECORD", "PATIENT")
    folder = recipe.train_transformer(data(notes), model, tmp_path / "b", options, str)
    assert folder.point(0.95).recall >= 0.9


def test_a_loss_that_is_no_number_ends_training_at_once(base, notes, tmp_path):
    broken = replace(
        base, weights=base.weights | {"norm.weight": base.weights["norm.weight"] * np.nan}
    )
    said: list[str] = []
    with pytest.raises(UsageError, match="epoch 1: the loss is not a number"):
        recipe.train_transformer(
            data(notes), broken, tmp_path / "m", transformer.Training(window=64), said.append
        )
    assert not any(line.startswith("epoch") for line in said)


def test_a_model_serves_the_languages_of_its_notes(base, tmp_path):
    spanish = [
        Note(
            f"s_{number}",
            fold(
                f"Paciente {name} de {number + 20} años que acude a urgencias por dolor en el "
                "pecho de dos días de evolución sin otros síntomas, con antecedentes de asma.\n"
            )[0],
            ((9, 9 + len(name), "PATIENT"),),
        )
        for number, name in enumerate(["Begoña", "Íñigo", "María", "Ramón"] * 5)
    ]
    made = recipe.prepare_data(documents(spanish), held_out=4)
    assert made.card["languages"] == ["es"]
    options = transformer.Training(epochs=1, window=64)
    folder = recipe.train_transformer(made, base, tmp_path / "es", options, str)
    assert folder.languages == {"es"}
    detector = load("detector", "transformer")(model=str(folder.path))
    assert detector.languages == {"es"}
    english = recipe.prepare_data(documents(spanish), held_out=4, languages=["en", "es"])
    assert english.card["languages"] == ["en", "es"]


def test_hard_examples_need_a_model_of_the_same_labels(base, notes, tmp_path):
    pytest.importorskip("torch")
    out, options = tmp_path / "mine", transformer.Training(epochs=1, window=64)
    with pytest.raises(UsageError, match="no model"):
        recipe.train_transformer(data(notes), base, out, options, str, hard_examples=True)
    recipe.train_transformer(data(notes), base, out, options, str)
    fewer = replace(data(notes), notes=only(data(notes).notes, ["DATE"]))
    with pytest.raises(UsageError, match="other labels"):
        recipe.train_transformer(fewer, base, out, options, str, hard_examples=True)
