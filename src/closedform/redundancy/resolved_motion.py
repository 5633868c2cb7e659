"""Resolved motion, the method to compare with: joint rates from task rates, integrated along a path."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import casadi as ca
import numpy as np
from casadi import SX
from numpy.typing import ArrayLike
from scipy.spatial.transform import Rotation

from ..arrays import Array
from ..checks import known_name, not_negative, number, positive, sized_array, whole_number
from ..errors import ArgumentError
from ..forms.elimination import Factors, Rotations
from ..integration import System, simulate
from ..robot import Robot
from .classify import SIGNS
from .conditions import Conditions, curvature
from .problem import prepared, read_path
from .task import Task


def _pseudoinverse(c: Conditions, sign: float, xd: SX, p: SX) -> SX:
    """Return J^+ xd + gain (I - J^+ J) h [Liegeois1977], [Chang1987, Eq. (19)]."""
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


MOST_SUBSTEPS = 100_000
"""Integration steps between two targets."""


def resolved_motion(
    robot: Robot,
    targets: ArrayLike,
    q0: ArrayLike,
    task: Any = "pose",
    criterion: Any = "manipulability",
    *,
    method: str = "pseudoinverse",
    integrator: str = "rk4",
    time_step: float = 0.01,
    substeps: int = 1,
    gain: float = 10.0,
    damping: float = 0.01,
) -> Array:
    """Return joint angles (t, n) along targets (t, ...) by integrating joint rates from q0.

    The targets follow one another after `time_step` seconds, with constant task rates between them.
    `method` is "pseudoinverse", "damped" or "extended_jacobian"; `gain` weighs the gradient along
    the self-motion, `damping` is that of damped least squares. `integrator` is "rk4" with
    `substeps` steps between targets, or an adaptive method of SciPy. Nothing corrects an error of the
    tip: it accumulates, which is what the comparison shows.

    >>> import numpy as np, closedform as cf
    >>> line = np.linspace([0.446, 0.0915], [0.446, -0.0085], 101)
    >>> q = cf.redundancy.resolved_motion(cf.load("chang3r"), line, np.deg2rad([-25.5, 134.5, 100.8]), "xy")
    >>> q.shape
    (101, 3)
    """
    known_name("method of resolved motion", method, tuple(METHODS))
    search = prepared(robot, task, criterion, None, True)
    c = search.conditions
    if robot.nq != robot.nv or c.redundancy == 0:
        raise ArgumentError(
            f"resolved_motion: {robot.name!r} has {robot.nq} coordinates for a task of {c.m} rows; "
            "expected joints of one dof each, and more of them than rows"
        )
    start = sized_array("resolved_motion: q0", q0, (c.n,))
    x = read_path("resolved_motion", c, targets, 2)
    substeps = whole_number("substeps", substeps, 1, MOST_SUBSTEPS)
    time_step = positive("time_step", time_step)
    rates = np.repeat(task_rates(c.task, x) / time_step, substeps, axis=0)
    run = simulate(
        _system(c, method, SIGNS[search.kind]),
        start,
        rates,
        time_step * (len(x) - 1),
        time_step / substeps,
        method=integrator,
        parameters=np.array([number("gain", gain), not_negative("damping", damping)]),
    )
    return run.x[::substeps]


@lru_cache(maxsize=32)
def _system(conditions: Conditions, method: str, sign: float) -> System:
    q, J, _ = conditions.rate_expressions()
    xd, p = SX.sym("xd", J.size1()), SX.sym("p", 2)
    rate = METHODS[method](conditions, sign, xd, p)
    return System(f"{method}_motion", q, ca.cse(rate), xd, p)


def task_rates(task: Task, x: Array) -> Array:
    """Return the differences of successive targets as rows of a twist per unit time, (t - 1, m)."""
    if not task.turns:
        return np.diff(x, axis=0)
    R = x[:, :3, :3]
    turn = Rotation.from_matrix(R[1:] @ np.swapaxes(R[:-1], -1, -2)).as_rotvec()
    twist = np.concatenate([turn, np.diff(x[:, :3, 3], axis=0)], axis=-1)
    return twist[:, task.row_numbers]
