"""Writes docs/reference/surrogates.md: before and after for every label, made by the code itself.

A test compares the page with what this module would write; `python tools/surrogates_page.py`
makes it current again.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from incognote.core.labels import all_labels
from incognote.core.types import Document, Result
from incognote.link import people_in
from incognote.policy import explain_policy, load_policy, policy_from
from incognote.testing import parse_markup
from incognote.transform import Transformer

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "surrogates.md"
_KEY = b"the key of the documentation"

# Invented examples: every label in several ways of writing. What appears in one line is one record.
EXAMPLES = {
    "PATIENT": "[[Margaret Olsen|PATIENT]]; [[OLSEN, MARGARET T.|PATIENT]]; [[M. Olsen|PATIENT]]; "
    "[[Maggie|PATIENT]]; son [[Jordan|PATIENT]]; [[Mary O'Brien-Vega|PATIENT]]; "
    "[[Wexlorithe|PATIENT]]",
    "DOCTOR": "[[Anil Patel|DOCTOR]]; [[A. Patel|DOCTOR]]; [[PATEL|DOCTOR]]; "
    "[[Pieter van der Berg|DOCTOR]]; [[AP|DOCTOR]]",
    "USERNAME": "[[apatel3|USERNAME]] of [[Anil Patel|DOCTOR]]; [[jw/tr|USERNAME]]",
    "INITIALS": "[[MO|INITIALS]] for [[Margaret Olsen|PATIENT]]",
    "PROFESSION": "[[plumber|PROFESSION]]; [[school bus driver|PROFESSION]]; [[WELDER|PROFESSION]]",
    "HOSPITAL": "[[Massachusetts General Hospital|HOSPITAL]]; [[MGH|HOSPITAL]]; "
    "[[St. Brendan's Clinic|HOSPITAL]]; [[LAKEVIEW NURSING HOME|HOSPITAL]]",
    "ROOM": "[[Room 412B|ROOM]]; [[7 West|ROOM]]; [[ICU-09|ROOM]]",
    "ORGANIZATION": "[[Harlow Steel Company|ORGANIZATION]]; "
    "[[Dayton Public Schools|ORGANIZATION]] in [[Dayton|CITY]]; [[Cigna|ORGANIZATION]]",
    "STREET": "[[12 Elm St Apt 4|STREET]]; [[908 W. Juniper Ave. #2|STREET]]",
    "CITY": "[[Dayton|CITY]], [[OH|STATE]] [[45402|ZIP]]; [[DAYTON|CITY]]; [[Nairobi|CITY]]",
    "STATE": "[[OH|STATE]]; [[Ohio|STATE]]; [[Calif.|STATE]]",
    "COUNTRY": "[[Vietnam|COUNTRY]]; [[Vietnamese|COUNTRY]]",
    "ZIP": "[[45402|ZIP]]; [[45402-1234|ZIP]]; [[SY7 9DT|ZIP]]",
    "LOCATION-OTHER": "[[Emmet County|LOCATION-OTHER]]; [[Highway 74|LOCATION-OTHER]]; "
    "[[PO Box 88|LOCATION-OTHER]]",
    "AGE": "[[67|AGE]]; [[89|AGE]]; [[94|AGE]]; [[ninety-four|AGE]]; [[90s|AGE]]",
    "DATE": "[[03/05/2014|DATE]]; [[3/9|DATE]]; [[March 5th, 2014|DATE]]; [[05-MAR-2014|DATE]]; "
    "[[2014-03-05T10:30|DATE]]; [[Wednesday, March 5|DATE]]; [[March 2014|DATE]]; [[2013|DATE]]; "
    "[[March 5-8, 2014|DATE]]; [[Thanksgiving 2013|DATE]]; [[spring of 2013|DATE]]; "
    "[[Q1 2014|DATE]]; [[04/07/1921|DATE]]",
    "TIME": "[[10:30|TIME]]",
    "PHONE": "[[(617) 726-2000|PHONE]]; [[617.726.2000 ext. 42|PHONE]]; [[x4410|PHONE]]",
    "FAX": "[[1-800-726-2001|FAX]]",
    "EMAIL": "[[margaret.olsen@lakeview.org|EMAIL]] of [[Margaret Olsen|PATIENT]]; "
    "[[records@lakeview.org|EMAIL]]",
    "URL": "[[https://portal.lakeview.org/patients/8812|URL]]; [[www.lakeview.org|URL]]",
    "IPADDR": "[[10.44.7.201|IPADDR]]; [[2601:44c:8100:77::1e|IPADDR]]",
    "SSN": "[[123-45-6789|SSN]]; [[xxx-xx-6789|SSN]]",
    "MEDICALRECORD": "[[00482917|MEDICALRECORD]]; [[04-77-81-3|MEDICALRECORD]]",
    "HEALTHPLAN": "[[AMH8837120-01|HEALTHPLAN]]",
    "ACCOUNT": "[[55-18204|ACCOUNT]]",
    "LICENSE": "[[1234567893|LICENSE]] (NPI); [[AB1234563|LICENSE]] (DEA)",
    "VEHICLE": "[[7KX 21M|VEHICLE]]; [[1M8GDM9AXKP042788|VEHICLE]] (VIN)",
    "DEVICE": "[[PJN4418820|DEVICE]]; [[6935M-62|DEVICE]]",
    "BIOID": "[[VP-22817-B|BIOID]]; [[FACE_0091824.jpg|BIOID]]",
    "IDNUM": "[[CT-24-0098812|IDNUM]]; [[S23-14402|IDNUM]]",
    "CARD": "[[4111 1111 1111 1111|CARD]]",
    "IBAN": "[[GB82 WEST 1234 5698 7654 32|IBAN]]",
    "SWIFT": "[[DEUTDEFF500|SWIFT]]",
    "NATIONALID": "[[12345678Z|NATIONALID]]",
    "IMEI": "[[490154203237518|IMEI]]",
    "IMSI": "[[310150123456789|IMSI]]",
    "MAC": "[[00:1B:44:11:3A:B7|MAC]]",
    "COORDINATES": "[[41.40338, 2.17403|COORDINATES]]",
}
# The same value under every other transform.
TRANSFORMS = [
    ("PATIENT", "Margaret Olsen", {"action": "tag"}),
    ("PATIENT", "Margaret Olsen", {"action": "tag", "numbered": True}),
    ("PATIENT", "Margaret Olsen", {"action": "redact"}),
    ("PATIENT", "Margaret Olsen", {"action": "remove"}),
    ("PATIENT", "Margaret Olsen", {"action": "hash"}),
    ("PATIENT", "Margaret Olsen", {"action": "truncate", "keep": 1}),
    ("IPADDR", "203.0.113.77", {"action": "truncate", "keep": 2, "parts": True}),
    ("MEDICALRECORD", "0048-2917", {"action": "fpe"}),
    ("IDNUM", "1204", {"action": "shift", "by": 50}),
    ("DATE", "03/05/2014", {"action": "year"}),
    ("DATE", "03/05/2014", {"action": "period", "of": "month"}),
    ("DATE", "03/05/2014", {"action": "period", "of": "years", "width": 5}),
    ("DATE", "03/05/2014", {"action": "relative"}),
    ("AGE", "67", {"action": "generalize", "width": 10}),
    ("AGE", "67", {"action": "shift", "by": 3}),
    ("AGE", "94", {"action": "age90"}),
    ("ZIP", "45402", {"action": "zip3"}),
    ("ZIP", "03602", {"action": "zip3"}),
]


def page() -> str:
    return "\n".join(_lines()).rstrip() + "\n"


def _lines() -> Iterator[str]:
    yield "<!-- Written by tools/surrogates_page.py from the code. -->"
    yield ""
    yield "# Surrogates, before and after"
    yield ""
    yield "Every value below was made by incognote with the default policy and one fixed key. All"
    yield "examples are invented. [How keys, scopes and the vault work](../guides/surrogates.md)."
    policy = load_policy()
    transformer = Transformer(policy, _KEY)
    explained = explain_policy(policy)
    for label, row in all_labels().items():
        if row.optional:
            continue
        yield from ("", f"## {label}", "", explained[label], "")
        yield "| before | after |"
        yield "|---|---|"
        text, spans = parse_markup(EXAMPLES[label])
        document = Document(label, text, {"patient_id": "p", "note_date": "2014-03-20"})
        yield from _rows(transformer.apply(document, spans, people_in(document, spans)), label)
    yield from ("", "## Other transforms", "")
    yield "| label | rule | before | after |"
    yield "|---|---|---|---|"
    for label, value, rule in TRANSFORMS:
        made = policy_from({"name": "page", "labels": {label: rule}})
        text, spans = parse_markup(f"[[{value}|{label}]]")
        new = Transformer(made, _KEY).apply(Document("d", text), spans).text
        told = ", ".join(f"{key} = {item}" for key, item in rule.items())
        yield f"| {label} | {told} | {value} | {new} |"
    yield ""
    yield "`shuffle` (dates trade places within the corpus, each with one that is written in the"
    yield "same form) needs a first pass over all documents."


def _rows(result: Result, label: str) -> Iterator[str]:
    text = result.document.text
    new = {each.span: each.text for each in result.replacements}
    for span in result.spans:
        old = text[span.start : span.end]
        after = new.get(span, old)
        note = "" if span.label == label else f" ({span.label})"
        yield f"| {old}{note} | {after if after != old else f'{after} (kept)'} |"


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
