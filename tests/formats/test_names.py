"""New names of paths: no two alike, one folder for one folder, nothing of what was found left."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from incognote.core.types import Document, Failure, Replacement, Result, Span
from incognote.formats.file_names import Renaming

NAME = "Quillon"
_PARTS = st.sampled_from(["a", "b", "Quillon", "quillon", "X_Quillon", "X_[NN]", "[NN]", "Quillon.txt", "c.txt", "[NN].txt"])  # fmt: skip
_PATHS = st.lists(st.lists(_PARTS, min_size=1, max_size=3).map("/".join), unique=True)


def _answer(document: Document) -> Result | Failure:
    at = document.text.find(NAME)
    if at < 0:
        return Result(document, (), text=document.text)
    span = Span(at, at + len(NAME), "PATIENT")
    new = document.text.replace(NAME, "[NN]", 1)
    return Result(document, (span,), (), (Replacement(span, "[NN]", "tag"),), new)


def _renamed(paths: list[str], choice: str = "replace") -> dict[str, str]:
    renaming = Renaming(choice, (".txt",), frozenset(paths).__contains__)
    # As in a run: all are asked about before the first is settled.
    asked = [(path, renaming.documents(path)) for path in paths]
    return {path: renaming.settle(path, [_answer(d) for d in made]) for path, made in asked}


def _tree(paths: list[str]) -> list[str]:
    """Paths that can stand in one tree: none of them lies below another, which would be a file."""
    return [p for p in paths if not any(q != p and q.startswith(f"{p}/") for q in paths)]


@given(_PATHS)
def test_no_two_paths_meet_and_nothing_found_is_left(paths):
    new = _renamed(_tree(paths))
    assert len({name.casefold() for name in new.values()}) >= len({p.casefold() for p in new})
    assert not [name for name in new.values() if NAME in name]


@given(_PATHS)
def test_one_folder_stays_one_folder(paths):
    new = _renamed(_tree(paths))
    folders: dict[str, set[str]] = {}
    for path, name in new.items():
        folders.setdefault(path.rpartition("/")[0], set()).add(name.rpartition("/")[0])
    assert all(len(found) == 1 for found in folders.values())


@given(_PATHS)
def test_what_says_nothing_keeps_its_name(paths):
    new = _renamed(_tree(paths))
    assert [p for p, name in new.items() if NAME not in p and name != p] == []


def test_separators_become_blanks_but_not_in_dates():
    renaming = Renaming("replace", (".txt",), lambda _: False)
    (document,) = renaming.documents("Adeyemi-Quillon_2024-03-11.note.txt")
    assert document.text == "Adeyemi Quillon 2024-03-11 note"


@pytest.mark.parametrize(
    ("ending", "stays"),
    [
        (".txt", True),
        (".toml", True),
        (".YAML", True),
        (".tar.xz", True),
        (".csv.bak", True),
        (".ann", True),
        (".Ann", False),
        (".Adaeze", False),
    ],
)
def test_the_ending_of_a_file_stays_unless_it_may_be_a_name(ending, stays):
    renaming = Renaming("replace", (".txt", ".csv", ".tar"), lambda _: False)
    (document,) = renaming.documents(f"seen_Quillon{ending}")
    assert (document.text == "seen Quillon") == stays
    assert renaming.settle(f"seen_Quillon{ending}", [_answer(document)]) == f"seen_[NN]{ending}"


def test_a_name_that_cannot_be_read_becomes_a_number():
    renaming = Renaming("replace", (".txt",), lambda _: False)
    renaming.documents("Quillon.txt")
    assert renaming.settle("Quillon.txt", [Failure("x", "detect", "E", "")]) == "000001.txt"


def test_a_replacement_is_no_path():
    renaming = Renaming("replace", (".txt",), lambda _: False)
    (document,) = renaming.documents("seen_Quillon.txt")
    span = Span(5, 12, "DATE")
    result = Result(document, (span,), (), (Replacement(span, "../3/4 20", "x"),), "x")
    assert renaming.settle("seen_Quillon.txt", [result]) == "seen_..-3-4_20.txt"


@pytest.mark.parametrize(
    ("name", "is_read"),
    [
        pytest.param("dev.txt", False, id="plain"),
        pytest.param("progress_notes-2.txt", False, id="plain-with-a-number"),
        pytest.param("fhir_bundle0.json", False, id="plain-of-formats"),
        pytest.param("hl7.txt", False, id="plain-format-with-a-number"),
        pytest.param("b.txt", False, id="one-letter"),
        pytest.param("notes_b.txt", False, id="plain-with-a-letter"),
        pytest.param("nota2.txt", False, id="plain-in-spanish"),
        pytest.param("ids2.csv", False, id="plain-of-tables"),
        pytest.param("part-00001.txt", False, id="plain-with-a-filled-number"),
        pytest.param("part-00774.txt", True, id="plain-with-a-filled-long-number"),
        pytest.param("notes-csv.toml", False, id="plain-in-another-format"),
        pytest.param("mensaje.txt", False, id="message-in-spanish"),
        pytest.param("lista_de_camas.txt", False, id="list-of-beds-in-spanish"),
        pytest.param("Foo.txt", True, id="filler-with-a-capital"),
        pytest.param("Alta.txt", True, id="spanish-with-a-capital"),
        pytest.param("k_o.txt", True, id="two-letters"),
        pytest.param("k_smith.txt", True, id="letter-beside-a-name"),
        pytest.param("ward_bell.txt", True, id="plain-beside-another"),
        pytest.param("Ward.txt", True, id="with-a-capital"),
        pytest.param("notes 3-11.txt", True, id="plain-with-a-date"),
        pytest.param("note_774.txt", True, id="plain-with-a-long-number"),
        pytest.param("3-11.txt", True, id="numbers-alone"),
    ],
)
def test_names_of_plain_words_are_not_read(name, is_read):
    (document,) = Renaming("replace", (".txt",), lambda _: False).documents(name)
    assert bool(document.text) == is_read


@pytest.mark.parametrize(
    "name",
    [
        "README.md",
        "LICENSE",
        "CHANGELOG.md",
        "Makefile",
        "Discharge_Summary.docx",
        "Labs 2.csv",
        "requirements.txt",
        "Report-01.pdf",
        "NOTES.TXT",
        "Codebook.xlsx",
        "Thumbs.db",
    ],
)
def test_ordinary_names_are_not_asked_about(name: str) -> None:
    """No detector sees them, so none can take them for a person's."""
    renaming = Renaming(
        "replace", (".txt", ".md", ".docx", ".csv", ".pdf", ".xlsx"), lambda _: False
    )
    (asked,) = renaming.documents(name)
    assert not asked.text
    assert renaming.settle(name, [Result(asked, (), text=asked.text)]) == name


@pytest.mark.parametrize(
    "name", ["Ward.txt", "Dev Page.txt", "Case Small.txt", "Readme_Quillon.txt"]
)
def test_names_that_are_peoples_too_are_asked_about(name: str) -> None:
    (asked,) = Renaming("replace", (".txt",), lambda _: False).documents(name)
    assert asked.text
