"""Nobody sees early what others say of a note, whatever roles they have together."""

from __future__ import annotations

import threading

import pytest
from tests.web.conftest import Bench, make_bench
from tests.web.test_loop import notes

from incognote.web.store.tables import Decision


@pytest.fixture
def disputed(sqlite_store) -> tuple[Bench, dict[str, int]]:
    """A note of anna and bea on which they differ at two places; bea adjudicates, too."""
    bench = make_bench(sqlite_store, annotators=2)
    manager = bench.person("mia", "manager")
    anna, bea = bench.person("anna", "annotator"), bench.person("bea", "annotator", "adjudicator")
    bench.upload(manager, "notes.jsonl", notes(1))
    bench.work()
    one = anna.api("POST", f"projects/{bench.project}/next")["id"]
    note = anna.api("GET", f"assignments/{one}")
    for number, mark in enumerate((note["spans"][0], note["spans"][-1]), 1):
        edit = {"number": number, "operation": "remove", "before": [mark], "after": []}
        anna.api("POST", f"assignments/{one}/edits", {"edits": [edit]})
    anna.api(
        "POST", f"documents/{note['document']}/remarks", {"body": "Is this one?", "start": 0}, 201
    )
    two = bea.api("POST", f"projects/{bench.project}/next")["id"]
    return bench, {"document": note["document"], "anna": one, "bea": two}


def finish(bench: Bench, ids: dict[str, int]) -> None:
    bench.person("anna").api("POST", f"assignments/{ids['anna']}/done", {"revision": 2})
    bench.person("bea").api("POST", f"assignments/{ids['bea']}/done", {"revision": 0})


def test_who_annotates_and_adjudicates_sees_nothing_before_it_is_settled(disputed):
    bench, ids = disputed
    bea, document = bench.person("bea"), ids["document"]

    def looks() -> None:
        note = bea.api("GET", f"documents/{document}")
        assert (note["gold"], note["suggestions"], note["dropped"]) == (None, [], [])
        bea.api("GET", f"documents/{document}/disputes", status=403)
        bea.api("GET", f"documents/{document}/decisions", status=403)
        assert bea.api("GET", f"documents/{document}/remarks") == []
        assert bea.api("GET", f"projects/{bench.project}/agreement")["notes"] == []
        assert bea.get(f"/projects/{bench.project}/agreement").status_code == 200

    looks()
    bench.person("anna").api("POST", f"assignments/{ids['anna']}/done", {"revision": 2})
    looks()
    bea.api("POST", f"assignments/{ids['bea']}/done", {"revision": 0})
    looks()
    decided = {"start": 0, "end": 4, "choice": "a"}
    bea.api("POST", f"documents/{document}/decisions", decided, 403)
    assert bea.api("POST", f"projects/{bench.project}/next?part=adjudicate")["id"] is None


def test_who_annotates_and_manages_reads_no_suggestions_of_open_notes(disputed):
    bench, ids = disputed
    boss = bench.person("boss", "manager", "annotator")
    note = boss.api("GET", f"documents/{ids['document']}")
    assert note["text"]
    assert note["suggestions"] == []
    assert bench.person("mia").api("GET", f"documents/{ids['document']}")["suggestions"]


def test_annotators_do_not_see_each_others_people(disputed):
    bench, ids = disputed
    anna, bea = bench.person("anna"), bench.person("bea")
    starts = [mark[0] for mark in bea.api("GET", f"assignments/{ids['bea']}")["spans"]]
    before = bea.api("GET", f"assignments/{ids['bea']}/people")
    said = {"one": starts[0], "other": starts[2], "same": True}
    anna.api("POST", f"assignments/{ids['anna']}/people", said)
    assert bea.api("GET", f"assignments/{ids['bea']}/people") == before


def test_done_with_open_disputes_is_refused(disputed):
    bench, ids = disputed
    finish(bench, ids)
    judge = bench.person("ada", "adjudicator")
    task = judge.api("POST", f"projects/{bench.project}/next?part=adjudicate")["id"]
    first, second = judge.api("GET", f"assignments/{task}")["disputes"]
    assert first["choice"] is None
    refused = judge.api("POST", f"assignments/{task}/done", {"revision": 0}, 409)
    assert refused["error"] == "2 disputed places are not decided yet"
    path = f"documents/{ids['document']}/decisions"
    judge.api("POST", path, {"start": 0, "end": 1, "choice": "a"}, 400)
    for place, choice in ((first, "b"), (second, "none")):
        decided = {"start": place["start"], "end": place["end"], "choice": choice, "reason": "?"}
        judge.api("POST", path, decided)
        if place is first:
            refused = judge.api("POST", f"assignments/{task}/done", {"revision": 0}, 409)
            assert refused["error"] == "1 disputed place is not decided yet"
    again = judge.api("GET", f"assignments/{task}")["disputes"]
    assert [place["choice"] for place in again] == ["b", "none"]
    # "b" was chosen, and its spans were never set: the decision says what came of it.
    judge.api("POST", f"assignments/{task}/done", {"revision": 0})
    with bench.store.read() as db:
        rows = db.query(Decision).order_by(Decision.start)
        assert [row.choice for row in rows] == ["edited", "none"]


