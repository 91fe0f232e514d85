"""Differentially private counts: what they cost, how the noise is distributed, the ledger."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

from incognote.anonymize import from_rows
from incognote.anonymize.counts.budget import Ledger
from incognote.anonymize.counts.histogram import cube_of, histogram, regions
from incognote.anonymize.counts.noise import epsilon_of, fitted, gaussian, laplace, variance
from incognote.core.errors import UsageError

pytest.importorskip("opendp")
PEOPLE = {"age": [34, 71, 95, 34], "sex": ["male", "F", "female", None]}


@pytest.mark.parametrize(("epsilon", "rows"), [(1.0, 1), (0.1, 1), (0.5, 3)])
def test_opendp_maps_every_release_to_its_epsilon(epsilon, rows):
    mechanism, scale = fitted(epsilon, rows, None)
    assert scale == rows / epsilon
    assert epsilon_of(mechanism, rows, None) == pytest.approx(epsilon)


def test_opendp_maps_the_gaussian():
    """ρ is 1 / (2 scale^2) for one count changed by one."""
    assert gaussian(2.0).map(1.0) == pytest.approx(1 / 8)
    mechanism, scale = fitted(1.0, 1, 1e-6)
    assert 0.999 <= epsilon_of(mechanism, 1, 1e-6) <= 1.0
    assert variance(scale, 1e-6) == scale**2


@pytest.mark.parametrize("delta", [None, 1e-6])
def test_three_rows_of_a_person_need_three_times_the_noise(delta):
    """They may all be in one cell."""
    _, one = fitted(1.0, 1, delta)
    _, three = fitted(1.0, 3, delta)
    assert three == pytest.approx(3 * one, rel=1e-4)


def test_ten_thousand_draws_are_discrete_laplace():
    """Chi-square against P(k) = (1 - a) / (1 + a) a^|k|, a = exp(-1 / scale)."""
    scale, draws = 2.0, 10_000
    found = np.array(laplace(scale)([0] * draws))
    a = math.exp(-1 / scale)
    edge = 12
    expected = np.array([draws * (1 - a) / (1 + a) * a ** abs(k) for k in range(-edge, edge + 1)])
    seen = np.array([(found == k).sum() for k in range(-edge, edge + 1)])
    rest, rest_expected = draws - seen.sum(), draws - expected.sum()
    chi = ((seen - expected) ** 2 / expected).sum() + (rest - rest_expected) ** 2 / rest_expected
    assert chi < 66.6  # 25 degrees of freedom: chance alone goes beyond once in 100,000
    assert found.var() == pytest.approx(variance(scale, None), rel=0.15)


def test_ten_thousand_draws_are_discrete_gaussian():
    """Chi-square against P(k) proportional to exp(-k^2 / (2 scale^2))."""
    scale, draws, edge = 2.0, 10_000, 8
    found = np.array(gaussian(scale)([0] * draws))
    places = np.arange(-60, 61)
    weights = np.exp(-(places**2) / (2 * scale**2))
    share = dict(zip(places.tolist(), weights / weights.sum(), strict=True))
    expected = np.array([draws * share[k] for k in range(-edge, edge + 1)])
    seen = np.array([(found == k).sum() for k in range(-edge, edge + 1)])
    rest, rest_expected = draws - seen.sum(), draws - expected.sum()
    chi = ((seen - expected) ** 2 / expected).sum() + (rest - rest_expected) ** 2 / rest_expected
    assert chi < 53.0  # 17 degrees of freedom: chance alone goes beyond once in 100,000
    assert found.var() == pytest.approx(scale**2, rel=0.15)


def test_bins_are_public_and_everybody_is_in_one():
    found = histogram(PEOPLE, ["age", "sex"], 1e6)
    assert found.bins[0][:2] == ("0-9", "10-19")
    assert found.bins[0][-2:] == ("90+", "other")
    assert found.bins[1] == ("female", "male", "other")
    counts = {labels[:2]: labels[2] for labels in found.rows()}
    assert counts["30-39", "male"] == "1"
    assert counts["30-39", "other"] == "1"
    assert counts["90+", "female"] == "1"
    assert found.counts.sum() == 4


def test_no_bin_is_made_of_the_data():
    other = {"age": [-5, 200, 7, 8], "sex": ["CANARYZEBU"] * 4}
    assert histogram(other, ["age", "sex"], 1.0).bins == histogram(PEOPLE, ["age", "sex"], 1.0).bins
    with pytest.raises(UsageError, match="needs a hierarchy"):
        histogram({"colour": ["CANARYZEBU"]}, ["colour"], 1.0)


def test_a_hierarchy_of_the_user_gives_its_bins():
    tree = from_rows("ward", [("3w", "west", "*"), ("4w", "west", "*"), ("1e", "east", "*")])
    found = histogram({"ward": ["3w", "4w", "?"]}, ["ward"], 1e6, hierarchies={"ward": tree})
    assert dict(found.rows()) == {"west": "2", "east": "0", "other": "1"}


@pytest.mark.parametrize("epsilon", [0.0, -1.0, math.nan, math.inf, 1e-320])
@pytest.mark.parametrize("delta", [None, 1e-6])
def test_an_epsilon_that_promises_nothing(epsilon, delta):
    with pytest.raises(UsageError, match="epsilon must be"):
        fitted(epsilon, 1, delta)


@pytest.mark.parametrize(
    ("by", "options", "said"),
    [
        (["age", "age"], {}, "named twice"),
        (["age"], {"levels": {"colour": 1}}, "colour, which is not counted by"),
        (["age"], {"hierarchies": {"colour": from_rows("c", [("a", "*")])}}, "not counted by"),
    ],
)
def test_attributes_that_make_no_sense(by, options, said):
    with pytest.raises(UsageError, match=said):
        histogram(PEOPLE, by, 1.0, **options)


def test_the_cube_costs_what_it_says_and_helps_where_counts_are_even():
    true = np.zeros((40, 40), np.int64)
    true[:20, :20] = 50
    counts, spent, _ = cube_of(true, 0.5, None, 1)
    assert spent == pytest.approx(0.5)
    plain = np.array(laplace(2.0)(true.ravel().tolist())).reshape(true.shape)
    assert np.abs(counts - true).mean() < np.abs(plain - true).mean()


def test_regions_are_found_and_cover_everything_once():
    cells = np.zeros((8, 6))
    cells[2:5, 1:3] = 100
    covered = np.zeros_like(cells)
    for box in regions(cells, noise=1.0):
        covered[box] += 1
        assert cells[box].std() == 0
    assert (covered == 1).all()


def test_the_ledger_adds_up_and_refuses(tmp_path):
    ledger = Ledger(tmp_path / "spent.json", 1.0)
    ledger.spend("first", 0.6)
    with pytest.raises(UsageError, match="beyond the budget"):
        ledger.spend("second", 0.5)
    ledger.spend("third", 0.4)
    assert Ledger(tmp_path / "spent.json").spent() == (1.0, 0.0)
    with pytest.raises(UsageError, match="not changed"):
        Ledger(tmp_path / "spent.json", 5.0).spend("more budget", 0.1)


def test_the_ledger_refuses_by_delta_too(tmp_path):
    path = tmp_path / "spent.json"
    ledger = Ledger(path, 10.0, 1e-5)
    ledger.spend("first", 0.5, 6e-6)
    with pytest.raises(UsageError, match="of delta is spent"):
        ledger.spend("second", 0.5, 5e-6)
    ledger.spend("third", 0.5, 4e-6)
    assert Ledger(path).spent() == (1.0, pytest.approx(1e-5))
    with pytest.raises(UsageError, match="budget of delta is 1e-05, which is not changed"):
        Ledger(path, 10.0, 0.1).spend("more", 0.1)
    # Without a budget of its own there is none, also in a ledger of before there was one.
    with pytest.raises(UsageError, match="0 of 0 of delta"):
        Ledger(tmp_path / "plain.json", 10.0).spend("gaussian", 0.1, 1e-9)
    path.write_text('{"budget": 9, "unit": "person", "spent": []}')
    Ledger(path).spend("laplace", 0.1)
    with pytest.raises(UsageError, match="of delta"):
        Ledger(path).spend("gaussian", 0.1, 1e-9)
    for wrong in (-1e-9, 1.0, math.nan):
        with pytest.raises(UsageError, match="delta must lie"):
            Ledger(tmp_path / "new.json", 1.0, wrong).spend("x", 0.1)


def test_a_damaged_ledger_stops_everything(tmp_path):
    path = tmp_path / "spent.json"
    for text in (
        "{",
        "[]",
        '{"budget": 1}',
        '{"budget": 9, "spent": [{"epsilon": -5, "delta": 0}]}',
        '{"budget": 9, "spent": [{"epsilon": NaN, "delta": 0}]}',
        '{"budget": 9, "spent": [{"epsilon": 1, "delta": -1e-9}]}',
        '{"budget": 9, "budget_delta": 2, "spent": []}',
    ):
        path.write_text(text)
        with pytest.raises(UsageError, match="damaged"):
            Ledger(path, 9.0).spend("x", 0.1)


def test_a_new_ledger_needs_a_budget(tmp_path):
    with pytest.raises(UsageError, match="needs a budget"):
        Ledger(tmp_path / "spent.json").spend("x", 0.1)


def test_the_verb_spends_before_it_writes(tmp_path, capsys):
    from incognote.cli import main

    table = tmp_path / "t.csv"
    table.write_text("age,sex\n34,F\n71,M\n")
    command = ["histogram", str(table), "--by", "age", "--epsilon", "1", "--quiet"]
    ledger = ["--ledger", str(tmp_path / "spent.json"), "--budget", "1"]
    assert main([*command, *ledger, "-o", str(tmp_path / "h.csv")]) == 0
    facts = json.loads((tmp_path / "h.csv.json").read_text())
    assert (facts["epsilon"], facts["unit"]) == (1.0, "person")
    assert main([*command, *ledger, "-o", str(tmp_path / "again.csv")]) == 1
    assert not (tmp_path / "again.csv").exists()
    assert "beyond the budget" in capsys.readouterr().err


def test_the_cube_beats_cells_on_adult(shared):
    """Age, education and hours of UCI Adult in 118,400 cells, ε 0.1: the mean error of 300 random
    ranges. The prototype of the specification had 475 against 645; a run here 386 against 657. For
    ε 1 both vary so much from run to run (cells 57 to 92, cube 58 and more) that one run says
    nothing."""
    from tests.anonymize import adult

    from incognote.anonymize.counts.histogram import cells_of

    rows = [
        line.split(",")
        for line in (adult.folder(shared, "mondrian") / "adult.data").read_text().splitlines()
        if line.strip()
    ]
    true = np.zeros((74, 16, 100), np.int64)
    places = np.array([(int(r[0]) - 17, int(r[4]) - 1, min(int(r[12]), 99)) for r in rows])
    np.add.at(true, tuple(places.T), 1)
    assert true.size == 118_400
    chance = np.random.default_rng(5)
    ranges = [
        tuple(
            slice(low, high + 1) for low, high in np.sort(chance.integers(0, true.shape, (2, 3)).T)
        )
        for _ in range(300)
    ]

    def error(counts) -> float:
        return float(np.mean([abs(counts[box].sum() - true[box].sum()) for box in ranges]))

    plain, cube = cells_of(true, 0.1, None, 1)[0], cube_of(true, 0.1, None, 1)[0]
    assert error(cube) < 0.85 * error(plain)
