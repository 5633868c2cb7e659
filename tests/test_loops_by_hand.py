"""Mechanisms with loops against equations derived by hand, in 60 digits or by virtual work."""

from __future__ import annotations

import numpy as np
import pytest

from closedform.programs import evaluate
from oracles.mechanisms import (
    COUPLER,
    CRANK,
    CYLINDER,
    DELTA,
    DELTA_MASSES,
    GROUND,
    PISTON,
    PLATFORM,
    ROCKER,
    anchors,
    delta,
    five_bar,
    four_bar,
    gough_stewart,
)
from oracles.mechanisms_by_hand import (
    PlanarBars,
    delta_torques,
    platform_forces,
    rods_of_five_bar,
    rods_of_four_bar,
)
from tolerances import ROUNDING, worst


def rods(closed) -> list[tuple[float, float, float, float]]:
    """Return mass, centre and inertia about it of the bodies of a planar mechanism."""
    found = []
    for body in closed.model.bodies:
        m, x, y = body.phi[9], body.phi[6] / body.phi[9], body.phi[7] / body.phi[9]
        found.append((m, x, y, body.phi[5] - m * (x * x + y * y)))
    return found


def assembled_torque(closed, q, qd, qdd):
    """Return inverse dynamics without compiling it."""
    x = q if closed.model.explicit else closed.assemble(q)
    return np.array(evaluate(closed.program("inverse_dynamics"), x, qd, qdd))


@pytest.mark.parametrize("kind", ["ball", "hinge"])
def test_four_bar_obeys_lagrange(kind):
    closed = four_bar(kind)
    hand = PlanarBars(rods_of_four_bar((CRANK, COUPLER, ROCKER, GROUND), 1), rods(closed), 9.81)
    rng = np.random.default_rng(0)
    q = rng.uniform(-3, 3, size=(6, 1))
    qd, qdd = rng.normal(size=(2, 6, 1))
    expected = [hand.inverse_dynamics(*each) for each in zip(q, qd, qdd, strict=True)]
    assert worst(assembled_torque(closed, q, qd, qdd), expected) < ROUNDING


def test_five_bar_obeys_lagrange():
    closed = five_bar()
    hand = PlanarBars(rods_of_five_bar(1.0, 1.3, 1.2, 1), rods(closed), 9.81)
    rng = np.random.default_rng(1)
    q = closed.neutral() + rng.uniform(-0.5, 0.5, size=(6, 2))
    qd, qdd = rng.normal(size=(2, 6, 2))
    expected = [hand.inverse_dynamics(*each) for each in zip(q, qd, qdd, strict=True)]
    assert worst(assembled_torque(closed, q, qd, qdd), expected) < ROUNDING


def test_gough_stewart_obeys_virtual_work():
    closed = gough_stewart("platform")
    rng = np.random.default_rng(2)
    count = 5
    q = np.concatenate(
        [0.15 * rng.normal(size=(count, 3)), 0.15 * rng.normal(size=(count, 3)), np.ones((count, 1))], 1
    )
    q[:, 3:] /= np.linalg.norm(q[:, 3:], axis=1, keepdims=True)
    qd, qdd = rng.normal(size=(2, count, 6))
    poses = closed.tree.pose(closed.assemble(q), "platform")
    expected = []
    for T, V, A in zip(poses, qd, qdd, strict=True):
        R, p = T[:3, :3], T[:3, 3]
        w, v = R @ V[:3], R @ V[3:]
        dw, a = R @ A[:3], R @ A[3:] + np.cross(w, v)
        bodies = (CYLINDER, PISTON, (PLATFORM[0], np.diag(PLATFORM[1])))
        expected.append(platform_forces(*anchors(), (R, p), (w, v), (dw, a), bodies, np.array([0, 0, -9.81])))
    assert worst(assembled_torque(closed, q, qd, qdd), expected) < ROUNDING


def test_delta_obeys_virtual_work():
    closed = delta()
    rng = np.random.default_rng(4)
    q = closed.neutral() + rng.uniform(-0.3, 0.3, size=(6, 3))
    qd, qdd = rng.normal(size=(2, 6, 3))
    x = closed.assemble(q)
    v, vd = (
        evaluate(closed.program(form), *given)
        for form, given in (("joint_velocities", (x, qd)), ("joint_accelerations", (x, qd, qdd)))
    )
    states = zip(x[:, :3], v[:, :3], vd[:, :3], strict=True)  # px, py, pz: the platform
    expected = [delta_torques(DELTA, DELTA_MASSES, *each, np.array([0, 0, -9.81])) for each in states]
    assert worst(assembled_torque(closed, q, qd, qdd), expected) < ROUNDING
