"""Joint rates at one configuration from the rates of the task: resolved motion and the extended Jacobian."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import casadi as ca
import numpy as np
from casadi import SX
from numpy.typing import ArrayLike

from ..arrays import Array
from ..checks import batch_array, common_batch, known_name, not_negative, number
from ..forms.elimination import Factors, Rotations
from ..guests import called, kind_of
from ..integration import System
from ..robot import Robot
from .approach import QUIET
from .classify import SIGNS
from .conditions import Conditions, curvature
from .problem import prepared, require_redundant


def _pseudoinverse(c: Conditions, sign: float, xd: SX, p: SX) -> SX:
    """Return qd = J^+ xd + gain (I - J^+ J) h [Liegeois1977], [Chang1987, Eq. (19)], printed without dots."""
    _, J, h = c.rate_expressions()
    turns = Rotations(J)
    return turns.least_norm(xd) + sign * p[0] * (turns.null.T @ (turns.null @ h))


def _damped(c: Conditions, sign: float, xd: SX, p: SX) -> SX:
    """Return J^T (J J^T + damping^2 I)^-1 xd + gain (I - J^+ J) h [Wampler1986]."""
    _, J, h = c.rate_expressions()
    turns = Rotations(J)
    rates = J.T @ Factors(J @ J.T + p[1] * p[1] * SX.eye(J.size1())).solve(xd)
    return rates + sign * p[0] * (turns.null.T @ (turns.null @ h))


def _extended_jacobian(c: Conditions, sign: float, xd: SX, p: SX) -> SX:
    """Return the rates that keep N h = 0: J qd = xd, N W qd = 0 [Baillieul1985], [Chang1987, Eq. (27)].

    W is the Hessian of the Lagrangian; for n = m + 1 the matrix of both conditions is the extended
    Jacobian. Wherever (27) holds, its last row is the derivative of (27) up to a factor.
    """
    q, J, h = c.rate_expressions()
    turns = Rotations(J)
    y, N = turns.least_norm(xd), turns.null
    S, across = curvature(N, h, J, -turns.least_squares(h), y, q)
    return y - N.T @ Factors(0.5 * (S + S.T)).solve(across)


METHODS = {
    "pseudoinverse": _pseudoinverse,
    "damped": _damped,
    "extended_jacobian": _extended_jacobian,
}
"""Joint rates of the methods, by name."""


def joint_rates(
    robot: Robot,
    q: ArrayLike,
    velocity: ArrayLike,
    task: Any = "pose",
    criterion: Any = "manipulability",
    *,
    method: str = "pseudoinverse",
    gain: float = 10.0,
    damping: float = 0.01,
) -> Array:
    """Return the joint rates (..., n) at q (..., n) for task rates (..., m).

    `velocity` are the rows of the frame's twist that the task selects, in base axes (m/s and rad/s).
    "pseudoinverse" is J^+ xd + gain (I - J^+ J) h [Chang1987, Eq. (19)], with the sign that improves the
    criterion, "damped" the same with damped least squares, and "extended_jacobian" the motion from optimum
    to optimum, which is right only where q is one [Chang1987, Eqs. (27)-(28)]. All but `gain` times h are
    linear in the rates: with a displacement in place of a velocity and gain times a time this is
    [Chang1987, Eq. (20)].

    >>> import numpy as np, closedform as cf
    >>> arm, q = cf.load("chang3r"), np.deg2rad([-25.5, 134.5, 100.8])
    >>> qd = cf.redundancy.joint_rates(arm, q, [0.0, -0.1], "xy")
    >>> (arm.jacobian(q, reference="world_aligned") @ qd)[3:5].round(12) + 0.0
    array([ 0. , -0.1])
    """
    known_name("method of joint rates", method, tuple(METHODS))
    search = prepared(robot, task, criterion, None, True)
    c = search.conditions
    require_redundant("joint_rates", robot, c.task)
    weights = np.array([number("gain", gain), not_negative("damping", damping)])
    rate = rate_system(c, method, SIGNS[search.kind]).rate
    found: Array
    if kind_of("joint_rates", q, velocity) is not None:
        found = called(rate, (q, velocity), (weights,))
        return found
    angles, rates = batch_array("joint_rates: q", q, c.n), batch_array("joint_rates: velocity", velocity, c.m)
    common_batch("joint_rates", q=angles.shape[:-1], velocity=rates.shape[:-1])
    with np.errstate(**QUIET):
        found = rate(angles, rates, weights)
    return found


@lru_cache(maxsize=32)
def rate_system(conditions: Conditions, method: str, sign: float) -> System:
    """Return q' = rates of a method; inputs are the rates of the task, parameters (gain, damping)."""
    q, J, _ = conditions.rate_expressions()
    xd, p = SX.sym("xd", J.size1()), SX.sym("p", 2)
    rate = METHODS[method](conditions, sign, xd, p)
    return System(f"{method}_motion", q, ca.cse(rate), xd, p)
