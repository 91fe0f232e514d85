"""`incognote explain`: why was this masked, and why not that? For any word, whatever the reason."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from incognote.cli import main
from incognote.resolve.reasons import _WORDS

ROOT = Path(__file__).parents[3]

# One annotator that finds names, one that finds towns; no model, so that every test is instant.
POLICY = """
name = "t"
[detectors.staff]
use = "dictionary"
weight = 2
options = { label = "DOCTOR", words = ["Will", "Mark", "Jordan Lake", "Jordan", "Bell", "Delacroix"] }
[detectors.towns]
use = "regex"
options = { label = "CITY", patterns = ['Jordan|Reno', '\\bLake View'] }
[labels]
default = { action = "tag", because = "a test" }
PROFESSION = "off"
"""

CASES = {
    "masked": (
        "Seen by Mark.", "Mark", "",
        "masked: DOCTOR (1.00) by staff (dictionary)",
    ),
    "kept by the policy": (
        "Seen by Mark.", "Mark", '[labels]\nDOCTOR = { action = "keep", because = "a test" }\n',
        "found, and left as the policy says: DOCTOR (1.00) by staff (dictionary)",
    ),
    "nobody claimed it": (
        "Seen by Quentin.", "quentin", "",
        "not masked; no annotator claimed it",
    ),
    "part of speech": (
        "Will increase the dose.", "Will", '[resolve.speech]\nsources = ["staff"]\n',
        "not masked; dropped: DOCTOR (1.00) by staff (dictionary), neither noun nor adjective here: MD",
    ),
    "allow list": (
        "Seen by Mark.", "Mark", '[[resolve.never]]\nwords = ["mark"]\n',
        "not masked; dropped: DOCTOR (1.00) by staff (dictionary), resolve.never[0] says that it is never PHI",
    ),
    "weight 0 for one label": (
        "Back in Reno.", "Reno", "[detectors.towns]\nweights = { CITY = 0, DATE = 1 }\n",
        "not masked; dropped: CITY (1.00) by towns/0 (regex), its detector has weight 0 for this label",
    ),
    "votes": (
        "Back in Reno.", "Reno", "[resolve.votes]\nCITY = 2\n",
        "not masked; dropped: CITY (1.00) by towns/0 (regex), too few detectors agree: 1<2",
    ),
    "negative evidence": (
        "Has Bell palsy.", "Bell",
        '[detectors.known]\nuse = "dictionary"\nweight = 9\noptions = { label = "SAFE", words = ["Bell palsy"] }\n',
        "not masked; dropped: DOCTOR (1.00) by staff (dictionary), known knows that it is no PHI",
    ),
    "label off": (
        "Back in Reno.", "Reno", '[labels]\nCITY = "off"\n',
        "not masked; dropped: CITY (1.00) by towns/0 (regex), the policy does not look for this label",
    ),
    "conflict lost": (
        "Seen by Jordan.", "Jordan", "",
        "masked: DOCTOR (1.00) by staff (dictionary); dropped: CITY (1.00) by towns/0 (regex), lost to DOCTOR at 8-14",
    ),
    "conflict lost in part": (
        "Seen at Jordan Lake View.", "Lake", "",
        ("masked: DOCTOR (1.00) by staff (dictionary); dropped: CITY (1.00) by towns/1 (regex),"
        " lost a part to DOCTOR at 8-19; the rest is kept"),
    ),
    "rest of a conflict": (
        "Seen at Jordan Lake View.", "view", "",
        ("masked: CITY (1.00) by towns/1 (regex); dropped: CITY (1.00) by towns/1 (regex),"
        " lost a part to DOCTOR at 8-19; the rest is kept"),
    ),
    "joined": (
        "Seen by Mark Bell.", "Bell",
        '[[resolve.connect]]\nleft = ["DOCTOR"]\nright = ["DOCTOR"]\n',
        ("masked: DOCTOR (1.00) by staff (dictionary); dropped: DOCTOR (1.00) by staff (dictionary),"
        " became part of DOCTOR at 8-17"),
    ),
    "inclusion list": (
        "Mark came. No lake was seen.", "lake", '[prepare]\ninclusion = "LIST"\n',
        "not masked; its sentence is on the inclusion list",
    ),
    "a repetition in a listed sentence": (
        "Jordan Reno came. No Jordan was seen.", "Jordan was", '[prepare]\ninclusion = "LIST"\n',
        ("masked: DOCTOR (1.00) by leak-check; dropped: DOCTOR (0.50) by repetition,"
        " its sentence is on the inclusion list"),
    ),
    "repetition": (
        "Seen by Delacroix. DELACROIX is well.", "DELACROIX is", "[detectors.staff]\noptions = { ignore_case = false }\n",
        "masked: DOCTOR (0.50) by repetition",
    ),
    "sentence cache": (
        "Back in Reno.", "Reno",
        '[detectors.towns]\nuse = "sentence_cache"\noptions = { use = "regex", options = { label = "CITY", patterns = ["Reno"] } }\n',
        "masked: CITY (1.00) by towns/0 (sentence_cache of regex)",
    ),
    "template": (
        "Signed by: QUENTIN on ward.", "quentin",
        '[detectors.templates]\noptions = { file = "TEMPLATES" }\n',
        "masked: PATIENT (1.00) by templates/0",
    ),
}  # fmt: skip

TEMPLATES = """
[[template]]
keep = true
labels = ["PATIENT"]
syntax = "W W : W W W ."
pattern = 'Signed\\s+by:\\s+(\\pL+)\\s+on\\s+ward\\.'
"""


def explained(folder: Path, text: str, changes: str, *options: str) -> int:
    (folder / "list.csv").write_text(
        "keep,sentence\nyes,No lake was seen.\nyes,No Jordan was seen.\n"
    )
    (folder / "templates.toml").write_text(TEMPLATES)
    (folder / "base.toml").write_text(POLICY)
    changes = changes.replace("LIST", str(folder / "list.csv"))
    changes = changes.replace("TEMPLATES", str(folder / "templates.toml"))
    (folder / "policy.toml").write_text(f'extends = "base.toml"\n{changes}')
    (folder / "note.txt").write_text(text)
    return main(
        ["explain", str(folder / "note.txt"), "--policy", str(folder / "policy.toml"), *options]
    )


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_every_word_has_an_answer(case, tmp_path, capsys):
    text, word, changes, answer = case
    assert explained(tmp_path, text, changes, "--word", word) == 0
    (line,) = capsys.readouterr().out.splitlines()
    assert line.partition(": ")[2] == answer


def test_what_nobody_read_is_shown(tmp_path, capsys):
    changes = '[prepare]\ninclusion = "LIST"\n'
    assert explained(tmp_path, "Mark came. No lake was seen.", changes) == 0
    shown = capsys.readouterr().out
    assert re.search(
        r"not read: on the inclusion list\s+at\s+text\s+11-28\s+No lake was seen", shown
    )


def test_an_address_is_shown_as_one(tmp_path, capsys):
    changes = '[[resolve.connect]]\nleft = ["DOCTOR"]\nright = ["CITY"]\nbetween = ["of"]\ngroup = "pair"\n'
    assert explained(tmp_path, "Seen by Mark of Reno.", changes) == 0
    assert capsys.readouterr().out.count("pair@8-20") == 2


def test_what_the_leak_check_masks_is_shown(tmp_path, capsys):
    """The second Dayton is nobody's find: it would stay behind as a leak of the first."""
    changes = (
        "[resolve]\nrepetitions = false\n[detectors.towns]\n"
        'options = { patterns = ["in (?P<phi>Dayton)"] }\n'
    )
    assert explained(tmp_path, "Born in Dayton, to Dayton.", changes, "--word", "Dayton") == 0
    _, second = capsys.readouterr().out.splitlines()
    assert second.endswith("masked: CITY (1.00) by leak-check")


