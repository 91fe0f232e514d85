"""What may serve as a secret key, wherever it comes from: a file, the environment, Python.

A key is either 32 random bytes, as `incognote key new` writes them, or a passphrase. What is made
with a key (a surrogate, the tag in a manifest) lets others test guesses, so a passphrase is
stretched with scrypt: each guess then costs memory and time. What is easy to guess is refused.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
import secrets
from itertools import pairwise

from incognote.core.errors import UsageError

SHORTEST_KEY = 16
KEY_BYTES = 32
_RANDOM = "incognote-key-1:"
_DIFFERENT = 8
# What people write when they are asked for a secret. What is left without it must be long enough.
_COMMON = re.compile(
    rb"pass(?:word|phrase|wort)?|secret|changeme|letmein|incognote|hospital|clinic|qwerty\w*|admin"
    rb"|welcome|test|key|default|example",
    re.IGNORECASE,
)


def new_key() -> str:
    """A random key as it is written to a file."""
    return _RANDOM + base64.urlsafe_b64encode(secrets.token_bytes(KEY_BYTES)).decode()


def usable_key(key: bytes, where: str) -> bytes:
    """The key without the white space around it, so that the line end of a key file is no part of
    it. `where` names its source, never its value."""
    key = key.strip()
    if len(key) < SHORTEST_KEY:
        raise UsageError(
            f"{where}: a key has at least {SHORTEST_KEY} bytes; `incognote key new` makes one"
        )
    if _is_weak(key):
        raise UsageError(f"{where}: easy to guess; `incognote key new` makes a good key")
    return key


def surrogate_key(key: bytes, where: str, project: str = "") -> bytes:
    """The key that surrogates are drawn with, from one that may be a passphrase."""
    return stretched(usable_key(key, where), f"incognote surrogates:{project}".encode())


def stretched(key: bytes, salt: bytes) -> bytes:
    """32 bytes for one purpose, which `salt` names. A passphrase takes a moment."""
    if random := _random_bytes(key):
        return hashlib.sha256(salt + b":" + random).digest()
    return hashlib.scrypt(key, salt=salt, n=1 << 15, r=8, p=1, maxmem=1 << 26, dklen=KEY_BYTES)


def _random_bytes(key: bytes) -> bytes | None:
    """The bytes of a key that is random; None for a passphrase.

    So are 32 bytes and more that are not all letters as people write them: a raw key, or one in
    base64 or hexadecimal digits.
    """
    if key.startswith(_RANDOM.encode()):
        return key.removeprefix(_RANDOM.encode())
    if len(key) < KEY_BYTES:
        return None
    try:
        base64.b64decode(key, validate=True)
    except (binascii.Error, ValueError):
        return None if key.isascii() and key.decode("ascii").isprintable() else key
    return key if re.search(rb"[0-9]", key) and re.search(rb"[A-Za-z]", key) else None


def _is_weak(key: bytes) -> bool:
    """Few different bytes, something repeated, a row as abcdef or 123456, or mostly a word that
    many would pick."""
    if len(set(key)) < _DIFFERENT:
        return True
    doubled = (key + key).find(key, 1)
    if doubled < len(key) and doubled < SHORTEST_KEY:
        return True
    steps = {second - first for first, second in pairwise(key)}
    if len(steps) <= 2:
        return True
    return len(_COMMON.sub(b"", key).strip(b" !.0123456789-_")) < _DIFFERENT
