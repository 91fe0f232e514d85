"""An annotator behind HTTP: our own small JSON protocol, or a Stanford CoreNLP server.

    [detectors.remote]
    use = "http"
    options = { url = "http://127.0.0.1:8700/annotate", labels = { STAFF = "DOCTOR" } }

The protocol is in docs/reference/http-annotators.md. The notes travel to that server: it must stand
inside the walls. A server that is away, slow or wrong fails the documents it was asked about.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from itertools import accumulate
from socket import SHUT_RDWR, socket
from threading import Event, Timer
from typing import Any
from urllib.parse import quote, urlsplit
from urllib.request import getproxies, proxy_bypass

from incognote.core.errors import DetectError, PolicyError
from incognote.core.types import Span, View
from incognote.detect.adapters.labels import LabelMap

OK = 200
_LARGEST_ANSWER = 64 * 1024 * 1024


class HttpDetector:
    waits = True

    def __init__(
        self,
        url: str,
        protocol: str = "incognote",
        labels: Mapping[str, str] | None = None,
        scheme: str = "",
        languages: Sequence[str] = ("en",),
        timeout: float = 30.0,
        batch: int = 16,
        token_variable: str = "",
        proxy: bool = False,
    ) -> None:
        self.name = "http"
        if urlsplit(url).scheme not in ("http", "https") or not urlsplit(url).hostname:
            raise PolicyError("http detector: url must start with http:// or https://")
        if protocol not in _PROTOCOLS:
            raise PolicyError(f"http detector: protocol must be one of {', '.join(_PROTOCOLS)}")
        if timeout <= 0 or batch < 1:
            raise PolicyError("http detector: timeout and batch must be positive")
        scheme = scheme or ("spacy" if protocol == "corenlp" else "")
        labels = {**_CORENLP_LABELS, **(labels or {})} if protocol == "corenlp" else labels
        self.languages = frozenset(languages)
        self._labels = LabelMap(scheme, labels, who="http detector")
        self.labels = self._labels.labels
        self._url, self._protocol = url, protocol
        self._timeout, self._batch = timeout, batch
        self._token_variable = token_variable
        self._proxy = proxy

    def detect(self, views: Sequence[View]) -> list[list[Span]]:
        found: list[list[Span]] = []
        for first in range(0, len(views), self._batch):
            asked = views[first : first + self._batch]
            answer = _PROTOCOLS[self._protocol](self, [view.cased for view in asked])
            if len(answer) != len(asked):
                raise DetectError("the server answered for another number of texts")
            found += [self._spans(*pair) for pair in zip(asked, answer, strict=True)]
        return found

    def _spans(self, view: View, rows: Sequence[Mapping[str, Any]]) -> list[Span]:
        try:
            finds = [
                (int(r["start"]), int(r["end"]), str(r["label"]), float(r.get("score", 1.0)))
                for r in rows
            ]
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError):
            raise DetectError("the server's answer does not follow the protocol") from None
        if any(not 0 <= start < end <= len(view.text) for start, end, _, _ in finds):
            raise DetectError("the server's spans lie outside the text")
        if any(not 0 <= score <= 1 for *_, score in finds):  # also what is not a number
            raise DetectError("the server's scores are not between 0 and 1")
        return [
            Span(start, end, label, score, (f"{self.name}/{foreign}",))
            for start, end, foreign, score in finds
            if (label := self._labels.required(foreign))
        ]

    def _exchange(self, body: bytes, headers: Mapping[str, str], query: str) -> tuple[int, bytes]:
        """Status and answer, or a TimeoutError: `timeout` bounds the whole exchange, so that a
        server that sends a byte now and then does not hold up the run."""
        url = urlsplit(self._url)
        connection, target = self._connection(), f"{url.path or '/'}{query}"
        if query == "" and url.query:
            target += f"?{url.query}"
        if self._proxy and url.scheme == "http":
            target = f"http://{url.netloc}{target}"
        is_late = Event()
        # Kept here: the connection forgets its socket once an answer says that it will be closed.
        opened: list[socket] = []

        def give_up() -> None:
            is_late.set()
            for each in opened:
                with suppress(OSError):
                    each.shutdown(SHUT_RDWR)

        clock = Timer(self._timeout, give_up)
        clock.daemon = True
        clock.start()
        try:
            connection.connect()
            opened.append(connection.sock)
            if is_late.is_set():
                raise TimeoutError
            connection.request("POST", target, body, dict(headers))
            response: HTTPResponse = connection.getresponse()
            answer = response.read(_LARGEST_ANSWER + 1)
        except (OSError, HTTPException, ValueError):
            if is_late.is_set():
                raise TimeoutError from None
            raise
        finally:
            clock.cancel()
            connection.close()
        if is_late.is_set():
            raise TimeoutError
        return response.status, answer

    def _connection(self) -> HTTPConnection:
        """Straight to the server. Through the proxy of the environment only where the policy says
        so: it would read the notes."""
        url = urlsplit(self._url)
        kind = HTTPSConnection if url.scheme == "https" else HTTPConnection
        host, proxy = url.hostname or "", ""
        if self._proxy and not proxy_bypass(host):
            proxy = getproxies().get(url.scheme, "")
        if not proxy:
            return kind(host, url.port, timeout=self._timeout)
        via = urlsplit(proxy)
        connection = kind(via.hostname or "", via.port, timeout=self._timeout)
        if url.scheme == "https":
            connection.set_tunnel(host, url.port)
        return connection

    def ask(self, body: bytes, kind: str, query: str = "") -> Any:
        """One request. Errors say what happened and never what was sent or received."""
        headers = {"Content-Type": f"{kind}; charset=utf-8", "Accept": "application/json"}
        if self._token_variable:
            headers["Authorization"] = f"Bearer {os.environ.get(self._token_variable, '')}"
        try:
            status, answer = self._exchange(body, headers, query)
        except (OSError, HTTPException, ValueError) as error:
            raise DetectError(f"the server cannot be reached: {type(error).__name__}") from None
        # Also a redirection: clinical text goes to the server the policy names and to no other.
        if status != OK:
            raise DetectError(f"the server answered with status {status}")
        if len(answer) > _LARGEST_ANSWER:
            raise DetectError("the server's answer is too large")
        try:
            return json.loads(answer)
        except (ValueError, RecursionError):
            raise DetectError("the server's answer is not JSON") from None


_Rows = list[dict[str, Any]]


def _own_protocol(detector: HttpDetector, texts: list[str]) -> list[_Rows]:
    body = json.dumps({"texts": texts}, ensure_ascii=False).encode()
    answer = detector.ask(body, "application/json")
    if not isinstance(answer, dict) or not isinstance(answer.get("spans"), list):
        raise DetectError("the server's answer does not follow the protocol")
    spans: list[_Rows] = answer["spans"]
    return spans


# CoreNLP's labels beyond those it shares with spaCy.
_CORENLP_LABELS = {
    "CITY": "CITY",
    "STATE_OR_PROVINCE": "STATE",
    "COUNTRY": "COUNTRY",
    "NATIONALITY": "COUNTRY",
    "LOCATION": "LOCATION-OTHER",
    "ORGANIZATION": "ORGANIZATION",
    **dict.fromkeys(
        """CAUSE_OF_DEATH CRIMINAL_CHARGE DURATION HANDLE IDEOLOGY MISC MONEY NUMBER ORDINAL PERCENT
        RELIGION SET TITLE""".split(),
        "",
    ),
    "EMAIL": "EMAIL",
    "URL": "URL",
}


def _corenlp(detector: HttpDetector, texts: list[str]) -> list[_Rows]:
    properties = json.dumps({"annotators": "ner", "outputFormat": "json"})
    query = f"?properties={quote(properties)}"
    answers = (detector.ask(text.encode(), "text/plain", query) for text in texts)
    return [list(_mentions(text, answer)) for text, answer in zip(texts, answers, strict=True)]


def _mentions(text: str, answer: Any) -> Iterator[dict[str, Any]]:
    # Java counts UTF-16 units: a character beyond the first 65,536 counts twice.
    units = [0, *accumulate(1 + (char > "\uffff") for char in text)]
    place = {unit: at for at, unit in enumerate(units)}
    try:
        for sentence in answer["sentences"]:
            for mention in sentence.get("entitymentions", ()):
                yield {
                    "start": place[mention["characterOffsetBegin"]],
                    "end": place[mention["characterOffsetEnd"]],
                    "label": mention["ner"],
                }
    except (KeyError, TypeError, AttributeError):
        raise DetectError("the server's answer is not CoreNLP's") from None


_PROTOCOLS: Mapping[str, Callable[[HttpDetector, list[str]], list[_Rows]]] = {
    "incognote": _own_protocol,
    "corenlp": _corenlp,
}
