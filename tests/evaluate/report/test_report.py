"""The measurement as a whole, its files, and the verb that makes them."""

from __future__ import annotations

import csv
import json
import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import pytest
from tests.evaluate.notes import annotated, without

from incognote.cli import main
from incognote.core.types import AnnotatedDocument
from incognote.corpus import write_corpus
from incognote.evaluate import Options, compare, measure, write_report

MARKED = (
    "[[Zebulon Quackenbush|PATIENT]], [[67|AGE]], of [[Wapakoneta|CITY]] was seen by Dr. "
    "[[Okonkwo|DOCTOR]] on [[3/4/2020|DATE]] at [[10:30|TIME]] for pneumonia; aspirin 81 mg."
)
CANARIES = ("Zebulon", "Quackenbush", "Wapakoneta", "Okonkwo", "pneumonia", "aspirin")
GOLD = [annotated(MARKED, f"n{i}", note_type="letter", patient_id=f"p{i // 2}") for i in range(8)]
GOOD = [without(doc, "CITY") if i == 0 else doc for i, doc in enumerate(GOLD)]
BAD = [without(doc, "CITY", "DOCTOR") for doc in GOLD]


def files(tmp_path: Path, **sides: list[AnnotatedDocument]) -> list[str]:
    paths = []
    for name, docs in sides.items():
        path = tmp_path / f"{name}.jsonl"
        write_corpus(docs, path, "jsonl")
        paths.append(str(path))
    return paths


def test_the_measurement_counts() -> None:
    measured = measure(GOLD, GOOD)
    everything = measured["words"]["all"]
    assert (everything["tp"], everything["fp"], everything["fn"]) == (63, 0, 1)
    assert everything["leaking_notes"] == 1
    assert measured["spans"]["strict"]["typed"]["all"]["fn"] == 1
    assert measured["about"]["tokeniser"] == "word"
    assert measured["confidence"]["leaking_share_at_most"] > 1 / 8
    assert measured["confidence"]["clusters"] == 4
    assert measured["utility"]["drugs"]["lost"] == 0


def test_neither_json_nor_html_holds_text_unless_asked(tmp_path: Path) -> None:
    write_report(tmp_path, measure(GOLD, BAD, Options(official=True)), "title")
    for path in tmp_path.iterdir():
        content = path.read_text("utf-8")
        assert not [word for word in CANARIES if word in content], path.name


def test_examples_appear_when_asked(tmp_path: Path) -> None:
    write_report(tmp_path, measure(GOLD, BAD, Options(show_text=True)), "title")
    assert "<mark>Wapakoneta</mark>" in (tmp_path / "report.html").read_text("utf-8")


class Wellformed(HTMLParser):
    """Fails on tags that do not match; collects what a browser would fetch."""

    VOID = frozenset({"meta", "br", "circle", "line", "rect", "polyline"})

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.fetched: list[str] = []

    def handle_starttag(self, tag, attrs) -> None:
        self.fetched += [
            v for k, v in attrs if k in ("src", "href") and not (v or "").startswith("#")
        ]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs) -> None: ...

    def handle_endtag(self, tag) -> None:
        assert self.open.pop() == tag


def test_the_page_is_well_formed_and_fetches_nothing(tmp_path: Path) -> None:
    options = Options(official=True, show_text=True)
    both = compare(GOLD, {"a & b": GOOD, "<c>": BAD}, shuffles=99)
    write_report(tmp_path, measure(GOLD, BAD, options), "<title> & more", both)
    page = (tmp_path / "report.html").read_text("utf-8")
    parser = Wellformed()
    parser.feed(page)
    assert parser.open == []
    assert parser.fetched == []
    assert "http" not in re.sub(r"<title>.*?</title>", "", page)
    assert "&lt;title&gt; &amp; more" in page


def test_the_page_links_to_sections_that_exist(tmp_path: Path) -> None:
    write_report(tmp_path, measure(GOLD, GOOD), "t")
    page = (tmp_path / "report.html").read_text("utf-8")
    targets = re.findall(r'href="#(\w+)"', page)
    assert targets
    assert set(targets) <= set(re.findall(r'id="(\w+)"', page))


def test_csv_and_json_say_the_same(tmp_path: Path) -> None:
    write_report(tmp_path, measure(GOLD, BAD), "t")
    whole = json.loads((tmp_path / "scores.json").read_text("utf-8"))
    with (tmp_path / "scores.csv").open(newline="") as lines:
        rows = list(csv.DictReader(lines))
    group = next(
        r for r in rows if (r["unit"], r["match"], r["subset"]) == ("word", "PHI or not", "group A")
    )
    assert float(group["recall"]) == whole["words"]["group A"]["recall"]
    assert len({(r["unit"], r["match"], r["subset"]) for r in rows}) == len(rows)


