"""Task-space inertia, its inverse, the dynamically consistent inverse and the null-space projector."""

from __future__ import annotations

import numpy as np
import pytest

import closedform as cf
from closedform.forms import Variant
from closedform.forms.loads import REFERENCES
from closedform.forms.reference import BODY
from closedform.programs import evaluate, trace
from conftest import make
from tolerances import ROUNDING, SOLVE, worst

CASES = (
    ("panda", "body", None),
    ("kinova", "world_aligned", None),
    ("iiwa14", "world_aligned", "position"),
    ("scara", "world_aligned", ("x", "y", "z", "rz")),
    ("chang3r", "world_aligned", "xy"),
    ("quadruped", "world", None),
    ("tree1", "world_aligned", None),
)
ROWS = ("rx", "ry", "rz", "x", "y", "z")


class Case:
    """A robot at some postures, with what is to be had from M and J alone."""

    def __init__(self, name, reference, rows):
        self.robot = make(name)
        self.q = self.robot.random_state(0, batch=4)[0]
        self.variant = Variant(reference=reference, rows=rows)
        self.M = self.value("mass_matrix", Variant())
        numbers = [ROWS.index(row) for row in self.variant.rows or ROWS]
        self.J = self.value("jacobian", Variant(reference=reference))[:, numbers]

    def value(self, name, variant=None):
        return evaluate(trace(self.robot.model, name, variant or self.variant), self.q)


@pytest.fixture(scope="module", params=CASES, ids=lambda case: case[0])
def case(request):
    return Case(*request.param)


def test_task_inertia_is_the_inverse_of_j_minv_jt(case):
    J, M = case.J, case.M
    mobility = J @ np.linalg.solve(M, J.swapaxes(-1, -2))
    inverse, inertia = case.value("task_inertia_inverse"), case.value("task_inertia")
    assert worst(inverse, mobility) < SOLVE
    assert worst(inertia @ inverse, np.broadcast_to(np.eye(J.shape[1]), inertia.shape)) < SOLVE
    for each in (inverse, inertia):
        assert np.array_equal(each, each.swapaxes(-1, -2))


def test_the_inertia_is_what_the_frame_shows_to_a_force(case):
    """A torque J^T F gives the accelerations J qdd = Lambda^-1 F of a robot at rest without gravity."""
    F = np.random.default_rng(0).normal(size=(4, case.J.shape[1], 1))
    qdd = np.linalg.solve(case.M, case.J.swapaxes(-1, -2) @ F)
    assert worst(case.value("task_inertia") @ (case.J @ qdd), F) < SOLVE


def test_the_consistent_inverse_and_projector(case):
    J, M = case.J, case.M
    Jbar, N = case.value("dynamically_consistent_inverse"), case.value("nullspace_projector")
    one = np.broadcast_to(np.eye(J.shape[1]), (4, J.shape[1], J.shape[1]))
    assert worst(J @ Jbar, one) < SOLVE
    assert worst(J @ N, np.zeros_like(J), np.abs(J).max()) < SOLVE
    assert worst(N @ N, N, 1.0) < SOLVE
    pushed = J @ np.linalg.solve(M, N.swapaxes(-1, -2))
    assert worst(pushed, np.zeros_like(J), np.abs(np.linalg.inv(M)).max()) < SOLVE
    energy = M @ N  # symmetric: both parts of a motion are orthogonal in kinetic energy
    assert worst(energy, energy.swapaxes(-1, -2), np.abs(M).max()) < SOLVE


def test_a_two_link_arm_by_hand():
    """With the elbow at a right angle, a force across the last link moves the mass at its end alone."""
    robot = cf.load("2r")
    with pytest.raises(cf.ClosedFormError, match=r"rank 2 in every posture.*rows=\('x', 'y'\)"):
        robot.task_inertia(np.zeros(2))
    upright = robot.task_inertia([0.3, np.pi / 2], "tool", rows="xy")
    m2 = robot.phi[19]
    assert worst(upright[1, 1], m2) < ROUNDING
    assert robot.task_inertia_inverse(np.zeros(2)).shape == (6, 6)


@pytest.mark.parametrize("reference", [each for each in REFERENCES if each != BODY])
def test_the_references_show_one_energy(reference):
    """V^T Lambda V / 2 does not depend on the axes for the same motion."""
    robot = cf.load("panda")
    q, qd, _ = robot.random_state(1)
    V = robot.jacobian(q, reference=reference) @ qd
    energy = V @ robot.task_inertia(q, reference=reference) @ V
    body = robot.jacobian(q) @ qd
    assert worst(energy, body @ robot.task_inertia(q) @ body) < SOLVE


def test_a_singular_posture_spoils_only_its_own_sample():
    robot = cf.load("chang3r")
    stretched, bent = np.zeros(3), np.array([0.3, 0.7, -0.4])
    with np.errstate(all="ignore"):
        both = robot.task_inertia([stretched, bent], "tool", rows="xy")
    assert not np.isfinite(both[0]).all() or np.abs(both[0]).max() > 1e12
    assert worst(both[1], robot.task_inertia(bent, "tool", rows="xy")) < ROUNDING


def test_robots_of_sliding_joints_alone_have_constant_jacobians():
    portal = cf.Robot.from_screws(
        [np.eye(4)] * 3,
        [np.eye(6)[k] for k in (3, 4, 5)],
        inertials=[cf.Inertial.of(m) for m in (1.0, 2.0, 3.0)],
    )
    assert worst(portal.task_inertia(np.zeros(3), rows="position"), np.diag([6.0, 5.0, 3.0])) < ROUNDING
    with pytest.raises(cf.ClosedFormError, match=r"rank 3 .* rows=\('x', 'y', 'z'\)"):
        portal.nullspace_projector(np.zeros(3))


def test_a_massless_robot_says_what_it_lacks():
    with pytest.raises(cf.ClosedFormError, match="no inertias"):
        cf.Robot.from_mdh([(0, 0, 0, 0, 0), (0, 0, 1.0, 0, 0)]).task_inertia(np.zeros(2))


WRONG = {
    "row 'up'": "up",
    "none of them twice": ("x", "x"),
    "several rows": ["position", "rx"],
    "expected rows out of": 3,
    "expected rows, ": (),
}


@pytest.mark.parametrize("message", WRONG)
def test_wrong_rows_say_what_is_wrong(message):
    with pytest.raises(cf.ClosedFormError, match=message):
        cf.load("panda").task_inertia(np.zeros(7), rows=WRONG[message])
