from __future__ import annotations

import pytest

from incognote.core.types import Document, Failure, Span
from incognote.lexicon.language import languages_in
from incognote.pipeline import Pipeline
from incognote.policy import policy_from

SPANISH = (
    "El paciente acude a urgencias por dolor abdominal de tres días de evolución, sin fiebre ni"
    " vómitos. Refiere antecedentes de hipertensión arterial y diabetes. A la exploración presenta"
    " abdomen blando, depresible, doloroso a la palpación en fosa ilíaca derecha."
)
CASES = {
    "prose": (
        (
            "She was seen in the clinic for follow up of her hypertension and diabetes. She denies"
            " chest pain, shortness of breath or swelling of the legs."
        ),
        "en",
    ),
    "capitals": (
        (
            "CHEST, PA AND LATERAL. HISTORY: COUGH AND RIGHT-SIDED PLEURITIC PAIN. THE HEART IS NORMAL"
            " IN SIZE. THERE IS NO EFFUSION. NO PNEUMOTHORAX."
        ),
        "en",
    ),
    "laboratory table": (
        "Na 138 K 4.1 Cl 101 CO2 24 BUN 18 Cr 0.9 Glu 102 Ca 9.1 WBC 7.2 Hgb 13.1 Plt 221\n" * 4,
        "en",
    ),
    "too short to tell": ("Paciente.", "en"),
    "short": ("Paciente sin dolor.", "es"),
    "Spanish shorthand": (
        "v 44a, no RAMc, fum 20/d. dolor epig. Abd: Blumberg +. tto: IQ esta noche, ayunas dsd 15h",
        "es",
    ),
    "Galician": (
        (
            "A paciente acode a urxencias por dor abdominal de tres días de evolución, sen febre nin"
            " vómitos. Refire antecedentes de hipertensión e diabete. Na exploración presenta abdome"
            " brando, doloroso. Ingresa na planta e pídese unha ecografía."
        ),
        "gl",
    ),
    "Portuguese": (
        (
            "Paciente do sexo masculino com dor abdominal há três dias, sem febre nem vômitos. Refere"
            " antecedentes de hipertensão arterial e diabetes. Ao exame apresenta abdome flácido,"
            " doloroso. Internado na enfermaria."
        ),
        "pt",
    ),
    "Catalan": (
        (
            "La pacient acudeix a urgències per dolor abdominal de tres dies d'evolució, sense febre ni"
            " vòmits. Refereix antecedents d'hipertensió i diabetis. A l'exploració presenta abdomen"
            " tou, dolorós. Ingressa a planta."
        ),
        "ca",
    ),
    "Spanish": (SPANISH, "es"),
    "Spanish in capitals": (SPANISH.upper(), "es"),
    "German, with words that are English too": (
        (
            "Die Patientin wurde in der Klinik aufgenommen. Sie klagt über starke Schmerzen in der"
            " Brust und Atemnot seit zwei Tagen. Der Ehemann hat den Notarzt gerufen, was in der Akte"
            " steht."
        ),
        "de",
    ),
    "Dutch, with words that are English too": (
        (
            "De patiënt is opgenomen in het ziekenhuis met pijn op de borst. Er is geen koorts en hij"
            " was niet misselijk of duizelig. De echtgenote is aanwezig bij het gesprek."
        ),
        "nl",
    ),
    "English with a patient's words": (
        (
            "She speaks Spanish only and says que por la noche una tos. Her son was with her in the"
            " room and will take her home on Friday."
        ),
        "en",
    ),
    "empty": ("", "en"),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_language(case):
    text, language = case
    assert languages_in(text).main == language


def test_too_short_means_the_first_language_of_the_policy():
    assert languages_in("ok", ("de", "en")).main == "de"


def test_corpus_is_english(shared):
    import json

    lines = (shared / "gold" / "dev.jsonl").read_text("utf-8").splitlines()
    assert {languages_in(json.loads(line)["text"]).main for line in lines} == {"en"}


class Reader:
    labels = frozenset({"PATIENT"})

    def __init__(self, languages=("en",)):
        self.name = "reader"
        self.languages = frozenset(languages)

    def detect(self, views):
        return [[Span(0, 2, "PATIENT", sources=(self.name,))] for _ in views]


@pytest.fixture
def run(monkeypatch):
    monkeypatch.setattr("incognote.pipeline.load", lambda kind, name: Reader)

    def run(text, *detectors):
        rules = {f"d{i}": {"options": {"languages": of}} for i, of in enumerate(detectors)}
        tree = {"name": "t", "detectors": rules, "labels": {"default": "keep"}}
        return Pipeline(policy_from(tree)).detect([Document("a", text)])[0]

    return run


def test_language_nobody_serves_goes_to_quarantine(run):
    assert run(SPANISH, ["en"]) == Failure(
        "a", "prepare:language", "LanguageError", "no detector of the policy serves 'es'"
    )


def test_a_detector_of_patterns_does_not_make_a_language_served(run):
    assert isinstance(run(SPANISH, ["en"], ["*"]), Failure)


def test_a_detector_reads_only_its_languages(run):
    outcome = run(SPANISH, ["en"], ["es"])
    assert [span.sources for span in outcome.spans] == [("d1",)]
