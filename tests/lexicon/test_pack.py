"""The compiler's file format: the same tables give the same bytes, in any order of making."""

import importlib.util
import zipfile
from pathlib import Path

import pytest

PACK = Path(__file__).parents[2] / "tools" / "build_lexicon" / "pack.py"


@pytest.fixture(scope="module")
def pack():
    spec = importlib.util.spec_from_file_location("build_lexicon_pack", PACK)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_same_tables_same_bytes(pack, tmp_path):
    tables = {"a": pack.lines(["x", "ü"]), "b": pack.numbers([1, 2**32 - 1])}
    pack.write(tmp_path / "1.zip", tables)
    pack.write(tmp_path / "2.zip", dict(reversed(tables.items())))
    assert (tmp_path / "1.zip").read_bytes() == (tmp_path / "2.zip").read_bytes()


def test_tables_come_back(pack, tmp_path):
    size = pack.write(tmp_path / "1.zip", {"n": pack.numbers([258]), "t": pack.lines(["x", "y"])})
    assert size == (tmp_path / "1.zip").stat().st_size
    with zipfile.ZipFile(tmp_path / "1.zip") as archive:
        assert archive.read("n") == b"\x02\x01\x00\x00"
        assert archive.read("t") == b"x\ny"
