"""The public class, with a policy that needs no data."""

from __future__ import annotations

import pytest

import incognote
from incognote.core.errors import UsageError
from incognote.policy import policy_from

TREE = {
    "name": "tiny",
    "detectors": {
        "find": {
            "use": "regex",
            "options": {"label": "PATIENT", "patterns": ["<(?P<phi>[^<>]+)>"]},
        }
    },
    "labels": {"default": "tag"},
}
POLICY = policy_from(TREE)


@pytest.fixture
def deidentifier() -> incognote.Deidentifier:
    return incognote.Deidentifier(POLICY, key="k" * 32)


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

    (detector,) = deidentifier._pipeline.detectors
    monkeypatch.setattr(detector, "detect", fail)
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
        incognote.Deidentifier(key=key).deid(note).text for key in ("a" * 32, b"a" * 32, "b" * 32)
    )
    assert once == again != other
    assert "Munro" not in str(once)


@pytest.mark.parametrize("key", ["", b"", "short", b" " * 32], ids=repr)
def test_a_key_that_anybody_could_guess_is_refused(key: str | bytes) -> None:
    with pytest.raises(UsageError, match="16 bytes"):
        incognote.Deidentifier(POLICY, key=key)


def test_the_line_end_of_a_key_file_is_no_part_of_the_key() -> None:
    policy = policy_from({**TREE, "labels": {"default": "hash"}})
    one, other = (
        incognote.Deidentifier(policy, key=key).deid(
            incognote.Document("1", "<Ann>", {"patient_id": "p"})
        )
        for key in (b"k" * 32, b"k" * 32 + b"\r\n")
    )
    assert one.text == other.text
