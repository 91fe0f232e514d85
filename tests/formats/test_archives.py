"""Zip, tar and gzip: members cleaned, bombs and climbers refused."""

from __future__ import annotations

import gzip
import io
import tarfile
import zipfile

import pytest
from tests.formats.planted import masked, read, unchanged

from incognote.core.types import Failure

NAME = "Quillon"
NOTE = b"Seen with Quillon.\n"


def _zip(**members: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return buffer.getvalue()


def _tar(name: str = "note.txt", data: bytes = NOTE, kind: bytes = tarfile.REGTYPE) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        info = tarfile.TarInfo(name)
        info.size, info.uname, info.type = len(data), "quillon", kind
        tar.addfile(info, io.BytesIO(data))
    return buffer.getvalue()


class TestArchives:
    def test_zip_members_keep_their_formats(self):
        data = _zip(**{"a/note.txt": NOTE, "rows.json": b'{"name": "Quillon"}'})
        out = masked(data, "x.zip", ["Quillon"])
        with zipfile.ZipFile(io.BytesIO(out)) as archive:
            assert archive.read("a/note.txt") == b"Seen with [PATIENT].\n"
            assert archive.read("rows.json") == b'{"name": "[PATIENT]"}'

    def test_tar_members_and_their_owner(self):
        out = masked(_tar(), "x.tar", ["Quillon"])
        assert b"uillon" not in out
        with tarfile.open(fileobj=io.BytesIO(out)) as tar:
            assert tar.extractfile("note.txt").read() == b"Seen with [PATIENT].\n"

    def test_compressed_tar(self):
        out = masked(gzip.compress(_tar()), "x.tgz", ["Quillon"])
        assert b"[PATIENT]" in gzip.decompress(out)

    def test_gzip_of_a_note(self):
        out = masked(gzip.compress(NOTE), "note.txt.gz", ["Quillon"])
        assert gzip.decompress(out) == b"Seen with [PATIENT].\n"

    def test_a_zip_in_a_zip(self):
        out = masked(_zip(**{"in.zip": _zip(**{"n.txt": NOTE})}), "x.zip", ["Quillon"])
        inner = zipfile.ZipFile(io.BytesIO(out)).read("in.zip")
        assert zipfile.ZipFile(io.BytesIO(inner)).read("n.txt") == b"Seen with [PATIENT].\n"

    @pytest.mark.parametrize(
        ("data", "name", "why"),
        [
            (_zip(**{"n.bin": bytes(range(256))}), "x.zip", "cannot be read|no format|not text"),
            (_zip(**{"../n.txt": NOTE}), "x.zip", "leads out"),
            (_zip(**{"n.txt": b"0" * (8 << 20)}), "x.zip", "tightly"),
            (gzip.compress(b"0" * (64 << 20)), "n.txt.gz", "tightly"),
            (gzip.compress(NOTE)[:-9], "n.txt.gz", "truncated|broken"),
            (_tar("../../n.txt"), "x.tar", "leads out"),
            (_tar("n", b"", tarfile.SYMTYPE), "x.tar", "link"),
            (_tar()[:700], "x.tar", "broken|truncated"),
            (b"PK\x03\x04 nonsense", "x.zip", "broken"),
        ],
        ids=[
            "binary",
            "climb",
            "bomb",
            "gz-bomb",
            "gz-cut",
            "tar-climb",
            "link",
            "tar-cut",
            "junk",
        ],
    )
    def test_what_is_refused(self, data, name, why):
        (outcome,) = read(data, name)
        assert isinstance(outcome, Failure)
        assert any(each in outcome.message for each in why.split("|")), outcome.message

    def test_nesting_has_an_end(self):
        data = NOTE
        for _ in range(6):
            data = _zip(**{"x.zip": data}) if data != NOTE else _zip(**{"n.txt": data})
        (outcome,) = read(data, "x.zip")
        assert isinstance(outcome, Failure)


def test_a_tar_keeps_no_comment():
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as tar:
        info = tarfile.TarInfo("n.txt")
        info.pax_headers = {"comment": NAME}
        tar.addfile(info)
    assert NAME.encode() not in masked(buffer.getvalue(), "x.tar", ["-"])


def test_bgzip_stays_bgzip():
    from incognote.formats.archive import _gzip

    table = b"##fileformat=VCFv4.3\n#CHROM\n" + b"1\t2\tabc\n" * 20_000
    data = _gzip(table, in_blocks=True)
    assert gzip.decompress(data) == table
    assert unchanged(data, "x.vcf.gz") == data
    # The empty block by which indexers tell a whole file.
    assert data.endswith(bytes.fromhex("1f8b08040000000000ff0600424302001b0003000000000000000000"))
