"""What identification decides by itself: which losses may be negative, whom it trusts, which rotors show."""

from __future__ import annotations

import numpy as np
import pytest

import closedform as cf
from closedform.identification.logs.transmission import Transmission
from closedform.identification.regression.design import independent
from closedform.identification.workflow.inertias import dissipating
from closedform.identification.workflow.trust import TRUSTS, best_trust

NAMES = ("ZZ1", "Ia1", "fv1", "fc1")


def factor(truth, noise, seed=0):
    """The triangular factor of rows [W tau] over their noise."""
    rng = np.random.default_rng(seed)
    W = rng.normal(size=(400, len(truth)))
    tau = W @ truth + noise * rng.normal(size=400)
    return np.linalg.qr(np.column_stack([W, tau]) / noise, mode="r")


@pytest.mark.parametrize(
    ("truth", "held"),
    [
        ((1.0, 0.5, 0.5, 0.5), [False, True, True, True]),
        ((1.0, 0.5, -5.0, 0.5), [False, True, False, True]),  # friction that falls with speed
        ((1.0, 0.5, -0.05, 0.5), [False, True, True, True]),  # a standard error or so
        ((-5.0, -5.0, 0.5, 0.5), [False, True, True, True]),  # no rotor has a negative inertia
    ],
)
def test_only_clearly_negative_friction_is_believed(truth, held):
    assert dissipating(factor(np.array(truth), 1.0), NAMES).tolist() == held


def test_trust_is_as_great_as_rows_left_out_allow():
    folds = np.random.default_rng(0).normal(size=(10, 2)) ** 2 + 1
    assert best_trust(lambda trust: folds) == TRUSTS[0]
    assert best_trust(lambda trust: folds * (1 + trust)) == TRUSTS[-1]  # every fold is better with less
    assert best_trust(lambda trust: None) == TRUSTS[0]


def test_rounded_right_angles_show_no_rotors():
    """A file that says 1.5708 leaves the same rotors open as pi / 2 does."""

    def rotors(quarter):
        rows = [(0, 0, 0, 0, 0), (0, -quarter, 0, 0, 0), (0, quarter, 0, 0, 0.4), (0, -quarter, 0, 0, 0)]
        arm = cf.Robot.from_mdh(rows)
        return independent(arm, Transmission.of(4).axes)[1]

    assert rotors(1.5708) == rotors(np.pi / 2)
