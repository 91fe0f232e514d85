"""Probable links between records: Splink on DuckDB.

The model is Fellegi and Sunter's; how often fields agree by chance is counted in the data itself,
and how often they agree for one person is estimated by expectation maximisation.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

from incognote.core.errors import MissingExtra
from incognote.persons.identity import Identity

Pair = tuple[int, int, float]  # two records, by their places, and how probably they are one person
# Which records are compared at all: those that share one of these.
_BLOCKS = (
    ("family", "birth_year"),
    ("given", "birth_date"),
    ("family", "given"),
    ("birth_date", "zip"),
    ("mrn",),
    ("mrn_head",),
    ("family_sound", "birth_date"),
)
_FEWEST = 20  # records: below, nothing can be estimated
_SEED = 1


def probable_pairs(identities: Sequence[Identity], least: float = 0.5) -> tuple[Pair, ...]:
    """Pairs at least so probable, in order."""
    if len(identities) < _FEWEST:
        return ()
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
    linker.training.estimate_probability_two_random_records_match(
        [block_on("given", "family", "birth_date"), block_on("mrn")], recall=0.7
    )
    linker.training.estimate_u_using_random_sampling(max_pairs=1_000_000, seed=_SEED)
    for columns in (("given", "family"), ("birth_date",)):
        linker.training.estimate_parameters_using_expectation_maximisation(block_on(*columns))
    found = linker.inference.predict(threshold_match_probability=least).as_record_list()
    pairs: list[Pair] = []
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
