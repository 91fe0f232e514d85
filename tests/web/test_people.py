"""The people of a note, and corrections of who is meant."""

from __future__ import annotations

import json

from tests.web.conftest import Bench

from incognote.core.types import Document, Span
from incognote.link import link
from incognote.web.flow.people import Link, corrected

TEXT = "John Carver came with his son Paul Carver. Mr. Carver is well. Dr. Mary Holt saw John."


def spans(text: str = TEXT) -> tuple[Span, ...]:
    places = {"John Carver": "PATIENT", "Paul Carver": "PATIENT", "Mary Holt": "DOCTOR"}
    return tuple(
        sorted(
            Span(text.index(name), text.index(name) + len(name), label)
            for name, label in places.items()
        )
    )


def starts(people) -> list[set[int]]:
    return [{mention.start for mention in person.mentions} for person in people]


def test_mentions_are_joined_and_split():
    people = link(Document("n", TEXT), spans()).people
    john, paul = TEXT.index("John Carver"), TEXT.index("Paul Carver")
    assert not any({john, paul} <= group for group in starts(people))
    joined = corrected(people, [Link(john, paul, same=True)])
    assert any({john, paul} <= group for group in starts(joined))
    assert len(joined) == len(people) - 1
    again = corrected(people, [Link(john, paul, same=True), Link(john, paul, same=False)])
    assert not any({john, paul} <= group for group in starts(again))
    assert corrected(people, [Link(0, 99_999, same=True)]) == people


def test_people_of_an_assignment(bench: Bench):
    manager, anna = bench.person("mia", "manager"), bench.person("anna", "annotator")
    bench.upload(manager, "n.jsonl", json.dumps({"id": "n", "text": TEXT}).encode())
    bench.work()
    number = anna.api("POST", f"projects/{bench.project}/next")["id"]
    note = anna.api("GET", f"assignments/{number}")
    wanted = [[s.start, s.end, s.label] for s in spans()]
    edit = {"number": 1, "operation": "all", "before": note["spans"], "after": wanted}
    anna.api("POST", f"assignments/{number}/edits", {"edits": [edit]})
    people = anna.api("GET", f"assignments/{number}/people")
    assert {"patient", "staff"} <= {person["role"] for person in people}
    assert "Carver" not in str(people)  # places, no names
    john, paul = TEXT.index("John Carver"), TEXT.index("Paul Carver")
    said = {"one": john, "other": paul, "same": True}
    after = anna.api("POST", f"assignments/{number}/people", said)
    assert len(after) == len(people) - 1
