"""Wrenches in the dynamics, M^-1 and task-space inertia against Pinocchio, on 20 models."""

from __future__ import annotations

import numpy as np
import pytest

import closedform as cf
from closedform.forms import Variant, form
from closedform.forms.loads import REFERENCES
from closedform.programs import evaluate, trace
from example_robots import FLOATING, SMALL
from oracles.pinocchio_peer import Peer, robot_data
from tolerances import ROUNDING, SOLVE, worst

STATES = 3


class Case:
    """A robot, its peer, states and wrenches at two frames."""

    def __init__(self, path):
        floating = path in FLOATING
        self.number = SMALL.index(path)
        self.robot = cf.load(robot_data() / path, floating_base=floating)
        self.peer = Peer(robot_data() / path, self.robot, floating)
        rng = np.random.default_rng(1)
        self.q, self.qd, self.qdd = self.robot.random_state(rng, batch=STATES)
        bodies = self.robot.body_names
        self.frames = (bodies[-1], bodies[len(bodies) // 2 - 1])
        self.wrenches = 10 * rng.normal(size=(STATES, 2, 6))

    def value(self, name, **choices):
        known = {"q": self.q, "qd": self.qd, "qdd": self.qdd, "tau": 10 * self.qdd, "wrenches": self.wrenches}
        inputs = form(name, **choices).inputs
        return evaluate(trace(self.robot.model, name, Variant(**choices)), *(known[each] for each in inputs))

    def theirs(self, function, *arrays, reference):
        pushes = (
            self.peer.pushes(q, dict(zip(self.frames, wrenches, strict=True)), reference)
            for q, wrenches in zip(self.q, self.wrenches, strict=True)
        )
        return [function(*state) for state in zip(self.q, *arrays, pushes, strict=True)]


@pytest.fixture(scope="module", params=SMALL)
def case(request):
    return Case(request.param)


def test_enough_models_are_compared():
    assert len(SMALL) >= 20


def test_inverse_dynamics_with_wrenches(case):
    """The axes take turns over the models, so that each is compared on seven of them."""
    reference = REFERENCES[case.number % len(REFERENCES)]
    ours = case.value("inverse_dynamics", wrenches=case.frames, reference=reference)
    theirs = case.theirs(case.peer.inverse_dynamics, case.qd, case.qdd, reference=reference)
    assert worst(ours, theirs) < ROUNDING


def test_forward_dynamics_with_wrenches(case):
    ours = case.value("forward_dynamics", wrenches=case.frames, reference="world")
    theirs = case.theirs(case.peer.forward_dynamics, case.qd, 10 * case.qdd, reference="world")
    assert worst(ours, theirs) < ROUNDING


def test_inverse_dynamics_derivatives_with_wrenches_of_bodies(case):
    """Pinocchio's wrenches are constant in the axes of their joints, as ours of bodies are."""
    ours = case.value("inverse_dynamics_derivatives", wrenches=case.frames)
    theirs = case.theirs(case.peer.inverse_dynamics_derivatives, case.qd, case.qdd, reference="body")
    for mine, other in zip(ours, zip(*theirs, strict=True), strict=True):
        assert worst(mine, other) < ROUNDING


def test_mass_matrix_inverse(case):
    """To 1e-12 it solves Pinocchio's M; its own M^-1 loses digits where links are light."""
    ours = case.value("mass_matrix_inverse")
    assert np.array_equal(ours, ours.swapaxes(-1, -2))
    for q, inverse in zip(case.q, ours, strict=True):
        assert worst(case.peer.mass_matrix(q) @ inverse, np.eye(case.robot.nv)) < ROUNDING
        assert worst(inverse, case.peer.mass_matrix_inverse(q)) < SOLVE


def test_task_inertia_inverse(case):
    frame = case.frames[0]
    ours = case.value("task_inertia_inverse", frame=frame)
    for q, mine in zip(case.q, ours, strict=True):
        J, M = case.peer.jacobian(q, frame), case.peer.mass_matrix(q)
        assert worst(mine, J @ np.linalg.solve(M, J.T)) < SOLVE
