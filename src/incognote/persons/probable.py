"""Probable links between records: Splink on DuckDB.

The model is Fellegi and Sunter's; how often fields agree by chance is counted in the data itself,
and how often they agree for one person is estimated by expectation maximisation.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from incognote.core.errors import MissingExtra
from incognote.persons.identity import Identity

LinkedPair = tuple[
    int, int, float
]  # two records, by their places, and how probably they are one person
# Which records are compared at all: those that share one of these.
_BLOCKS = (
    ("family", "birth_year"),
    ("given", "birth_date"),
    ("family", "given"),
    ("birth_date", "zip"),
    ("mrn",),
    # From here on by parts of a field, or by fields that many people share.
    ("mrn_head",),
    ("family_sound", "birth_date"),
    ("family_sound", "birth_year"),
    ("given", "birth_year"),
    ("given", "family_sound"),
    ("given", "zip"),
    ("family_sound", "zip"),
)
_EXACT = 5
_FEWEST = 20  # records: below, nothing can be estimated
SEED = 1
# What agrees for one person and rarely for two.
_SURE = (("given", "family", "birth_date"), ("mrn",))
# Rounds of estimation: none learns of the fields by which it chooses its pairs.
_ROUNDS = (("given", "family"), ("birth_date",))


def same_name_and_birth(identities: Sequence[Identity]) -> tuple[LinkedPair, ...]:
    """One person for a cautious count, however common that name is in these records."""
    return _agreeing(identities, _SURE[:1])


def possible_pairs(identities: Sequence[Identity]) -> tuple[LinkedPair, ...]:
    """What counts cautiously where nothing can be estimated: all that agree in one of the ways that
    make Splink compare them at all, not counting parts of a name or number."""
    return _agreeing(identities, _BLOCKS[:_EXACT])


def _agreeing(
    identities: Sequence[Identity], blocks: Sequence[Sequence[str]]
) -> tuple[LinkedPair, ...]:
    """Pairs that agree in all fields of a block; of several that do, each with the next."""
    columns = _columns(identities)
    found: set[tuple[int, int]] = set()
    for names in blocks:
        last: dict[tuple[Any, ...], int] = {}
        for record, value in enumerate(zip(*(columns[name] for name in names), strict=True)):
            if all(value):
                if value in last:
                    found.add((last[value], record))
                last[value] = record
    return tuple((one, other, 0.5) for one, other in sorted(found))


def probable_pairs(
    identities: Sequence[Identity], least: float = 0.5
) -> tuple[LinkedPair, ...] | None:
    """Pairs at least so probable, in order; None where records have too little in common to
    estimate how probable anything is."""
    if len(identities) < _FEWEST:
        return None
    try:
        import pyarrow as pa
        from splink import Linker, SettingsCreator
        from splink.backends.duckdb import DuckDBAPI
        from splink.blocking_rule_library import block_on
    except ModuleNotFoundError:
        raise MissingExtra("probable linkage", "link") from None
    logging.getLogger("splink").setLevel(logging.ERROR)
    table = pa.table(_columns(identities))
    api = DuckDBAPI()
    rules: list[Any] = [block_on(*columns) for columns in _BLOCKS]
    settings = SettingsCreator(
        link_type="dedupe_only",
        comparisons=_comparisons(),
        blocking_rules_to_generate_predictions=rules,
        retain_matching_columns=False,
        retain_intermediate_calculation_columns=False,
        probability_two_random_records_match=1.5 / len(identities),
    )
    linker = Linker(api.register(table), settings, log_level=logging.ERROR)
    training = linker.training
    if _agreeing(identities, _SURE):
        # Refused where most records are one person's: then the probability above stays.
        with suppress(ValueError):
            training.estimate_probability_two_random_records_match(
                [block_on(*names) for names in _SURE], recall=0.7
            )
    training.estimate_u_using_random_sampling(max_pairs=1_000_000, seed=SEED)
    estimated: set[str] = set()
    for names in _ROUNDS:
        # A round in which no two records agree, or all do, teaches nothing.
        with suppress(Exception):
            training.estimate_parameters_using_expectation_maximisation(block_on(*names))
            estimated |= {"given", "family", "birth_date"} - set(names)
    if len(estimated) < 3:
        return None
    found = linker.inference.predict(threshold_match_probability=least).as_record_list()
    pairs: list[LinkedPair] = []
    for row in found:
        one, other = sorted((int(row["unique_id_l"]), int(row["unique_id_r"])))
        pairs.append((one, other, float(row["match_probability"])))
    return tuple(sorted(pairs))


def _columns(identities: Sequence[Identity]) -> dict[str, list[Any]]:
    return {
        "unique_id": list(range(len(identities))),
        "given": [each.given_root or None for each in identities],
        "family": [each.family or None for each in identities],
        "family_sound": [each.family[:3] or None for each in identities],
        "birth_date": [each.birth_date or None for each in identities],
        "birth_year": [each.birth_date[:4] or None for each in identities],
        "zip": [each.zip or None for each in identities],
        "mrn": [each.mrn or None for each in identities],
        "mrn_head": [each.mrn[:5] if len(each.mrn) > 5 else None for each in identities],
        "sex": [each.sex or None for each in identities],
    }


def _comparisons() -> list[Any]:
    import splink.comparison_library as cl

    return [
        cl.JaroWinklerAtThresholds("given", [0.88]).configure(term_frequency_adjustments=True),
        cl.JaroWinklerAtThresholds("family", [0.92, 0.85]).configure(
            term_frequency_adjustments=True
        ),
        cl.DamerauLevenshteinAtThresholds("birth_date", [1]),
        cl.LevenshteinAtThresholds("mrn", [1]),
        cl.ExactMatch("zip").configure(term_frequency_adjustments=True),
        cl.ExactMatch("sex"),
    ]
