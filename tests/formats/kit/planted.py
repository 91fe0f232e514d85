"""What leak tests of formats ask besides what the kit in `incognote.testing` asks."""

from __future__ import annotations

import base64
import re

from incognote.testing.formats import documents, masked


def placed(data: bytes, name: str) -> set[str]:
    """Where the documents of a file say that they stand in it."""
    return {d.locator.removeprefix(name).lstrip(": ") for d in documents(data, name)}


def left_over(text: str, name: str, planted: str) -> list[str]:
    """What is still planted in a text file that was masked: as it stands, in base64 or in
    hexadecimal."""
    out = masked(text.encode(), name, [planted, planted.upper()]).decode().lower()
    packed = re.findall(r"[A-Za-z0-9+/]{32,}={0,2}", out)
    said = [out, *(base64.b64decode(body + "==").decode("latin-1").lower() for body in packed)]
    forms = (planted.lower(), planted.encode().hex())
    return [form for form in forms if any(form in each for each in said)]
