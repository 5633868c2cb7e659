"""Gradients of redundant solutions by their targets, against differences of solutions."""

from __future__ import annotations

import numpy as np
import pytest

import closedform as cf
from closedform.redundancy.problem import prepared
from closedform.redundancy.target_gradient import _pulled

STEP = 1e-5


@pytest.mark.parametrize("axis", range(6))
def test_a_pose_that_moves_takes_the_solution_along(axis):
    """Turns about and shifts along the axes of space: the only changes that a pose can have."""
    arm = cf.load("iiwa14")
    start = np.array([0.3, 0.6, -0.2, -1.2, 0.4, 0.9, 0.1])
    weights = np.linspace(-1, 1, 7)
    pose = arm.pose(start)
    solution = cf.redundancy.solve(arm, pose, q0=start)
    change = np.zeros((4, 4))
    if axis < 3:
        turn = np.cross(np.eye(3)[axis], np.eye(3)).T
        change[:3, :3] = turn @ pose[:3, :3]
    else:
        change[axis - 3, 3] = 1

    def solved(along):
        moved = pose + along * change
        left, _, right = np.linalg.svd(moved[:3, :3])
        moved[:3, :3] = left @ right
        return cf.redundancy.solve(arm, moved, q0=solution.q).q @ weights

    conditions = prepared(arm, "pose", "manipulability", None, True).conditions
    gradient = _pulled(conditions, pose, solution.q, solution.held, solution.converged, weights)
    rate = (solved(STEP) - solved(-STEP)) / (2 * STEP)
    assert (gradient * change).sum() == pytest.approx(rate, rel=1e-6, abs=1e-7)
