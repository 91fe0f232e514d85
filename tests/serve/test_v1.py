"""Our own endpoints answer as the Python API does, and refuse what they must."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.serve.conftest import KEY, Served
from tools.openapi import openapi

from incognote import Deidentifier, Document
from incognote.serve.v1 import lines

NOTE = "Mrs. Okonkwo (MRN 7741902) was seen by Dr. Brandvold on 3/11/24. K 4.1, Foley in place."
CANARIES = ("Okonkwo", "7741902", "Brandvold")


def ask(service: Served, path: str, *texts: str, **more: object) -> dict:
    documents = [{"id": f"n{number}", "text": text} for number, text in enumerate(texts)]
    answer = service.client.post(path, json={"documents": documents, **more})
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_deid_gives_what_the_python_api_gives(service: Served) -> None:
    row = {"id": "n0", "text": NOTE, "patient_id": "77"}
    (result,) = service.client.post("/v1/deid", json={"documents": [row]}).json()["results"]
    same = Deidentifier("i2b2-2014+rules", KEY).deid(Document("n0", NOTE, {"patient_id": "77"}))
    assert result["text"] == same.text
    assert [(span["start"], span["end"], span["label"]) for span in result["spans"]] == [
        (span.start, span.end, span.label) for span in same.spans
    ]
    assert "K 4.1, Foley in place." in result["text"]


def test_detect_gives_places_and_no_text(service: Served) -> None:
    answer = ask(service, "/v1/detect", NOTE, "No PHI here.")
    first, second = answer["results"]
    assert {span["label"] for span in first["spans"]} >= {"PATIENT", "DOCTOR", "MEDICALRECORD"}
    assert second == {"id": "n1", "spans": []}
    assert "text" not in first
    assert answer["policy_hash"] == service.settings.policies["i2b2-2014+rules"].hash


def test_another_policy_is_asked_for_by_name(service: Served) -> None:
    answer = ask(service, "/v1/deid", NOTE, policy="hipaa-safe-harbor+rules")
    assert "2024" in answer["results"][0]["text"]
    assert answer["policy"] == "hipaa-safe-harbor+rules"


def test_answers_do_not_depend_on_the_batch(service: Served) -> None:
    texts = [f"Seen by Dr. Brandvold, room {number}." for number in range(40)]
    together = ask(service, "/v1/deid", *texts)["results"]
    for number in (0, 7, 39):
        row = {"id": f"n{number}", "text": texts[number]}
        alone = service.client.post("/v1/deid", json={"documents": [row]}).json()["results"][0]
        assert alone == together[number]


def test_a_stream_answers_line_by_line(service: Served) -> None:
    lines = [json.dumps({"id": str(n), "text": f"Dr. Brandvold, visit {n}"}) for n in range(70)]
    lines[3] = '{"id": "3", "texts": "x"}'
    lines[5] = "not json"
    answer = service.client.post("/v1/stream", content="\n".join(lines))
    rows = [json.loads(line) for line in answer.text.splitlines()]
    assert [row["id"] for row in rows] == [str(n) for n in range(70)]
    assert "failure" in rows[3]
    assert "failure" in rows[5]
    assert not any("Brandvold" in row.get("text", "") for row in rows)
    assert sum("text" in row for row in rows) == 68


@pytest.mark.parametrize("size", [1, 3, 7, 100, 1000])
def test_a_line_that_is_too_long_is_one_failure(size: int) -> None:
    """However the body is cut, answers are in the order of the lines, one for each."""
    body = b"first\n" + b"x" * 300 + b"\nthird\n\n" + b"y" * 300

    async def chunks() -> AsyncIterator[bytes]:
        for start in range(0, len(body), size):
            yield body[start : start + size]

    async def found() -> list[bytes]:
        return [line async for line in lines(chunks(), 100, 5.0)]

    assert asyncio.run(found()) == [b"first", b"", b"third", b""]


def test_a_file_comes_back_in_kind(service: Served) -> None:
    table = "id,name,text\r\n1,Ann Quill,Seen by Dr. Brandvold.\r\n"
    answer = service.client.post("/v1/files?name=a.csv", content=table)
    assert answer.status_code == 200
    header, row = answer.content.decode().split("\r\n")[:2]
    assert header == "id,name,text"
    assert "Quill" not in row
    assert "Brandvold" not in row


def test_a_file_that_cannot_be_read_is_refused_whole(service: Served) -> None:
    answer = service.client.post("/v1/files?name=Okonkwo.pdf", content=b"%PDF-1.4 Okonkwo")
    assert answer.status_code == 422
    assert "Okonkwo" not in answer.text


BAD = [
    ("POST", "/v1/deid", {"content": b"{}", "headers": {"content-type": "text/plain"}}, 415),
    ("POST", "/v1/deid", {"content": b"\xff\xfe"}, 400),
    ("POST", "/v1/deid", {"content": b"{'a': 1}"}, 400),
    ("POST", "/v1/deid", {"content": b"[" * 50_000}, 400),
    ("POST", "/v1/deid", {"content": b'{"documents": [{"text": 5}]}'}, 422),
    ("POST", "/v1/deid", {"content": b'{"documents": [], "polcy": "x"}'}, 422),
    ("POST", "/v1/deid", {"content": b'{"documents": [], "policy": "x"}'}, 400),
    ("POST", "/v1/deid", {"content": b" " * 70_000}, 413),
    ("POST", "/v1/stream?verb=erase", {"content": b""}, 400),
    ("GET", "/v1/deid", {}, 405),
    ("GET", "/Okonkwo", {}, 404),
    ("POST", "/v1/files", {"content": b"x"}, 422),
]


@pytest.mark.parametrize(("method", "path", "more", "status"), BAD)
def test_bad_requests_get_a_clear_status(
    service: Served, method: str, path: str, more: dict, status: int
) -> None:
    more = {"headers": {"content-type": "application/json"}, **more}
    answer = service.client.request(method, path, **more)
    assert answer.status_code == status, answer.text
    assert set(answer.json()) == {"error"}


@pytest.mark.parametrize(
    ("documents", "status"),
    [([{"text": "x" * 20_001}], 413), ([{"text": "x"}] * 41, 413), ([], 200)],
)
def test_limits_of_documents(service: Served, documents: list, status: int) -> None:
    assert service.client.post("/v1/deid", json={"documents": documents}).status_code == status


def test_nothing_of_a_note_reaches_log_errors_or_metrics(service: Served) -> None:
    ask(service, "/v1/deid", NOTE)
    bad = service.client.post("/v1/deid", json={"documents": [{"text": NOTE, "Okonkwo": NOTE}]})
    service.client.get(f"/{CANARIES[0]}?q={CANARIES[1]}")
    shown = service.log.getvalue() + bad.text + service.client.get("/metrics").text
    assert not [canary for canary in CANARIES if canary in shown]
    row = json.loads(service.log.getvalue().splitlines()[-1])
    assert set(row) == {"time", "endpoint", "method", "status", "ms", "caller"}


def test_probes_and_metrics(service: Served) -> None:
    ask(service, "/v1/deid", NOTE)
    assert service.client.get("/health").status_code == 200
    assert service.client.get("/ready").json() == {"ready": True}
    shown = service.client.get("/metrics").text
    assert 'incognote_spans_total{label="PATIENT"}' in shown
    assert 'incognote_requests_total{endpoint="/v1/deid",status="200"}' in shown


def test_the_openapi_document_is_current() -> None:
    """Clients are generated from the file, so a change of the service must show in it."""
    page = Path(__file__).parents[2] / "docs" / "reference" / "openapi.json"
    assert json.loads(page.read_text("utf-8")) == openapi(), "run `make docs`"
