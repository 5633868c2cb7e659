"""Derivatives of forms by CasADi's own differentiation, for tests only.

q' = rates(q, v) for joints of several dofs comes from the definition of their coordinates, so
that time derivatives and derivatives by body-frame (right) perturbations can be formed by another route.
"""

from __future__ import annotations

import casadi as ca
import numpy as np

from closedform import Robot
from closedform.forms import form
from closedform.forms.tree import Tree


def coordinate_rates(robot: Robot, q: ca.SX, v: ca.SX) -> ca.SX:
    """Return q' of body-fixed velocities v."""
    rates = []
    for body in robot.model.bodies:
        if body.coupling is not None:
            continue
        joint = body.joint
        x, u = q[body.iq : body.iq + joint.nq], v[body.iv : body.iv + joint.nv]
        if joint.kind == "ball":
            rates.append(_quaternion_rate(x, u))
        elif joint.kind == "free":
            R = _rotation(x[3:7])
            rates.append(ca.vertcat(R @ u[3:6], _quaternion_rate(x[3:7], u[:3])))
        elif joint.kind == "subspace" and joint.rotation_column is not None:
            rates.append(_subspace_rate(joint.X, joint.rotation_column, x, u))
        else:
            rates.append(u)
    return ca.vertcat(*rates)


def _quaternion_rate(q: ca.SX, w: ca.SX) -> ca.SX:
    s, u = q[3], q[:3]
    return ca.vertcat(0.5 * (s * w + ca.cross(u, w)), -0.5 * ca.dot(u, w))


def _rotation(q: ca.SX) -> ca.SX:
    u, s = q[:3], q[3]
    return ca.SX.eye(3) + 2 * s * ca.skew(u) + 2 * ca.skew(u) @ ca.skew(u)


def _subspace_rate(X: np.ndarray, column: int, q: ca.SX, v: ca.SX) -> ca.SX:
    """Return q' for T = exp(X_t q_t) exp(X_r q_r): the body sees translations turned back by R^T."""
    others = [k for k in range(X.shape[1]) if k != column]
    e, Xt = X[:3, column], X[3:, others]
    K = np.array([[0, -e[2], e[1]], [e[2], 0, -e[0]], [-e[1], e[0], 0]])
    R = np.eye(3) + ca.sin(q[column]) * ca.SX(K) + (1 - ca.cos(q[column])) * ca.SX(K @ K)
    along = np.linalg.pinv(Xt) @ R @ Xt @ v[others]
    rate = ca.SX(v)
    for k, other in enumerate(others):
        rate[other] = along[k]
    return rate


class Traced:
    """Symbols and expressions of a robot's forms, evaluated by CasADi."""

    def __init__(self, robot: Robot) -> None:
        self.robot = robot
        self.q, self.v, self.a = (
            ca.SX.sym(s, n) for s, n in (("q", robot.nq), ("v", robot.nv), ("a", robot.nv))
        )
        self.state = [self.q, self.v, self.a]

    def form(
        self, name: str, *inputs: ca.SX, frame: str | None = None, closed: bool = False, **choices: str
    ) -> ca.SX:
        """Return a form as an expression of given inputs."""
        it = form(name)
        extra = (frame,) if it.framed else ()
        build = it.closed if closed else it.build
        return build(Tree.of(self.robot.model), *inputs, *extra, **choices)

    def rate(self, expression: ca.SX) -> ca.SX:
        """Return the time derivative along q' = rates(v), v' = a."""
        flat = ca.vec(expression)
        qd = coordinate_rates(self.robot, self.q, self.v)
        dot = ca.jtimes(flat, self.q, qd) + ca.jtimes(flat, self.v, self.a)
        return ca.reshape(dot, expression.shape)

    def gradient(self, expression: ca.SX) -> ca.SX:
        """Return the derivative of a column by body-frame (right) perturbations, one column per velocity."""
        direction = ca.SX.sym("d", self.robot.nv)
        along = ca.jtimes(ca.vec(expression), self.q, coordinate_rates(self.robot, self.q, direction))
        return ca.jacobian(along, direction)

    def __call__(self, expression: ca.SX, *state: np.ndarray) -> np.ndarray:
        """Return the value of an expression at a state (q[, qd[, qdd]])."""
        function = ca.Function("f", self.state[: len(state)], [ca.densify(expression)])
        return np.array(function(*state))
