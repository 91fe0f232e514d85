"""Noise from OpenDP, and what it costs. No generator of our own: sampling that is safe against
floating-point attacks is other people's work."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from incognote.core.errors import MissingExtra, UsageError

_SLACK = 1e-9
LEAST_EPSILON = 1e-9  # below, the noise does not fit into the counts


def opendp() -> Any:
    try:
        import opendp.prelude as dp
    except ModuleNotFoundError:
        raise MissingExtra("differential privacy", "dp") from None
    dp.enable_features("contrib")
    return dp


def laplace(scale: float) -> Any:
    """The discrete Laplace mechanism over a vector of counts. Its map takes the number of counts
    that one person may change to ε."""
    dp = opendp()
    space = dp.vector_domain(dp.atom_domain(T="i64")), dp.l1_distance(T="i64")
    return space >> dp.m.then_laplace(scale=scale)


def gaussian(scale: float) -> Any:
    """The discrete Gaussian mechanism; its map gives ρ of zero-concentrated privacy."""
    dp = opendp()
    space = dp.vector_domain(dp.atom_domain(T="i64")), dp.l2_distance(T="f64")
    return space >> dp.m.then_gaussian(scale=scale)


def epsilon_of(mechanism: Any, contributions: int, delta: float | None) -> float:
    """What a mechanism costs, where one person has so many rows."""
    dp = opendp()
    if delta is None:
        return float(mechanism.map(contributions))
    # All rows of a person may be in one cell: then the Euclidean distance is their number, too.
    profile = dp.c.make_zCDP_to_approxDP(mechanism).map(float(contributions))
    return float(profile.epsilon(delta))


def fitted(epsilon: float, contributions: int, delta: float | None) -> tuple[Any, float]:
    """The mechanism with the least noise that costs at most ε, and its scale."""
    if not LEAST_EPSILON <= epsilon < math.inf:
        raise UsageError(f"epsilon must be a number, and at least {LEAST_EPSILON:g}")
    if contributions < 1:
        raise UsageError("a person contributes at least one row")
    if delta is None:
        scale = contributions / epsilon
        return laplace(scale), scale
    if not 0 < delta < 1:
        raise UsageError("delta must lie between 0 and 1")
    scale = _smallest(lambda s: epsilon_of(gaussian(s), contributions, delta) <= epsilon)
    return gaussian(scale), scale


def _smallest(holds: Callable[[float], bool]) -> float:
    high = 1.0
    while not holds(high):
        high *= 2
    low = 0.0
    while high - low > _SLACK * high:
        middle = (low + high) / 2
        low, high = (low, middle) if middle > 0 and holds(middle) else (middle, high)
        if high - low < 1e-6 * high:
            break
    return high


def variance(scale: float, delta: float | None) -> float:
    """The variance of one noisy count. For the discrete Laplace with a = exp(-1/scale) it is
    2a / (1 - a)^2."""
    if delta is not None:
        return scale**2
    a = math.exp(-1 / scale)
    return 2 * a / (1 - a) ** 2
