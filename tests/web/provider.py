"""A small OpenID provider on loopback, for tests: it checks what a good one checks, and lies where
a test wants it to."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import secrets
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from joserfc import jwt
from joserfc.jwk import RSAKey

CLIENT, SECRET = "incognote", "the client's secret"
SUBJECT = "248289761001"
Change = Callable[[dict[str, Any]], None]


class Provider:
    def __init__(self) -> None:
        self.key = RSAKey.generate_key(2048, {"kid": "one", "use": "sig", "alg": "RS256"})
        self.published = [self.key]
        self.subject = SUBJECT
        self.secret = SECRET
        self.change: Change = lambda claims: None
        self.sign: Callable[[dict[str, Any]], str] = self.signed
        self.described: dict[str, str] = {}  # what the discovery document says instead
        self.asked: dict[str, dict[str, str]] = {}  # code -> what was asked for
        self.paths: list[str] = []
        self.issuer = ""

    def signed(self, claims: dict[str, Any], key: RSAKey | None = None, **header: str) -> str:
        key = key or self.key
        head = {"alg": "RS256", "kid": str(key.kid), **header}
        return str(jwt.encode(head, claims, key))

    def unsigned(self, claims: dict[str, Any]) -> str:
        parts = [json.dumps({"alg": "none"}), json.dumps(claims)]
        return ".".join([*(_plain(part.encode()) for part in parts), ""])

    def with_the_secret(self, claims: dict[str, Any]) -> str:
        """As if the public key, which everybody knows, were the secret of HS256."""
        parts = [json.dumps({"alg": "HS256", "kid": "one"}), json.dumps(claims)]
        body = ".".join(_plain(part.encode()) for part in parts)
        mark = hmac.digest(self.key.as_pem(private=False), body.encode(), "sha256")
        return f"{body}.{_plain(mark)}"

    def authorize(self, url: str) -> str:
        """What the person's browser does at the provider: where it is sent back to."""
        given = {key: values[0] for key, values in parse_qs(urlsplit(url).query).items()}
        assert given["response_type"] == "code"
        assert given["code_challenge_method"] == "S256"
        assert given["scope"] == "openid"
        assert given["client_id"] == CLIENT
        code = secrets.token_urlsafe(8)
        self.asked[code] = given
        return f"{given['redirect_uri']}?{urlencode({'code': code, 'state': given['state']})}"

    def token(self, form: dict[str, str], authorization: str) -> dict[str, Any] | None:
        asked = self.asked.pop(form.get("code", ""), None)
        expected = f"{CLIENT}:{self.secret}".encode()
        basic = "Basic " + base64.b64encode(expected).decode()
        verifier = form.get("code_verifier", "")
        challenge = _plain(hashlib.sha256(verifier.encode()).digest())
        if (
            asked is None
            or authorization != basic
            or challenge != asked["code_challenge"]
            or form.get("redirect_uri") != asked["redirect_uri"]
        ):
            return None
        now = int(time.time())
        claims = {
            "iss": self.issuer,
            "sub": self.subject,
            "aud": CLIENT,
            "iat": now,
            "exp": now + 300,
            "nonce": asked["nonce"],
        }
        self.change(claims)
        return {"access_token": "x", "token_type": "Bearer", "id_token": self.sign(claims)}


def _plain(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


@contextmanager
def running() -> Iterator[Provider]:
    provider = Provider()

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_: object) -> None: ...

        def answer(self, body: object, status: int = 200) -> None:
            data = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def do_GET(self) -> None:
            url = urlsplit(self.path)
            provider.paths.append(url.path)
            if url.path == "/.well-known/openid-configuration":
                described = {
                    "issuer": provider.issuer,
                    "authorization_endpoint": f"{provider.issuer}/authorize",
                    "token_endpoint": f"{provider.issuer}/token",
                    "jwks_uri": f"{provider.issuer}/keys",
                }
                self.answer(described | provider.described)
            elif url.path == "/keys":
                self.answer({"keys": [key.as_dict(private=False) for key in provider.published]})
            elif url.path == "/authorize":
                self.send_response(303)
                self.send_header("location", provider.authorize(self.path))
                self.end_headers()
            else:
                self.answer({}, 404)

        def do_POST(self) -> None:
            provider.paths.append(self.path)
            length = int(self.headers.get("content-length", "0"))
            form = {k: v[0] for k, v in parse_qs(self.rfile.read(length).decode()).items()}
            answer = provider.token(form, self.headers.get("authorization", ""))
            self.answer(answer or {"error": "invalid_grant"}, 200 if answer else 400)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    provider.issuer = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield provider
    finally:
        server.shutdown()
        server.server_close()
        thread.join(10)
