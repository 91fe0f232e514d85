"""Docs cannot rot: generated pages are current, links lead somewhere, examples run."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

import pytest
from tools.reference import REFERENCE, pages

from incognote.cli import VERBS, main, parser_for
from incognote.core import registry
from incognote.core.labels import all_labels
from incognote.policy import presets

ROOT = Path(__file__).parents[2]
DOCS = sorted([*ROOT.glob("docs/**/*.md"), *ROOT.glob("*.md")])
# Pages of the site reach files outside docs/ by this address.
REPOSITORY = "https://github.com/incognote/incognote/blob/main/"
QUICKSTART = (ROOT / "docs" / "quickstart.md").read_text()


@pytest.mark.parametrize("name", pages())
def test_a_generated_page_is_current(name: str) -> None:
    assert (REFERENCE / name).read_text() == pages()[name], "run `make docs`"


def test_the_generated_pages_name_everything() -> None:
    """What `pages` writes is checked against the code by another road."""
    cli, labels, components, policy = (
        (REFERENCE / name).read_text()
        for name in ("cli.md", "labels.md", "components.md", "policy.md")
    )
    for verb in VERBS:
        assert f"## `incognote {verb}`" in cli
        for option in re.findall(
            r"(?m)^  (?:-\w\s?\S*, )?(--[\w-]+)", parser_for(verb).format_help()
        ):
            assert option in cli or option == "--help"
    assert all(f"`{label}`" in labels for label in all_labels())
    for kind in registry.KINDS:
        assert all(f"### `{name}`" in components for name in registry.names(kind))
    assert all(f"`{preset}`" in policy for preset in presets())


@pytest.mark.parametrize("kind", registry.KINDS)
def test_every_component_says_what_it_is(kind: str) -> None:
    from tools.reference import _about

    for name in registry.names(kind):
        assert _about(registry.load(kind, name)), f"the {kind} {name} has no docstring"


@pytest.mark.parametrize("page", DOCS, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(page: Path) -> None:
    prose = re.sub(r"(?ms)^```.*?^```", "", page.read_text())
    for target in re.findall(r"\]\(([^)#\s]+)", prose):
        if target.startswith(REPOSITORY):
            assert (ROOT / target.removeprefix(REPOSITORY)).exists(), target
        elif "://" not in target and not target.startswith("mailto:"):
            assert (page.parent / target).exists(), target


COMMANDS = [
    line
    for block in re.findall(r"```sh\n(.*?)```", QUICKSTART, re.DOTALL)
    for line in block.splitlines()
    if not line.startswith("make")
]


def test_the_commands_of_the_quick_start_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In this process, where the models are loaded once. No line needs a shell."""
    shutil.copytree(ROOT / "samples", tmp_path / "samples")
    (tmp_path / "out").mkdir()
    monkeypatch.chdir(tmp_path)
    for line in COMMANDS:
        assert not set(line) & set("|<>$&;*"), line
        program, *arguments = shlex.split(line, comments=True)
        assert program == "incognote"
        assert main(arguments) == 0, line
    assert (tmp_path / "out" / "notes" / "manifest.jsonl").exists()


def test_the_python_of_the_quick_start_works(capsys: pytest.CaptureFixture[str]) -> None:
    blocks = re.findall(r"```python\n(.*?)```", QUICKSTART, re.DOTALL)
    assert len(blocks) >= 2
    exec("\n".join(blocks), {})
    shown = capsys.readouterr().out
    assert "Munro" not in shown
    assert "Smith" not in shown
