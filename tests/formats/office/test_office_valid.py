"""Readers of others open what is written, and find what is no PHI as it was."""

from __future__ import annotations

import io

import docx
import openpyxl
import pytest
from openpyxl.worksheet.table import Table
from tests.conftest import SHARED
from tests.formats.kit.made import members, with_members
from tests.formats.kit.whole import deidentified


def _book(rows: list[list[object]], *, table: bool = False) -> bytes:
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    if table:
        last = f"{'ABCDEFGH'[len(rows[0]) - 1]}{len(rows)}"
        book.active.add_table(Table(displayName="Visits", ref=f"A1:{last}"))
    buffer = io.BytesIO()
    book.save(buffer)
    return buffer.getvalue()


ROWS = [
    ["patient_name", "mrn", "test_name", "result", "units", "amount", "status"],
    ["Adaeze Okonkwo", "7741902", "TSH", "4.1", "mmol/L", 1589036664.03, "red"],
    ["Quillon Brandvold", "7741903", "Kell antigen", "negative", "mm[Hg]", 726411367.89, "blue"],
]


def test_names_of_columns_and_clinical_values_stay():
    out = openpyxl.load_workbook(io.BytesIO(deidentified(_book(ROWS), "x.xlsx"))).active
    rows = [[cell.value for cell in row] for row in out.iter_rows()]
    assert rows[0] == ROWS[0]
    assert [row[2:6] for row in rows[1:]] == [row[2:6] for row in ROWS[1:]]
    assert not {"Adaeze Okonkwo", "7741902", "Quillon Brandvold"} & {
        str(c) for r in rows for c in r
    }


def test_columns_of_a_table_are_called_as_their_cells_say():
    rows = [["mrn", "Seen by Brandvold", "Okonkwo family"], ["7741902", "yes", "no"]]
    book = openpyxl.load_workbook(io.BytesIO(deidentified(_book(rows, table=True), "x.xlsx")))
    [table] = book.active.tables.values()
    assert [column.name for column in table.tableColumns] == [c.value for c in book.active[1]]
    assert "Brandvold" not in table.tableColumns[1].name


def test_where_a_text_stands_in_its_box_is_no_text():
    drawing = (
        '<xdr:wsDr xmlns:xdr="http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing" '
        'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><xdr:sp><xdr:txBody>'
        '<a:bodyPr anchor="t" wrap="square"/><a:p><a:r><a:t>Adaeze Okonkwo</a:t></a:r></a:p>'
        "</xdr:txBody></xdr:sp></xdr:wsDr>"
    )
    data = with_members(_book(ROWS), {"xl/drawings/drawing1.xml": drawing})
    out = members(deidentified(data, "x.xlsx"))
    assert 'anchor="t"' in out
    assert "Okonkwo" not in out


def _fixtures(*endings: str) -> list:
    folders = (SHARED / "fixtures", SHARED / "fixtures_more")
    return sorted(
        path for folder in folders for path in folder.rglob("*.*") if path.suffix in endings
    )


# The reader warns of what it does not support, in the originals as well.
@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("path", _fixtures(".xlsx"), ids=lambda path: path.name)
def test_outside_workbooks_are_read_by_openpyxl(path):
    before = openpyxl.load_workbook(path)
    out = openpyxl.load_workbook(io.BytesIO(deidentified(path.read_bytes(), path.name)))
    assert len(out.worksheets) == len(before.worksheets)
    for sheet in out.worksheets:
        for table in sheet.tables.values():
            cells = sheet[table.ref][0]
            assert [c.name for c in table.tableColumns] == [str(cell.value) for cell in cells]


# One of them is in Latin, which no detector reads.
LETTERS = [path for path in _fixtures(".docx") if path.name != "pydocx-blk-paras-and-tables.docx"]


@pytest.mark.parametrize("path", LETTERS, ids=lambda path: path.name)
def test_outside_letters_are_read_by_python_docx(path):
    before = docx.Document(path)
    out = docx.Document(io.BytesIO(deidentified(path.read_bytes(), path.name)))
    assert len(out.paragraphs) == len(before.paragraphs)
    assert len(out.tables) == len(before.tables)
