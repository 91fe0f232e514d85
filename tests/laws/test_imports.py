"""`import incognote` costs nothing, and a verb imports only its own rooms."""

from __future__ import annotations

import subprocess
import sys

import pytest

import incognote
from incognote.cli import VERBS


def modules_after(code: str) -> set[str]:
    """What is loaded after `code` that was not loaded before, in a fresh interpreter."""
    program = f"import sys; before = set(sys.modules)\n{code}\nprint(*set(sys.modules) - before)"
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    return set(done.stdout.split())


def third_party(modules: set[str]) -> set[str]:
    tops = {module.partition(".")[0] for module in modules}
    return tops - set(sys.stdlib_module_names) - {"incognote"}


def test_importing_the_package_loads_nothing_else() -> None:
    used = modules_after("import __future__, importlib, typing")
    assert modules_after("import incognote") <= used | {"incognote"}


def test_core_is_standard_library_only() -> None:
    code = "from incognote.core import errors, labels, registry, types; import incognote.core.text.offsets"
    assert third_party(modules_after(code)) == set()


def test_the_command_starts_without_any_third_party_module() -> None:
    loaded = modules_after("from incognote.cli import parser_for; parser_for('detect')")
    assert third_party(loaded) == set()


def test_detecting_needs_neither_the_terminal_library_nor_a_model_runtime(tmp_path) -> None:
    note = tmp_path / "note.txt"
    note.write_text("Seen by Dr. Alice Munro on 3/4/2020.")
    loaded = modules_after(
        "from incognote.cli import main\n"
        f"assert main(['detect', {str(note)!r}, '-o', {str(tmp_path / 'out.jsonl')!r}]) == 0"
    )
    assert not third_party(loaded) & {"rich", "torch", "transformers", "spacy", "pandas"}


ROOMS = {"learn", "evaluate", "corpus", "engine", "web", "serve"}
OWN = {
    "deid": {"engine"},
    "detect": {"engine"},
    "explain": {"engine"},
    "policy": set(),
    "evaluate": {"evaluate", "corpus", "learn"},  # cross-training trains
    "corpus": {"corpus"},
    "train": {"learn", "corpus"},
    "models": {"learn"},
    "learn": {"learn", "engine", "corpus"},
    "templates": {"learn", "engine", "corpus"},
    "reidentify": {"engine"},
    "verify": set(),
    "vault": set(),
    "key": set(),
    "completion": set(),
    "persons": {"engine"},
    "serve": set(),
    "anonymize": set(),
    "risk": set(),
    "certify": set(),
    "histogram": set(),
    "web": set(),
}


@pytest.mark.parametrize("verb", VERBS)
def test_a_verb_imports_only_its_own_rooms(verb: str) -> None:
    loaded = modules_after(f"from incognote.cli import parser_for; parser_for({verb!r})")
    rooms = {module.split(".")[1] for module in loaded if module.startswith("incognote.")}
    assert rooms & ROOMS <= OWN[verb]


def test_every_public_name_is_there_and_no_other() -> None:
    assert incognote.__all__ == sorted(incognote.__all__)
    assert dir(incognote) == incognote.__all__
    for name in incognote.__all__:
        assert getattr(incognote, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        incognote.nothing  # noqa: B018


def test_every_name_for_plugins_is_there() -> None:
    from incognote import plugins, testing

    for module in (plugins, testing):
        assert module.__all__ == sorted(module.__all__)
        assert all(hasattr(module, name) for name in module.__all__)
