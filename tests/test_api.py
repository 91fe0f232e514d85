"""The public class, with a policy that needs no data."""

from __future__ import annotations

import json

import pytest

import incognote
from incognote.core.errors import UsageError
from incognote.detect.regex import RegexDetector
from incognote.policy import policy_from

TREE = {
    "name": "tiny",
    "detectors": {
        "find": {
            "use": "regex",
            "options": {"label": "PATIENT", "patterns": ["<(?P<phi>[^<>]+)>"]},
        }
    },
    "labels": {"default": {"action": "tag", "because": "a test"}},
}
POLICY = policy_from(TREE)
ONE = "a sheet of brass, hammered thin"


@pytest.fixture
def deidentifier() -> incognote.Deidentifier:
    return incognote.Deidentifier(POLICY, key="a sheet of brass, hammered thin")


def test_one_text(deidentifier: incognote.Deidentifier) -> None:
    result = deidentifier.deid("Seen: <Ann>.")
    assert result.text == "Seen: <[PATIENT]>."
    (span,) = deidentifier.detect("Seen: <Ann>.").spans
    assert (span.start, span.end, span.label) == (7, 10, "PATIENT")


def test_one_document(deidentifier: incognote.Deidentifier) -> None:
    document = incognote.Document("n1", "<Ann>", {"patient_id": "p"})
    assert deidentifier.deid(document).document is document


def test_iterables_keep_their_order(deidentifier: incognote.Deidentifier) -> None:
    notes = ["<Ann>", incognote.Document("x", "none"), "<Bo> <Cy>"]
    results = list(deidentifier.detect(notes))
    assert [result.document.id for result in results] == ["0", "x", "2"]
    assert [len(result.spans) for result in results] == [1, 0, 2]
    assert list(deidentifier.deid([])) == []


def test_iterables_stream(deidentifier: incognote.Deidentifier) -> None:
    read = 0

    def endless():
        nonlocal read
        while True:
            read += 1
            yield "<Ann>"

    results = deidentifier.deid(endless())
    assert read == 0
    assert next(results).text == "<[PATIENT]>"
    assert read < 100


def test_a_failure_is_raised_for_one_note_and_handed_out_for_many(
    deidentifier: incognote.Deidentifier, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(views):
        if any("break" in view.text for view in views):
            raise ValueError("break <Ann>")
        return [[] for _ in views]

    monkeypatch.setattr(RegexDetector, "detect", lambda _, views: fail(views))
    with pytest.raises(incognote.DocumentError, match="ValueError") as error:
        deidentifier.deid("break <Ann>")
    assert "Ann" not in str(error.value)
    good, bad = deidentifier.deid(["fine", "break <Ann>"])
    assert isinstance(good, incognote.Result)
    assert isinstance(bad, incognote.Failure)
    assert bad.document_id == "1"


def test_the_key_decides_the_surrogates() -> None:
    note = incognote.Document("1", "Seen by Dr. Alice Munro on 3/4/2020.", {"patient_id": "p"})
    once, again, other = (
        incognote.Deidentifier(key=key).deid(note).text for key in (ONE, ONE.encode(), ONE[::-1])
    )
    assert once == again != other
    assert "Munro" not in str(once)


@pytest.mark.parametrize("key", ["", b"", "short", b" " * 32], ids=repr)
def test_a_key_that_anybody_could_guess_is_refused(key: str | bytes) -> None:
    with pytest.raises(UsageError, match="16 bytes"):
        incognote.Deidentifier(POLICY, key=key)


@pytest.mark.parametrize(
    "key",
    [
        "a" * 16,
        "\x00" * 32,
        "abcabcabcabcabcabc",
        "abcdefghijklmnopqrst",
        "0123456789" * 2,
        "password12345678",
        "incognote-secret-key",
        "ChangeMe!ChangeMe!",
    ],
)
def test_a_weak_key_is_refused(key: str) -> None:
    with pytest.raises(UsageError, match=r"easy to guess|16 bytes"):
        incognote.Deidentifier(POLICY, key=key)


def test_the_line_end_of_a_key_file_is_no_part_of_the_key() -> None:
    policy = policy_from({**TREE, "labels": {"default": {"action": "hash", "because": "a test"}}})
    one, other = (
        incognote.Deidentifier(policy, key=key).deid(
            incognote.Document("1", "<Ann>", {"patient_id": "p"})
        )
        for key in (ONE.encode(), ONE.encode() + b"\r\n")
    )
    assert one.text == other.text


# --- what is no note ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "wrong", [None, 5, 5.0, b"bytes", {"a": "note"}, bytearray(b"x")], ids=repr
)
@pytest.mark.parametrize("verb", ["detect", "deid"])
def test_what_is_no_note_is_refused_at_once(deidentifier, wrong, verb) -> None:
    with pytest.raises(UsageError, match="a note is a str"):
        getattr(deidentifier, verb)(wrong)


