"""Signed statements: DSSE envelopes around in-toto statements, Ed25519.

An envelope has one way to be written. Verification writes it again and compares, so that no byte of
the file can change: neither a blank, nor a bit that base64 leaves over.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from incognote.core.errors import MissingExtra, UsageError

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import (
        Ed25519PrivateKey,
        Ed25519PublicKey,
    )

PAYLOAD_TYPE = "application/vnd.in-toto+json"
STATEMENT_TYPE = "https://in-toto.io/Statement/v1"
_FILE_PARTS = 1 << 20


def new_key(path: Path) -> Path:
    """A new private key for its owner alone, and the public one beside it."""
    _cryptography()
    from cryptography.hazmat.primitives import serialization as s
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    public_path = path.with_suffix(".pub")
    if path.exists() or public_path.exists():
        raise UsageError(f"{path}: exists already; a key is never written over")
    key = Ed25519PrivateKey.generate()
    private = key.private_bytes(s.Encoding.PEM, s.PrivateFormat.PKCS8, s.NoEncryption())
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(private)
    public_path.write_bytes(
        key.public_key().public_bytes(s.Encoding.PEM, s.PublicFormat.SubjectPublicKeyInfo)
    )
    return public_path


def read_private(path: Path) -> Ed25519PrivateKey:
    _cryptography()
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    try:
        key = load_pem_private_key(_bytes(path), None)
    except (ValueError, TypeError):
        raise UsageError(f"{path}: not a private key in PEM without a passphrase") from None
    if not isinstance(key, Ed25519PrivateKey):
        raise UsageError(f"{path}: not an Ed25519 key")
    return key


def read_public(path: Path) -> Ed25519PublicKey:
    _cryptography()
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    from cryptography.hazmat.primitives.serialization import load_pem_public_key

    try:
        key = load_pem_public_key(_bytes(path))
    except (ValueError, TypeError):
        raise UsageError(f"{path}: not a public key in PEM") from None
    if not isinstance(key, Ed25519PublicKey):
        raise UsageError(f"{path}: not an Ed25519 key")
    return key


def key_id(key: Ed25519PublicKey) -> str:
    from cryptography.hazmat.primitives import serialization as s

    raw = key.public_bytes(s.Encoding.Raw, s.PublicFormat.Raw)
    return f"sha256:{hashlib.sha256(raw).hexdigest()}"


def sign(statement: Mapping[str, Any], keys: list[Ed25519PrivateKey]) -> bytes:
    """The envelope as it is written."""
    payload = json.dumps(statement, indent=1, sort_keys=True, ensure_ascii=True).encode()
    message = _pre_authentication(payload)
    return _written(payload, {key_id(key.public_key()): key.sign(message) for key in keys})


def opened(data: bytes, key: Ed25519PublicKey) -> dict[str, Any]:
    """The statement of an envelope that this key signed, byte for byte as it was."""
    from cryptography.exceptions import InvalidSignature

    try:
        envelope = json.loads(data)
        payload = base64.b64decode(envelope["payload"], validate=True)
        signatures = {
            each["keyid"]: base64.b64decode(each["sig"], validate=True)
            for each in envelope["signatures"]
        }
        statement = json.loads(payload)
    except (ValueError, KeyError, TypeError, binascii.Error):
        raise UsageError("not a certificate") from None
    if _written(payload, signatures) != data:
        raise UsageError("the certificate was changed")
    signature = signatures.get(key_id(key))
    if signature is None:
        raise UsageError("the certificate was not signed with this key")
    try:
        key.verify(signature, _pre_authentication(payload))
    except InvalidSignature:
        raise UsageError("the signature does not fit: the certificate was changed") from None
    if not isinstance(statement, dict) or statement.get("_type") != STATEMENT_TYPE:
        raise UsageError("the certificate holds no in-toto statement")
    return statement


def _written(payload: bytes, signatures: Mapping[str, bytes]) -> bytes:
    envelope = {
        "payloadType": PAYLOAD_TYPE,
        "payload": base64.b64encode(payload).decode(),
        "signatures": [
            {"keyid": name, "sig": base64.b64encode(each).decode()}
            for name, each in sorted(signatures.items())
        ],
    }
    return (json.dumps(envelope, indent=1) + "\n").encode()


def _pre_authentication(payload: bytes) -> bytes:
    """What is signed: DSSE's encoding of type and payload."""
    kind = PAYLOAD_TYPE.encode()
    return b"DSSEv1 %d %s %d %s" % (len(kind), kind, len(payload), payload)


def file_digest(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while part := file.read(_FILE_PARTS):
            digest.update(part)
    return digest.hexdigest()


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from None


def _cryptography() -> None:
    try:
        import cryptography  # noqa: F401
    except ModuleNotFoundError:
        raise MissingExtra("certificates", "certify") from None
