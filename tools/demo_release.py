"""`make release-demo`: from notes to people to a release that one can sign, in two minutes.

A made-up cohort is written, read for its people, made 5-anonymous, written back into the notes,
attacked, measured and certified, with the verbs of the command line alone.
"""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
OUT = ROOT / "demo-release"
# A fixed key, so that everybody's demo shows the same. Never use it for real notes.
KEY = "the demonstration key of incognote"
PATIENTS, NOTES_EACH, SEED = 120, 2, 7
POLICY_FILE = POLICY = "demo.toml"

GIVEN = "Ann Bela Cora Dina Emil Falk Gita Hugo Ines Jory Kit Lena Milo Nora Otis Pia".split()
FAMILY = "Quillmore Wetherby Ashgrove Tolliver Brandt Ferris Okafor Lindqvist Marsh Petrov".split()
TOWNS = (
    ("Hartford", "CT", "06103"),
    ("New Haven", "CT", "06511"),
    ("Worcester", "MA", "01608"),
    ("Lowell", "MA", "01850"),
)
JOBS = ("teacher", "plumber", "nurse", "truck driver", "carpenter", "accountant")
ILLNESSES = ("asthma", "hypertension", "gout", "type 2 diabetes", "atrial fibrillation", "migraine")
FIRST = """
[[{name}|PATIENT]] is a [[{age}|AGE]]-year-old {sex} with {ill}. {He} lives in [[{town}|CITY]],
[[{state}|STATE]] [[{zip}|ZIP]] and works as a [[{job}|PROFESSION]]. MRN: [[{mrn}|MEDICALRECORD]].
Seen on [[{date}|DATE]] by Dr. [[{doctor}|DOCTOR]]. Marital status: {marital}.
"""
SECOND = """
Follow-up of [[{date}|DATE]]. [[{name}|PATIENT]], [[{age}|AGE]] years old, {ill} well controlled.
{He} took the bus from [[{town}|CITY]]. Return in three months. Dr. [[{doctor}|DOCTOR]]
"""
# Notes of the sample are found in the release by their ids: these are made up and may stay.
POLICY_TEXT = """
name = "demo"
extends = "group-d"
[formats.labels]
id = "keep"
"""


STEPS = (
    ("People out of notes", "persons notes -o view"),
    ("Classes of five", "anonymize view -o anon --k 5 --quasi age,sex,zip,city,profession"),
    ("Values back into the notes", "deid notes -o out --view anon"),
    (
        "How safe is this release?",
        "risk out -o report --view anon --gold gold.jsonl --random-sample --k 5 --threshold 0.2",
    ),
    ("A key to sign with", "certify --new-key key.pem"),
    ("Signed", "certify out --report report --sign key.pem"),
    ("Verified", "certify --verify out/certificate.json --public key.pub"),
)


def main() -> None:
    shutil.rmtree(OUT, ignore_errors=True)
    (OUT / "notes").mkdir(parents=True)
    (OUT / POLICY_FILE).write_text(POLICY_TEXT, "utf-8")
    write_cohort(OUT / "notes/cohort.jsonl", OUT / "gold.jsonl")
    for title, command in STEPS:
        verb = command.split(maxsplit=1)[0]
        policy = f" --policy {POLICY}" if verb in ("persons", "deid", "risk") else ""
        print(f"\n{title}\n$ incognote {command}{policy}", flush=True)
        done = subprocess.run(
            [sys.executable, "-m", "incognote", *f"{command}{policy}".split()],
            cwd=OUT,
            env={**os.environ, "INCOGNOTE_KEY": KEY},
            check=False,
        )
        if done.returncode not in (0, 3):
            raise SystemExit(done.returncode)
    before = (OUT / "notes/cohort.jsonl").read_text().splitlines()[0]
    after = (OUT / "out/cohort.jsonl").read_text().splitlines()[0]
    print(f"\nbefore  {json.loads(before)['text']}\nafter   {json.loads(after)['text']}")
    print(f"\nThe report: {OUT.name}/report/risk.html")


def write_cohort(notes: Path, gold: Path) -> None:
    chance = random.Random(SEED)
    rows, marks = [], []
    for number in range(PATIENTS):
        town, state, code = chance.choice(TOWNS)
        sex = chance.choice(("man", "woman"))
        fixed = {
            "name": f"{chance.choice(GIVEN)} {chance.choice(FAMILY)}",
            "sex": sex,
            "He": "He" if sex == "man" else "She",
            "ill": chance.choice(ILLNESSES),
            "town": town,
            "state": state,
            "zip": code,
            "job": chance.choice(JOBS),
            "mrn": f"{chance.randrange(10**6, 10**7)}",
            "marital": chance.choice(("married", "divorced", "single")),
            "age": str(chance.randrange(30, 80)),
        }
        for each in range(NOTES_EACH):
            day = f"{chance.randrange(1, 13)}/{chance.randrange(1, 29)}/2021"
            doctor = f"{chance.choice(GIVEN)} {chance.choice(FAMILY)}"
            marked = (FIRST, SECOND)[each].format(**fixed, date=day, doctor=doctor)
            marked = " ".join(marked.split())
            text, spans = unmarked(marked)
            row = {"id": f"{number}-{each}", "patient_id": f"P{number}", "text": text}
            rows.append(json.dumps(row))
            marks.append(json.dumps({**row, "spans": spans}))
    notes.write_text("\n".join(rows) + "\n", "utf-8")
    gold.write_text("\n".join(chance.sample(marks, 100)) + "\n", "utf-8")


def unmarked(marked: str) -> tuple[str, list[dict[str, object]]]:
    text, spans, at = "", [], 0
    for match in re.finditer(r"\[\[(.+?)\|([A-Z]+)\]\]", marked):
        text += marked[at : match.start()]
        spans.append({"start": len(text), "end": len(text) + len(match[1]), "label": match[2]})
        text += match[1]
        at = match.end()
    return text + marked[at:], spans


if __name__ == "__main__":
    main()
