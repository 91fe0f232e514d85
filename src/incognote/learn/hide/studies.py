"""HIDE's studies: each changes one thing of a training and keeps the rest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import combinations

from incognote.core.errors import UsageError
from incognote.detect.learned.hide.features import WORD
from incognote.learn.hide.crf import HideTraining
from incognote.learn.hide.sampling import Sampling

SHARES = (0.1, 0.3, 0.5, 0.7, 1.0)
WINDOWS = (1, 2, 4, 8, 16)
BOTH = tuple((share, window) for window in (1, 4, 16) for share in (0.1, 0.3))
HISTORIES = (0, 1, 2, 4, 6)

STUDIES = ("features", "sampling", "history")

Runs = Mapping[str, HideTraining]


def feature_runs(options: HideTraining) -> Runs:
    """Every subset of the groups without the word itself, and all with it."""
    without = [group for group in options.features.groups if group != WORD]
    subsets = [
        chosen for size in range(1, len(without) + 1) for chosen in combinations(without, size)
    ]
    runs = {
        "+".join(chosen): replace(options, features=replace(options.features, groups=chosen))
        for chosen in subsets
    }
    return {**runs, "all and the word itself": options}


def sampling_runs(options: HideTraining) -> dict[str, Runs]:
    """Random, window, and both."""

    def sampled(share: float, window: int | None) -> HideTraining:
        sampling = Sampling(share, window, options.sampling.history)
        return replace(options, sampling=sampling)

    return {
        "Random sampling: share of tokens outside PHI": {
            f"{share:.0%}": sampled(share, None) for share in SHARES
        },
        "Window sampling: tokens on each side of PHI": {
            str(window): sampled(1.0, window) for window in WINDOWS
        },
        "Both: a window and a sample of the rest": {
            f"{window}, {share:.0%}": sampled(share, window) for share, window in BOTH
        },
    }


def history_runs(options: HideTraining) -> Runs:
    """Tokens of context on either side."""
    return {
        str(size): replace(options, features=replace(options.features, history=size, ahead=size))
        for size in HISTORIES
    }


def study(which: str, options: HideTraining) -> dict[str, Runs]:
    """The runs of a study, by table."""
    if which == "features":
        return {"Groups of features": feature_runs(options)}
    if which == "sampling":
        return sampling_runs(options)
    if which == "history":
        return {"Training time against history": history_runs(options)}
    raise UsageError(f"studies are {', '.join(STUDIES)}")
