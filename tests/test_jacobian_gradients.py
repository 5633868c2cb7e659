"""Derivatives of Jacobians by q, along body-frame perturbations, by the paper's recursion and by CasADi."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import closedform as cf
from closedform.forms import Variant
from closedform.forms.loads import REFERENCES
from closedform.programs import evaluate, trace
from closedform.rotations import adjoint, inverse
from conftest import ROBOTS, make
from oracles.casadi_rates import Traced
from oracles.random_trees import KINDS, random_tree
from tolerances import ROUNDING, worst

FEW = [name for name in ROBOTS if make(name).nv <= 21]
GRADIENTS = {"jacobian": "jacobian_dq", "jacobian_dot": "jacobian_dot_dq"}


def value(robot, name, *state, **choices):
    return evaluate(trace(robot.model, name, Variant(**choices), closed=False), *state)


def adj(V):
    """Return the Lie bracket matrix ad_V of a twist (omega; v)."""
    w, v = (np.cross(np.eye(3), each) for each in (V[:3], V[3:]))
    return np.block([[w, np.zeros((3, 3))], [v, w]])


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


@pytest.mark.parametrize("name", [name for name in ROBOTS if make(name).nv <= 21])
def test_the_derivative_of_the_jacobian_of_the_centre_of_mass_is_that_of_casadi(name):
    robot = make(name)
    traced, (q, *_) = Traced(robot), robot.random_state(12)
    expected = traced(traced.gradient(traced.form("com_jacobian", traced.q)), q)
    given = value(robot, "com_jacobian_dq", q)
    assert worst(given, expected.reshape(robot.nv, 3, robot.nv).transpose(1, 0, 2), scale=1.0) < ROUNDING


@pytest.mark.parametrize("reference", REFERENCES)
@pytest.mark.parametrize("name", ["humanoid", "tree3"])
def test_they_are_the_coefficients_of_the_rates(name, reference):
    """J' = (dJ/dq) qd, J'' = (dJ'/dq) qd + (dJ/dq) qdd: dJ'/dqd = dJ/dq [Garofalo2013, Eq. (30)]."""
    robot = make(name)
    q, qd, qdd = robot.random_state(13)
    dJ = value(robot, "jacobian_dq", q, reference=reference)
    dJd = value(robot, "jacobian_dot_dq", q, qd, reference=reference)
    rates = value(robot, "jacobian_rates", q, qd, qdd, reference=reference, order=2)
    assert worst(dJ @ qd, rates[1], scale=1.0) < ROUNDING
    assert worst(dJd @ qd + dJ @ qdd, rates[2], scale=1.0) < ROUNDING


@cache
def every_kind() -> cf.Robot:
    """Return a branched tree with every kind of joint."""
    return random_tree(5, bodies=len(KINDS), kinds=KINDS)


class Recursion:
    """The paper's outward recursion over all bodies, in numbers, with poses and screws of the robot."""

    def __init__(self, robot, q, qd):
        shape = (len(robot.model.bodies), 6, robot.nv)
        self.J, self.Jd = np.zeros(shape), np.zeros(shape)
        self.dJ, self.dJd = np.zeros((*shape, robot.nv)), np.zeros((*shape, robot.nv))
        poses = value(robot, "body_poses", q)
        for k, body in enumerate(robot.model.bodies):
            own = slice(body.iv, body.iv + body.joint.nv)
            Xi, p = np.zeros((6, robot.nv)), body.parent
            Xi[:, own] = body.ratio * body.joint.X
            adj_pk = adj(Xi @ qd)
            self.J[k] = Xi
            if p < 0:
                continue
            Ad = adjoint(inverse(poses[k]) @ poses[p])
            self.J[k] += Ad @ self.J[p]
            self.Jd[k] = Ad @ self.Jd[p] - adj_pk @ Ad @ self.J[p]
            for h in range(robot.nv):
                turn = adj(Xi[:, h])
                self.dJ[k, ..., h] = Ad @ self.dJ[p, ..., h] - turn @ Ad @ self.J[p]
                self.dJd[k, ..., h] = (
                    Ad @ self.dJd[p, ..., h] - turn @ Ad @ self.Jd[p] - adj_pk @ self.dJ[k, ..., h]
                )


def test_the_recursion_of_the_paper():
    """(27), (28), (31), (32) of [Garofalo2013] on a tree with joints of every kind."""
    robot = every_kind()
    q, qd, _ = robot.random_state(14)
    paper = Recursion(robot, q, qd)
    for k in (1, 7):  # on chains of revolute and prismatic, and of all the other joints
        frame = robot.body_names[k]
        found = {"jacobian": paper.J, "jacobian_dot": paper.Jd}
        found |= {"jacobian_dq": paper.dJ, "jacobian_dot_dq": paper.dJd}
        for name, expected in found.items():
            state = (q, qd) if "dot" in name else (q,)
            assert worst(value(robot, name, *state, frame=frame), expected[k], scale=1.0) < ROUNDING, name
