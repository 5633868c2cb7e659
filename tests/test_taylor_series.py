"""M, C, g, J^T W, J and tau with their rates against 50-digit Taylor series, also of ball and free joints."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import closedform as cf
from closedform.forms import MAX_ORDER, Variant, form
from closedform.forms.loads import REFERENCES
from closedform.programs import evaluate, trace
from oracles.random_trees import random_tree
from oracles.taylor import Taylor, coordinates, evaluated
from tolerances import LONG_CHAIN, worst

ORDER = 6
ROBOTS = {
    "2r": lambda: cf.load("2r"),
    "screw_lift": lambda: cf.load("screw_lift"),
    "free and ball joints": lambda: random_tree(1, bodies=3, kinds=("free", "revolute", "ball")),
}
FORMS = ("mass_matrix", "coriolis_matrix", "gravity_torque", "external_torque", "inverse_dynamics")
MORE = {"coriolis_matrix": 1, "inverse_dynamics": 2}
"""Derivatives of q that a form takes at order zero."""

each_robot = pytest.mark.parametrize("name", ROBOTS)


@cache
def motion(name, order):
    """Return a robot, the derivatives of a motion and of wrenches, and both as series."""
    robot, rng = ROBOTS[name](), np.random.default_rng(0)
    q, bodies = robot.random_state(4)[0], len(robot.model.bodies)
    rates, W = rng.normal(size=(order + 2, robot.nv)), rng.normal(size=(order + 1, bodies, 6))
    v, a, w = (
        [Taylor.of(each, order + 1) for each in zip(*given, strict=True)]
        for given in (rates, rates[1:], W.reshape(order + 1, -1))
    )
    return robot, (q, rates, W), (coordinates(robot, q, rates, order + 1), v, a, w)


def check(name, base, order=ORDER, **choices):
    """Compare a family with the series of its form at order zero, of block matrices if it has that route."""
    robot, (q, rates, W), (x, v, a, w) = motion(name, order)
    count, loaded = MORE.get(base, 0), base == "external_torque"
    program = trace(robot.model, base, Variant(**choices), closed=form(base).closed is not None)
    (series,) = evaluated(program, x, *(v, a)[:count], *([w] if loaded else []))
    family = trace(robot.model, f"{base}_rates", Variant(order=order, **choices), closed=False)
    found = evaluate(family, q, *rates[: order + count], *(W if loaded else ()))
    assert len(found) == order + 1
    for k, ours in enumerate(found):
        expected = np.array([each.derivative(k) for each in series]).reshape(ours.shape)
        assert worst(ours, expected) < LONG_CHAIN, k


@each_robot
@pytest.mark.parametrize("base", FORMS)
def test_rates_are_those_of_the_series(name, base):
    check(name, base)


@each_robot
@pytest.mark.parametrize("reference", REFERENCES)
def test_rates_of_jacobians_are_those_of_the_series(name, reference):
    check(name, "jacobian", reference=reference)


@pytest.mark.parametrize("base", ["mass_matrix", "gravity_torque", "jacobian"])
def test_the_highest_order(base):
    check("2r", base, MAX_ORDER)


def test_an_order_beyond_the_highest_is_refused_with_the_range():
    robot = cf.load("2r")
    with pytest.raises(cf.ArgumentError, match="mass_matrix_rates: order 13 is too high; expected 0 to 12"):
        robot.kernel("mass_matrix_rates", order=MAX_ORDER + 1)
    with pytest.raises(cf.ArgumentError, match="takes q and further derivatives, 1 to 13 arrays; 14 given"):
        robot.jacobian_rates(*[np.zeros(2)] * (MAX_ORDER + 2))
