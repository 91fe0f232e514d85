"""Plain text: what is read, what is refused, and that nothing but the text changes."""

from __future__ import annotations

import base64
import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.formats.kit.rewriting import NEW, OLD, rewrite

from incognote.core.text.letters import hides_text
from incognote.core.types import Failure
from incognote.formats.text import TextFormat

READABLE = {
    "ascii": b"Seen by Smith.\n",
    "utf-8": "Señor Smith, 37 °C\n".encode(),
    "utf-8 with mark": codecs.BOM_UTF8 + "Señor Smith\n".encode(),
    "utf-16 little": codecs.BOM_UTF16_LE + "Señor Smith\r\n".encode("utf-16-le"),
    "utf-16 big": codecs.BOM_UTF16_BE + "Señor Smith\n".encode("utf-16-be"),
    "utf-32": codecs.BOM_UTF32_LE + "Señor Smith\n".encode("utf-32-le"),
    "latin-1": "Señor Smith, 37 °C\n".encode("latin-1"),
    "windows quotes": "Smith said \u201cfine\u201d\n".encode("cp1252"),
    "windows line ends": b"Smith\r\nSmith\r\n",
    "old mac line ends": b"Smith\rSmith\r",
    "no line end": b"Smith",
    "form feed": b"Smith\x0cpage two",
    # Languages that Windows-1252 is for, at their most accented.
    "french": "Smith a été créée à Noël, « l’œuvre » de Zoé, ÉLÉONORE\n".encode("cp1252"),
    "german": "Smith: Größe 1,80 m, ÄÖÜ, Übergröße, MÜLLER\n".encode("cp1252"),
    "finnish": "Smith: hääyöaie, Ääni, yöpöytä\n".encode("cp1252"),
    "danish": "Smith: på Ærø, rødgrød, ÆØÅ\n".encode("cp1252"),
    "spanish": "¿Smith? ¡Sí! Núñez, 2ª, 3º\n".encode("cp1252"),
    "czech names": "Smith, Škoda, Žižka, Šimůnek".replace("ů", "u").encode("cp1252"),
    "units": "Smith 37 °C, 5 µg, ±2, 10 m², ½ tab, 2×5 mg, Tylenol®\n".encode("cp1252"),
}


@pytest.mark.parametrize("data", READABLE.values(), ids=READABLE)
def test_only_the_text_changes(data: bytes) -> None:
    mark = b"" if data.startswith(b"S") else data[: len(data) - len(data.lstrip(b"\xef\xbb\xbf"))]
    out = rewrite(TextFormat(), data)
    assert not out.failures
    assert OLD not in out.data.decode("utf-8", "replace").replace("\0", "")
    # Undoing the replacement gives the bytes of the input: encoding, mark and line ends stayed.
    assert rewrite(TextFormat(), out.data, old=NEW, new=OLD).data == data
    assert out.data.startswith(mark)


UNREADABLE = {
    "binary": (b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\xff", "binary"),
    "NUL": (b"Smith\x00 was seen", "NUL"),
    "UTF-16 without mark": ("Smith".encode("utf-16-le"), "byte order mark"),
    "half UTF-8, half Latin-1": ("Señor ".encode() + "Señor".encode("latin-1"), "mixed"),
    "lone surrogate": (b"Smith \xed\xa0\x80 seen", "mixed"),
    "lone surrogate in UTF-16": (codecs.BOM_UTF16_LE + b"S\x00\x00\xd8A\x00", "utf-16"),
    "undefined in every encoding": (b"Smith \x81 seen", "neither"),
    "DOS": ("Smith, Müller, José\n".encode("cp850"), "neither"),
    "DOS with bytes that exist": ("Smith, Böhm, Jäger\n".encode("cp850"), "iconv"),
    "Mac": ("Smith, Jäger, José Sänger\n".encode("mac-roman"), "iconv"),
    "Cyrillic": ("Smith, Иванова\n".encode("cp1251"), "iconv"),
    "Greek": ("Smith, Παπαδοπουλος\n".encode("cp1253"), "iconv"),
    "Hebrew": ("Smith, אברהם\n".encode("cp1255"), "iconv"),
    "Japanese": ("Smith, 山田太郎さん\n".encode("euc-jp"), "mixed"),
    "UTF-8 cut in two": ("Smith im Café".encode()[:-1], "iconv"),
    "cut UTF-16": (codecs.BOM_UTF16_LE + b"S\x00m", "utf-16"),
}


@pytest.mark.parametrize(("data", "reason"), UNREADABLE.values(), ids=UNREADABLE)
def test_what_cannot_be_text_is_refused_with_a_reason(data: bytes, reason: str) -> None:
    out = rewrite(TextFormat(), data)
    (failure,) = out.failures
    assert failure.stage == "read"
    assert failure.message.startswith("file: ")
    assert reason in failure.message
    assert "Smith" not in repr(failure)
    assert out.data == b""


_PACKED = base64.encodebytes(b"Seen by Smith, MRN 7741902. " * 12)
PACKED = {
    "block": (b"Scan:\n\n" + _PACKED, True),
    "one line": (b"Scan: " + _PACKED.replace(b"\n", b"") + b"\n", True),
    "carriage returns": (b"Scan:\r\n" + _PACKED.replace(b"\n", b"\r\n"), True),
    "e-mail": (b"Content-Transfer-Encoding: quoted-printable\n\nSm=69th\n", True),
    "bases": (b"GATTACA" * 60 + b"\n", False),
    "digests": (b"\n".join([b"0a1b2c3d" * 8] * 9), False),
    "a key": (_PACKED[:77], False),
}


@pytest.mark.parametrize(("data", "refused"), PACKED.values(), ids=PACKED)
def test_what_is_packed_within_a_text_does_not_pass_unread(data: bytes, refused: bool) -> None:
    assert bool(rewrite(TextFormat(), data, old="\0", new="").failures) == refused


def test_a_replacement_its_encoding_cannot_hold_is_an_error_not_a_question_mark() -> None:
    from incognote.core.errors import TransformError

    with pytest.raises(TransformError, match="cp1252"):
        rewrite(TextFormat(), "Señor Smith".encode("latin-1"), new="Łukasz")


@given(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])))
def test_utf8_that_hides_nothing_comes_back_as_it_was(text: str) -> None:
    data = text.encode()
    out = rewrite(TextFormat(), data, old="\0", new="")
    assert bool(out.failures) == hides_text(text)
    assert out.data == (b"" if out.failures else data)


@given(st.binary(max_size=200))
def test_any_bytes_are_refused_or_come_back_the_same(data: bytes) -> None:
    out = rewrite(TextFormat(), data, old="\0", new="")
    assert bool(out.failures) != (out.data == data)
    assert all(isinstance(each, Failure) for each in out.failures)
