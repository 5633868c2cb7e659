"""The robustness condition of decoupling: it is of the plant's own loop, and it suffices."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest

import closedform as cf
from closedform.elastic import (
    Decoupling,
    Feedforward,
    Spread,
    closed_loop,
    robustness_condition,
    state_on,
)
from closedform.trajectory import polynomial
from oracles.elastic_robots import two_links

POLES = [-30, -35, -40, -45]
MOVE = polynomial([0.3, -0.4], [1.1, 0.5], 1.0, degree=7)


def test_the_linearised_loop_is_that_of_the_plant():
    """At rest without weight, every plant rests where the model does: the poles are those of its loop."""
    robot = two_links()
    robot = robot.changed(robot=robot.robot.with_gravity((0, 0, 0)))
    still = polynomial([0.4, -0.8], [0.4, -0.8], 1.0, degree=7)
    plants = Spread(0.2, 0.1, 0.1, 0.5, (0.75, 0, 0)).draw(robot, 4, np.random.default_rng(5))
    for sensors in (False, True):
        law = Decoupling(robot, POLES, torque_sensors=sensors)
        found = robustness_condition(law, still, plants, instants=2).growth[:, 0]
        for row, growth in zip(plants, found, strict=True):
            K, B, phi = np.split(row, [2, 4])
            plant = robot.changed(robot=robot.robot.with_phi(phi), stiffness=K, motor_inertia=B)
            loop = closed_loop(law, plant)
            given = [loop.state, loop.inputs, loop.parameters]
            A = ca.Function("A", given, [ca.jacobian(loop.expression, loop.state)])
            reference = law.reference(still, 0.0).ravel()
            poles = np.linalg.eigvals(np.array(A(state_on(robot, still), reference, law.gains.ravel())))
            assert abs(growth - poles.real.max()) < 1e-5 * np.abs(poles).max()


def test_where_the_condition_holds_the_loop_is_stable():
    """The condition suffices, also where the loop is far from it; it is zero for the exact model."""
    robot = two_links()
    rng, seen = np.random.default_rng(6), []
    for size in (0.0, 0.03, 0.4):
        plants = Spread(size, size, size / 4, size).draw(robot, 40, rng)
        for law in (Decoupling(robot, [-80] * 4), Decoupling(robot, [-5] * 4)):
            found = robustness_condition(law, MOVE, plants, instants=5)
            assert not (found.holds & ~found.stable).any()
            seen.append((found.holds.mean(), found.stable.mean(), found.margins.max()))
    assert seen[0][0] == seen[1][0] == 1
    assert seen[0][2] < 1e-6
    assert any(0 < holds < 1 for holds, _, _ in seen)
    assert any(stable < 1 for _, stable, _ in seen)


def test_gains_of_the_chain_are_those_of_its_transfer_functions():
    """With four equal poles at -w the error of a follows eta_3 by s^2 / (s + w)^4: at most 1 / (4 w^2)."""
    law = Decoupling(two_links(), [-50] * 4)
    gains = robustness_condition(law, MOVE, Spread().draw(law.robot, 1, np.random.default_rng(0))).gains
    for each in gains:
        assert abs(each[2, 2] * 4 * 50**2 - 1) < 1e-3
        assert abs(each[0, 2] * 50**4 - 1) < 1e-3


def test_conditions_that_cannot_be_evaluated_are_refused():
    robot = two_links()
    law, plants = Decoupling(robot, [-50] * 4), Spread().draw(robot, 2, np.random.default_rng(0))
    with pytest.raises(cf.ArgumentError, match=r"control is .*; expected a Decoupling"):
        robustness_condition(Feedforward(robot, [-1, -1]), MOVE, plants)
    with pytest.raises(cf.ArgumentError, match=r"parameters has shape \(2, 3\); expected \(runs, 24\)"):
        robustness_condition(law, MOVE, plants[:, :3])
    with pytest.raises(cf.ArgumentError, match="stiffness or motor inertia of -"):
        robustness_condition(law, MOVE, -plants)
    with pytest.raises(cf.ArgumentError, match="instants is 1"):
        robustness_condition(law, MOVE, plants, instants=1)
    damped = two_links(damping=1e-3)
    with pytest.raises(cf.ClosedFormError, match="is damped"):
        robustness_condition(Decoupling(damped, [-50] * 3), MOVE, plants)