def test_a_hole_in_a_column_costs_itself_alone(deidentifier) -> None:
    found = list(deidentifier.deid(["<Ann>", float("nan"), None, 7, b"<Bo>", "<Cy>"]))
    assert [isinstance(each, incognote.Result) for each in found] == [1, 0, 0, 0, 0, 1]
    assert found[-1].text == "<[PATIENT]>"
    failure = found[1]
    assert (failure.document_id, failure.error) == ("1", "NotText")
    assert "Bo" not in repr(found[4])


# --- tables ---------------------------------------------------------------------------------------

COLUMNS = {"id": ["a", "b"], "note": ["Seen <Ann>.", "none"], "dose": [5, 7]}


def _frames():
    made = {"pyarrow": lambda m: m.table(COLUMNS)}
    made["pandas"] = lambda m: m.DataFrame(COLUMNS)
    made["polars"] = lambda m: m.DataFrame(COLUMNS)
    return made


@pytest.mark.parametrize("library", ["pyarrow", "pandas", "polars"])
def test_tables(deidentifier, library: str) -> None:
    module = pytest.importorskip(library)
    pytest.importorskip("pyarrow")
    table = _frames()[library](module)
    done = deidentifier.deid_table(table, text="note")
    assert type(done.table) is type(table)
    assert list(done.table["note"].to_pylist() if library == "pyarrow" else done.table["note"]) == [
        "Seen <[PATIENT]>.",
        "none",
    ]
    assert done.rows == (0, 1)
    assert done.failures == ()
    with pytest.raises(UsageError, match="deid_table"):
        deidentifier.deid(table)
    with pytest.raises(UsageError, match="no column 'nope'"):
        deidentifier.deid_table(table, text="nope")


def test_a_row_of_a_table_that_fails_is_left_out_and_named(deidentifier, monkeypatch) -> None:
    pa = pytest.importorskip("pyarrow")

    def fail(views):
        if any("break" in view.text for view in views):
            raise ValueError("break")
        return [[] for _ in views]

    monkeypatch.setattr(RegexDetector, "detect", lambda _, views: fail(views))
    table = pa.table({"note": ["one", "break <Ann>", "three"]})
    done = deidentifier.deid_table(table, text="note")
    assert done.table["note"].to_pylist() == ["one", "three"]
    assert done.rows == (0, 2)
    assert [failure.error for failure in done.failures] == ["ValueError"]
    assert "Ann" not in repr(done)


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_a_series_is_an_iterable_of_notes(deidentifier, library: str) -> None:
    module = pytest.importorskip(library)
    found = list(deidentifier.deid(module.Series(["<Ann>", None, "b"])))
    assert [type(each).__name__ for each in found] == ["Result", "Failure", "Result"]


# --- policies and detectors -----------------------------------------------------------------------


def test_a_policy_as_a_dict() -> None:
    policy = {"extends": "hipaa-safe-harbor", "name": "ours", "labels": {"DOCTOR": "tag"}}
    made = incognote.Deidentifier(policy, key="a sheet of brass, hammered thin")
    assert made.policy.name == "ours"
    assert made.policy.rule("DOCTOR").action == "tag"
    with pytest.raises(incognote.PolicyError, match="no such label"):
        incognote.Deidentifier({"extends": "hipaa-safe-harbor", "labels": {"DOCTR": "tag"}})
    with pytest.raises(incognote.PolicyError, match="not int"):
        incognote.Deidentifier(5)


