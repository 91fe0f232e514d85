"""The corners of Safe Harbor: towns named like states, great ages in any form, weekly schedules."""

from __future__ import annotations

import pytest

from incognote.core.types import Document
from incognote.pipeline import Pipeline

# Towns of the United States that share their name with a country or a state.
TOWNS = (
    """
Peru, IL 61354|Indiana, PA|Jamaica, NY|Mexico, MO|Cuba, MO|Lebanon, PA|Poland, OH|Norway, ME|Sweden, ME|China, ME
Nevada, MO|Oregon, OH|California, MO|Delaware, OH|Wyoming, MI|Kansas, OK|Texas, WI|Florida, NY|Washington, PA
Georgia, VT|Virginia, MN|Montana, WI|Denmark, WI|Brazil, IN|Chile, NY|Egypt, PA|Jordan, MN|Panama, NY|Cyprus, TX
Malta, MT|Turkey, TX|Greece, NY|Ireland, WV|Scotland, SD|Wales, MA|Vermont, IL|Ohio, IL|Maine, NY|Alabama, NY
Oklahoma, PA|Utah, IL|Louisiana, MO|Holland, MI|Indiana, Pennsylvania|Jamaica, New York
""".replace("\n", "|")
    .strip("|")
    .split("|")
)

GREAT_AGES = {
    "Turned 100 last week.": "Turned 90+ last week.",
    "turned 90 in spring": "turned 90+ in spring",
    "He is a centenarian.": "He is a person of 90 or older.",
    "A frail nonagenarian.": "A frail person of 90 or older.",
    "She had her 100th birthday party.": "She had her 90+ birthday party.",
    "Her 8th birthday was fun.": "Her 8th birthday was fun.",
    "Age 1,104 months.": "Age 90+ years.",
    "1104 months old.": "90+ years old.",
    "Age 14 months.": "Age 14 months.",
    "She is 4,800 weeks old.": "She is 90+ years old.",
    "A woman in her nineties.": "A woman in her nineties or older.",
    "one hundred and two years old": "ninety-plus years old",
    "Patient is 89 years old.": "Patient is 89 years old.",
    "He turned 45.": "He turned 45.",
}

SCHEDULES = [
    "Warfarin 5 mg Mon Wed Fri.",
    "Warfarin 5 mg Mon/Wed/Fri, 2.5 mg other days.",
    "Dialysis MWF, dry weight 71.",
    "Takes it every Monday.",
    "Dialysis on Tuesdays, Thursdays and Saturdays.",
    "Alendronate weekly on Sundays.",
]

EVENTS = {
    "Seen Monday for cough.": "Seen [DATE] for cough.",
    "Fell on Tuesday and Wednesday.": "Fell on [DATE] and [DATE].",
    "Admit 2014-03-05T10:30:00Z by EMS": "Admit 2014-XX-XXT10:30:00Z by EMS",
}

AREAS = ["precinct 14", "voting precinct 22", "census tract 4021.02", "congressional district 7"]


@pytest.fixture(scope="module")
def pipeline() -> Pipeline:
    return Pipeline("hipaa-safe-harbor", b"a key for tests, 32 bytes long..")


def deid(pipeline: Pipeline, text: str) -> str:
    (result,) = pipeline.deid([Document("d", text)])
    assert result.text is not None
    return result.text


@pytest.mark.parametrize("town", TOWNS)
@pytest.mark.parametrize("frame", ["She lives in {} with her son.", "Address: 12 Oak St, {}"])
def test_a_town_named_like_a_country_or_state_goes(
    pipeline: Pipeline, town: str, frame: str
) -> None:
    name, _, state = town.partition(", ")
    text = frame.format(town)
    (result,) = pipeline.deid([Document("d", text)])
    # The town is one to replace; by chance its surrogate may be itself.
    (found,) = [span for span in result.spans if text[span.start :].startswith(name)]
    assert (found.label, found.length) == ("CITY", len(name))
    assert state.split(" 6")[0] in result.text


@pytest.mark.parametrize(
    "text", ["Lived in Texas, Oklahoma and Kansas.", "Born in Peru.", "Moved to Georgia."]
)
def test_states_and_countries_stay(pipeline: Pipeline, text: str) -> None:
    assert deid(pipeline, text) == text


@pytest.mark.parametrize("text", GREAT_AGES)
def test_great_ages_become_one_group(pipeline: Pipeline, text: str) -> None:
    assert deid(pipeline, text) == GREAT_AGES[text]


@pytest.mark.parametrize("text", SCHEDULES)
def test_a_weekly_schedule_stays(pipeline: Pipeline, text: str) -> None:
    assert deid(pipeline, text) == text


@pytest.mark.parametrize("text", EVENTS)
def test_days_of_events_go(pipeline: Pipeline, text: str) -> None:
    assert deid(pipeline, text) == EVENTS[text]


@pytest.mark.parametrize("area", AREAS)
def test_numbered_areas_go(pipeline: Pipeline, area: str) -> None:
    assert area not in deid(pipeline, f"He lives in {area} of the city.")
