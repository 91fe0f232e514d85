"""CSV and TSV: untouched cells stay byte for byte, and broken rows never leak into the next."""

from __future__ import annotations

import codecs
import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.formats.kit.rewriting import NEW, one_row_is_refused, only_the_name_changes, rewrite
from tests.texts import characters

from incognote.core.types import Span
from incognote.formats.charset import Text, decode
from incognote.formats.tables.csv import CsvFormat
from incognote.policy import FormatRules

TABLES = {
    "plain": b"id,text\n1,Smith\n2,b\n",
    "quoted and not": b'id,text,x\n1,"Smith",a\n"2",Smith,"b"\n',
    "comma in a note": b'id,text\n1,"Smith, seen"\n',
    "note over lines": b'id,text,x\n1,"Smith\nwas ""fine""\r\nthen",y\n2,Smith,z\n',
    "tabs": b"id\ttext\n1\tSmith, seen\n",
    "semicolons": b"id;text\n1;Smith, seen\n",
    "pipes": b"id|text\n1|Smith\n",
    "windows line ends": b"id,text\r\n1,Smith\r\n2,b\r\n",
    "no line end": b"id,text\n1,Smith",
    "blank lines": b"\nid,text\n\n1,Smith\n\n",
    "mark": codecs.BOM_UTF8 + "id,text\n1,Señor Smith\n".encode(),
    "utf-16": codecs.BOM_UTF16_LE + "id\ttext\r\n1\tSeñor Smith\r\n".encode("utf-16-le"),
    "latin-1": "id,text\n1,Señor Smith\n".encode("latin-1"),
    "quote inside a cell": b'id,text\n1,5" scar Smith\n',
    "quoted header": b'"id","text"\n"1","Smith"\n',
    "empty cells": b"id,text,x\n,,\n1,Smith,\n",
    "one column": b"text\nSmith\n",
}


@pytest.mark.parametrize("data", TABLES.values(), ids=TABLES)
def test_only_the_cell_changes(data: bytes) -> None:
    only_the_name_changes(CsvFormat(), data)


@pytest.mark.parametrize(
    ("new", "cell"),
    [
        ("a,b", b'"a,b"'),
        ("a\nb", b'"a\nb"'),
        ('"a"', b'"""a"""'),
        ('a"b', b'a"b'),
    ],
)
def test_a_cell_is_quoted_when_its_new_text_needs_it(new: str, cell: bytes) -> None:
    out = rewrite(CsvFormat(), b"id,text\n1,Smith\n", new=new)
    assert out.data == b"id,text\n1," + cell + b"\n"
    assert list(csv.reader(io.StringIO(out.data.decode())))[1] == ["1", new]


def test_ids_patients_meta_and_lines() -> None:
    rules = FormatRules(
        text=("note",), id="key", patient="mrn", labels={"name": "PATIENT", "key": "keep"}
    )
    data = b'key,mrn,name,note\nk1,m1,Smith,"a\nb"\n,m2,,c\n'
    note, mrn, name, second, *_ = rewrite(CsvFormat(), data, rules).documents
    assert (note.id, note.patient_id, note.meta["key"]) == ("k1", "m1", "k1")
    assert (mrn.text, mrn.given) == ("m1", (Span(0, 2, "MEDICALRECORD"),))
    assert (name.text, name.given, name.free_text) == ("Smith", (Span(0, 5, "PATIENT"),), False)
    assert second.id == "file:4"  # the line where the row begins


HEADERS = {
    "no header": (b"1,Smith seen\n2,b\n", "look like a header"),
    "no header, words only": (b"Smith,seen\nJones,well\n", "look like a header"),
    "no header, an address": (b"text,smith@mail.example\n", "look like a header"),
    "text twice": (b"text,text\nSmith,b\n", "two columns"),
    "only blank lines": (b"\n\n", "empty"),
    "binary": (b"\x00\x01\xff\n", "binary"),
}


@pytest.mark.parametrize(("data", "reason"), HEADERS.values(), ids=HEADERS)
def test_a_table_without_its_columns_is_refused_whole(data: bytes, reason: str) -> None:
    out = rewrite(CsvFormat(), data)
    (failure,) = out.failures
    assert reason in failure.message
    assert "Smith" not in failure.message
    assert out.data == b""


