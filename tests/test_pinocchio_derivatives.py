"""Derivatives by state, time and parameters against Pinocchio's own, on models of example-robot-data."""

from __future__ import annotations

import numpy as np
import pytest

import closedform as cf
from closedform.forms import Variant, form
from closedform.programs import evaluate, trace
from oracles.fifty_digits import STEP, Reference, exact, mp
from oracles.pinocchio_peer import Peer, robot_data
from tolerances import ROUNDING, SOLVE, worst

STATES = 20
FIXED_BASE = {
    "ur_description/urdf/ur5_robot.urdf",
    "panda_description/urdf/panda.urdf",
    "kinova_description/robots/kinova.urdf",
    "allegro_hand_description/urdf/allegro_right_hand.urdf",
    "double_pendulum_description/urdf/double_pendulum_continuous.urdf",
    "tiago_description/robots/tiago_no_hand.urdf",
}
FLOATING_BASE = {
    "solo_description/robots/solo12.urdf",
    "hyq_description/robots/hyq_no_sensors.urdf",
    "anymal_b_simple_description/robots/anymal-kinova.urdf",
    "iris_description/robots/iris.urdf",
    "hextilt_description/urdf/hextilt_flying_arm_5.urdf",
}
PATHS = sorted(FIXED_BASE | FLOATING_BASE)
LARGE = 6
"""Dofs beyond which forms of one output are not traced beside those of several, to keep the tests quick."""

FORMS = {
    "inverse_dynamics_derivatives": None,
    "inverse_dynamics_rates": 1,
    "mass_matrix_dot": None,
    "gravity_torque_dot": None,
    "gravity_torque_dq": None,
    "regressor": None,
    "gravity_torque_dphi": None,
    "kinetic_energy_regressor": None,
    "potential_energy_regressor": None,
}
"""Forms that Pinocchio gives directly or through the chain rule, with their orders."""
SMALL = ("mass_matrix_dq", "inverse_dynamics_dq", "inverse_dynamics_dqd")
SOLVED = ("forward_dynamics_dq", "forward_dynamics_dqd", "forward_dynamics_dtau")


def case(path):
    """Return a robot, its peer and states by the names of inputs."""
    floating = path in FLOATING_BASE
    robot = cf.load(robot_data() / path, floating_base=floating)
    states = dict(zip(("q", "qd", "qdd", "qddd"), robot.random_state(0, batch=STATES, order=3), strict=True))
    return robot, Peer(robot_data() / path, robot, floating), {**states, "tau": 10 * states["qdd"]}


def both(robot, peer, states, name, order=None):
    """Return the outputs of a form on both sides, each as a tuple of arrays."""
    arrays = [states[each] for each in form(name, order).inputs]
    ours = evaluate(trace(robot.model, name, Variant(order=order), closed=False), *arrays)
    theirs = [getattr(peer, name)(*state) for state in zip(*arrays, strict=True)]
    if not isinstance(ours, tuple):
        return (ours,), (np.array(theirs),)
    return ours, tuple(np.array(each) for each in zip(*theirs, strict=True))


@pytest.mark.parametrize("path", PATHS)
def test_derivatives_agree_with_pinocchio(path):
    robot, peer, states = case(path)
    names = FORMS if robot.nv > LARGE else {**FORMS, **dict.fromkeys(SMALL)}
    for name, order in names.items():
        # M' and dM/dq are differences of entries of M; on a multirotor hardly anything is left.
        scale = np.abs(peer.mass_matrix(states["q"][0])).max() if name.startswith("mass_matrix") else 0.0
        for ours, theirs in zip(*both(robot, peer, states, name, order), strict=True):
            assert worst(ours, theirs, scale) < ROUNDING, name


@pytest.mark.parametrize("path", PATHS)
def test_forward_dynamics_derivatives_agree_with_pinocchio(path):
    """Agree to 1e-9 with `computeABADerivatives`, whose M^-1 is 4e-11 off where links are light.

    To 1e-12 they solve Pinocchio's own linear equations, M d qdd = -d tau: dFD needs no inverse then.
    """
    robot, peer, states = case(path)
    ours, theirs = both(robot, peer, states, "forward_dynamics_derivatives")
    for mine, other in zip(ours, theirs, strict=True):
        assert worst(mine, other) < SOLVE
    M = np.array([peer.mass_matrix(q) for q in states["q"]])
    motions = zip(*(states[each] for each in ("q", "qd", "tau")), strict=True)
    forces = zip(*(peer.forward_forces(*state) for state in motions), strict=True)
    for mine, force in zip(ours, forces, strict=True):
        assert worst(M @ mine, np.array(force)) < ROUNDING
    if robot.nv <= LARGE:
        for name, whole in zip(SOLVED, ours, strict=True):
            (alone,), _ = both(robot, peer, states, name)
            assert worst(alone, whole) < ROUNDING, name


def test_forward_dynamics_derivatives_of_light_links_keep_their_digits():
    """On Tiago, whose M has condition 5e6, 50-digit numbers decide: 1e-12, Pinocchio 1e-11."""
    robot = cf.load(robot_data() / "tiago_description/robots/tiago_no_hand.urdf")
    q, qd, qdd = robot.random_state(0)
    names = ("q", "qd", "tau")
    ours = evaluate(trace(robot.model, "forward_dynamics_derivatives"), q, qd, 10 * qdd)
    reference, n = Reference(robot.model), robot.nv
    state = dict(zip(names, map(exact, (q, qd, 10 * qdd)), strict=True))
    M = mp.matrix(reference.mass_matrix(state["q"]).tolist())
    bias = reference.inverse_dynamics(state["q"], state["qd"], [mp.zero] * n)
    a = list(mp.lu_solve(M, mp.matrix([t - b for t, b in zip(state["tau"], bias, strict=True)])))
    inverse = M**-1

    def force(which, i, step):
        moved = {**state, which: [x + step * (j == i) for j, x in enumerate(state[which])]}
        return reference.inverse_dynamics(moved["q"], moved["qd"], a)

    for mine, which in zip(ours, names, strict=True):
        if which == "tau":
            expected = inverse
        else:
            columns = [(force(which, i, STEP) - force(which, i, -STEP)) / (2 * STEP) for i in range(n)]
            expected = -inverse * mp.matrix(np.array(columns).T.tolist())
        assert worst(mine, np.array(expected.tolist()).astype(float)) < ROUNDING, which
