"""Who somebody is in a Spanish note, by the word beside the name."""

from __future__ import annotations

import pytest

from incognote.core.types import Document, Span
from incognote.link import link
from incognote.testing import parse_markup


@pytest.mark.parametrize(
    ("marked", "label"),
    [
        ("Avisa la matrona [[Idoia|PATIENT]].", "DOCTOR"),
        ("Lo ve [[Arozena|PATIENT]] (Cardio) y sigue.", "DOCTOR"),
        ("Cura hecha por [[Maialen|PATIENT]], enf, sin dolor.", "DOCTOR"),
        ("Presenta el caso R4 [[Edurne|PATIENT]].", "DOCTOR"),
        ("Su hija [[Noelia|DOCTOR]] firma.", "PATIENT"),
        ("Llama [[Remigio|DOCTOR]], su marido, y pregunta.", "PATIENT"),
    ],
)
def test_the_word_beside_a_name_decides(marked: str, label: str) -> None:
    text, (gold,) = parse_markup(marked)
    linked = link(
        Document("note", text), [Span(gold.start, gold.end, gold.label, 0.9, ("spanish",))]
    )
    assert [span.label for span in linked.spans if span.start == gold.start] == [label]


def test_a_plural_title_is_for_all_who_are_listed() -> None:
    text, gold = parse_markup("Indicado por los Dres. [[Olazar|PATIENT]] y [[Quispe|PATIENT]].")
    spans = [Span(each.start, each.end, each.label, 0.9, ("spanish",)) for each in gold]
    assert {span.label for span in link(Document("note", text), spans).spans} == {"DOCTOR"}