BAD_ROWS = {
    "quote never closed": (b'2,"Smith\n', "never closed"),
    "text after a quote": (b'2,"Smith" seen\n', "broken quoting"),
    "too many cells": (b"2,Smith,seen\n", "3 cells where the header has 2"),
    "too few cells": (b"Smith\n", "1 cells where the header has 2"),
    "NUL": (b"2,Smith\x00\n", "NUL"),
    "mixed encodings": ("2,é ".encode() + b"\xe9 Smith\n", "mixed"),
}


@pytest.mark.parametrize(("row", "reason"), BAD_ROWS.values(), ids=BAD_ROWS)
def test_a_bad_row_is_refused_and_its_neighbours_are_not(row: bytes, reason: str) -> None:
    one_row_is_refused(CsvFormat(), b"id,text\n1,a\n", row, b"3,b\n4,c\n", reason)


def test_an_open_quote_closed_by_the_next_row_costs_one_row() -> None:
    out = rewrite(CsvFormat(), b'id,text\n1,"a"\n2,"open\n3,"b"\n4,"c"\n')
    assert [failure.document_id for failure in out.failures] == ["file:3"]
    assert out.data == b'id,text\n1,"a"\n3,"b"\n4,"c"\n'


def test_a_note_behind_a_broken_quote_is_not_taken_for_rows() -> None:
    """Its lines have commas, too: "Dr. Smith" would pass as an id."""
    note = b'2,"seen "today" in clinic\nDr. Smith, was called\nSmith, came\n'
    out = rewrite(CsvFormat(), b"id,text\n1,a\n" + note + b"3,b\n")
    assert b"Dr." not in out.data
    assert out.data == b"id,text\n1,a\n3,b\n"
    assert len(out.failures) == 3


def test_an_open_quote_does_not_swallow_a_long_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("incognote.formats.tables.csv._LONGEST_ROW", 100)
    rows = b"".join(b"%d,note\n" % number for number in range(1000))
    out = rewrite(CsvFormat(), b'id,text\n7,a\n8,"open\n' + rows)
    assert len(out.failures) == 1
    assert out.data == b"id,text\n7,a\n" + rows


def test_a_note_of_many_lines_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reading a row again at each of its lines would take time by the square of its length."""
    read = 0

    def counting(data: bytes) -> Text:
        nonlocal read
        read += len(data)
        return decode(data)

    monkeypatch.setattr("incognote.formats.tables.csv.decode", counting)
    data = b'id,text\n1,"' + b'said ""fine"" today\n' * 1000 + b'"\n'
    out = rewrite(CsvFormat(), data)
    assert len(out.documents) == 2  # the id, too
    assert read == len(data)


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        (b"id,text\n1,a\n", True),
        (b'"note_id"\t"text"\n', True),
        (b"Dear Dr. Smith,\nthank you\n", False),
        (b"id, text and more\n", False),
        (b"alpha,beta\n", False),
        (b"\xff\x00", False),
        (b"", False),
    ],
)
def test_sniff(head: bytes, expected: bool) -> None:
    assert CsvFormat().sniff(head) is expected


_CELL = st.text(characters(exclude="\0\r"), max_size=20)
_ROWS = st.lists(st.tuples(_CELL, _CELL, _CELL), min_size=1, max_size=5)


@given(
    _ROWS,
    st.sampled_from(",\t;|"),
    st.sampled_from([csv.QUOTE_ALL, csv.QUOTE_MINIMAL]),
    st.sampled_from(["\n", "\r\n"]),
)
def test_what_the_standard_library_writes_is_read_the_same(rows, delimiter, quoting, end) -> None:
    stream = io.StringIO(newline="")
    writer = csv.writer(stream, delimiter=delimiter, quoting=quoting, lineterminator=end)
    writer.writerow(["id", "x", "text"])
    writer.writerows(rows)
    data = stream.getvalue().encode()
    untouched = rewrite(CsvFormat(), data, old="\0")
    assert not untouched.failures
    assert untouched.data == data
    rules = FormatRules(unnamed="keep", labels={"id": "keep"})
    out = rewrite(CsvFormat(), data, rules, old="a", new=f'{NEW},\t"\n')
    assert out.texts == [text for _, _, text in rows]
    expected = [[i, x, text.replace("a", f'{NEW},\t"\n')] for i, x, text in rows]
    changed = io.StringIO(out.data.decode(), newline="")
    assert list(csv.reader(changed, delimiter=delimiter))[1:] == expected


@pytest.mark.parametrize("mark", [",", ";", "\t"])
def test_the_line_that_tells_the_delimiter_is_no_header(mark):
    data = f"sep={mark}\r\nid{mark}text\r\n1{mark}Smith\r\n".encode()
    only_the_name_changes(CsvFormat(), data)
