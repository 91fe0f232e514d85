"""What was surely found once is masked wherever it stands again, also where it is a word."""

from __future__ import annotations

import re

import pytest

from incognote.core.types import Document
from incognote.pipeline import Pipeline

# Surnames that are also words, months, colours, jobs or eponyms.
SURNAMES = """
Baker Brown Smith Young Rose Hill White Black Green Gray King Cook Price Wood Stone Rivers Lane Banks
Love Grace Faith Joy Mark Frank Rich Long Short Knight Bishop Carter Fisher Hunter Mason Miller Porter
Potter Taylor Turner Walker Wells Bell Winters Summers May Berry Rice Bush Marsh Moss Reed Ford Cross
Fox Wolf Crane Swift Sharp Strong Wise Good Noble Savage Drake Foley Bowen Barrett
""".split()

AGAIN = [
    "Mr. {0} is well. {1} returned today.",
    "Dr. {0} saw him.\nPlan per {0}: rest.",
    "Seen by Dr. {0}. Discussed with {0} again.",
    "Mrs. {0} came alone. Then {0} asked about the plan.",
]

HARMLESS = {
    "Dr. Baker saw him. The baker's itch is better.": "Baker",
    "Mr. Brown had brown stool.": "Brown",
    "Mrs. Brown is here. MRI: Brown-Sequard syndrome.": "Brown",
    "Dr. Smith set the wrist: Smith fracture of the radius.": "Smith",
    "Mr. Young is a young man with chest pain.": "Young",
    "Ms. Rose has pain. Her temperature rose overnight.": "Rose",
    "Mr. Hill climbs a hill each day.": "Hill",
    "Ms. Bell has Bell's palsy.": "Bell",
    "Dr. Wells agrees. Wells score 4.5.": "Wells",
    "Mr. White has a white count of 12.": "White",
    "Mr. Long has a long history of pain.": "Long",
    "Mark Stone is here. Kidney stone seen on CT.": "Stone",
    "Mr. Gray is here. Gray matter is normal.": "Gray",
    "Dr. Foley agreed. Foley catheter placed.": "Foley",
    "Ms. Short is here. Short course of prednisone.": "Short",
    "Dr. Strong is here. Strong pulses bilaterally.": "Strong",
    "Mr. Black is here. Black tarry stools twice.": "Black",
    "Ms. Green is here. Green sputum for a week.": "Green",
}


@pytest.fixture(scope="module")
def pipeline() -> Pipeline:
    return Pipeline(key=b"a key for tests, 32 bytes long..")


def places(text: str, word: str) -> list[tuple[int, int]]:
    return [match.span() for match in re.finditer(rf"\b{word}\b", text, re.IGNORECASE)]


@pytest.mark.parametrize("frame", AGAIN)
def test_a_name_that_is_a_word_is_masked_again(pipeline: Pipeline, frame: str) -> None:
    texts = [frame.format(name, name.upper()) for name in SURNAMES]
    results = pipeline.deid([Document(str(n), text) for n, text in enumerate(texts)])
    left = [
        name
        for name, text, result in zip(SURNAMES, texts, results, strict=True)
        for start, end in places(text, name)
        if not any(span.start <= start and end <= span.end for span in result.spans)
    ]
    assert left == []


@pytest.mark.parametrize("text", HARMLESS)
def test_the_word_itself_stays(pipeline: Pipeline, text: str) -> None:
    (result,) = pipeline.deid([Document("d", text)])
    first, *others = places(text, HARMLESS[text])
    assert any(span.start <= first[0] and first[1] <= span.end for span in result.spans)
    for start, end in others:
        assert not any(span.start < end and start < span.end for span in result.spans)


@pytest.mark.parametrize(
    "text",
    [
        "She is on {Cedar} Ward.",
        "Moved to {Kennedy} 5 West.",
        "Transferred to {Zephyr} Ward overnight.",
        "Admitted to the {Lowell} Unit, bed 4.",
    ],
)
def test_a_ward_loses_its_name(pipeline: Pipeline, text: str) -> None:
    plain = re.sub(r"[{}]", "", text)
    name = re.findall(r"{(\w+)}", text)[0]
    (result,) = pipeline.deid([Document("d", plain)])
    assert name not in result.text


@pytest.mark.parametrize(
    "text",
    [
        "a 75-year-old female with atrial fibrillation, {Mary B.}, treated at the clinic.",
        "a 60-year-old man with COPD, {Walter Pruitt}, admitted for dyspnea.",
        "The patient with diabetes, {Ana Lopez}, was seen.",
        "{SMITH, JOHN} returns.",
        "{JONES, MARY A} returned for follow-up.",
        "{BROWN, ALICE} was seen.",
        "{GARCIA LOPEZ, MARIA} here for refill.",
    ],
)
def test_names_behind_a_diagnosis_and_surnames_first(pipeline: Pipeline, text: str) -> None:
    start, end = text.index("{"), text.index("}") - 1
    plain = re.sub(r"[{}]", "", text)
    (result,) = pipeline.deid([Document("d", plain)])
    inside = [span for span in result.spans if span.start < end and span.end > start]
    assert {span.label for span in inside} <= {"PATIENT", "DOCTOR"}
    covered = {at for span in inside for at in range(span.start, span.end)}
    assert all(at in covered for at in range(start, end) if plain[at].isalpha())
