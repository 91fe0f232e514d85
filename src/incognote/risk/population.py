"""How many of the persons who are unique in a sample are unique in the population.

Pitman's model (Hoshino 2001) for sampling fractions to 0.1, Zayatz' (1991) above, as Dankar and
others (2012) recommend.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from incognote.anonymize.table import Ints
from incognote.core.errors import UsageError

_SMALL = 0.1  # Pitman up to this sampling fraction


def population_uniqueness(sizes: Ints, fraction: float) -> float:
    """The estimated share of the population that is unique in it; `sizes` are those of the classes
    of the sample, which is this fraction of the population."""
    if not 0 < fraction <= 1:
        raise UsageError("a sampling fraction lies above 0 and at most at 1")
    sample = int(sizes.sum())
    if sample == 0 or not (sizes == 1).any():
        return 0.0
    if fraction == 1:
        return float((sizes == 1).sum() / sample)
    found = pitman(sizes, fraction) if fraction <= _SMALL else None
    return zayatz(sizes, fraction) if found is None else found


def zayatz(sizes: Ints, fraction: float) -> float:
    sample = int(sizes.sum())
    population = round(sample / fraction)
    size, count = np.unique(sizes, return_counts=True)
    classes = len(sizes)
    # The chance that a class of this size in the population shows up once in the sample.
    once = np.array([_hypergeometric_one(population, int(each), sample) for each in size])
    ones = float(count[size == 1].sum()) if (size == 1).any() else 0.0
    unique_given_one = (
        (ones / classes) * (sample / population) / float((count / classes * once).sum())
    )
    return min(1.0, ones * unique_given_one / sample)  # rounding may pass one


def _hypergeometric_one(population: int, size: int, sample: int) -> float:
    """P(exactly one of `size` marked ones is among `sample` of `population`)."""
    if sample - 1 > population - size:
        return 0.0
    logs = (
        math.log(size)
        + _log_choose(population - size, sample - 1)
        - _log_choose(population, sample)
    )
    return math.exp(logs)


def _log_choose(n: int, k: int) -> float:
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)


def pitman(sizes: Ints, fraction: float) -> float | None:
    """None where the model does not fit: there is no maximum of its likelihood."""
    size, count = np.unique(sizes, return_counts=True)
    if len(size) < 2 or not (size == 1).any():
        return None
    sample, classes = int(sizes.sum()), len(sizes)
    larger, of_larger = size[size > 1].astype(float), count[size > 1].astype(float)

    def theta(alpha: float) -> float:
        """The best θ for an α: what classes and rows demand of it are balanced."""

        def balance(log_shift: float) -> float:
            at = math.exp(log_shift) - alpha
            steps = (_digamma(at / alpha + classes) - _digamma(at / alpha + 1)) / alpha
            return steps - (_digamma(at + sample) - _digamma(at + 1))

        return math.exp(_root(balance, -20.0, 30.0)) - alpha

    def slope(alpha: float) -> float:
        """The derivative of the likelihood in α, at the best θ."""
        at = theta(alpha)
        steps = (_digamma(at / alpha + classes) - _digamma(at / alpha + 1)) / alpha
        grow = ((classes - 1) - at * steps) / alpha
        shared = np.array([_digamma(each - alpha) for each in larger]) - _digamma(1 - alpha)
        return grow - float((of_larger * shared).sum())

    low, high = 1e-6, 1 - 1e-6
    if slope(low) <= 0 or slope(high) >= 0:
        return None
    alpha = _root(slope, low, high)
    at = theta(alpha)
    population = sample / fraction
    logs = math.lgamma(at + 1) - math.lgamma(at + alpha) + (alpha - 1) * math.log(population)
    return min(1.0, math.exp(logs))


def _root(function: Callable[[float], float], low: float, high: float) -> float:
    """Where a function that falls from positive to negative crosses zero."""
    for _ in range(200):
        middle = (low + high) / 2
        if function(middle) > 0:
            low = middle
        else:
            high = middle
        if high - low < 1e-13 * max(1.0, abs(high)):
            break
    return (low + high) / 2


def _digamma(x: float) -> float:
    """The derivative of log Γ: upwards by recurrence, then the asymptotic series."""
    found = 0.0
    while x < 10:
        found -= 1 / x
        x += 1
    square = 1 / (x * x)
    return (
        found
        + math.log(x)
        - 1 / (2 * x)
        - square * (1 / 12 - square * (1 / 120 - square * (1 / 252 - square * (1 / 240))))
    )