def test_new_layers_want_new_decisions(disputed):
    bench, ids = disputed
    finish(bench, ids)
    judge = bench.person("ada", "adjudicator")
    task = judge.api("POST", f"projects/{bench.project}/next?part=adjudicate")["id"]
    place, _ = judge.api("GET", f"assignments/{task}")["disputes"]
    decided = {"start": place["start"], "end": place["end"], "choice": "b"}
    judge.api("POST", f"documents/{ids['document']}/decisions", decided)
    bench.person("anna").api("POST", f"assignments/{ids['anna']}/reopen")
    judge.api("POST", f"assignments/{task}/done", {"revision": 0}, 409)
    bench.person("anna").api("POST", f"assignments/{ids['anna']}/done", {"revision": 2})
    assert judge.api("GET", f"assignments/{task}")["disputes"][0]["choice"] is None


def test_what_was_adjudicated_is_opened_by_its_adjudicator_alone(disputed):
    bench, ids = disputed
    finish(bench, ids)
    judge = bench.person("ada", "adjudicator")
    task = judge.api("POST", f"projects/{bench.project}/next?part=adjudicate")["id"]
    for place in judge.api("GET", f"assignments/{task}")["disputes"]:
        decided = {"start": place["start"], "end": place["end"], "choice": "none"}
        judge.api("POST", f"documents/{ids['document']}/decisions", decided)
    judge.api("POST", f"assignments/{task}/done", {"revision": 0})
    refused = bench.person("anna").api("POST", f"assignments/{ids['anna']}/reopen", status=409)
    assert "adjudicator" in refused["error"]
    judge.api("POST", f"assignments/{task}/reopen")
    assert judge.api("GET", f"assignments/{task}")["state"] == "open"


def test_who_adjudicated_a_note_is_not_given_it_to_annotate(disputed):
    bench, ids = disputed
    finish(bench, ids)
    judge = bench.person("ada", "adjudicator", "annotator")
    judge.api("POST", f"projects/{bench.project}/next?part=adjudicate")
    manager = bench.person("mia")
    bench.person("anna").api("POST", f"assignments/{ids['anna']}/reopen")
    path = f"projects/{bench.project}/assignments/{ids['anna']}/take-back"
    manager.api("POST", path)
    given = {"ids": [ids["document"]], "person": "ada"}
    answer = manager.api("POST", f"projects/{bench.project}/documents/assign", given)
    assert answer["assigned"] == 0


def test_the_disputes_behind_the_numbers(disputed):
    bench, ids = disputed
    finish(bench, ids)
    manager, project = bench.person("mia"), bench.project
    places = manager.api("GET", f"documents/{ids['document']}")["disputes"]
    assert len(places) == 2
    label = places[0]["b"][0][2]
    page = manager.get(f"/projects/{project}/agreement").text
    assert "Agreement over time" in page
    assert "Agreement over time" in manager.get(f"/projects/{project}").text
    for place in places:
        assert f"/documents/{ids['document']}#{place['start']}-{place['end']}" in page
    assert "anna: no PHI" in page
    one = manager.get(f"/projects/{project}/agreement?label={label}").text
    assert f"#{places[0]['start']}-{places[0]['end']}" in one
    assert "None." in manager.get(f"/projects/{project}/agreement?label=URL").text
    assert "None." in manager.get(f"/projects/{project}/agreement?batch=7").text
    assert "None." not in manager.get(f"/projects/{project}/agreement?one=anna&other=bea").text
    assert "None." in manager.get(f"/projects/{project}/agreement?one=anna&other=mia").text


def test_effort_is_of_everybody_or_ones_own(disputed):
    bench, ids = disputed
    finish(bench, ids)
    everybody = bench.person("mia").api("GET", f"projects/{bench.project}/effort")
    assert [(row["name"], row["notes"], row["actions"]) for row in everybody] == [
        ("anna", 1, 2),
        ("bea", 1, 0),
    ]
    own = bench.person("anna").api("GET", f"projects/{bench.project}/effort")
    assert own == everybody[:1]
    assert "Effort by person" in bench.person("mia").get(f"/projects/{bench.project}").text
    assert bench.person("mia").api("GET", f"projects/{bench.project}/batches") == []


def test_writers_that_wait_hold_no_connection(sqlite_store):
    """Twenty people at once: who has the turn must not wait for a connection of those who wait."""
    done = []

    def write() -> None:
        with sqlite_store.write() as db:
            db.connection()
            done.append(1)

    threads = [threading.Thread(target=write) for _ in range(60)]
    with sqlite_store.write() as db:
        db.connection()
        for thread in threads:
            thread.start()
        assert sqlite_store.engine.pool.checkedout() == 1
        with sqlite_store.read() as other:
            other.connection()
        assert done == []
    for thread in threads:
        thread.join(60)
    assert len(done) == 60


def test_too_little_gold_is_said_before_a_job_starts(quick_bench: Bench):
    manager = quick_bench.person("mia", "manager")
    answer = manager.api("POST", f"projects/{quick_bench.project}/models", {"model": "crf"}, 409)
    assert "at least 5 settled notes" in answer["error"]
    assert "there are 0" in answer["error"]
    page = manager.get(f"/projects/{quick_bench.project}/learning").text
    assert "at least 5 settled notes" in page
    assert "Train now" not in page
    assert manager.api("GET", f"projects/{quick_bench.project}/jobs") == []
