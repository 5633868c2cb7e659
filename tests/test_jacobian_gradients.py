"""Derivatives of Jacobians by q, along body-frame perturbations, by the paper's recursion and by CasADi."""

from __future__ import annotations

import pytest

import closedform as cf
from closedform.forms import Variant
from closedform.forms.loads import REFERENCES
from closedform.programs import evaluate, trace
from conftest import make
from oracles.casadi_rates import Traced
from oracles.outward_recursion import Outward
from oracles.random_trees import KINDS, random_tree
from tolerances import ROUNDING, worst

FEW = ("2r", "screw_lift", "spherical_pendulum", "iiwa14", "tree0", "tree3")
"""Every kind of joint; Pinocchio is compared on twenty models more, floating bases among them."""
GRADIENTS = {"jacobian": "jacobian_dq", "jacobian_dot": "jacobian_dot_dq"}


def value(robot, name, *state, **choices):
    return evaluate(trace(robot.model, name, Variant(**choices), closed=False), *state)


@pytest.mark.parametrize("reference", REFERENCES)
@pytest.mark.parametrize("name", FEW)
def test_derivatives_are_those_of_casadi(name, reference):
    robot = make(name)
    traced, state = Traced(robot), robot.random_state(11, order=1)
    for count, (base, gradient) in enumerate(GRADIENTS.items(), start=1):
        J = traced.form(base, *traced.state[:count], reference=reference)
        expected = traced(traced.gradient(J), *state[:count]).reshape(robot.nv, 6, robot.nv)
        given = value(robot, gradient, *state[:count], reference=reference)
        assert worst(given, expected.transpose(1, 0, 2), scale=1.0) < ROUNDING


@pytest.mark.parametrize("name", [*FEW, "quadruped"])
def test_the_derivative_of_the_jacobian_of_the_centre_of_mass_is_that_of_casadi(name):
    robot = make(name)
    traced, (q, *_) = Traced(robot), robot.random_state(12)
    expected = traced(traced.gradient(traced.form("com_jacobian", traced.q)), q)
    given = value(robot, "com_jacobian_dq", q)
    assert worst(given, expected.reshape(robot.nv, 3, robot.nv).transpose(1, 0, 2), scale=1.0) < ROUNDING


@pytest.mark.parametrize("reference", REFERENCES)
def test_they_are_the_coefficients_of_the_rates(reference):
    """J' = (dJ/dq) qd, J'' = (dJ'/dq) qd + (dJ/dq) qdd: dJ'/dqd = dJ/dq [Garofalo2013, Eq. (30)]."""
    robot = make("quadruped")  # the kinds of joints in a tree are those of the test above
    q, qd, qdd = robot.random_state(13)
    dJ = value(robot, "jacobian_dq", q, reference=reference)
    dJd = value(robot, "jacobian_dot_dq", q, qd, reference=reference)
    rates = value(robot, "jacobian_rates", q, qd, qdd, reference=reference, order=2)
    assert worst(dJ @ qd, rates[1], scale=1.0) < ROUNDING
    assert worst(dJd @ qd + dJ @ qdd, rates[2], scale=1.0) < ROUNDING


def test_the_recursion_of_the_paper():
    """(27)-(29), (31), (32) of [Garofalo2013] on a tree with joints of every kind."""
    robot = random_tree(5, bodies=len(KINDS), kinds=KINDS)
    q, qd, qdd = robot.random_state(14)
    paper = Outward(robot, q, qd, qdd)
    for k in (1, 7):  # on chains of revolute and prismatic, and of all the other joints
        frame = robot.body_names[k]
        found = {"jacobian": paper.J, "jacobian_dot": paper.Jd}
        found |= {"jacobian_ddot": paper.Jdd, "jacobian_dq": paper.dJ, "jacobian_dot_dq": paper.dJd}
        for name, expected in found.items():
            state = (q, qd, qdd)[: len(cf.FORMS[name].takes)]
            assert worst(value(robot, name, *state, frame=frame), expected[k], scale=1.0) < ROUNDING, name