def test_a_language_that_nobody_serves_is_named(tmp_path, capsys):
    changes = (
        '[detectors.towns]\nuse = "function"\n'
        'options = { function = "builtins:list", languages = ["en"] }\n'
    )
    text = "Der Patient wurde mit starken Schmerzen in die Klinik gebracht und dort von der Ärztin "
    allowed = ("--allow-functions", "builtins")
    assert explained(tmp_path, text * 2, changes, *allowed) == 3
    assert "no detector of the policy serves 'de' (prepare:language)" in capsys.readouterr().out


def test_words_that_stand_nowhere(tmp_path, capsys):
    assert explained(tmp_path, "Seen by Mark.", "", "--word", "Bell") == 1
    assert "'Bell' stands nowhere" in capsys.readouterr().err


def test_every_reason_is_documented():
    guide = (ROOT / "docs" / "guides" / "ensemble.md").read_text("utf-8")
    assert set(
        re.findall(
            r"(?m)^\| `([a-z-]+)(?::[^`]+)?` \| (?:came|has|was|is|had|lost|went|became|stands)",
            guide,
        )
    ) == set(_WORDS)


def test_a_pipe_is_wide_enough_for_the_names_of_rules(tmp_path, capsys, monkeypatch):
    monkeypatch.delenv("COLUMNS", raising=False)
    (tmp_path / "note.txt").write_text("Called 860-555-0123 about results, at 10/12/2024.")
    assert main(["explain", str(tmp_path / "note.txt"), "--policy", "group-a+rules"]) == 0
    shown = capsys.readouterr().out
    assert "patterns/phone.nanp" in shown
    assert max(map(len, shown.splitlines())) <= 160
