"""Operating points keep what they promise on the notes they were found on."""

from __future__ import annotations

import numpy as np
import pytest

from incognote.detect.learned.tagging import Scores
from incognote.detect.learned.units import split
from incognote.learn.calibrate import SENSITIVITIES, calibrate
from incognote.learn.network.windows import unit_targets

LABELS = ("DATE", "DOCTOR", "MEDICALRECORD", "PATIENT")


@pytest.fixture(scope="module")
def points(notes):
    """A model that is right, but with all kinds of certainty."""
    rng = np.random.default_rng(1)
    index = {label: i for i, label in enumerate(LABELS, 1)}
    scored = []
    for note in notes:
        units = split(note.text)
        targets, _ = unit_targets(note, units, index)
        labels = np.zeros((len(units), 5), np.float32)
        for i, target in enumerate(targets):
            sure = rng.uniform(0.05, 1) if target else rng.uniform(0, 0.2)
            labels[i, target or 1 + rng.integers(4)] = sure
            labels[i, 0] = 1 - sure
        scored.append(Scores(units, labels, np.zeros(len(units), np.float32)))
    return calibrate(notes, scored, LABELS)


def test_wanted_sensitivity_is_reached(points):
    assert tuple(p.sensitivity for p in points) == SENSITIVITIES
    for point in points:
        # By label the thresholds may stray; together they come close to what is asked.
        assert point.recall >= point.sensitivity - 0.01


def test_sensitivity_costs_false_alarms(points):
    alarms = [p.false_alarms for p in points]
    assert alarms == sorted(alarms)
    assert alarms[-1] > 0
    assert all(0 < t <= 0.8 for p in points for t in p.thresholds.values())
