"""A note in two languages is read by the detectors of both."""

from __future__ import annotations

import re

import pytest

from incognote import Deidentifier
from incognote.core.types import Document
from incognote.lexicon.language import languages_in, words_of
from incognote.policy import PrepareRules
from incognote.prepare import prepare

ENGLISH = (
    "The patient was seen in the clinic with her daughter and is doing well on the current dose. "
    "She was told that the results are normal and that they will be sent from the laboratory."
)
SPANISH = (
    "Tome una pastilla cada noche con agua. Llame a su médico si tiene fiebre o dolor que no se quita "
    "con el reposo. La cita es con la Dra. Nekane Urrutia el 5 de mayo de 2021. Tel.: 945 00 71 00."
)


@pytest.mark.parametrize(
    ("text", "main", "besides"),
    [
        (ENGLISH, "en", set()),
        (SPANISH, "es", set()),
        (f"{ENGLISH}\n\n{SPANISH}", "en", {"es"}),
        ("Los Angeles, San Juan; para 2, no se. BP 120/80", "en", set()),
        # A list of names is in no language of its own.
        ("Garcia Lopez, Maria 4B\nCruz, Rosa 5A\nde la Paz, Consuelo 7C", "en", set()),
        ("cama 4: sin fiebre, pte eco. cama 5: alta hoy", "es", set()),
        (
            "Pt here with su hija, dice que le duele mucho la rodilla, denies SOB, pain was 6/10",
            "es",
            {"en"},
        ),
    ],
)
def test_languages_of_a_text(text, main, besides):
    assert languages_in(text) == (main, besides)


def test_a_view_knows_the_languages_of_its_parts():
    (view,) = prepare(Document("d", f"{ENGLISH}\n\n{SPANISH}"), PrepareRules())
    assert (view.language, view.also) == ("en", ("es",))
    (view,) = prepare(Document("d", ENGLISH), PrepareRules())
    assert view.also == ()


def test_spanish_instructions_in_an_english_chart_are_read():
    text = f"{ENGLISH}\n\n{SPANISH}"
    found = {text[s.start : s.end]: s.label for s in Deidentifier().detect(text).spans}
    assert found["Nekane Urrutia"] == "DOCTOR"
    assert found["945 00 71 00"] == "PHONE"
    assert found["5 de mayo de 2021"] == "DATE"


def test_a_note_in_spanish_keeps_its_form():
    note = (
        "Nombre: Begoña.\nApellidos: Iturralde.\nFecha de nacimiento: 12/03/1957.\nPaís: España.\n\n"
        "Mujer de 64 años que acude con su hija por dolor en el pecho desde el 2 de mayo de 2021, sin "
        "fiebre, con buena respuesta al tratamiento que se le puso en las urgencias."
    )
    result = Deidentifier(key=b"k3y-for-tests-9f2c71d4aa").deid(note)
    assert "Iturralde" not in result.text
    assert "España" not in result.text
    day, month, _ = result.text.partition("nacimiento: ")[2][:10].split("/")
    assert int(day) <= 31
    assert int(month) <= 12
    assert re.search(r"desde el \d{1,2} de [a-z]+ de 202\d", result.text)


@pytest.mark.parametrize("blank", ["", "é"], ids=["ascii", "beyond"])
def test_words_are_runs_of_two_letters_or_more(blank: str) -> None:
    text = f"q.d. El{blank}la_went 2x home, x-ray\tB12 o'clock"
    assert words_of(text) == [f"El{blank}la", "went", "home", "ray", "clock"]
