"""What belongs to whom."""

from __future__ import annotations

import pytest
from tests.link.conftest import people

CASES = [
    ("Patient: [[Ann Lee|PATIENT]]  DOB: [[1/2/1950|DATE]]", [("patient", "birth date")]),
    ("Seen [[1/2/2020|DATE]]: Pt [[Ann Lee|PATIENT]]", []),
    (
        "Pt: [[Ann Lee|PATIENT]]. Her son [[Bo|PATIENT]], [[555-1234|PHONE]]",
        [("relative", "phone")],
    ),
    ("Pt: [[Ann Lee|PATIENT]] works as a [[welder|PROFESSION]].", [("patient", "job")]),
    (
        "Pt: [[Ann Okafor|PATIENT]]. Dr. [[Wu|DOCTOR]]: [[aokafor@x.org|EMAIL]]",
        [("patient", "email")],
    ),
    ("[[67|AGE]] yo. Pt: [[Ann Lee|PATIENT]]", [("patient", "age")]),
    ("Dr. [[Wu|DOCTOR]] called.\n\n[[555-1234|PHONE]]", []),
]


@pytest.mark.parametrize(("marked", "expected"), CASES)
def test_belongings(marked, expected):
    found = people(marked)
    owned = [(person.role, thing.kind) for person in found for thing in person.belongings]
    assert owned == expected
    for person in found:
        for thing in person.belongings:
            assert found.owner(thing.start) is person
            assert thing.value not in repr(thing)
