"""The leak check: what it finds, what it lets pass, how it mends, when it stops."""

from __future__ import annotations

import pytest
from tests.transform.conftest import KEY, deid, policy

from incognote.core.errors import LeakError
from incognote.core.people import NOBODY
from incognote.core.types import Document, Span
from incognote.testing import parse_markup
from incognote.transform import Transformer, surrogate
from incognote.transform.leaks import check as leaks
from incognote.transform.leaks.needles import needles
from incognote.transform.masks.simple import Redact

# In each text something of the marked original stands a second time, unmarked.
FOUND = {
    "same name again": "[[Ann Kowalczyk|PATIENT]] ... Kowalczyk",
    "other case": "[[Ann Kowalczyk|PATIENT]] ... KOWALCZYK",
    "inside a longer word": "[[Ann Kowalczyk|PATIENT]] ... akowalczyk2",
    "four letters in a user name": "[[Thuy Kowalczyk|PATIENT]] ... tthuy2",
    "with an underscore": "[[Ann Kowalczyk|PATIENT]] ... scan_kowalczyk_3",
    "across a line break": "[[Ann Kowalczyk|PATIENT]] ... Kowal-\nczyk",
    "possessive": "[[Ann Kowalczyk|PATIENT]] ... Kowalczyk's",
    "ordinary word behind a title": "[[Ann Young|PATIENT]] ... Mr. Young",
    "ordinary word with a capital": "[[Grace Kowalczyk|PATIENT]] ... waited until Grace arrived",
    "number": "[[4417-882|MEDICALRECORD]] ... 4417882",
    "number in another layout": "[[4417882|MEDICALRECORD]] ... 441-7882",
    "full date": "[[03/05/2014|DATE]] ... 03/05/2014",
    "city": "[[Altamont|CITY]] ... from Altamont",
    "two words over a line end": "[[Cedar Bluff|CITY]] ... Cedar\nBluff",
    "word of an institution": "[[Aldermere Hospital|HOSPITAL]] ... at Aldermere",
    "e-mail": "[[jroe@lake.org|EMAIL]] ... jroe@lake.org",
    "phone": "[[617-726-2000|PHONE]] ... (617) 726 2000",
    "number across a line break": "[[617-726-2000|PHONE]] ... 617-726-\n2000",
    "across two line breaks": "[[Ann Kowalczyk|PATIENT]] ... Kow-\nal-\nczyk",
    "broken inside a longer word": "[[Ann Kowalczyk|PATIENT]] ... xkowal\nczyk2",
    "broken behind a title": "[[Ann Young|PATIENT]] ... Mr. You-\nng",
    "one of two dates of the same digits": "[[1/11/2014|DATE]] [[11/1/2014|DATE]] ... 11/1/2014",
    "a number of another label": "[[4417-882|MEDICALRECORD]] [[44-17882|IDNUM]] ... 44-17882",
}
# Here nothing may be found: the language, not the person.
PASSED = {
    "ordinary word": "[[Ann Young|PATIENT]] ... a young woman",
    "ordinary word that begins a sentence": "[[Will Kowalczyk|PATIENT]] ... done. Will call",
    "month": "[[April Kowalczyk|PATIENT]] ... back in April",
    "eponym": "[[Dr. Wells|DOCTOR]] ... Wells score 3",
    "street word": "[[12 Main St|STREET]] ... the main problem",
    "inside a known word": "[[Mary Allen|PATIENT]] ... challenging",
    "four letters in a brand": "[[Thuy Kowalczyk|PATIENT]] ... on Thuyra",
    "state inside a state": "[[Kansas|STATE]] ... Arkansas",
    "one initial": "[[J. Kowalczyk|PATIENT]] ... vitamin J",
    "state code": "[[OR|STATE]] ... pain or nausea, taken to OR",
    "short number": "[[4417|PHONE]] ... 4417 mL",
    "month and day": "[[3/5|DATE]] ... strength 3/5",
    "year": "[[2014|DATE]] ... since 2014",
    "age": "[[67|AGE]] ... pulse 67",
    "particle": "[[Peter van Aldermere|PATIENT]] ... van",
    "kind of institution": "[[Aldermere Hospital|HOSPITAL]] ... the hospital",
    "room": "[[bed 5|ROOM]] ... bed 5 days",
    "job": "[[pilot|PROFESSION]] ... pilot study",
    "the same digits in another order": "[[1/11/2014|DATE]] ... 11/1/2014",
    "kinds of institutions alone": "[[Medical Center|HOSPITAL]] ... the medical center",
    "two words that meet at a line end": "[[Ann Erson|PATIENT]] ... pain in her son\nand ersatz",
    "three small letters": "[[Ray Aldermere|PATIENT]] ... ray amputation",
}


