"""The conditions as the paper writes them, Zh = 0, with a choice of J_m that is well conditioned."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import casadi as ca
import numpy as np
from casadi import SX
from numpy.typing import ArrayLike
from scipy.linalg import qr
from scipy.optimize import root

from ..arrays import Array
from ..checks import sized_array
from ..errors import ArgumentError
from ..guests import in_kind
from ..kernels import Kernel, compiled
from ..robot import Robot
from .approach import QUIET
from .conditions import Conditions, condensed
from .multistart import SINGULAR
from .problem import prepared, read_targets

Columns = tuple[int, ...]


@dataclass(frozen=True)
class Orthogonality:
    """Z of [Chang1987, Eq. (9)] at one configuration, with the joints that make up J_m.

    `columns` are the m joints of J_m, `others` the rest; J is the Jacobian of the task (m, n), Z is
    (n - m, n) with Z J^T = 0, h the gradient of the criterion, and `Zh` their product, zero at an optimum.
    """

    columns: Columns
    others: Columns
    J: Array
    Z: Array
    h: Array

    @property
    @in_kind
    def Zh(self) -> Array:
        """The n - m conditions of [Chang1987, Eq. (10)]."""
        return np.asarray(self.Z @ self.h)

    @property
    @in_kind
    def n_J(self) -> Array:
        """The null vector (Delta_1, ..., Delta_n) of [Chang1987, Eq. (28)], for one redundant joint.

        Delta_i is (-1)^(i+1) times the determinant of J without column i; it is -Delta_k Z for the joint
        k that is not in J_m [Chang1987, Eq. (40)].
        """
        if len(self.others) != 1:
            raise ArgumentError(
                f"n_J: {len(self.others)} joints are redundant; expected one: use Z, which has a row for each"
            )
        k = self.others[0]
        return np.asarray(-((-1) ** k) * np.linalg.det(self.J[:, list(self.columns)]) * self.Z[0])

    @property
    @in_kind
    def projected(self) -> Array:
        """(I - J^+ J) h = Z^T (Z Z^T)^-1 Z h, the gradient along the self-motion [Chang1987, Eq. (45)]."""
        return np.asarray(self.Z.T @ np.linalg.solve(self.Z @ self.Z.T, self.Zh))


@in_kind
def orthogonality(
    robot: Robot, q: ArrayLike, task: Any = "pose", criterion: Any = "manipulability"
) -> Orthogonality:
    """Return Z and h at one q, J_m being chosen by QR factorisation with column pivoting.

    The printed choice, the first m joints, fails if those alone are singular.

    >>> import closedform as cf
    >>> at = cf.redundancy.orthogonality(cf.load("chang3r"), [0.3, 1.2, 0.9], task="xy")
    >>> at.Z.shape, len(at.columns)
    ((1, 3), 2)
    """
    c = prepared(robot, task, criterion, None, True).conditions
    if c.redundancy == 0:
        raise ArgumentError(f"orthogonality: {robot.name!r} is not redundant for this task: Z has no rows")
    angles = sized_array("q", q, (c.n,))
    J = task_jacobian(c, angles)
    columns, others = pivots(J)
    if np.linalg.cond(J[:, list(columns)]) > 1 / SINGULAR:
        raise ArgumentError(
            f"orthogonality: J of {robot.name!r} is singular at this q, where Z does not exist"
        )
    Z = np.zeros((c.n - c.m, c.n))
    Z[:, list(columns)] = np.linalg.solve(J[:, list(columns)], J[:, list(others)]).T
    Z[:, list(others)] = -np.eye(c.n - c.m)
    return Orthogonality(columns, others, J, Z, c.value(angles)[1])


@in_kind
def extended_jacobian(
    robot: Robot, q: ArrayLike, task: Any = "pose", criterion: Any = "manipulability"
) -> Array:
    """Return the derivative (n, n) of the conditions x = f(q), Zh = 0 at one q: J above d(Zh)/dq.

    [Baillieul1985] for any number of redundant joints; Z is that of [Chang1987, Eq. (9)] with the J_m of
    `orthogonality`. For one redundant joint and at an optimum the last row is the derivative of
    G = n_J h [Chang1987, Eq. (27)] up to the factor -Delta_k of `n_J`. Its inverse maps (xd; 0) to the joint
    rates that lead from optimum to optimum.

    >>> import numpy as np, closedform as cf
    >>> arm = cf.load("chang3r")
    >>> q = cf.redundancy.solve(arm, [0.446004, 0.0915136], "xy").q
    >>> qd = np.linalg.solve(cf.redundancy.extended_jacobian(arm, q, "xy"), [0.0, -0.1, 0.0])
    >>> along = cf.redundancy.joint_rates(arm, q, [0.0, -0.1], "xy", method="extended_jacobian")
    >>> bool(np.allclose(qd, along))
    True
    """
    at = orthogonality(robot, q, task, criterion)
    c = prepared(robot, task, criterion, None, True).conditions
    angles = sized_array("q", q, (c.n,))
    there = c.task.targets(c.poses(angles))
    return np.asarray(_with_derivatives(c, at.columns, at.others)(angles, there)[1])


def task_jacobian(conditions: Conditions, q: Array) -> Array:
    """Return de/dq for the target that q itself meets."""
    there = conditions.task.targets(conditions.poses(q))
    return np.asarray(conditions.residual(q, there)[1])


def pivots(J: Array) -> tuple[Columns, Columns]:
    """Return the m columns of J that are chosen for J_m, and the others, each in order."""
    _, order = qr(J, mode="r", pivoting=True)
    m = J.shape[0]
    return tuple(sorted(order[:m].tolist())), tuple(sorted(order[m:].tolist()))


@np.errstate(**QUIET)
@in_kind
def hybrid(
    robot: Robot,
    target: ArrayLike,
    task: Any = "pose",
    criterion: Any = "manipulability",
    q0: ArrayLike | None = None,
) -> tuple[Array, bool, int]:
    """Return q, success and function evaluations of MINPACK's hybrid method on (11), as in the paper.

    One target at a time, from q0 (or the first start that `solve` would take), with exact derivatives;
    the choice of J_m is that of q0. It stops at any stationary point, and knows neither limits nor kinds
    of optima.
    """
    search = prepared(robot, task, criterion, None, True)
    c = search.conditions
    if c.redundancy == 0:
        raise ArgumentError(f"hybrid: {robot.name!r} is not redundant for this task; use solve")
    x, start, batch = read_targets(c, target, q0)
    if batch:
        raise ArgumentError(f"hybrid: batch shape {batch}; expected one target and one q0")
    start = search.seeds.nearest(x, 1)[0] if start is None else start
    if not (np.isfinite(x).all() and np.isfinite(start).all()):
        raise ArgumentError("hybrid: the target or q0 is not finite")
    conditions = _with_derivatives(c, *pivots(task_jacobian(c, start[0])))
    done = root(lambda q: conditions(q, x[0]), start[0], jac=True, method="hybr", options={"xtol": 1e-13})
    error = np.abs(conditions(done.x, x[0])[0]).max()
    return done.x, bool(done.success or error < 1e-9), int(done.nfev)


@lru_cache(maxsize=64)
def _with_derivatives(conditions: Conditions, columns: Columns, others: Columns) -> Kernel:
    """Return (q, target) -> F = (e; Zh) and dF/dq for one choice of J_m."""
    inputs, F = pivoted_conditions(conditions, columns, others)
    outputs = [("F", F), ("dF", ca.jacobian(F, inputs[0][1]))]
    return compiled("pivoted_conditions", inputs, condensed(outputs), "Return (11).")


def pivoted_conditions(
    conditions: Conditions, columns: Columns, others: Columns
) -> tuple[list[tuple[str, SX]], SX]:
    """Return the named symbols q and target, and F = (e; Zh) for one choice of J_m [Chang1987, Eq. (11)].

    Zh is J_{n-m} (J_m^-1 h_m) - h_{n-m}, by one solution of linear equations [Chang1987, Eqs. (7)-(8)].
    """
    q, target, e, J, h = conditions.expressions()
    m, rest = list(columns), list(others)
    multipliers = ca.solve(J[:, m].T, h[m])
    F = ca.vertcat(e, J[:, rest].T @ multipliers - h[rest])
    return [("q", q), ("target", target)], F
