"""Packs are read strictly, and a site's own pack works like those that ship."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from incognote.core.errors import PolicyError
from incognote.core.types import Document
from incognote.detect.patterns import PatternDetector, load_pack, packfile
from incognote.policy import PrepareRules
from incognote.prepare import prepare

GOOD = """
description = "Numbers of our blood bank"

[words]
bank = "bank id, bb no"

[fragments]
number = 'BB-[0-9]{5}'

[[rule]]
id = "bank.id"
label = "IDNUM"
score = 0.9
trigger = ["@bank"]
pattern = '{l}{bank}[ ]?(?P<phi>{number}){r}'
unless.before = 'old[ ]'
finds = "bank id [[BB-12345|IDNUM]]"
"""


def write(folder: Path, text: str) -> str:
    path = folder / "site.toml"
    path.write_text(text, "utf-8")
    return str(path)


def test_a_sites_own_pack(tmp_path: Path) -> None:
    detector = PatternDetector([write(tmp_path, GOOD)])
    (view,) = prepare(Document("x", "BB no BB-12345, not old bank id BB-99999"), PrepareRules())
    (spans,) = detector.detect([view])
    assert [(s.start, s.end, s.label, s.sources) for s in spans] == [
        (6, 14, "IDNUM", ("patterns/bank.id",))
    ]
    assert detector.labels == {"IDNUM"}


MISTAKES = tomllib.loads(Path(__file__).with_name("mistakes.toml").read_text("utf-8"))["mistake"]


@pytest.mark.parametrize("mistake", MISTAKES, ids=[each["new"] for each in MISTAKES])
def test_mistakes_are_errors(tmp_path: Path, mistake: dict[str, str]) -> None:
    assert mistake["old"] in GOOD
    with pytest.raises(PolicyError, match=mistake["message"]):
        load_pack(write(tmp_path, GOOD.replace(mistake["old"], mistake["new"])))


def test_a_rule_id_is_given_once(tmp_path: Path) -> None:
    twice = GOOD + GOOD[GOOD.index("[[rule]]") :]
    with pytest.raises(PolicyError, match=r"two rules have the id 'bank\.id'"):
        load_pack(write(tmp_path, twice))


def test_a_missing_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(PolicyError, match="No such file"):
        load_pack(str(tmp_path / "none.toml"))


def test_every_word_set_and_fragment_is_used() -> None:
    """What no rule names is dead weight; only {r} is there for packs of other people."""
    folder = Path(packfile.__file__).parent / "packs"
    texts = {path.stem: path.read_text("utf-8") for path in folder.glob("*.toml")}
    unused = [
        (pack, name)
        for pack, text in texts.items()
        for kind in ("words", "fragments")
        for name in tomllib.loads(text).get(kind, {})
        if not any(
            f"{{{name}}}" in other or f'"@{name}"' in other
            for other in (texts.values() if pack == packfile.COMMON else [text])
        )
    ]
    assert unused == []


@pytest.mark.parametrize(
    ("phrases", "found", "passed_over"),
    [
        (["mon", "monday"], ["mon", "monday"], ["mond", "mo"]),
        (["unit #", "unit no"], ["unit#", "unit  #", "unit no"], ["unitno", "unit"]),
        (["a.b", "a"], ["a.b", "a"], ["axb"]),
    ],
)
def test_word_sets_match_whole_phrases(phrases, found, passed_over) -> None:
    pattern = re.compile(packfile.any_of(phrases), packfile.FLAGS)
    assert [text for text in found + passed_over if pattern.fullmatch(text)] == found
