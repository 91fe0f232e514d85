"""The bench: its variants keep the gold true, its workers speak the agreed shape."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from bench import leaderboard, scoring
from bench.__main__ import ours
from bench.ablation import bare_lists, changes
from bench.growth import cases
from bench.notes import notes
from bench.repeats import SENTENCES, strewn, ways_to_read
from bench.rules import earnings, group_of
from bench.variants import VARIANTS, varied
from bench.worker import TOOLS
from tests.evaluate.notes import annotated

from incognote.core.types import AnnotatedDocument, Document, Span
from incognote.detect.learned.model_folder import open_model
from incognote.evaluate.scoring.subsets import UNTYPED
from incognote.pipeline import Pipeline
from incognote.policy import load_policy
from incognote.prepare.inclusion import inclusion_list

DOC = annotated(
    "Seen by Dr. [[José Muñoz-Strauß|DOCTOR]], on [[3/4/2020|DATE]].\nIt's [[Ann O'Neil|PATIENT]]: "
    + "x " * 40
)


@pytest.mark.parametrize("name", VARIANTS)
def test_a_variant_keeps_every_mention(name: str) -> None:
    [made] = varied([DOC], name)
    assert [span.label for span in made.spans] == [span.label for span in DOC.spans]
    for old, new in zip(DOC.spans, made.spans, strict=True):
        before, after = DOC.text[old.start : old.end], made.text[new.start : new.end]
        assert abs(len(before) - len(after)) <= 1, "only ß grows, and only by one"
        assert after.strip()
    assert made.text != DOC.text


def test_cases_grow_to_the_wanted_sizes() -> None:
    sizes = {name: len(text) for name, text in cases((1_000, 3_000_000))}
    assert sizes["1 kB"] == 1_000
    assert sizes["3 MB in one line"] == 3_000_000
    assert sizes["200,000 digits"] == 200_000


def test_strewn_sentences_leave_every_span_where_it_was() -> None:
    made = strewn(DOC, share=0.6)
    assert any(sentence in made.text for sentence in SENTENCES)
    words = [made.text[span.start : span.end] for span in made.spans]
    assert words == [DOC.text[span.start : span.end] for span in DOC.spans]


def test_ways_to_read_repeated_sentences(tmp_path: Path) -> None:
    ways = dict(ways_to_read(load_policy("rules"), tmp_path, ["names"]))
    assert list(ways) == ["as it is", "inclusion list", "sentence cache", "both"]
    assert inclusion_list(ways["both"].prepare.inclusion) == set(SENTENCES)
    assert ways["both"].detectors["names"].options["use"] == "names"
    assert Pipeline(ways["both"]).detectors


def test_held_out_notes_are_those_that_the_cards_name() -> None:
    held = notes("held-out")
    assert len(held) == open_model("accurate").card["held_out_notes"]
    assert {doc.id for doc in held} < {doc.id for doc in notes("train")}


def test_every_step_that_is_on_can_be_switched_off() -> None:
    policy = load_policy()
    steps = dict(changes(policy))
    assert {"missed repetitions", "connected entities", "true-casing", "detector `names`"} <= set(
        steps
    )
    for name, change in steps.items():
        assert change(policy) != policy, name


def test_bare_lists_find_names_and_are_filtered(tmp_path: Path) -> None:
    pipeline = Pipeline(bare_lists(load_policy(), tmp_path))
    (result,) = pipeline.detect([Document("d", "Will increase the dose. Called Mary Smith.")])
    assert [(s.start, s.end) for s in result.spans] == [(31, 41)]
    assert "speech:MD" in {drop.reason for drop in result.dropped}


def test_a_group_of_rules_earns_what_its_removal_costs() -> None:
    note = annotated("Seen [[3/4/2020|DATE]] by Dr. [[Smith|DOCTOR]]; a cat named Tom.", "n_1")
    earned = earnings([note], "i2b2-2014+rules", group_of)
    assert (earned["patterns/date"].missed, earned["names/title"].missed) == (3, 1)
    assert earned["names/strong"].false == 1  # the cat
    assert earned["patterns/date"].groups == {"n"}
    assert group_of("patterns/date.slashed") == group_of("patterns/date.iso") == "patterns/date"


def test_groups_choose_authors() -> None:
    assert {doc.id.split("_")[0] for doc in notes("train", ("w6", "w11"))} == {"w6", "w11"}
    with pytest.raises(SystemExit):
        notes("dev", ("w6",))


def test_a_worker_writes_spans_and_costs(tmp_path: Path) -> None:
    """Run with a policy of patterns only: the other detectors have tests of their own."""
    policy = tmp_path / "patterns.toml"
    policy.write_text('name = "p"\n[detectors.patterns]\n[labels]\ndefault = "keep"\n')
    given, found = tmp_path / "notes.jsonl", tmp_path / "spans.jsonl"
    given.write_text(json.dumps({"id": "1", "text": "Call 212-555-0101."}) + "\n")
    worker = Path(sys.modules["bench.worker"].__file__)
    done = subprocess.run(
        [sys.executable, str(worker), f"incognote:{policy}", str(given), str(found)],
        capture_output=True,
        text=True,
        check=True,
    )
    cost = json.loads(done.stdout)
    assert set(cost) == {"start_s", "chars_per_s", "peak_mb", "version"}
    [row] = map(json.loads, found.read_text().splitlines())
    assert [span["label"] for span in row["spans"]] == ["PHONE"]


def test_labels_of_other_tools_hide_in_every_subset() -> None:
    """A tool that calls a phone number by a name of its own has found it all the same."""
    found = AnnotatedDocument(DOC.document, (Span(0, 4, "PERSON"), Span(5, 7, "FILTH")))
    assert [span.label for span in ours(found, "presidio").spans] == ["PATIENT", UNTYPED]
    assert [span.label for span in ours(found, "scrubadub").spans] == [UNTYPED, UNTYPED]
    kept = AnnotatedDocument(DOC.document, (Span(0, 4, "CITY"),))
    assert [span.label for span in ours(kept, "incognote:rules").spans] == ["CITY"]


RUN = {
    "tool": "presidio",
    "version": "2.2.1",
    "command": "python -m bench.leaderboard --measure presidio",
    "machine": "one core",
    "date": "2026-11-18",
    "corpus_sha256": "now",
    "notes": 371,
    "subsets": {
        name: {"recall": 0.5, "precision": 0.25, "f1": 1 / 3, "leaking_notes": 300}
        for name in ("group C", "all")
    },
}


def test_the_leaderboard_has_measured_runs_alone_and_says_what_was_not_run() -> None:
    better = {name: {**row, "f1": 0.9} for name, row in RUN["subsets"].items()}
    runs = [
        RUN,
        {**RUN, "tool": "incognote:rules", "subsets": better},
        {**RUN, "tool": "scrubadub", "corpus_sha256": "then"},
    ]
    page = leaderboard.page(runs, "now")
    rows = [line for line in page.split("\n") if line.startswith("| ")]
    assert [row.split(" | ")[0] for row in rows[2:4]] == [
        "| incognote, rules and lists alone",
        "| Presidio with spaCy's small English model",
    ]
    assert "0.5000 | 0.2500 | 0.3333" in rows[3]
    assert "300/371" in rows[3]
    missing = page.partition("## Not run")[2]
    assert "- NLM-Scrubber" in missing
    assert "- scrubadub" in missing  # its run was on another state of the notes
    assert "left out: scrubadub" in missing
    assert "- Presidio" not in missing


def test_the_leaderboard_is_what_the_stored_runs_give() -> None:
    stored = leaderboard.runs()
    assert stored, "no run was measured"
    assert leaderboard.PAGE.read_text("utf-8") == leaderboard.page(
        stored, leaderboard.fingerprint()
    )
    for run in stored:
        assert {"tool", "version", "command", "machine", "date", "corpus_sha256"} <= run.keys()


def test_a_large_corpus_is_scored_in_time(capsys: pytest.CaptureFixture[str]) -> None:
    """30 s for 10,000 notes with a million mentions; here a twentieth, on a machine half as fast."""
    assert scoring.seconds(500) < 2 * 30 / 20
    assert scoring.main(["--notes", "2"]) == 0
    assert "2 notes, 200 mentions: " in capsys.readouterr().out


def test_the_peers_have_workers() -> None:
    from bench.__main__ import PEERS

    assert set(PEERS) <= set(TOOLS)
