"""Technical and foreign ids are masked as wholes, in every notation, under every preset."""

from __future__ import annotations

import re

import pytest

from incognote.core.types import Document, Result
from incognote.pipeline import Pipeline

WHOLE = """
MAC address {00:1B:44:11:3A:B7} on pump.
MAC: {01-23-45-67-89-AB} was logged.
mac {001B.4411.3AB7} on the switch
MAC {001b44113ab7} seen
Wi-Fi MAC {00 1B 44 11 3A B7} seen
EUI-64 {00:1B:44:FF:FE:11:3A:B7} seen
Host {fe80::1%eth0} answered.
{fe80::1%eth0} pinged twice
{00:1B:44:11:3A:B7} dropped off
Link {fe80::a00:27ff:fe4e:66a1%en0} is up
Found at {40.7128, -74.0060} by crew.
Found at {40.7128;-74.0060} by crew.
Scene at {40°26'46"N 79°58'56"W} per EMS.
Scene at {40° 26.767' N, 79° 58.933' W} per EMS.
Scene at {40 26 46 N 79 58 56 W} per EMS.
GPS {N40 26.767 W79 58.933} sent
Lat {40.446195, Lon -79.948862} sent
coordinates {40.446° N, 79.982° W} sent
geo point {+40.7128-074.0060}/ sent
UTM {17T 584937 4477522} sent
plus code {87G8P27V+VV} sent
IBAN {NO93 8601 1117 947} for refund.
IBAN {AL47 2121 1009 0000 0002 3569 8741} on file.
Account {DE89 3704 0044 0532 0130 00} on file.
Bank {GB29 NWBK 6016 1331 9268 19} on file
NINO {AA 12 34 56 B} on file.
NI number {QQ123456C} on file.
NHS number {943 476 5919} on file.
SIN {046 454 286} on file.
CPF {111.444.777-35} on file
Aadhaar {2345 6789 0124} on file
NIR {2 55 08 14 168 025 38} on file
BSN {111222333} on file
DNI {12345678Z} on file
PESEL {44051401359} on file
personnummer {811218-9876} on file
AHV {756.9217.0769.85} on file
HKID {A123456(3)} on file
IMEI {49-015420-323751-8} on file
IMSI {310150123456789} on file
Card {4111 1111 1111 1111} on file
SWIFT {DEUTDEFF500} on file
""".strip().splitlines()

PRESETS = ["i2b2-2014", "hipaa-safe-harbor", "limited-data-set", "group-a", "rules", "fast"]


@pytest.fixture(scope="module", params=PRESETS)
def results(request: pytest.FixtureRequest) -> dict[str, Result]:
    texts = {line: re.sub(r"[{}]", "", line) for line in WHOLE}
    pipeline = Pipeline(request.param, b"a key for tests, 32 bytes long..")
    outcomes = pipeline.deid([Document(str(n), text) for n, text in enumerate(texts.values())])
    return dict(zip(texts, outcomes, strict=True))


@pytest.mark.parametrize("line", WHOLE)
def test_a_technical_id_is_masked_whole(results: dict[str, Result], line: str) -> None:
    result = results[line]
    start = line.index("{")
    end = line.index("}") - 1
    inside = [
        each.span for each in result.replacements if each.span.start < end and each.span.end > start
    ]
    assert [(span.start, span.end) for span in inside] == [(start, end)], result.spans
