"""The CRF: features by group, sampling, training, and the verbs around it."""

from __future__ import annotations

import json
import random

import pytest

from incognote.cli import main
from incognote.core.errors import UsageError
from incognote.core.registry import load
from incognote.core.types import Document
from incognote.detect.learned.crf_features import GROUPS, REGEXES, FeatureReader
from incognote.learn import crf
from incognote.learn.report import dots, lines, table, write_plots
from incognote.policy import PrepareRules
from incognote.prepare import prepare

pytest.importorskip("pycrfsuite")


def test_there_are_26_regular_expressions():
    assert len(REGEXES) == 26


@pytest.mark.parametrize(
    ("group", "has"), [("regex", "r="), ("affix", "p="), ("dictionary", "d="), ("context", "-1=")]
)
def test_groups_switch_their_features(group, has):
    def kinds(groups):
        rows = FeatureReader(groups).read("Seen by Smith on 3/4")[1]
        return {f for row in rows for f in row if f.startswith(has)}

    assert kinds([group])
    assert not kinds([g for g in GROUPS if g != group])


def test_context_has_its_position():
    rows = FeatureReader(["context"]).read("a b c d e f")[1]
    assert {"-2=a", "-1=b", "+1=d", "+3=f"} <= set(rows[2])
    assert "+4=" in rows[2]


def test_unknown_groups_are_refused():
    with pytest.raises(UsageError, match="feature groups are"):
        FeatureReader(["smell"])


@pytest.mark.parametrize(
    ("options", "kept"),
    [
        (crf.CrfTraining(), list(range(9))),
        (crf.CrfTraining(window=1), [3, 4, 5]),
        (crf.CrfTraining(window=0), [4]),
        (crf.CrfTraining(keep_outside=1e-9), [4]),
        (crf.CrfTraining(keep_outside=1e-9, window=1), [3, 4, 5]),
        (crf.CrfTraining(keep_outside=0.999999, window=1), list(range(9))),
    ],
)
def test_sampling_keeps_all_phi(options, kept):
    targets = [0, 0, 0, 0, 7, 0, 0, 0, 0]
    assert crf.sample(targets, options, random.Random(1)) == kept


@pytest.fixture(scope="module")
def gold(notes, tmp_path_factory):
    path = tmp_path_factory.mktemp("gold") / "gold.jsonl"
    rows = (
        {"id": n.id, "text": n.text,
         "spans": [{"start": a, "end": b, "type": t} for a, b, t in n.marks]}
        for n in notes
    )  # fmt: skip
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.fixture(scope="module")
def trained(gold, tmp_path_factory):
    out = tmp_path_factory.mktemp("models") / "mine"
    assert main(["train", "crf", "--data", str(gold), "--out", str(out), "--held-out", "10"]) == 0
    return out


def test_a_trained_model_finds_what_it_learned(trained):
    text = "Patient: Anna Farrow\nSeen by Dr. Hollis on 4/9/2011.\n"
    detector = load("detector", "crf")(model=str(trained))
    (spans,) = detector.detect(prepare(Document("d", text), PrepareRules()))
    found = {(text[s.start : s.end], s.label) for s in spans}
    assert found == {("Anna Farrow", "PATIENT"), ("Hollis", "DOCTOR"), ("4/9/2011", "DATE")}


def test_the_card_shows_points_and_policy(trained, capsys):
    assert main(["models", "show", str(trained)]) == 0
    shown = capsys.readouterr().out
    assert "false alarms per 1,000 words" in shown
    assert "[detectors.mine]" in shown
    assert "| 0.997 |" in shown


def test_models_list_names_what_ships(capsys):
    assert main(["models", "list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines if not line.startswith(" ")] == [
        "accurate",
        "fast",
        "spanish",
    ]
    assert sum("sensitivity 0.997:" in line for line in lines) == 3


def test_thresholds_by_label_are_shown(trained, capsys):
    assert main(["models", "show", str(trained), "--sensitivity", "0.997"]) == 0
    first, *rows = capsys.readouterr().out.splitlines()
    assert first.startswith("sensitivity 0.997:")
    assert [row.split()[0] for row in rows] == ["DATE", "DOCTOR", "MEDICALRECORD", "PATIENT"]
    assert main(["models", "show", str(trained), "--sensitivity", "0.5"]) == 1


def test_a_checked_policy_says_what_its_sensitivity_costs(trained, tmp_path, capsys):
    policy = tmp_path / "mine.toml"
    policy.write_text(
        f'name = "mine"\n[detectors.mine]\nuse = "crf"\n'
        f'options = {{ model = "{trained}", sensitivity = 0.997 }}\n'
        '[labels]\ndefault = { action = "tag", because = "a test" }\n'
    )
    assert main(["policy", "check", str(policy)]) == 0
    shown = capsys.readouterr().out
    assert "mine: sensitivity 0.997:" in shown
    assert "false alarms per 1,000 words" in shown


@pytest.mark.parametrize(("which", "rows"), [("features", 15), ("sampling", 14)])
def test_experiments_write_table_and_plots(gold, tmp_path, which, rows, capsys):
    arguments = ["train", "crf", "--data", str(gold), "--out", str(tmp_path), "--iterations", "5"]
    assert main([*arguments, "--experiment", which]) == 0
    lines = (tmp_path / f"{which}.md").read_text().splitlines()
    assert sum(line.startswith("| ") and "recall" not in line for line in lines) == rows
    assert all(p.read_text().startswith("<svg") for p in tmp_path.glob("*.svg"))
    assert len(list(tmp_path.glob("*.svg"))) == (2 if which == "features" else 4)


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--groups", "smell"], "feature groups are"),
        (["--keep-outside", "0"], "above 0"),
        (["--held-out", "60"], "hold out"),
    ],
)
def test_bad_options_are_refused(gold, tmp_path, more, message, capsys):
    arguments = ["train", "crf", "--data", str(gold), "--out", str(tmp_path / "m")]
    assert main([*arguments, *more]) == 1
    assert message in capsys.readouterr().err


@pytest.mark.parametrize("draw", [dots, lines])
def test_plots_have_a_dot_for_each_value_on_a_round_scale(draw):
    drawing = draw("t", ["a", "b"], {"recall": [0.5, 1.0], "precision": [0.25, 0.75]})
    assert drawing.count("<circle") == 4
    assert all(f">{mark}<" in drawing for mark in ("0", "0.2", "1", "a", "b"))
    assert ">50<" in draw("t", ["a"], {"seconds": [31.0]})
    assert draw("t", ["a & b"], {"seconds": [0.0]}).count("a &amp; b") == 1


def test_only_points_in_order_are_joined_by_lines(tmp_path):
    rows = [crf.Trial(name, 0.5, 0.25, 2.0, 7) for name in ("0.5", "16")]
    write_plots({"window": rows, "groups": [crf.Trial("a+b", 0.5, 0.25, 2.0, 7)]}, tmp_path)
    assert "<polyline" in (tmp_path / "window-scores.svg").read_text()
    assert "<polyline" not in (tmp_path / "groups-scores.svg").read_text()


def test_the_table_has_a_row_for_each_trial():
    row = crf.Trial("x", 0.5, 0.25, 2.0, 7)
    assert "| x | 0.5000 | 0.2500 | 0.3333 | 7 | 2.0 |" in table({"p": [row]})
