"""The whole loop through the API: import, suggestions, two annotators, adjudication, gold."""

from __future__ import annotations

from tests.web.conftest import NOTE, Bench, make_bench


def notes(count: int) -> bytes:
    import json

    rows = [
        {"id": f"n{i}", "patient_id": f"p{i}", "text": f"{NOTE} Visit {i}."} for i in range(count)
    ]
    return "\n".join(json.dumps(row) for row in rows).encode()


def test_one_annotator(bench: Bench):
    manager = bench.person("mia", "manager")
    anna = bench.person("anna", "annotator")
    bench.upload(manager, "notes.jsonl", notes(6))
    bench.work()
    listed = manager.api("GET", f"projects/{bench.project}/documents")
    assert [row["state"] for row in listed["notes"]] == ["suggested"] * 6
    found = anna.api("POST", f"projects/{bench.project}/next")
    note = anna.api("GET", f"assignments/{found['id']}")
    assert note["text"].startswith("Seen by Dr.")
    first = {"number": 1, "operation": "add", "before": [], "after": [[0, 4, "CITY"]]}
    for _ in range(2):  # sent twice, applied once
        answer = anna.api("POST", f"assignments/{found['id']}/edits", {"edits": [first]})
        assert answer == {"revision": 1}
    other = {**first, "after": [[5, 7, "CITY"]]}
    stale = anna.api("POST", f"assignments/{found['id']}/edits", {"edits": [other]}, 409)
    assert stale["revision"] == 1
    assert [0, 4, "CITY"] in stale["spans"]
    anna.api("POST", f"assignments/{found['id']}/done", {"revision": 1})
    listed = manager.api("GET", f"projects/{bench.project}/documents?state=gold")
    assert len(listed["notes"]) == 1
    assert "CITY" in listed["notes"][0]["labels"]


def test_a_skipped_note_is_annotated_after_all(bench: Bench):
    manager, anna = bench.person("mia", "manager"), bench.person("anna", "annotator")
    bench.upload(manager, "notes.jsonl", notes(1))
    bench.work()
    where = f"projects/{bench.project}"
    one = anna.api("POST", f"{where}/next")["id"]
    anna.api("POST", f"assignments/{one}/skip", {"reason": "not a note"})
    assert anna.api("POST", f"{where}/next")["id"] is None
    (row,) = manager.api("GET", f"{where}/documents?state=skipped")["notes"]
    assert row["reason"] == "not a note"
    manager.api("POST", f"{where}/documents/unskip", {"ids": [row["id"]]})
    manager.api("POST", f"{where}/documents/unskip", {"ids": [row["id"]]}, status=409)
    ben = bench.person("ben", "annotator")
    again = ben.api("POST", f"{where}/next")["id"]
    assert ben.api("GET", f"assignments/{again}")["document"] == row["id"]


def test_the_overview_follows_what_is_settled(bench: Bench):
    """Its figures are remembered, until they change."""
    manager, anna = bench.person("mia", "manager"), bench.person("anna", "annotator")
    bench.upload(manager, "notes.jsonl", notes(2))
    bench.work()
    where = f"projects/{bench.project}"
    settled = lambda: sum(one["notes"] for one in manager.api("GET", f"{where}/batches"))  # noqa: E731
    assert settled() == 0
    numbers = []
    for count in (1, 2):
        number = anna.api("POST", f"{where}/next")["id"]
        anna.api("POST", f"assignments/{number}/done", {"revision": 0})
        assert settled() == settled() == count
        numbers.append(number)
    anna.api("POST", f"assignments/{numbers[0]}/reopen")
    assert settled() == 1
    note = anna.api("GET", f"assignments/{numbers[1]}")["document"]
    manager.api("POST", f"{where}/documents/remove", {"ids": [note]})
    assert settled() == 0


def test_notes_are_found_by_name(bench: Bench):
    manager = bench.person("mia", "manager")
    bench.upload(manager, "letters.jsonl", notes(2))
    bench.upload(manager, "100%_sure.txt", b"John Carver was seen.")
    bench.work()
    where = f"projects/{bench.project}/documents"
    found = lambda name: len(manager.api("GET", f"{where}?name={name}")["notes"])  # noqa: E731
    assert found("letters") == 2
    assert found("100%25_") == 1
    assert found("%25") == 1  # no wildcard
    assert found("elsewhere") == 0


def test_two_annotators_and_an_adjudicator(store):
    bench = make_bench(store, annotators=2)
    manager = bench.person("mia", "manager")
    anna, ben = bench.person("anna", "annotator"), bench.person("ben", "annotator")
    judge = bench.person("joe", "adjudicator")
    bench.upload(manager, "notes.jsonl", notes(1))
    bench.work()
    one = anna.api("POST", f"projects/{bench.project}/next")["id"]
    two = ben.api("POST", f"projects/{bench.project}/next")["id"]
    first = anna.api("GET", f"assignments/{one}")
    start = first["spans"]
    assert first["suggestions"]
    # Why: who says so, and how much each of them weighs.
    for _, _, label, _, sources, *_ in first["suggestions"]:
        assert all(first["weights"][source.partition("/")[0]][label] > 0 for source in sources)
    edit = {"number": 1, "operation": "remove", "before": [start[0]], "after": []}
    anna.api("POST", f"assignments/{one}/edits", {"edits": [edit]})
    anna.api("POST", f"assignments/{one}/done", {"revision": 1})
    ben.api("POST", f"assignments/{two}/done", {"revision": 0})
    assert manager.api("GET", f"projects/{bench.project}")["counts"] == {"disputed": 1}
    assert anna.api("POST", f"projects/{bench.project}/next?part=adjudicate", status=403)
    task = judge.api("POST", f"projects/{bench.project}/next?part=adjudicate")["id"]
    note = judge.api("GET", f"assignments/{task}")
    (place,) = note["disputes"]
    assert place["a"] == []
    assert place["b"] == [start[0]]
    assert note["spans"] == start[1:]
    document = note["document"]
    decided = {"start": place["start"], "end": place["end"], "choice": "b"}
    judge.api("POST", f"documents/{document}/decisions", decided)
    edit = {"number": 1, "operation": "decide b", "before": [], "after": place["b"]}
    judge.api("POST", f"assignments/{task}/edits", {"edits": [edit]})
    judge.api("POST", f"assignments/{task}/done", {"revision": 1})
    gold = manager.api("GET", f"documents/{document}")
    assert gold["state"] == "gold"
    assert gold["gold"] == start
    figures = manager.api("GET", f"projects/{bench.project}/agreement")
    assert figures["pairs"][0]["span_f1"] < 1
    own = anna.api("GET", f"projects/{bench.project}/agreement")["own"]
    assert [row["final"] for row in own] == [[start[0]]]
