"""Time derivatives against a 50-digit reference that shares only the model's numbers."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import closedform as cf
from closedform.forms import Variant
from closedform.programs import evaluate, trace
from oracles.fifty_digits import Reference, difference, motion
from oracles.random_trees import random_tree
from tolerances import ROUNDING, worst

ORDER = 4
FIFTY_DIGITS = 1e-48
"""Steps of 1e-26 truncate at 1e-52 times third derivatives."""

ROBOTS = {
    "iiwa14": lambda: cf.load("iiwa14"),
    "tree of 8": lambda: random_tree(8, bodies=8, kinds=("revolute", "prismatic", "helical")),
}
EACH_ROBOT = pytest.mark.parametrize("name", ROBOTS)


@cache
def case(name):
    """Return a robot, the derivatives of a polynomial motion at t = 0 and the reference along it."""
    robot = ROBOTS[name]()
    state = robot.random_state(5, order=ORDER + 2)
    reference, q = Reference(robot.model), motion(state)
    functions = {
        "inverse_dynamics": lambda t: reference.inverse_dynamics(q(t), q(t, 1), q(t, 2)),
        "mass_matrix": lambda t: reference.mass_matrix(q(t)),
        "coriolis_matrix": lambda t: reference.coriolis_matrix(q(t), q(t, 1)),
        "gravity_torque": lambda t: reference.gravity_torque(q(t)),
        "mueller-kumar": lambda t: reference.momentum_coriolis_matrix(q(t), q(t, 1), skew=True),
        "mueller-kumar-22": lambda t: reference.momentum_coriolis_matrix(q(t), q(t, 1)),
    }
    sampled = {form: cache(function) for form, function in functions.items()}

    def rate(form, order):
        """Return a time derivative of a form of the reference at t = 0."""
        return difference(sampled[form], order)

    return robot, state, rate


@EACH_ROBOT
def test_the_reference_obeys_the_derivatives_of_the_equations_of_motion(name):
    """(M qdd + C qd + g)^(k) by Leibniz' rule from its parts, to fifty digits."""
    _, (_, v, a, j, s, *_), rate = case(name)
    M, C, g, tau = (
        [rate(form, order) for order in range(3)]
        for form in ("mass_matrix", "coriolis_matrix", "gravity_torque", "inverse_dynamics")
    )
    expected = (
        M[0] @ a + C[0] @ v + g[0],
        M[0] @ j + (M[1] + C[0]) @ a + C[1] @ v + g[1],
        M[0] @ s + (2 * M[1] + C[0]) @ j + (M[2] + 2 * C[1]) @ a + C[2] @ v + g[2],
    )
    for order in range(3):
        assert np.abs(tau[order] - expected[order]).max() < FIFTY_DIGITS * np.abs(tau[order]).max()


@EACH_ROBOT
def test_inverse_dynamics_rates_agree_with_fifty_digits(name):
    robot, state, rate = case(name)
    for order, ours in enumerate(robot.inverse_dynamics_rates(*state)):
        assert worst(ours, rate("inverse_dynamics", order).astype(float)) < ROUNDING, order


@EACH_ROBOT
@pytest.mark.parametrize("form", ["mass_matrix", "coriolis_matrix", "gravity_torque"])
def test_matrices_and_their_rates_agree_with_fifty_digits(name, form):
    robot, state, rate = case(name)
    for order, suffix in enumerate(("", "_dot", "_ddot")):
        kernel = robot.kernel(form + suffix)
        ours = kernel(*state[: len(kernel.input_names)])
        assert worst(ours, rate(form, order).astype(float)) < ROUNDING, suffix
    program = trace(robot.model, f"{form}_rates", Variant(order=ORDER))
    for order, ours in enumerate(evaluate(program, *state[: len(program.inputs)])):
        assert worst(ours, rate(form, order).astype(float)) < ROUNDING, order


@pytest.mark.parametrize(
    ("name", "factorisation"),
    [("iiwa14", "mueller-kumar"), ("iiwa14", "mueller-kumar-22"), ("tree of 8", "mueller-kumar")],
)
def test_factorisations_and_their_rates_agree_with_fifty_digits(name, factorisation):
    robot, state, rate = case(name)
    program = trace(robot.model, "coriolis_matrix_rates", Variant(order=ORDER, factorisation=factorisation))
    for order, ours in enumerate(evaluate(program, *state[: len(program.inputs)])):
        assert worst(ours, rate(factorisation, order).astype(float)) < ROUNDING, order


def test_all_factorisations_have_one_force():
    """C qd to fifty digits, though the matrices differ."""
    _, (_, v, *_), rate = case("iiwa14")
    forces = [rate(each, 0) @ v for each in ("coriolis_matrix", "mueller-kumar", "mueller-kumar-22")]
    for force in forces[1:]:
        assert np.abs(force - forces[0]).max() < FIFTY_DIGITS * np.abs(forces[0]).max()
