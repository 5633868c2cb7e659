"""M, C, g, J^T W and J with their time derivatives of any order, for joints of every kind."""

from __future__ import annotations

from functools import cache
from itertools import pairwise

import casadi as ca
import numpy as np
import pytest

import closedform as cf
from closedform.forms import Variant, form
from closedform.forms.tree import Tree
from closedform.programs import evaluate, trace
from oracles.casadi_rates import coordinate_rates
from oracles.random_trees import random_tree
from tolerances import ROUNDING, worst

ORDER = 4
ROBOTS = {
    "2r": lambda: cf.load("2r"),
    "free and ball joints, and a mimic": lambda: random_tree(
        3, bodies=4, kinds=("free", "revolute", "ball", "helical")
    ),
    "planar and prismatic joints": lambda: random_tree(
        1, bodies=3, kinds=("planar", "prismatic", "cylindrical")
    ),
}
FAMILIES = {
    "mass_matrix": "mass_matrix_rates",
    "coriolis_matrix": "coriolis_matrix_rates",
    "gravity_torque": "gravity_torque_rates",
    "external_torque": "external_torque_rates",
    "jacobian": "jacobian_rates",
    "inverse_dynamics": "inverse_dynamics_rates",
}


class Motion:
    """Symbols of a motion and of wrenches with their derivatives, and values for them."""

    def __init__(self, robot: cf.Robot) -> None:
        self.robot, rng = robot, np.random.default_rng(2)
        bodies = len(robot.model.bodies)
        self.q = ca.SX.sym("q", robot.nq)
        self.rates = [ca.SX.sym(f"v{k}", robot.nv) for k in range(ORDER + 3)]
        self.wrenches = [ca.SX.sym(f"w{k}", bodies, 6) for k in range(ORDER + 2)]
        self.values = {
            "q": robot.random_state(4)[0],
            "rates": rng.normal(size=(len(self.rates), robot.nv)),
            "wrenches": rng.normal(size=(len(self.wrenches), bodies, 6)),
        }

    def rate(self, expression: ca.SX) -> ca.SX:
        """Return the time derivative of an expression, by CasADi's own differentiation."""
        flat = ca.vec(expression)
        dot = ca.jtimes(flat, self.q, coordinate_rates(self.robot, self.q, self.rates[0]))
        for series in (self.rates, self.wrenches):
            for now, then in pairwise(series):
                dot = dot + ca.jtimes(flat, now, then)
        return ca.reshape(dot, expression.shape)

    def value(self, expression: ca.SX) -> np.ndarray:
        """Return the value of an expression."""
        function = ca.Function("f", [self.q, *self.rates, *self.wrenches], [ca.densify(expression)])
        return np.array(function(self.values["q"], *self.values["rates"], *self.values["wrenches"]))


@cache
def motion(name: str) -> Motion:
    return Motion(ROBOTS[name]())


def split(family: str, order: int) -> tuple[int, int]:
    """Return how many rates of q and how many wrenches a member of a family takes."""
    count = order + {"coriolis_matrix_rates": 1, "inverse_dynamics_rates": 2}.get(family, 0)
    return count, (order + 1 if family == "external_torque_rates" else 0)


@pytest.mark.parametrize("name", ROBOTS)
@pytest.mark.parametrize("base", FAMILIES)
def test_derivatives_are_those_of_casadi(name, base):
    at, family = motion(name), FAMILIES[base]
    count, wrenches = split(family, 0)
    extra = (None,) if form(base).framed else ()
    tree = Tree.of(at.robot.model)
    expected = form(base).build(tree, at.q, *at.rates[:count], *at.wrenches[:wrenches], *extra)
    count, wrenches = split(family, ORDER)
    program = trace(at.robot.model, family, Variant(order=ORDER), closed=False)
    ours = evaluate(program, at.values["q"], *at.values["rates"][:count], *at.values["wrenches"][:wrenches])
    for order, given in enumerate(ours):
        assert worst(given, at.value(expected).reshape(given.shape)) < ROUNDING, order
        expected = at.rate(expected) if order < ORDER else expected


@pytest.mark.parametrize("reference", ["world", "world_aligned"])
@pytest.mark.parametrize("name", [name for name in ROBOTS if name != "2r"])
def test_jacobians_in_base_axes_have_the_derivatives_of_casadi(name, reference):
    at = motion(name)
    expected = form("jacobian").build(Tree.of(at.robot.model), at.q, None, reference=reference)
    program = trace(at.robot.model, "jacobian_rates", Variant(order=3, reference=reference), closed=False)
    for order, given in enumerate(evaluate(program, at.values["q"], *at.values["rates"][:3])):
        assert worst(given, at.value(expected)) < ROUNDING, order
        expected = at.rate(expected) if order < 3 else expected


@pytest.mark.parametrize("base", ["mass_matrix", "coriolis_matrix", "gravity_torque", "jacobian"])
def test_the_first_orders_are_the_forms_of_their_names(base):
    at = motion("free and ball joints, and a mimic")
    count, _ = split(FAMILIES[base], 2)
    state = (at.values["q"], *at.values["rates"][:count])
    together = evaluate(trace(at.robot.model, FAMILIES[base], Variant(order=2), closed=False), *state)
    for suffix, given in zip(("", "_dot", "_ddot"), together, strict=True):
        program = trace(at.robot.model, base + suffix, closed=False)
        assert np.array_equal(evaluate(program, *state[: len(program.inputs)]), given), suffix


def test_the_number_of_arrays_decides_the_order():
    robot = cf.load("2r")
    q, qd, qdd = robot.random_state(0, order=2)
    W, Wd = np.random.default_rng(0).normal(size=(2, 2, 6))
    assert [each.shape for each in robot.mass_matrix_rates(q, qd, qdd)] == [(2, 2)] * 3
    assert len(robot.mass_matrix_rates(q)) == 1
    tau, taud = robot.external_torque_rates(q, qd, W, Wd)
    assert np.array_equal(taud, robot.external_torque_dot(q, qd, W, Wd))
    assert np.array_equal(tau, robot.external_torque(q, W))
    frame = robot.frame_names[0]
    given = robot.jacobian_rates(q, qd, frame)
    assert np.array_equal(given[1], robot.jacobian_dot(q, qd, frame))
    assert np.array_equal(given[1], robot.jacobian_rates(q, qd, frame=frame)[1])


def test_arrays_that_make_no_order_are_refused():
    robot = cf.load("2r")
    q = np.zeros(2)
    with pytest.raises(cf.ArgumentError, match="q, wrenches and 2 further derivatives per order, 2 to 26"):
        robot.external_torque_rates(q, q, np.zeros((2, 6)))
    with pytest.raises(cf.ArgumentError, match="coriolis_matrix_rates takes q, qd and further derivatives"):
        robot.coriolis_matrix_rates(q)
    with pytest.raises(cf.ArgumentError, match="frame is given twice"):
        robot.jacobian_rates(q, robot.frame_names[0], frame=robot.frame_names[0])
