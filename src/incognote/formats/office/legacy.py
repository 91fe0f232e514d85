"""DOC and XLS: LibreOffice turns them into DOCX and XLSX and back; in between they are read there.

The old binary formats have no writer worth trusting. A conversion keeps what a reader sees, and
leaves behind what only the old file held: earlier versions, deleted text, free sectors.
"""

from __future__ import annotations

import io
import shutil
import subprocess
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import BinaryIO

from incognote.core.errors import ReadError, TransformError, UsageError
from incognote.core.types import Failure, Result
from incognote.formats.base import Record, refused
from incognote.formats.office.docx import DocxFormat
from incognote.formats.office.ooxml import OLE
from incognote.formats.office.xlsx import XlsxFormat
from incognote.formats.scratch import scratch_folder
from incognote.policy import FormatRules

_SECONDS = 120


class _Legacy:
    """A format that is read and written through a modern one."""

    name: str
    suffixes: tuple[str, ...]
    modern: type[DocxFormat | XlsxFormat]
    mark: bytes

    def sniff(self, head: bytes) -> bool:
        return head.startswith(OLE) and self.mark in head

    def require(self, rules: FormatRules) -> None:
        del rules
        if _program() is None:
            raise UsageError(
                f"the format {self.name!r} needs LibreOffice (the program soffice), "
                "which is not installed"
            )

    def read(self, stream: BinaryIO, name: str, rules: FormatRules) -> Iterator[Record | Failure]:
        suffix, new = self.suffixes[0], self.modern.suffixes[0]
        try:
            self.require(rules)
            converted = _convert(_checked(stream.read()), suffix, new)
        except (ReadError, UsageError) as error:
            yield refused(name, error)
            return
        for record in self.modern().read(io.BytesIO(converted), name, rules):
            if isinstance(record, Failure):
                yield record
            else:
                yield Record(record.documents, self._renderer(record))

    def _renderer(self, record: Record) -> Callable[[Sequence[Result]], bytes]:
        def render(results: Sequence[Result]) -> bytes:
            try:
                return _convert(record.render(results), self.modern.suffixes[0], self.suffixes[0])
            except ReadError:
                raise TransformError("LibreOffice could not write the file back") from None

        return render


class DocFormat(_Legacy):
    name = "doc"
    suffixes = (".doc",)
    modern = DocxFormat
    mark = b"\xec\xa5\xc1\x00"


class XlsFormat(_Legacy):
    name = "xls"
    suffixes = (".xls",)
    modern = XlsxFormat
    mark = b"\x09\x08\x10\x00"


def _checked(data: bytes) -> bytes:
    if not data.startswith(OLE):
        raise ReadError("not a file of the old Office formats")
    return data


def _program() -> str | None:
    return shutil.which("soffice") or shutil.which("libreoffice")


def _convert(data: bytes, suffix: str, target: str) -> bytes:
    """One conversion in a folder of its own."""
    with scratch_folder() as folder:
        source = Path(folder, f"file{suffix}")
        source.write_bytes(data)
        command = [
            _program() or "soffice",
            "--headless",
            f"-env:UserInstallation=file://{folder}/profile",
            *("--convert-to", target.lstrip("."), "--outdir", f"{folder}/out", str(source)),
        ]
        try:
            subprocess.run(command, check=True, capture_output=True, timeout=_SECONDS)  # noqa: S603
            return Path(folder, "out", f"file{target}").read_bytes()
        except (subprocess.SubprocessError, OSError):
            raise ReadError("LibreOffice could not convert the file") from None