def find_badges(text: str) -> list[tuple[int, int, str]]:
    at = text.find("Q77")
    return [(at, at + 3, "IDNUM")] if at >= 0 else []


def test_a_function_as_a_detector() -> None:
    made = incognote.Deidentifier(POLICY, detectors={"badges": find_badges})
    assert made.deid("<Ann> has badge Q77").text == "<[PATIENT]> has badge [IDNUM]"
    (span,) = made.detect("badge Q77").spans
    assert span.sources == ("badges",)
    with pytest.raises(UsageError, match="neither a Detector nor a function"):
        incognote.Deidentifier(POLICY, detectors={"badges": "no"})


def test_a_detector_as_it_is() -> None:
    class Mine:
        name = "x"
        labels = frozenset({"CITY"})
        languages = frozenset({"*"})

        def detect(self, views):
            return [[incognote.Span(0, 2, "CITY", 1.0, ("mine",))] for _ in views]

    made = incognote.Deidentifier(POLICY, detectors={"mine": Mine()})
    assert made.deid("Ur is old").text == "[CITY] is old"


# --- files ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("workers", [1, 2])
def test_files_and_folders(tmp_path, workers: int) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.txt").write_text("Seen <Ann>, badge Q77.")
    (tmp_path / "b.csv").write_text("id,text\n1,<Bo>\n")
    seen: list[int] = []
    run = {
        "policy": TREE,
        "key": "a sheet of brass, hammered thin",
        "workers": workers,
        "detectors": {"badges": find_badges},
    }
    inputs = [tmp_path / "in", tmp_path / "b.csv"]
    summary = incognote.deid_files(
        inputs, tmp_path / "out", progress=lambda _, more: seen.append(more), **run
    )
    assert (summary.documents, summary.quarantined, sum(seen)) == (2, 0, 2)
    assert (tmp_path / "out" / "in" / "a.txt").read_text() == "Seen <[PATIENT]>, badge [IDNUM]."
    assert (tmp_path / "out" / "manifest.jsonl").exists()
    again = incognote.deid_files(inputs, tmp_path / "out", resume=True, **run)
    assert (again.documents, again.carried) == (0, 2)
    spans = tmp_path / "spans.jsonl"
    incognote.detect_files(inputs, spans, policy=TREE, with_text=True)
    assert [row["text"] for row in map(json.loads, spans.read_text().splitlines())] == [
        "Seen <Ann>, badge Q77.",
        "<Bo>",
    ]
    with pytest.raises(UsageError, match="not an option: wrokers"):
        incognote.deid_files(inputs, tmp_path / "out", wrokers=2)
    with pytest.raises(UsageError, match="key of the earlier run"):
        incognote.deid_files(inputs, tmp_path / "out", resume=True, policy=TREE)


# --- values ---------------------------------------------------------------------------------------


def test_results_serialise(deidentifier) -> None:
    result = deidentifier.deid("Seen: <Ann>.")
    row = json.loads(json.dumps(result.to_dict()))
    assert row["text"] == "Seen: <[PATIENT]>."
    assert [incognote.Span.from_dict(each) for each in row["spans"]] == list(result.spans)
    assert "Ann" not in json.dumps(row)
    failure = incognote.Failure("1", "read", "NotText", "why")
    assert failure.to_dict() == {
        "document_id": "1",
        "stage": "read",
        "error": "NotText",
        "message": "why",
    }


def test_a_notebook_shows_text_only_where_it_is_asked_for(deidentifier) -> None:
    result = deidentifier.deid("Seen: <Ann> & co.")
    assert "PATIENT" in result._repr_html_()
    assert "Ann" not in result._repr_html_()
    assert "Seen" not in result._repr_html_()
    shown = result.show()
    assert "Ann" not in repr(shown)
    assert "&lt;" in shown._repr_html_()
    assert "Ann" not in shown._repr_html_()
    assert "Ann" in result.show(original=True)._repr_html_()
    with pytest.raises(UsageError, match="no new text"):
        deidentifier.detect("Seen: <Ann>").show()
