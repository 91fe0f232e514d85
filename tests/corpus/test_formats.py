"""Every corpus format keeps what it can hold, and says what it cannot read."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.marked import annotated

from incognote.core.errors import IncognoteError, ReadError, UsageError
from incognote.core.types import AnnotatedDocument, Document, Span
from incognote.corpus import corpus_formats, read_corpus, write_corpus
from incognote.corpus.files import corpus_format

NOTE = "Seen by Dr. [[Zoë O'Neil|DOCTOR]] on [[3/4/20|DATE]];\nK < 4 & pH > 7.\n[[Ann\nLee|PATIENT]] 😀 [[MRN 7|IDNUM]]"
ONE_BYTE = NOTE.replace("😀", "ok")


FORMATS = corpus_formats()


def there_and_back(
    docs: list[AnnotatedDocument], form: str, folder: Path
) -> list[AnnotatedDocument]:
    path = folder / f"corpus{corpus_format(form).suffix}"
    write_corpus(docs, path, form)
    return read_corpus(path, None if form not in ("bilou", "physionet") else form)


@pytest.mark.parametrize("form", sorted(set(FORMATS) - {"physionet", "conll", "bilou"}))
def test_text_and_spans_survive(form: str, tmp_path: Path) -> None:
    docs = [annotated(NOTE), annotated("Nothing here.\r\nAt all.", "n2")]
    back = there_and_back(docs, form, tmp_path)
    assert [(d.id, d.text, d.spans) for d in back] == [(d.id, d.text, d.spans) for d in docs]


def test_physionet_numbers_patients_and_notes(tmp_path: Path) -> None:
    docs = [
        annotated(ONE_BYTE, "a", patient_id="P"),
        annotated(ONE_BYTE, "b", patient_id="P"),
        annotated("x", "c"),
    ]
    back = there_and_back(docs, "physionet", tmp_path)
    assert [d.id for d in back] == ["1-1", "1-2", "2-1"]
    assert [(d.text, d.spans) for d in back] == [(d.text, d.spans) for d in docs]


@pytest.mark.parametrize("form", sorted(set(FORMATS) - {"conll", "bilou"}))
def test_names_over_any_line_end_survive(form: str, tmp_path: Path) -> None:
    docs = [annotated("[[Ann\r\nLee|PATIENT]]\r[[Bo\rLi|PATIENT]]\n[[x\n\ny|CITY]]")]
    back = there_and_back(docs, form, tmp_path)
    assert [(d.text, d.spans) for d in back] == [(d.text, d.spans) for d in docs]


@pytest.mark.parametrize("form", ["conll", "bilou"])
def test_columns_keep_offsets_and_labels(form: str, tmp_path: Path) -> None:
    back = there_and_back(
        [annotated(NOTE), annotated("[[Bo|PATIENT]] [[Li|PATIENT]]", "n2")], form, tmp_path
    )
    assert [d.id for d in back] == ["n1", "n2"]
    assert [d.spans for d in back] == [
        annotated(NOTE).spans,
        (Span(0, 2, "PATIENT"), Span(3, 5, "PATIENT")),
    ]
    assert back[0].text.split() == annotated(NOTE).text.split()


@pytest.mark.parametrize("form", ["jsonl", "doccano", "presidio", "deduce", "label-studio"])
def test_meta_survives_in_rows(form: str, tmp_path: Path) -> None:
    [back] = there_and_back([annotated(NOTE, patient_id="7", note_type="letter")], form, tmp_path)
    assert back.document.meta == {"patient_id": "7", "note_type": "letter"}


@settings(max_examples=50, deadline=None)
@given(
    text=st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), min_size=1),
    data=st.data(),
)
@pytest.mark.parametrize("form", ["i2b2-2014", "label-studio", "brat"])
def test_offsets_survive_any_text(form: str, text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    span = Span(start, data.draw(st.integers(start + 1, len(text))), "DATE")
    doc = AnnotatedDocument(Document("n", text), (span,))
    with TemporaryDirectory() as folder:
        [back] = there_and_back([doc], form, Path(folder))
    assert back.spans == doc.spans
    assert len(back.text) == len(text)


TAGS = {
    "iob1": ("a I-X\nb I-X\nc B-X\nd O", [(0, 3), (4, 5)]),
    "iob2": ("a B-X\nb I-X\nc B-X\nd O", [(0, 3), (4, 5)]),
    "bioes": ("a B-X\nb E-X\nc S-X\nd O", [(0, 3), (4, 5)]),
    "bilou": ("a B-X\nb L-X\nc U-X\nd O", [(0, 3), (4, 5)]),
    "no carry over sentences": ("a B-X\n\nb I-X", [(0, 1), (2, 3)]),
}


@pytest.mark.parametrize("scheme", TAGS)
def test_every_tag_scheme_is_read(scheme: str, tmp_path: Path) -> None:
    columns, bounds = TAGS[scheme]
    (tmp_path / "x.conll").write_text(columns)
    [doc] = read_corpus(tmp_path / "x.conll")
    assert [(s.start, s.end) for s in doc.spans] == bounds


def test_a_discontinuous_brat_span_is_its_pieces(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Ann and Bob Lee")
    (tmp_path / "a.ann").write_text("T1\tPATIENT 0 3;12 15\tAnn Lee\nA1\tX T1\n")
    [doc] = read_corpus(tmp_path)
    assert doc.spans == (Span(0, 3, "PATIENT"), Span(12, 15, "PATIENT"))


def test_brat_writes_a_name_over_two_lines_in_pieces(tmp_path: Path) -> None:
    write_corpus([annotated("of [[Ann\r\n  Lee|PATIENT]].", "a")], tmp_path, "brat")
    assert (tmp_path / "a.ann").read_text() == "T1\tPATIENT 3 6;8 13\tAnn   Lee\n"
    [doc] = read_corpus(tmp_path)
    assert doc.spans == (Span(3, 13, "PATIENT"),)


def test_a_text_without_annotations_beside_it_is_no_silent_skip(tmp_path: Path) -> None:
    write_corpus([annotated("x", "a"), annotated("y", "b")], tmp_path, "brat")
    (tmp_path / "b.ann").unlink()
    with pytest.raises(ReadError, match=r"b\.txt: no \.ann"):
        read_corpus(tmp_path)


@pytest.mark.parametrize("form", FORMATS)
def test_doubled_ids_are_refused(form: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="more than one document has the id 'a'"):
        write_corpus([annotated("x", "a"), annotated("y", "a")], tmp_path / "out", form)


PAIRS = [(one, other) for one in FORMATS for other in FORMATS if one != other]


@pytest.mark.parametrize(("one", "other"), PAIRS, ids=[f"{a} to {b}" for a, b in PAIRS])
def test_every_format_goes_into_every_other(one: str, other: str, tmp_path: Path) -> None:
    docs = [
        annotated(ONE_BYTE, "n1"),
        annotated("Nothing here.", "n2"),
        annotated("[[Bo|CITY]]", "n3"),
    ]
    back = docs
    for step, form in enumerate((one, other)):
        path = tmp_path / f"{step}{corpus_format(form).suffix}"
        write_corpus(back, path, form)
        back = read_corpus(path, form)
    assert [d.spans for d in back] == [d.spans for d in docs]
    # Columns keep how much white space there was, not which; PhysioNet numbers its notes.
    spaced = {"conll", "bilou"} & {one, other}
    assert [d.text.split() if spaced else d.text for d in back] == [
        d.text.split() if spaced else d.text for d in docs
    ]
    if "physionet" not in (one, other):
        assert [d.id for d in back] == ["n1", "n2", "n3"]


BAD = {
    "row.jsonl": ('{"id": "1", "text": "x", "spans": []}\n{oops SECRET\n', "line 2"),
    "keys.jsonl": ('{"id": "1", "text": "SECRET"}\n', "line 1: has no 'spans'"),
    "back.jsonl": ('{"id": "1", "spans": [{"start": 4, "end": 2, "label": "SECRET"}]}', "line 1"),
    "list.json": ("[1, SECRET]", "not JSON"),
    "x.xml": ("<deIdi2b2><TEXT>SECRET</TAGS>", "not an i2b2 2014 file"),
    "y.xml": ("<ROOT><RECORD><TEXT>SECRET</TEXT></RECORD></ROOT>", "record 1"),
    "v.xml": (
        '<?xml version="1.0" encoding="UTF-9"?><ROOT><RECORD>SECRET</RECORD></ROOT>',
        "encoding",
    ),
    "w.xml": ('<?xml version="1.0" encoding="UTF-9"?><deIdi2b2>SECRET</deIdi2b2>', "not an i2b2"),
    "z.conll": ("SECRET Q-X\n", "line 1"),
    "gap.conll": ("SECRET\t99999999999\t99999999999\tO\n", "line 1"),
    "power.conll": ("SECRET\t\u00b2\t\u00b3\tQ\n", "line 1"),
    "bare.conll": ("\t0\t4\tB-X\n", "line 1"),
    "one.conll": ("SECRET\n", "line 1"),
    "id.text": ("START_OF_RECORD=1||||1||||\nSECRET||||END_OF_RECORD", "neither"),
    "empty.jsonl": ("", "no documents"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_files_are_named_without_their_text(name: str, tmp_path: Path) -> None:
    content, says = BAD[name]
    (tmp_path / name).write_text(content, "utf-8")
    with pytest.raises(ReadError, match=says) as caught:
        read_corpus(tmp_path / name)
    assert "SECRET" not in str(caught.value)


def test_an_annotation_of_no_note_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "id.text").write_text("START_OF_RECORD=1||||1||||\nx||||END_OF_RECORD")
    (tmp_path / "id.deid").write_text("Patient 1\tNote 2\n0\t0\t1\n")
    with pytest.raises(ReadError, match="note 2"):
        read_corpus(tmp_path)


@pytest.mark.parametrize("form", ["i2b2-2006", "inline", "conll"])
def test_overlaps_are_refused_where_tags_cannot_cross(form: str, tmp_path: Path) -> None:
    doc = AnnotatedDocument(Document("n", "Ann Lee"), (Span(0, 7, "PATIENT"), Span(4, 7, "CITY")))
    with pytest.raises(UsageError, match="overlapping"):
        write_corpus([doc], tmp_path / "x", form)


@pytest.mark.parametrize("path", ["nothing", "x.bin"])
def test_an_unknown_path_or_format_is_a_usage_error(path: str, tmp_path: Path) -> None:
    (tmp_path / "x.bin").write_bytes(b"\0")
    with pytest.raises(UsageError):
        read_corpus(tmp_path / path)


def test_texts_that_look_like_tags_are_refused(tmp_path: Path) -> None:
    doc = AnnotatedDocument(Document("n", "a <DATE>b</DATE>"), ())
    with pytest.raises(IncognoteError, match="looks like tags"):
        write_corpus([doc], tmp_path / "x", "inline")


@pytest.mark.parametrize("form", ["i2b2-2014", "brat", "inline"])
def test_files_are_never_overwritten(form: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="exists already"):
        write_corpus([annotated("x", "a/b"), annotated("y", "a?b")], tmp_path / "out", form)


def test_of_what_detect_says_of_a_row_the_note_is_read(tmp_path: Path) -> None:
    path = tmp_path / "spans.jsonl"
    lines = [
        {"id": "7", "fields": [
            {"locator": "notes.jsonl:1 author", "spans": [{"start": 0, "end": 3, "label": "DOCTOR"}]},
            {"locator": "notes.jsonl:1 text", "spans": [{"start": 4, "end": 9, "label": "DATE"}]},
        ]},
        {"id": "8", "locator": "notes.jsonl:2 text", "spans": []},
    ]  # fmt: skip
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert [(d.id, [s.label for s in d.spans]) for d in read_corpus(path)] == [
        ("7", ["DATE"]),
        ("8", []),
    ]
    for each in lines[0]["fields"]:
        each["text"] = "Ann 3/4/20."
    path.write_text(json.dumps(lines[0]) + "\n")
    assert [(d.id, len(d.spans)) for d in read_corpus(path)] == [("7", 1), ("7 author", 1)]
    path.write_text(json.dumps(lines[0]).replace(":1 text", ":1 plan") + "\n")
    assert [d.id for d in read_corpus(path)] == ["7 author", "7 plan"]
