"""The HTTP adapter against a reference server on the loopback interface."""

from __future__ import annotations

import json
import re
import threading
import time
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from incognote.core.errors import DetectError, PolicyError
from incognote.core.types import Document, Failure
from incognote.detect.adapters.http import HttpDetector
from incognote.pipeline import Pipeline
from incognote.policy import policy_from

NAME = re.compile("Kowalski|Zoe")


class Server(BaseHTTPRequestHandler):
    """A reference annotator: finds the same names by every protocol, and can misbehave."""

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        path = self.path.partition("?")[0]
        self.server.seen.append((path, dict(self.headers)))
        known = getattr(self, path.strip("/").replace("-", "_"), None)
        answer = known(body) if known else self.reply(404)
        if answer is not None:
            self.reply(200, answer if isinstance(answer, bytes) else json.dumps(answer).encode())

    def reply(self, status, body=b"", **headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def annotate(self, body):
        finds = [
            [
                {"start": m.start(), "end": m.end(), "label": "PERSON", "score": 0.7}
                for m in NAME.finditer(text)
            ]
            for text in json.loads(body)["texts"]
        ]
        return {"spans": finds}

    def corenlp(self, text):
        def units(at):
            return len(text[:at].encode("utf-16-le")) // 2

        mentions = [
            {
                "characterOffsetBegin": units(m.start()),
                "characterOffsetEnd": units(m.end()),
                "ner": "PERSON",
            }
            for m in NAME.finditer(text)
        ]
        return {"sentences": [{"entitymentions": mentions}]}

    def broken(self, body):
        self.reply(500, b"Kowalski")

    def elsewhere(self, body):
        self.reply(307, Location="/annotate")

    def slow(self, body):
        time.sleep(0.5)
        return {"spans": []}

    def not_json(self, body):
        return b"Kowalski"

    def no_protocol(self, body):
        return {"entities": []}

    def too_few(self, body):
        return {"spans": []}

    def bad_rows(self, body):
        return {"spans": [[{"start": 0}]]}

    def outside(self, body):
        return {"spans": [[{"start": 0, "end": 9999, "label": "PERSON"}]]}

    def drip(self, body):
        """A byte now and then, each in time, for ever."""
        self.send_response(200)
        self.end_headers()
        self._drip(b" ")

    def drip_headers(self, body):
        self._drip(b"H")

    def _drip(self, byte):
        for _ in range(1000):
            self.wfile.write(byte)
            self.wfile.flush()
            time.sleep(0.05)
        self.server.dripped_to_the_end = True

    def unmapped(self, body):
        return {"spans": [[{"start": 0, "end": 1, "label": "BADGE"}]]}

    def nan(self, body):
        return b'{"spans": [[{"start": 0, "end": 1, "label": "PERSON", "score": NaN}]]}'

    def flood(self, body):
        """More than any answer needs, and fast."""
        self.send_response(200)
        self.end_headers()
        with suppress(OSError):  # the client has had enough
            for _ in range(200):
                self.wfile.write(b" " * (1 << 20))

    def deep(self, body):
        return b"[" * 200_000

    def endless(self, body):
        return b'{"spans": [[{"start": 0, "end": Infinity, "label": "PERSON"}]]}'

    def strange_rows(self, body):
        return {"spans": [["Kowalski"]]}

    def log_message(self, *args):
        pass


@pytest.fixture(scope="module")
def server():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Server)
    server.seen = []
    server.dripped_to_the_end = False
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    server.url = f"http://127.0.0.1:{server.server_port}"
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


PERSON = {"PERSON": "PATIENT"}


def test_own_protocol(server, marked):
    detector = HttpDetector(f"{server.url}/annotate", labels=PERSON, batch=2)
    texts = ["Zoe \U0001f600 Kowalski", "nobody", "Kowalski"]
    assert marked(detector, *texts) == [
        "[[Zoe|PATIENT]] \U0001f600 [[Kowalski|PATIENT]]",
        "nobody",
        "[[Kowalski|PATIENT]]",
    ]


def test_corenlp_counts_utf16(server, marked):
    detector = HttpDetector(f"{server.url}/corenlp", protocol="corenlp")
    assert marked(detector, "\U0001f600 Kowalski") == ["\U0001f600 [[Kowalski|PATIENT]]"]