def test_comparison_names_the_better_system() -> None:
    gold = [annotated(MARKED, str(i)) for i in range(30)]
    good, bad = gold, [without(doc, "CITY", "DOCTOR") for doc in gold]
    found = compare(gold, {"bad": bad, "good": good}, shuffles=999)
    assert found["verdict"].startswith("good is better than bad")
    recall = next(t for t in found["tests"] if t["subset"] == "all" and t["metric"] == "recall")
    assert recall["difference"] < 0
    assert recall["adjusted"] <= 0.05
    mentions = {(t["subset"], t["metric"]): t for t in found["tests"] if t["unit"] != "words"}
    assert mentions["CITY", "recall"]["b"] == 1
    assert mentions["CITY", "recall"]["adjusted"] == pytest.approx(
        min(1, mentions["CITY", "recall"]["p"] * len(found["tests"]))
    )
    assert mentions["PATIENT", "f1"]["p"] == 1


def test_the_verdict_looks_at_recall_and_precision_too() -> None:
    """One system finds all and marks too much, the other the reverse: F1 hides that."""
    gold = [annotated("Seen by [[Bo|DOCTOR]] and [[Cy|DOCTOR]] today.", str(i)) for i in range(30)]
    eager = [
        annotated("Seen by [[Bo|DOCTOR]] [[and|DOCTOR]] [[Cy|DOCTOR]] today.", doc.id)
        for doc in gold
    ]
    shy = [annotated("Seen by [[Bo|DOCTOR]] and Cy today.", doc.id) for doc in gold]
    verdict = compare(gold, {"eager": eager, "shy": shy}, shuffles=999)["verdict"]
    assert "eager is better than shy in recall" in verdict
    assert "shy is better than eager in precision" in verdict


def test_equal_systems_are_called_equal() -> None:
    found = compare(GOLD, {"a": GOOD, "b": GOOD}, shuffles=99)
    assert found["verdict"].startswith("No difference")


def test_the_verb_measures(tmp_path: Path, capsys) -> None:
    gold, pred = files(tmp_path, gold=GOLD, pred=GOOD)
    assert main(["evaluate", gold, pred, "-o", str(tmp_path / "out"), "--i2b2"]) == 0
    printed = capsys.readouterr().out
    assert "word tokeniser" in printed
    assert not [word for word in CANARIES if word in printed]
    assert {p.name for p in (tmp_path / "out").iterdir()} == {
        "report.html",
        "scores.json",
        "scores.csv",
        "slices.csv",
    }


def test_the_verb_compares(tmp_path: Path, capsys) -> None:
    gold, a, b = files(tmp_path, gold=GOLD, a=GOOD, b=BAD)
    out = str(tmp_path / "out")
    assert main(["evaluate", gold, "--compare", a, b, "-o", out, "--shuffles", "99"]) == 0
    assert "a.jsonl" in capsys.readouterr().out.splitlines()[0]


def test_the_verb_reads_redacted_texts(tmp_path: Path, capsys) -> None:
    [gold] = files(tmp_path, gold=GOLD)
    redacted = tmp_path / "redacted"
    redacted.mkdir()
    for doc in GOLD:
        (redacted / f"{doc.id}.txt").write_text(doc.text.replace("Okonkwo", "[DOCTOR]"))
    assert main(["evaluate", gold, str(redacted), "--redacted", "-o", str(tmp_path / "out")]) == 0
    measured = json.loads((tmp_path / "out" / "scores.json").read_text())
    assert measured["labels"]["DOCTOR"]["words"]["recall"] == 1
    assert measured["labels"]["CITY"]["words"]["recall"] == 0
    (redacted / "n3.txt").unlink()
    assert main(["evaluate", gold, str(redacted), "--redacted", "-o", str(tmp_path / "out")]) == 1
    assert "'n3'" in capsys.readouterr().err


def test_redacted_texts_are_mapped_and_never_doubled(tmp_path: Path, capsys) -> None:
    gold, pred = files(tmp_path, gold=GOLD, pred=GOLD)
    call = ["evaluate", gold, pred, "--redacted", "--pred-map", "presidio"]
    call += ["-o", str(tmp_path / "out")]
    rows = [
        {"id": doc.id, "text": doc.text.replace("Okonkwo", "<PERSON>").replace("Dayton", "XXXX")}
        for doc in GOLD
    ]
    Path(pred).write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert main(call) == 0
    measured = json.loads((tmp_path / "out" / "scores.json").read_text())
    assert measured["errors"]["confusion"]["columns"][0] in ("PATIENT", "DOCTOR")
    Path(pred).write_text("".join(json.dumps(row) + "\n" for row in [*rows, rows[0]]))
    assert main(call) == 1
    assert f"more than one document {GOLD[0].id!r}" in capsys.readouterr().err