def _leaks(marked: str) -> list[leaks.Leak]:
    text, spans = parse_markup(marked)
    result = Transformer(policy({"default": "tag"}), KEY)._replace(
        Document("d", text), spans, NOBODY
    )
    return leaks.find(result[0].text, needles(result[2]))


@pytest.mark.parametrize("name", FOUND)
def test_found(name):
    assert _leaks(FOUND[name])


@pytest.mark.parametrize("name", PASSED)
def test_passed(name):
    assert not _leaks(PASSED[name])


@pytest.mark.parametrize("name", FOUND)
def test_repaired(name):
    result = deid(FOUND[name], labels={"default": "surrogate", "TIME": "keep"})
    extra = [span for span in result.spans if span.sources == ("leak-check",)]
    assert extra
    assert {each.span for each in result.replacements} >= set(extra)


def test_every_place_is_found():
    marked = "[[Ann Kowalczyk|PATIENT]] ... Kowal-\nczyk, Kowal-\nczyk, Kowalczyk, kowalczyk"
    assert len(_leaks(marked)) == 4


def test_a_repaired_name_is_the_same_surrogate():
    text = deid("[[Ann Kowalczyk|PATIENT]] ... Kowalczyk").text
    name, _, again = text.partition(" ... ")
    assert name.split()[1] == again


@pytest.mark.parametrize("name", FOUND)
def test_quarantine_where_the_policy_wants_it(name):
    with pytest.raises(LeakError) as error:
        deid(FOUND[name], leaks="quarantine")
    assert "owalczyk" not in str(error.value)


def test_a_surrogate_that_shows_an_original_gives_way_to_a_tag(monkeypatch):
    """No generator does it: so one is made to."""
    marked = "[[Ann Kowalczyk|PATIENT]] was born in [[Altamont|CITY]]."
    monkeypatch.setitem(
        surrogate.GENERATORS, "CITY", (lambda mention, record: "Kowalczyk City", "")
    )
    result = deid(marked)
    assert result.text.endswith("was born in [CITY].")
    assert [each.how for each in result.replacements] == ["surrogate", "tag"]
    with pytest.raises(LeakError):
        deid(marked, leaks="quarantine")


def test_what_another_transform_leaves_cannot_be_mended():
    rule = {"action": "truncate", "keep": 9}
    with pytest.raises(LeakError):
        deid("[[Kowalczyk Bluff|CITY]] [[Kowalczyk|PATIENT]]", labels={"CITY": rule})


def test_what_the_policy_keeps_is_no_leak():
    text = deid(
        "[[Ann Kowalczyk|PATIENT]], Dr. [[Kowalczyk|DOCTOR]]", labels={"DOCTOR": "keep"}
    ).text
    assert text.endswith("Dr. Kowalczyk")


def test_a_transform_that_leaves_the_original_stops_the_document(monkeypatch):
    monkeypatch.setattr(Redact, "replace", lambda self, mention, record: mention.text)
    with pytest.raises(Exception, match="equals the original"):
        Transformer(policy({"PATIENT": "redact"}), KEY).apply(
            Document("d", "Kowalczyk"), [Span(0, 9, "PATIENT")]
        )


@pytest.mark.parametrize("beside", ["kept", "fixed"])
def test_of_a_leak_beside_what_stays_the_bare_words_go(beside):
    output = "[ROOM] 12 B, calm"
    stretches = [leaks.OutputStretch(0, 0, beside), leaks.OutputStretch(6, 9, "text")]
    repair = leaks.repair(output, [leaks.Leak(1, 9, "ROOM")], stretches)
    assert [(span.start, span.end) for span in repair.missed] == [(9, 12)]
    assert not repair.unrepairable


def test_a_tag_that_shows_an_original_cannot_be_mended():
    stretches = [leaks.OutputStretch(0, 0, "fixed"), leaks.OutputStretch(6, 9, "text")]
    assert leaks.repair("[ROOM], calm", [leaks.Leak(1, 7, "ROOM")], stretches).unrepairable == 1


def test_the_words_of_a_tag_are_no_originals():
    labels = {"MEDICALRECORD": "tag"}
    marked = "[[Medica|ORGANIZATION]] pays. MRN [[4471906|MEDICALRECORD]]"
    result = deid(marked, labels=labels)
    assert result.text.endswith("[MEDICALRECORD]")


def test_an_eponym_that_holds_a_name_is_no_leak():
    assert "Hirschsprung" in deid("[[Hirsch|PATIENT]] 37w has Hirschsprung, biopsy today.").text
    assert "Dupuytren" in deid("[[Dupuy|PATIENT]] has a Dupuytren of the ring finger.").text