def test_token_comes_from_the_environment(server, marked, monkeypatch):
    monkeypatch.setenv("ANNOTATOR_TOKEN", "s3cret")
    detector = HttpDetector(
        f"{server.url}/annotate", labels=PERSON, token_variable="ANNOTATOR_TOKEN"
    )
    marked(detector, "Kowalski")
    assert server.seen[-1][1]["Authorization"] == "Bearer s3cret"


ERRORS = {
    "broken": "status 500",
    "elsewhere": "status 307",
    "slow": "cannot be reached: TimeoutError",
    "not-json": "not JSON",
    "no-protocol": "does not follow the protocol",
    "too-few": "another number of texts",
    "bad-rows": "does not follow the protocol",
    "outside": "outside the text",
    "drip": "cannot be reached: TimeoutError",
    "drip-headers": "cannot be reached: TimeoutError",
    "unmapped": "a label is not mapped",
    "nan": "scores are not between 0 and 1",
    "deep": "not JSON",
    "endless": "does not follow the protocol",
    "strange-rows": "does not follow the protocol",
}


@pytest.mark.parametrize(("path", "message"), ERRORS.items(), ids=ERRORS)
def test_a_server_that_misbehaves(server, marked, path, message):
    detector = HttpDetector(f"{server.url}/{path}", labels=PERSON, timeout=0.2)
    with pytest.raises(DetectError, match=message) as error:
        marked(detector, "Kowalski")
    assert "Kowalski" not in str(error.value)
    assert not server.dripped_to_the_end, "the answer was read to its end, however late"


def test_a_server_that_floods(server, marked):
    with pytest.raises(DetectError, match="too large"):
        marked(HttpDetector(f"{server.url}/flood", labels=PERSON), "Kowalski")


@pytest.mark.parametrize("variable", ["http_proxy", "HTTP_PROXY", "all_proxy"])
def test_no_proxy_reads_the_notes_unless_the_policy_says_so(server, marked, monkeypatch, variable):
    monkeypatch.setenv(variable, "http://127.0.0.1:9")  # nobody listens there
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.delenv("NO_PROXY", raising=False)
    asked = HttpDetector(f"{server.url}/annotate", labels=PERSON)
    assert marked(asked, "Zoe") == ["[[Zoe|PATIENT]]"]


def test_a_proxy_that_the_policy_asks_for(server, marked, monkeypatch):
    monkeypatch.setenv("http_proxy", server.url)
    monkeypatch.setenv("no_proxy", "")
    seen = len(server.seen)
    detector = HttpDetector("http://annotator.invalid:80/annotate", labels=PERSON, proxy=True)
    with pytest.raises(DetectError):  # our server is no proxy, but it was asked
        marked(detector, "Zoe")
    assert [path for path, _ in server.seen[seen:]] == ["http://annotator.invalid:80/annotate"]


def test_a_redirect_is_not_followed(server, marked):
    seen = len(server.seen)
    with pytest.raises(DetectError):
        marked(HttpDetector(f"{server.url}/elsewhere", labels=PERSON), "Kowalski")
    assert [path for path, _ in server.seen[seen:]] == ["/elsewhere"]


def test_a_server_that_is_away_means_quarantine():
    tree = {
        "name": "t",
        "detectors": {"remote": {"use": "http", "options": {"url": "http://127.0.0.1:9/x"}}},
        "labels": {"default": "keep"},
    }
    outcome = Pipeline(policy_from(tree)).detect([Document("a", "Kowalski")])[0]
    assert isinstance(outcome, Failure)
    assert outcome.stage == "detect:remote"
    assert outcome.error == "DetectError"


BAD = {
    "no scheme": {"url": "127.0.0.1:80"},
    "file": {"url": "file:///etc/passwd"},
    "protocol": {"url": "http://x", "protocol": "soap"},
    "timeout": {"url": "http://x", "timeout": 0},
    "label": {"url": "http://x", "labels": {"PERSON": "NOPE"}},
}


@pytest.mark.parametrize("options", BAD.values(), ids=BAD)
def test_bad_options(options):
    with pytest.raises(PolicyError, match="http detector"):
        HttpDetector(**options)
