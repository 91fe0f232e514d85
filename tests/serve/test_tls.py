"""With `--tls-client-ca`, only clients with a certificate of that authority are let in."""

from __future__ import annotations

import json
import ssl
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from http.client import HTTPSConnection
from ipaddress import ip_address
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from incognote.cli import parser_for
from incognote.cli.servers.serve import server_from

_WAIT_SECONDS = 120
_NOTE = json.dumps({"documents": [{"text": "Seen by Dr. Brandvold."}]})


class Authority:
    """Signs certificates, its own first."""

    def __init__(self, folder: Path, name: str) -> None:
        self._folder, self._name = folder, _named(name)
        self._key = ec.generate_private_key(ec.SECP256R1())
        self.certificate = folder / f"{name}.crt"
        own = _signed(self._name, self._name, self._key, self._key, is_authority=True)
        self.certificate.write_bytes(own.public_bytes(serialization.Encoding.PEM))

    def sign(self, name: str) -> tuple[Path, Path]:
        """A certificate and its private key."""
        key = ec.generate_private_key(ec.SECP256R1())
        certificate = _signed(_named(name), self._name, key, self._key, is_authority=False)
        files = self._folder / f"{name}.crt", self._folder / f"{name}.key"
        files[0].write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
        files[1].write_bytes(
            key.private_bytes(
                serialization.Encoding.PEM,
                serialization.PrivateFormat.PKCS8,
                serialization.NoEncryption(),
            )
        )
        return files


def _named(name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])


def _signed(
    subject: x509.Name,
    issuer: x509.Name,
    key: ec.EllipticCurvePrivateKey,
    signer: ec.EllipticCurvePrivateKey,
    *,
    is_authority: bool,
) -> x509.Certificate:
    now = datetime.now(UTC)
    address = x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))])
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(hours=1))
        .not_valid_after(now + timedelta(hours=1))
        .add_extension(x509.BasicConstraints(ca=is_authority, path_length=None), critical=True)
        .add_extension(address, critical=False)
        .sign(signer, hashes.SHA256())
    )


@dataclass
class Guarded:
    port: int
    authority: Authority
    stranger: Authority

    def ask(self, client: tuple[Path, Path] | None) -> int:
        """The status that a client gets who shows this certificate, or none."""
        trust = ssl.create_default_context(cafile=str(self.authority.certificate))
        if client:
            trust.load_cert_chain(*client)
        line = HTTPSConnection("127.0.0.1", self.port, context=trust, timeout=_WAIT_SECONDS)
        with closing(line):
            line.request("POST", "/v1/deid", _NOTE, {"Content-Type": "application/json"})
            return line.getresponse().status


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Guarded]:
    folder = tmp_path_factory.mktemp("tls")
    authority, stranger = Authority(folder, "authority"), Authority(folder, "stranger")
    certificate, key = authority.sign("service")
    (folder / "surrogates").write_text("three herons on a cold jetty")
    given = ["--policy", "i2b2-2014+rules", "--key-file", str(folder / "surrogates")]
    given += ["--port", "0", "--tls-cert", str(certificate), "--tls-key", str(key)]
    given += ["--tls-client-ca", str(authority.certificate)]
    server = server_from(parser_for("serve").parse_args(given))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    end = time.monotonic() + _WAIT_SECONDS
    while not server.started:
        assert thread.is_alive(), "the service did not start"
        assert time.monotonic() < end, "the service did not start in time"
        time.sleep(0.05)
    yield Guarded(server.servers[0].sockets[0].getsockname()[1], authority, stranger)
    server.should_exit = True
    thread.join(_WAIT_SECONDS)


def test_a_client_of_the_authority_is_answered(guarded: Guarded) -> None:
    assert guarded.ask(guarded.authority.sign("radiology")) == 200


def test_others_do_not_get_as_far_as_a_request(guarded: Guarded) -> None:
    for client in (None, guarded.stranger.sign("nobody")):
        with pytest.raises((ssl.SSLError, ConnectionError)):
            guarded.ask(client)
    assert guarded.ask(guarded.authority.sign("research")) == 200
