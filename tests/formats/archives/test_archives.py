"""Zip, tar and gzip: members cleaned, bombs and climbers refused."""

from __future__ import annotations

import gzip
import io
import tarfile
import zipfile

import pytest

from incognote.core.types import Failure
from incognote.testing.formats import masked, read, unchanged

NAME = "Quillon"
NOTE = b"Seen with Quillon.\n"


def zip_of(**members: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return buffer.getvalue()


def tar_of(name: str = "note.txt", data: bytes = NOTE, kind: bytes = tarfile.REGTYPE) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        info = tarfile.TarInfo(name)
        info.size, info.uname, info.type = len(data), "quillon", kind
        tar.addfile(info, io.BytesIO(data))
    return buffer.getvalue()


def _sparse(size: int) -> bytes:
    """A file of one byte and a hole, in the way of old GNU tar."""
    info = tarfile.TarInfo("n.txt")
    info.type = tarfile.GNUTYPE_SPARSE
    header = bytearray(info.tobuf(tarfile.GNU_FORMAT))
    header[124:136] = b"%011o\0" % 1
    header[386:410] = b"%011o\0%011o\0" % (0, 1)
    header[483:495] = b"%011o\0" % size
    header[148:156] = b"%06o\0 " % (sum(header) - sum(header[148:156]) + 8 * 32)
    return bytes(header) + b"x".ljust(512, b"\0") + b"\0" * 1024


def _linked() -> bytes:
    info = zipfile.ZipInfo("n.txt")
    info.external_attr = 0o120777 << 16
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr(info, "/home/quillon")
    return buffer.getvalue()


def _twice() -> bytes:
    return tar_of()[:1024] + tar_of()


class TestArchives:
    def test_zip_members_keep_their_formats(self):
        data = zip_of(**{"a/note.txt": NOTE, "rows.json": b'{"name": "Quillon"}'})
        out = masked(data, "x.zip", ["Quillon"])
        with zipfile.ZipFile(io.BytesIO(out)) as archive:
            assert archive.read("a/note.txt") == b"Seen with [PATIENT].\n"
            assert archive.read("rows.json") == b'{"name": "[PATIENT]"}'

    def test_tar_members_and_their_owner(self):
        out = masked(tar_of(), "x.tar", ["Quillon"])
        assert b"uillon" not in out
        with tarfile.open(fileobj=io.BytesIO(out)) as tar:
            assert tar.extractfile("note.txt").read() == b"Seen with [PATIENT].\n"

    def test_compressed_tar(self):
        out = masked(gzip.compress(tar_of()), "x.tgz", ["Quillon"])
        assert b"[PATIENT]" in gzip.decompress(out)

    def test_gzip_of_a_note(self):
        out = masked(gzip.compress(NOTE), "note.txt.gz", ["Quillon"])
        assert gzip.decompress(out) == b"Seen with [PATIENT].\n"

    def test_a_zip_in_a_zip(self):
        out = masked(zip_of(**{"in.zip": zip_of(**{"n.txt": NOTE})}), "x.zip", ["Quillon"])
        inner = zipfile.ZipFile(io.BytesIO(out)).read("in.zip")
        assert zipfile.ZipFile(io.BytesIO(inner)).read("n.txt") == b"Seen with [PATIENT].\n"

    @pytest.mark.parametrize(
        ("data", "name", "why"),
        [
            (zip_of(**{"n.bin": bytes(range(256))}), "x.zip", "cannot be read|no format|not text"),
            (zip_of(**{"../n.txt": NOTE}), "x.zip", "leads out"),
            (zip_of(**{"n.txt": b"0" * (8 << 20)}), "x.zip", "tightly"),
            (gzip.compress(b"0" * (64 << 20)), "n.txt.gz", "tightly"),
            (gzip.compress(NOTE)[:-9], "n.txt.gz", "truncated|broken"),
            (tar_of("../../n.txt"), "x.tar", "leads out"),
            (tar_of("n", b"", tarfile.SYMTYPE), "x.tar", "link"),
            (tar_of()[:700], "x.tar", "broken|truncated"),
            (b"PK\x03\x04 nonsense", "x.zip", "broken"),
            (_sparse(1 << 33), "x.tar", "holes"),
            (_linked(), "x.zip", "link"),
            (_twice(), "x.tar", "one name"),
            (tar_of()[:1024] + b"x" * 2048, "x.tar", "broken"),
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
            "tar-holes",
            "zip-link",
            "tar-twice",
            "tar-broken-behind",
        ],
    )
    def test_what_is_refused(self, data, name, why):
        (outcome,) = read(data, name)
        assert isinstance(outcome, Failure)
        assert any(each in outcome.message for each in why.split("|")), outcome.message

    def test_what_was_stored_with_holes_comes_back_plain(self):
        out = unchanged(_sparse(1), "x.tar")
        with tarfile.open(fileobj=io.BytesIO(out)) as tar:
            assert tar.next().type == tarfile.REGTYPE

    def test_what_a_zip_says_of_its_making_goes(self):
        info = zipfile.ZipInfo("n.txt", (2024, 3, 11, 10, 20, 30))
        info.comment, info.extra = b"Quillon", b"\x99\x99\x07\0Quillon"
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w") as archive:
            archive.writestr(info, NOTE)
            archive.comment = b"Quillon"
        out = masked(b"#!Quillon\n" + buffer.getvalue(), "x.zip", ["Quillon"])
        assert b"Quillon" not in out
        (member,) = zipfile.ZipFile(io.BytesIO(out)).infolist()
        assert member.date_time == (1980, 1, 1, 0, 0, 0)

    def test_what_a_tar_says_of_its_making_goes(self):
        buffer = io.BytesIO()
        with tarfile.open(fileobj=buffer, mode="w", pax_headers={"comment": "Quillon"}) as tar:
            info = tarfile.TarInfo("note.txt")
            info.size, info.mtime, info.linkname = len(NOTE), 1710152430, "Quillon"
            info.uname, info.gname, info.pax_headers = "Quillon", "Quillon", {"comment": "Quillon"}
            tar.addfile(info, io.BytesIO(NOTE))
        out = masked(buffer.getvalue(), "x.tar", ["Quillon"])
        assert b"Quillon" not in out
        with tarfile.open(fileobj=io.BytesIO(out)) as tar:
            assert tar.next().mtime == 0

    def test_what_a_gzip_says_of_its_making_goes(self):
        packed = gzip.compress(NOTE)
        named = packed[:3] + b"\x18" + packed[4:10] + b"Quillon.txt\0Quillon\0" + packed[10:]
        out = masked(named + packed, "n.txt.gz", ["Quillon"])
        assert b"Quillon" not in out
        assert gzip.decompress(out) == b"Seen with [PATIENT].\n" * 2

    def test_nesting_has_an_end(self):
        data = NOTE
        for _ in range(6):
            data = zip_of(**{"x.zip": data}) if data != NOTE else zip_of(**{"n.txt": data})
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
    from incognote.formats.archives.archive import _gzip

    table = b"##fileformat=VCFv4.3\n#CHROM\n" + b"1\t2\tabc\n" * 20_000
    data = _gzip(table, in_blocks=True)
    assert gzip.decompress(data) == table
    assert unchanged(data, "x.vcf.gz") == data
    # The empty block by which indexers tell a whole file.
    assert data.endswith(bytes.fromhex("1f8b08040000000000ff0600424302001b0003000000000000000000"))
