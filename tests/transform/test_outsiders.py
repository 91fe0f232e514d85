"""What somebody who read version 0.1 from outside found wrong with its surrogates, case by case.
Dates, places, jobs and origins have theirs in the rooms of these names."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys

import pytest
from tests.transform.conftest import DATA, deid, new_values, surrogate

from incognote.core.checkdigits import luhn_digit
from incognote.core.types import Document, Span
from incognote.link import people_in
from incognote.policy import load_policy
from incognote.transform import Transformer

PATIENTS = [f"p{i}" for i in range(30)]
FAMILY = (
    "Father [[Shane Miller|PATIENT]], son [[Tyler Miller|PATIENT]], attorney "
    "[[Kent Upchurch|PATIENT]], Mr. [[Miller|PATIENT]]."
)


@pytest.mark.parametrize("patient", PATIENTS)
def test_father_son_and_attorney_stay_three_and_father_and_son_one_family(patient):
    father, son, attorney, again = new_values(deid(FAMILY, patient))
    assert len({name.split()[0] for name in (father, son, attorney)}) == 3
    assert father.split()[1] == son.split()[1] == again != attorney.split()[1]


def test_ids_of_rows_stay_unique_and_join():
    numbers = [surrogate(str(i), "IDNUM", f"p{i % 7}") for i in range(1, 201)]
    assert len(set(numbers)) == 200
    # Whoever's they are and whatever else a file holds.
    assert {surrogate("100234", "IDNUM", patient) for patient in PATIENTS[:5]} == {
        new_values(deid("Encounter [[100234|IDNUM]] of [[John Smith|PATIENT]]"))[0]
    }


def test_cards_keep_their_brand_beside_its_name():
    new = surrogate("4111 1111 1111 1111", "ACCOUNT")
    beside = new_values(deid("Visa [[4111 1111 1111 1111|ACCOUNT]] on file"))[0]
    assert beside == new
    assert new.startswith("4")
    digits = new.replace(" ", "")
    assert luhn_digit(digits[:-1]) == digits[-1]


def test_a_bank_code_keeps_its_country():
    assert {surrogate("DEUTDEFF500", "ACCOUNT", patient)[4:6] for patient in PATIENTS} == {"DE"}


def test_a_chief_of_medicine_becomes_another_job_as_a_whole():
    assert not [
        p for p in PATIENTS if "medicine" in surrogate("chief of medicine", "PROFESSION", p)
    ]


def digest() -> str:
    """The records with their annotated spans, made anew."""
    transformer = Transformer(load_policy(), b"a key of thirty-two bytes, or so")
    made = hashlib.sha256()
    for line in (DATA / "records.jsonl").read_text("utf-8").splitlines()[:40]:
        row = json.loads(line)
        spans = [Span(each["start"], each["end"], each["type"]) for each in row["spans"]]
        document = Document(row["id"], row["text"], {"patient_id": row["patient_id"]})
        result = transformer.apply(document, spans, people_in(document, spans))
        made.update((result.text or "").encode())
    return made.hexdigest()


def test_the_order_of_sets_does_not_matter():
    """Python orders sets of strings anew in each process."""
    command = "from tests.transform.test_outsiders import digest; print(digest())"
    found = {
        subprocess.run(
            [sys.executable, "-c", command],
            env={**os.environ, "PYTHONHASHSEED": seed},
            cwd=DATA.parent,
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert found == {f"{digest()}\n"}
