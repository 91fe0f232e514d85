"""Requests as Presidio's documentation and clients write them."""

from __future__ import annotations

import pytest
from tests.serve.conftest import Served, served

TEXT = "John Smith drivers license is AC432223. He was seen by Dr. Brandvold on 3/11/2024."


def test_analyze_one_text(service: Served) -> None:
    rows = service.client.post("/analyze", json={"text": TEXT, "language": "en"}).json()
    assert all(set(row) == {"entity_type", "start", "end", "score"} for row in rows)
    people = {TEXT[row["start"] : row["end"]] for row in rows if row["entity_type"] == "PERSON"}
    assert "John Smith" in people


def test_analyze_several_texts(service: Served) -> None:
    rows = service.client.post(
        "/analyze", json={"text": [TEXT, "nothing"], "language": "en"}
    ).json()
    assert len(rows) == 2
    assert rows[0]
    assert rows[1] == []


def test_entities_threshold_and_allow_list_are_honoured(service: Served) -> None:
    def ask(**more: object) -> list[str]:
        body = {"text": TEXT, "language": "en", **more}
        found = service.client.post("/analyze", json=body).json()
        return [TEXT[row["start"] : row["end"]] for row in found]

    assert ask(entities=["DATE_TIME"]) == ["3/11/2024"]
    assert ask(score_threshold=1.1) == []
    assert "John Smith" not in ask(allow_list=["John Smith"])
    labels = service.client.post("/analyze?labels=incognote", json={"text": TEXT}).json()
    assert "DOCTOR" in {row["entity_type"] for row in labels}


@pytest.mark.parametrize(
    "more",
    [
        {"ad_hoc_recognizers": [{"name": "x"}]},
        {"return_decision_process": True},
        {"language": "de"},
        {"context": ["zip"]},
    ],
)
def test_what_we_do_not_do_is_refused(service: Served, more: dict) -> None:
    answer = service.client.post("/analyze", json={"text": TEXT, "language": "en", **more})
    assert answer.status_code == 400


def test_lists(service: Served) -> None:
    assert "PERSON" in service.client.get("/supportedentities?language=en").json()
    assert "patterns" in service.client.get("/recognizers").json()
    assert "replace" in service.client.get("/anonymizers").json()


def test_anonymize_is_off_by_default(service: Served) -> None:
    body = {"text": TEXT, "analyzer_results": []}
    assert service.client.post("/anonymize", json=body).status_code == 403


def test_anonymize_replaces_what_the_caller_marks() -> None:
    for service in served(allow_anonymize=True):
        marks = [
            {"start": 0, "end": 10, "score": 0.8, "entity_type": "PERSON"},
            {"start": 30, "end": 38, "score": 0.8, "entity_type": "US_DRIVER_LICENSE"},
        ]
        rules = {
            "DEFAULT": {"type": "replace", "new_value": "ANONYMIZED"},
            "US_DRIVER_LICENSE": {
                "type": "mask",
                "masking_char": "*",
                "chars_to_mask": 4,
                "from_end": True,
            },
        }
        body = {"text": TEXT, "analyzer_results": marks, "anonymizers": rules}
        answer = service.client.post("/anonymize", json=body).json()
        assert answer["text"].startswith("ANONYMIZED drivers license is AC43****.")
        assert [item["operator"] for item in answer["items"]] == ["mask", "replace"]
        outside = {**body, "analyzer_results": [{"start": 5, "end": 999, "entity_type": "X"}]}
        assert service.client.post("/anonymize", json=outside).status_code == 422
