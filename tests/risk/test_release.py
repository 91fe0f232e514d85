"""Risk of released notes, the report and the certificate, from end to end."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime, timedelta
from importlib import import_module

import pytest

from incognote.cli import main
from incognote.core.errors import UsageError
from incognote.core.types import AnnotatedDocument, Document, Span
from incognote.persons.mentions import Mention
from incognote.persons.view import Note, build
from incognote.persons.write_back import Published
from incognote.risk.certificate import certify, verify
from incognote.risk.envelope import new_key, opened, read_public
from incognote.risk.leaks import aligned, measure_leaks
from incognote.risk.lines import MET, NOT_MEASURED, NOT_MET, Line, overall
from incognote.risk.parrot import FEWEST, Marked, auc, parrot
from incognote.risk.release import _with_published
from incognote.risk.report import marked_notes

CANARY = "Zebulonquist"


def gold(name: str, marked: str) -> AnnotatedDocument:
    """A note in inline markup, as `[[text|LABEL]]`."""
    text, spans, at = "", [], 0
    for match in re.finditer(r"\[\[(.+?)\|([A-Z]+)\]\]", marked):
        text += marked[at : match.start()]
        spans.append(Span(len(text), len(text) + len(match[1]), match[2]))
        text += match[1]
        at = match.end()
    return AnnotatedDocument(Document(name, text + marked[at:]), tuple(spans))


NOTE = gold("n", f"Seen by Dr. [[Ann {CANARY}|DOCTOR]] on [[3/4/2020|DATE]] in [[Lowell|CITY]].")


def test_where_spans_went_and_which_leaked():
    output = f"Seen by Dr. Bo Diddley on 3/4/2020 in Lowell. {CANARY}"
    places = {place.span.label: place for place in aligned(NOTE, NOTE.spans, output)}
    assert output[places["DOCTOR"].start : places["DOCTOR"].end] == "Bo Diddley"
    assert not places["DOCTOR"].leaked
    assert places["DATE"].leaked
    assert places["CITY"].leaked
    assert output[places["CITY"].start : places["CITY"].end] == "Lowell"


def test_leaks_are_bounded_and_counted():
    outputs = {"n": "Seen by Dr. Bo Diddley on 8/9/2019 in Lowell.", "m": "Nothing here."}
    found = measure_leaks([NOTE, gold("m", "Nothing here.")], outputs)
    assert (found.notes, found.leaking, found.direct) == (2, 1, 0)
    assert found.notes_bound == pytest.approx(0.9747, abs=1e-4)  # Clopper-Pearson, 1 of 2
    assert CANARY not in repr(found)
    with pytest.raises(UsageError, match="not in this release"):
        measure_leaks([NOTE], {"other": ""})


def test_auc_of_the_blind_and_of_the_seeing():
    import numpy as np

    real = np.array([True, False, True, False])
    assert auc(np.zeros(4), real) == 0.5
    assert auc(np.array([0.9, 0.1, 0.8, 0.2]), real) == 1.0
    assert auc(np.array([0.1, 0.9, 0.2, 0.8]), real) == 0.0
    assert auc(np.array([0.9, 0.9, 0.8, 0.2]), real) == 0.625  # a tie counts half


def released_notes(count: int) -> list[Marked]:
    """Notes whose surrogates come from a small pool; one in four has a leak that does not."""
    found = []
    pool = ["Baker", "Turner", "Mason", "Cooper"]
    for n in range(count):
        leaks = n % 4 == 0
        name = f"Q{chr(97 + n % 26)}xiv{chr(97 + n // 26)}ert" if leaks else pool[n % 4]
        text = f"Seen by Dr. {name} today. The patient is well."
        span = Span(12, 12 + len(name), "DOCTOR")
        found.append(Marked(f"n{n}", text, (span,), frozenset({span} if leaks else ())))
    return found


def test_attackers_find_what_differs_from_surrogates():
    attacks = {each.attacker: each for each in parrot(released_notes(120), ["list", "once"])}
    assert attacks["once"].detection == 1.0
    assert attacks["list"].auc > 0.9
    assert attacks["once"].base == 0.25
    assert attacks["list"].by_label["DOCTOR"].leaks == 30
    own = attacks["list"].as_dict()["by_label"]["DOCTOR"]
    assert (own["marks"], own["found"], own["base_rate"]) == (120, attacks["list"].hits, 0.25)
    assert own["auc"] == attacks["list"].as_dict()["auc"]


def test_the_crf_attacker_learns_surrogates():
    pytest.importorskip("pycrfsuite")
    (attack,) = parrot(released_notes(160), ["crf"])
    assert attack.marks == 160
    assert 0.0 <= attack.auc <= 1.0


def test_the_transformer_attacker_learns_surrogates(tmp_path, monkeypatch):
    """With an encoder of random weights: what it learns is little, but it is asked of every mark."""
    from tests.toy_encoder import write_toy_encoder

    attacks = import_module("incognote.risk.parrot")
    monkeypatch.setattr(attacks, "_ENCODER", str(write_toy_encoder(tmp_path)))
    (attack,) = parrot(released_notes(80), ["transformer"])
    assert (attack.attacker, attack.marks, attack.leaks) == ("transformer", 80, 20)
    assert 0.0 <= attack.auc <= 1.0
    (again,) = parrot(released_notes(80), ["transformer"])
    assert again == attack  # seeded


def test_a_mark_is_as_strange_as_its_least_strange_word():
    import numpy as np

    from incognote.detect.learned.tagging import Scores
    from incognote.risk.parrot import CALLED, _strangeness

    outside = np.array([[1.0], [0.9], [CALLED / 2], [CALLED]], np.float32)
    scores = Scores(((0, 3), (4, 7), (8, 9), (10, 12)), outside, np.zeros(4, np.float32))
    assert _strangeness(Span(4, 9, "DOCTOR"), scores) == pytest.approx(0.25)
    assert _strangeness(Span(10, 12, "DOCTOR"), scores) == pytest.approx(0.5)
    assert _strangeness(Span(0, 3, "DOCTOR"), scores) == 1.0
    assert _strangeness(Span(20, 30, "DOCTOR"), scores) == 1.0  # no word was read there


def test_few_leaks_count_as_found():
    attack = parrot(released_notes(8), ["list"])[0]
    assert attack.leaks < FEWEST
    assert attack.detection_bound() == 1.0


def test_the_attack_on_our_own_notes(shared):
    """600 of our notes, rules alone, ages left out: the specification expects detection .60 to .78
    at precision .25 to .40 (Carrell: .68 and .52). Here a part of them, for time: wider limits."""
    pytest.importorskip("pycrfsuite")
    from incognote.core.types import Result
    from incognote.corpus.files import read_corpus
    from incognote.pipeline import Pipeline

    path = shared / "corpus/train.jsonl"
    if not path.is_file():
        pytest.skip("the corpus is not beside this checkout")
    notes = read_corpus(path)[:80]
    pipeline = Pipeline("group-c+rules", b"a key of a test, long")
    outputs = {
        outcome.document.id: outcome.text
        for outcome in pipeline.deid([note.document for note in notes])
        if isinstance(outcome, Result)
    }
    ignored = frozenset({"AGE", "TIME", "PROFESSION"})
    marked = marked_notes([note for note in notes if note.id in outputs], outputs)
    (attack,) = parrot(marked, ["crf"], ignore=ignored)
    assert attack.leaks >= FEWEST
    assert attack.precision > attack.base  # better than guessing
    assert 0.3 <= attack.detection <= 0.95


def test_a_line_is_met_not_met_or_not_measured():
    assert Line("a", value=0.05, limit=0.09).status == MET
    assert Line("a", value=5, limit=11, at_least=True).status == NOT_MET
    assert Line("a", limit=1).status == NOT_MEASURED
    lines = [Line("a", value=1, limit=1).as_dict(), Line("b", limit=1).as_dict()]
    assert overall(lines) == NOT_MEASURED
    assert overall(lines[:1]) == MET
    assert overall([*lines, Line("c", value=2, limit=1).as_dict()]) == NOT_MET
    assert overall([]) == NOT_MEASURED


# ------------------------------------------------------------------------------------ from end to end


@pytest.fixture
def release(tmp_path):
    notes = tmp_path / "notes"
    notes.mkdir()
    rows = [
        {
            "id": str(n),
            "patient_id": f"P{n // 2}",
            "text": f"Mr. Ada {CANARY} is a {40 + n % 5}-year-old man with psoriasis, "
            f"seen on {1 + n}/5/2021. MRN: 55{n:05d}.",
        }
        for n in range(24)
    ]
    (notes / "a.jsonl").write_text("\n".join(map(json.dumps, rows)) + "\n")
    (tmp_path / "key").write_text("a key of a test, long")
    command = ["deid", str(notes), "-o", str(tmp_path / "out"), "--policy", "group-a+rules"]
    assert main([*command, "--key-file", str(tmp_path / "key"), "--quiet"]) in (0, 3)
    return tmp_path


def risk(where, *options: str) -> dict[str, object]:
    command = ["risk", str(where / "out"), "-o", str(where / "report"), "--policy", "group-a+rules"]
    assert main([*command, "--quiet", *options]) == 0
    return json.loads((where / "report/risk.json").read_text())


def test_risk_reads_the_output_anew_and_shows_no_text(release, capsys):
    found = risk(release)
    single = found["singling_out"]
    assert single["persons"] == 12
    assert "age" in single["attributes"]
    assert found["status"] == NOT_MET
    assert {line["status"] for line in found["lines"][:2]} == {NOT_MEASURED}
    page = (release / "report/risk.html").read_text()
    said = capsys.readouterr()
    for text in (page, json.dumps(found), said.out, said.err):
        assert CANARY not in text
        assert "psoriasis" not in text
    assert "<svg" in page
    assert "What the numbers do not say" in page
    for word in ("compliant", "anonymous"):
        assert word not in page.casefold()


def test_a_reason_that_several_lines_share_is_said_once(release, capsys):
    command = ["risk", str(release / "out"), "-o", str(release / "report")]
    assert main([*command, "--policy", "group-a+rules"]) == 0
    said = capsys.readouterr().err
    assert said.count("no annotated sample was given") == 1
    assert said.count("not measured (1)") == 2


# ------------------------------------------------------------------ whose the notes are


@pytest.fixture
def loose(tmp_path):
    """24 notes of 12 people, none with a patient's id; ages differ from person to person."""
    notes = tmp_path / "notes"
    notes.mkdir()
    names = (
        "Brandt Ferris Marsh Petrov Okafor Tolliver Ashgrove Wetherby Lindgren Sorrel Pryor Vance"
    )
    for n in range(24):
        name = names.split()[n // 2]
        (notes / f"{n:02d}.txt").write_text(
            f"Patient: Ada {name}. DOB: 3/4/19{60 + n // 2}. A {40 + n // 6}-year-old woman with gout, "
            f"seen on {1 + n % 12}/5/2021.\n"
        )
    (tmp_path / "key").write_text("a key of a test, long")
    return tmp_path


def run(where, *command: str) -> int:
    policy = [] if "--policy" in command else ["--policy", "group-a+rules"]
    return main([*command, *policy, "--quiet"])


def smallest(where, *options: str) -> dict[str, object]:
    assert run(where, "risk", str(where / "out"), "-o", str(where / "report"), *options) == 0
    found = json.loads((where / "report/risk.json").read_text())
    return next(row for row in found["lines"] if row["name"] == "smallest class of persons")


def test_without_ids_or_links_nobody_says_how_many_people_these_are(loose):
    key = ["--key-file", str(loose / "key")]
    assert run(loose, "deid", str(loose / "notes"), "-o", str(loose / "out"), *key) == 0
    line = smallest(loose, "--quasi", "age", "--k", "3")
    assert line["status"] == NOT_MEASURED
    assert "24 of 24 documents do not state whose they are" in line["why"]
    page = (loose / "report/risk.html").read_text()
    assert "do not state whose they are" in page


def test_the_links_of_the_originals_count_the_people_of_the_release(loose):
    key = ["--key-file", str(loose / "key")]
    view, anon = str(loose / "view"), str(loose / "anon")
    assert run(loose, "persons", str(loose / "notes"), "-o", view, *key) == 0
    command = ["anonymize", view, "-o", anon, "--k", "2", "--quasi", "age", "--quiet"]
    assert main(command) == 0
    assert (
        run(loose, "deid", str(loose / "notes"), "--view", anon, "-o", str(loose / "out"), *key)
        == 0
    )
    line = smallest(loose, "--quasi", "age", "--k", "2", "--view", anon)
    assert line["value"] == 2.0  # three people in each class, one of them perhaps twice
    found = json.loads((loose / "report/risk.json").read_text())
    assert found["singling_out"]["persons_cautious"] == 12
    assert found["made"]["linkage"]["persons_cautious"] == 12


def test_a_release_that_the_view_does_not_know_says_so(loose):
    key = ["--key-file", str(loose / "key")]
    view, anon = str(loose / "view"), str(loose / "anon")
    assert run(loose, "persons", str(loose / "notes"), "-o", view, *key) == 0
    assert main(["anonymize", view, "-o", anon, "--k", "2", "--quasi", "age", "--quiet"]) == 0
    out = ["-o", str(loose / "out")]
    assert run(loose, "deid", str(loose / "notes"), "--view", anon, *out, *key) == 0
    (loose / "out/00.txt").rename(loose / "out/zz.txt")
    line = smallest(loose, "--quasi", "age", "--view", anon)
    assert line["status"] == NOT_MEASURED
    assert "1 of 24 documents of the release are not in the view" in line["why"]
    # A document that says nothing of anybody is nobody's.
    (loose / "out/zz.txt").rename(loose / "out/00.txt")
    (loose / "out/readme.txt").write_text("Read me.\n")
    assert smallest(loose, "--quasi", "age", "--k", "2", "--view", anon)["value"] == 2.0


def test_suppressed_persons_are_counted_apart(loose):
    """A person whose row is suppressed has tags only: that is no class of its own."""
    key = ["--key-file", str(loose / "key")]
    view, anon = str(loose / "view"), str(loose / "anon")
    text = (loose / "notes/23.txt").read_text().replace("43-year-old", "88-year-old")
    (loose / "notes/23.txt").write_text(text)
    (loose / "notes/22.txt").unlink()
    (loose / "age.csv").write_text("".join(f"{age};*\n" for age in (40, 41, 42, 43, 88)))
    assert run(loose, "persons", str(loose / "notes"), "-o", view, *key) == 0
    command = ["anonymize", view, "-o", anon, "--k", "2", "--quasi", "age", "--recoding", "global"]
    hierarchy = ["--hierarchy", f"age={loose / 'age.csv'}", "--suppression", "0.5", "--quiet"]
    assert main([*command, *hierarchy]) == 0
    out = ["-o", str(loose / "out")]
    assert run(loose, "deid", str(loose / "notes"), "--view", anon, *out, *key) == 0
    smallest(loose, "--quasi", "age", "--k", "2", "--view", anon)
    found = json.loads((loose / "report/risk.json").read_text())["singling_out"]
    assert found["suppressed"] == 1
    assert found["persons"] + found["suppressed"] == 23  # a note each
    assert dict(map(tuple, found["histogram"]))["1"] == 0


def test_published_values_are_read_as_they_were_published(tmp_path):
    """A job that the detectors read in one note and not in another is the same job."""
    view = build(
        [
            Note(name, name, "", (Mention(name, 0, 1, "", "profession", value, "patient", 1.0),))
            for name, value in (("a", "worker"), ("b", "worker in trades"), ("c", "plumber"))
        ],
        b"a key of a test, long",
    )
    owner = {name: f"p{name}" for name in "abc"}
    values = {each: {"profession": "Trades"} for each in owner.values()}
    texts = dict.fromkeys("abc", "A worker in trades.")
    found = _with_published(view, owner, Published(values, frozenset()), texts)
    aged = build(
        [
            Note("a", "a", "", (Mention("a", 0, 1, "", "age", "47", "patient", 1.0),)),
            Note("b", "b", "", ()),
        ],
        b"a key of a test, long",
    )
    ranges = Published({each: {"age": "47-52"} for each in ("pa", "pb")}, frozenset())
    left = _with_published(aged, owner, ranges, dict.fromkeys("ab", "47-52 years, 47 today."))
    ages = sorted(person.values["age"].value for person in left.persons)
    assert ages == ["47", "47-52"]  # an exact age is a leak, also at the end of its range
    jobs = sorted(person.values["profession"].value for person in found.persons)
    assert jobs == ["plumber", "worker in trades", "worker in trades"]  # what else is read stays


def test_one_name_for_a_person_in_all_notes_can_be_linked_as_it_is(loose):
    key = ["--key-file", str(loose / "key")]
    (loose / "p.toml").write_text(
        'name = "p"\nextends = "group-a"\n[transform]\nscope = "corpus"\n'
    )
    policy = ["--policy", f"{loose / 'p.toml'}+rules"]
    assert run(loose, "deid", str(loose / "notes"), "-o", str(loose / "out"), *key, *policy) == 0
    line = smallest(loose, "--quasi", "age", "--k", "3", *policy)
    assert line["status"] != NOT_MEASURED
    assert line["value"] <= 3.0
    other = smallest(loose, "--quasi", "age", "--k", "3")  # not the policy that wrote it
    assert other["status"] == NOT_MEASURED


def test_measure_from_python(release):
    from incognote import risk
    from incognote.engine.settings import Settings
    from incognote.policy import load_policy

    settings = Settings(load_policy("group-a+rules"))
    report = risk.measure(release / "out", settings=settings)
    assert report.singling is not None
    assert report.singling.classes.persons == 12


def test_the_statement_holds_all_that_the_specification_lists(release):
    sample = release / "gold.jsonl"
    rows = [json.loads(line) for line in (release / "notes/a.jsonl").read_text().splitlines()]
    for number, row in enumerate(rows, 1):
        row["id"] = f"a.jsonl:{number}"
        row["spans"] = [
            {"start": found.start(), "end": found.end(), "label": label}
            for label, phi in (
                ("PATIENT", f"Ada {CANARY}"),
                ("AGE", r"\d\d(?=-year)"),
                ("DATE", r"\d+/5/2021"),
                ("MEDICALRECORD", r"55\d{5}"),
            )
            for found in re.finditer(phi, row["text"])
        ]
    sample.write_text("".join(json.dumps(row) + "\n" for row in rows[:4]))
    ledger = release / "spent.json"
    ledger.write_text(
        '{"budget": 2, "budget_delta": 1e-5, "unit": "person",'
        ' "spent": [{"when": "", "what": "h", "epsilon": 1.5, "delta": 1e-6}]}'
    )
    risk(
        release,
        "--gold",
        str(sample),
        "--sensitive",
        "diagnosis",
        "--l",
        "2",
        "--ledger",
        str(ledger),
    )
    key = release / "key.pem"
    public = new_key(key)
    report = json.loads((release / "report/risk.json").read_text())
    path = certify(release / "out", report, [key], signers=["A. Broker"])
    statement = verify(path, public)
    said = statement["predicate"]
    made, measured = said["made"], said["measured"]
    assert {each["name"] for each in statement["subject"]} >= {"a.jsonl", "manifest.jsonl"}
    assert said["program"]["version"]
    assert len(made["policy_hash"]) == len(made["key_tag"]) == 16
    assert made["lexicon"].startswith("sha256:")
    assert made["models"] == {}  # rules alone
    assert (made["documents"], made["quarantined"]) == (24, 0)
    assert (measured["leaks"]["notes"], measured["leaks"]["level"]) == (4, 0.95)
    assert "leaking_notes_bound" in measured["leaks"]
    assert {"attacker", "detection", "base_rate"} <= set(measured["parrot"][0])
    assert {"smallest_class", "attributes", "risks", "threshold"} <= set(measured["singling_out"])
    assert measured["diversity"]["l"] >= 1
    assert made["linkage"]["method"] == "exact"
    assert measured["differential_privacy"] == {"epsilon": 1.5, "delta": 1e-6}
    assert set(made["seeds"]) == {"parrot attack", "probable links", "resampling of patients"}
    assert said["issued"] < said["valid_until"]
    assert said["signers"] == ["A. Broker"]
    assert {line["status"] for line in said["lines"]} <= {MET, NOT_MET, NOT_MEASURED}


def test_the_models_of_a_policy_are_named_by_their_hashes():
    from incognote.policy import load_policy
    from incognote.risk.provenance import _model_hashes

    found = _model_hashes(load_policy("group-a+fast"))
    assert found["fast"]["model.onnx"].startswith("sha256:")


def test_gold_with_the_ids_of_another_release_is_refused(release, capsys):
    sample = release / "gold.jsonl"
    text = f"{CANARY} came with her mother, who speaks of pain in the left knee since spring."
    ids = [f"a.jsonl:{n}" for n in range(1, 25)]
    sample.write_text(json.dumps({"id": ids[0], "text": text, "spans": []}) + "\n")
    command = ["risk", str(release / "out"), "-o", str(release / "report"), "--gold", str(sample)]
    assert main([*command, "--quiet", "--policy", "group-a+rules"]) == 1
    said = capsys.readouterr().err
    assert "a note of that id is another" in said
    assert CANARY not in said


def test_gold_of_another_release_is_refused(release, tmp_path, capsys):
    sample = tmp_path / "gold.jsonl"
    sample.write_text(json.dumps({"id": "zz", "text": CANARY, "spans": []}) + "\n")
    command = ["risk", str(release / "out"), "-o", str(release / "report"), "--gold", str(sample)]
    assert main([*command, "--quiet", "--policy", "group-a+rules"]) == 1
    said = capsys.readouterr().err
    assert "not of this release" in said
    assert CANARY not in said


def test_the_certificate_is_verified_byte_for_byte(release, capsys):
    risk(release)
    key = release / "key.pem"
    assert main(["certify", "--new-key", str(key)]) == 0
    command = ["certify", str(release / "out"), "--report", str(release / "report")]
    assert main([*command, "--sign", str(key), "--signer", "A. Broker"]) == 0
    path = release / "out/certificate.json"
    checked = ["certify", "--verify", str(path), "--public", str(release / "key.pub")]
    assert main(checked) == 0
    assert main([*checked, "--require", "met"]) == 1
    said = capsys.readouterr().out
    assert "not met" in said
    data = path.read_bytes()
    statement = json.dumps(opened(data, read_public(release / "key.pub"))).casefold()
    assert "met" in statement
    assert not re.search("compliant|anonymous", statement)
    # Any byte of the certificate, a few hundred of them tried.
    for at in range(0, len(data), max(1, len(data) // 300)):
        path.write_bytes(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])
        assert main(checked) == 1, at
    path.write_bytes(data + b"\n")
    assert main(checked) == 1
    path.write_bytes(data)
    capsys.readouterr()


@pytest.mark.parametrize("change", ["byte", "gone", "more"])
def test_a_changed_output_fails(release, change, capsys):
    risk(release)
    key = release / "key.pem"
    main(["certify", "--new-key", str(key)])
    main(["certify", str(release / "out"), "--report", str(release / "report"), "--sign", str(key)])
    file = next(path for path in (release / "out").glob("*.jsonl") if "manifest" not in path.name)
    if change == "byte":
        file.write_bytes(file.read_bytes() + b" ")
    elif change == "gone":
        file.unlink()
    else:
        (release / "out/more.txt").write_text("x")
    path = release / "out/certificate.json"
    assert main(["certify", "--verify", str(path), "--public", str(release / "key.pub")]) == 1
    assert re.search("changed or are missing|not named", capsys.readouterr().err)


def test_what_was_not_measured_as_it_is_cannot_be_certified(release, capsys):
    risk(release)
    (release / "out/late.txt").write_text("x")
    key = release / "key.pem"
    main(["certify", "--new-key", str(key)])
    command = ["certify", str(release / "out"), "--report", str(release / "report")]
    assert main([*command, "--sign", str(key)]) == 1
    assert "measure again" in capsys.readouterr().err


@pytest.mark.parametrize("part", ["line", "whole"])
def test_a_report_whose_verdict_was_edited_cannot_be_certified(release, capsys, part):
    found = risk(release)
    if part == "line":
        next(line for line in found["lines"] if line["status"] != MET)["status"] = MET
    else:
        found["status"] = MET
    (release / "report/risk.json").write_text(json.dumps(found))
    key = release / "key.pem"
    main(["certify", "--new-key", str(key)])
    command = ["certify", str(release / "out"), "--report", str(release / "report")]
    assert main([*command, "--sign", str(key), "--require", "met"]) == 1
    assert "does not follow from its numbers" in capsys.readouterr().err
    assert not (release / "out/certificate.json").exists()


def test_expiry_foreign_keys_and_bad_keys(release, tmp_path):
    report = risk(release)
    mine, other = tmp_path / "mine.pem", tmp_path / "other.pem"
    public, foreign = new_key(mine), new_key(other)
    then = datetime(2020, 1, 1, tzinfo=UTC)
    path = certify(release / "out", report, [mine], days=10, now=then)
    assert verify(path, public, now=then + timedelta(days=9))["predicate"]["status"] == NOT_MET
    with pytest.raises(UsageError, match="expired"):
        verify(path, public, now=then + timedelta(days=11))
    with pytest.raises(UsageError, match="not signed with this key"):
        verify(path, foreign, now=then)
    with pytest.raises(UsageError, match="never written over"):
        new_key(mine)
    (tmp_path / "bad.pem").write_text(CANARY)
    with pytest.raises(UsageError, match="not a private key") as error:
        certify(release / "out", report, [tmp_path / "bad.pem"])
    assert CANARY not in str(error.value)


def test_a_table_of_people(tmp_path):
    table = tmp_path / "t.csv"
    table.write_text("age,sex,ill\n" + "".join(f"{30 + n // 12},F,x{n % 3}\n" for n in range(48)))
    command = ["risk", str(table), "--quasi", "age,sex", "--sensitive", "ill", "--l", "3"]
    assert main([*command, "-o", str(tmp_path / "report"), "--quiet"]) == 0
    found = json.loads((tmp_path / "report/risk.json").read_text())
    assert found["singling_out"]["smallest_class"] == 12
    assert found["diversity"]["l"] == 3
    answers = {line["name"]: line["status"] for line in found["lines"]}
    assert answers["smallest class of persons"] == MET
    assert answers["maximum risk"] == MET
    assert answers["distinct l"] == MET
    assert answers["columns that were not measured"] == MET
    assert found["status"] == MET
    assert found["singling_out"]["unique_by_any"] == {"1": 0.0, "2": 0.0}
    assert main(["certify", "--new-key", str(tmp_path / "key.pem")]) == 0
    sign = ["--report", str(tmp_path / "report"), "--sign", str(tmp_path / "key.pem")]
    assert main(["certify", str(table), *sign, "--require", "met"]) == 0


def test_a_column_that_nobody_looked_at_is_not_met(tmp_path):
    table = tmp_path / "t.csv"
    table.write_text("age,remark\n" + f"30,{CANARY}\n" * 12)
    report = tmp_path / "report"
    assert main(["risk", str(table), "--quasi", "age", "-o", str(report), "--quiet"]) == 0
    found = json.loads((report / "risk.json").read_text())
    line = found["lines"][0]
    assert (line["status"], line["value"], line["why"]) == (NOT_MET, 1.0, "remark")
    page = (report / "risk.html").read_text()
    assert "not measured: remark" in page
    assert CANARY not in page
    gold = ["--gold", str(table)]
    assert main(["risk", str(table), "--quasi", "age", "-o", str(report), *gold]) == 1


def test_suppressed_rows_of_a_table_are_no_class(tmp_path):
    table = tmp_path / "t.csv"
    table.write_text("age,sex\n" + "30-39,F\n" * 12 + "*,*\n" * 3)
    command = ["risk", str(table), "--quasi", "age,sex", "-o", str(tmp_path / "report"), "--quiet"]
    assert main(command) == 0
    found = json.loads((tmp_path / "report/risk.json").read_text())["singling_out"]
    assert (found["smallest_class"], found["suppressed"], found["persons"]) == (12, 3, 12)