def test_the_verb_compares_label_sets(tmp_path: Path) -> None:
    spans = tuple(type(s)(s.start, s.end, "HCPName") for s in GOLD[0].spans if s.label == "DOCTOR")
    [gold, pred] = files(
        tmp_path, gold=[GOLD[0]], pred=[AnnotatedDocument(GOLD[0].document, spans)]
    )
    out = str(tmp_path / "out")
    assert main(["evaluate", gold, pred, "-o", out, "--pred-map", "physionet"]) == 0
    measured = json.loads((tmp_path / "out" / "scores.json").read_text())
    assert measured["labels"]["DOCTOR"]["strict"]["f1"] == 1


def test_the_verb_weighs_annotators(tmp_path: Path, capsys) -> None:
    one, other = files(tmp_path, one=GOLD, other=BAD)
    out = tmp_path / "out"
    assert main(["evaluate", "--agreement", one, other, "-o", str(out)]) == 0
    assert "kappa" in capsys.readouterr().out
    assert len((out / "adjudication.jsonl").read_text().splitlines()) == 16


def test_the_verb_tells_how_many_notes_to_annotate(capsys) -> None:
    assert main(["evaluate", "--sample-size", "0.05"]) == 0
    first, second, *_ = capsys.readouterr().out.splitlines()
    assert "59 random notes" in first
    assert second == "if 1 of them leaks, the same can be said after 93"


def test_means_over_notes_and_labels() -> None:
    measured = measure(GOLD, BAD)
    for kind, pooled in (
        ("typed", measured["words"]["all"]["typed"]),
        ("phi", measured["words"]["all"]),
    ):
        means = measured["word_means"][kind]
        assert means["all"]["f1"] == pooled["f1"]
        assert means["macro_by_type"]["over"] == len(
            [row for row in measured["labels"].values() if row["words"]["tp"] + row["words"]["fn"]]
        )


WRONG = {
    "no output": ["GOLD", "PRED"],
    "no prediction": ["GOLD", "-o", "OUT"],
    "prediction and comparison": ["GOLD", "PRED", "--compare", "A", "B", "-o", "OUT"],
    "no such file": ["nowhere.jsonl", "PRED", "-o", "OUT"],
    "one annotator": ["--agreement", "GOLD", "-o", "OUT"],
    "one annotator twice": ["--agreement", "GOLD", "GOLD", "-o", "OUT"],
    "a system compared with itself": ["GOLD", "--compare", "PRED", "PRED", "-o", "OUT"],
    "confidence of two": ["GOLD", "PRED", "-o", "OUT", "--confidence", "2"],
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_calls_leave_with_one_and_a_message(case: str, tmp_path: Path, capsys) -> None:
    paths = dict(zip(("GOLD", "PRED"), files(tmp_path, gold=GOLD, pred=GOOD), strict=True))
    arguments = [paths.get(word, word) for word in WRONG[case]]
    arguments = [str(tmp_path / "out") if word == "OUT" else word for word in arguments]
    assert main(["evaluate", *arguments]) == 1
    assert capsys.readouterr().err.startswith("incognote evaluate: ")


BROWSER = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)


def browse(page: Path, *options: str) -> str:
    """What headless Chromium says of a page."""
    call = [str(BROWSER), "--headless", "--no-sandbox", "--disable-gpu"]
    call += [f"--user-data-dir={page.parent / 'profile'}", *options, page.as_uri()]
    return subprocess.run(call, check=True, capture_output=True, text=True, timeout=120).stdout


@pytest.mark.skipif(BROWSER is None, reason="no Chromium to look with")
@pytest.mark.parametrize("width", [420, 1200], ids=["phone", "desk"])
def test_a_real_browser_shows_it_without_sideways_scrolling(tmp_path: Path, width: int) -> None:
    write_report(tmp_path, measure(GOLD, BAD), "t", compare(GOLD, {"a": GOOD, "b": BAD}))
    page = tmp_path / "report.html"
    probe = (
        "<script>document.title = document.documentElement.scrollWidth + '/' + innerWidth</script>"
    )
    page.write_text(page.read_text("utf-8").replace("</body>", f"{probe}</body>"), "utf-8")
    shot = tmp_path / "shot.png"
    browse(page, f"--window-size={width},900", f"--screenshot={shot}")
    assert shot.stat().st_size > 10_000
    dom = browse(page, f"--window-size={width},900", "--dump-dom")
    needed, given = re.search(r"<title>(\d+)/(\d+)</title>", dom).groups()
    assert int(needed) <= int(given)


@pytest.mark.skipif(BROWSER is None, reason="no Chromium to print with")
def test_it_prints(tmp_path: Path) -> None:
    write_report(tmp_path, measure(GOLD, BAD), "t")
    browse(tmp_path / "report.html", f"--print-to-pdf={tmp_path / 'paper.pdf'}")
    assert (tmp_path / "paper.pdf").read_bytes().startswith(b"%PDF")
