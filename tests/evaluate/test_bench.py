"""The bench: its variants keep the gold true, its workers speak the agreed shape."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from bench.ablation import bare_lists, changes
from bench.growth import cases
from bench.notes import notes
from bench.repeats import SENTENCES, strewn, ways_to_read
from bench.variants import VARIANTS, varied
from bench.worker import TOOLS
from tests.evaluate.notes import annotated

from incognote.core.types import Document
from incognote.detect.learned.model_folder import open_model
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
    assert set(cost) == {"start_s", "chars_per_s", "peak_mb"}
    [row] = map(json.loads, found.read_text().splitlines())
    assert [span["label"] for span in row["spans"]] == ["PHONE"]


def test_the_peers_have_workers() -> None:
    from bench.__main__ import PEERS

    assert set(PEERS) <= set(TOOLS)
