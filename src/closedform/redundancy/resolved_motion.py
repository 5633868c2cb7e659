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
from ..forms.kinematics import homogeneous
from ..guests import in_kind
from ..integration import System, simulate
from ..robot import Robot
from .classify import SIGNS
from .conditions import Conditions
from .joint_rates import METHODS, rate_system
from .problem import prepared, read_path, require_redundant
from .task import Task

MOST_SUBSTEPS = 100_000
"""Integration steps between two targets."""


@in_kind
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
    correction: float = 0.0,
) -> Array:
    """Return joint angles (t, n) along targets (t, ...) by integrating joint rates from q0.

    The targets follow one another after `time_step` seconds, with constant task rates between them.
    `method` is "pseudoinverse", "damped" or "extended_jacobian" (see `joint_rates`); `gain` weighs the
    gradient along the self-motion, `damping` is that of damped least squares. `integrator` is "rk4" with
    `substeps` steps between targets, or an adaptive method of SciPy. As in the paper nothing corrects an
    error of the tip: what q0 misses is kept, and errors add up. A `correction` (in 1/s) closes the loop: that
    many times the error is added to the task rates.

    >>> import numpy as np, closedform as cf
    >>> line = np.linspace([0.446, 0.0915], [0.446, -0.0085], 101)
    >>> q = cf.redundancy.resolved_motion(cf.load("chang3r"), line, np.deg2rad([-25.5, 134.5, 100.8]), "xy")
    >>> q.shape
    (101, 3)
    """
    known_name("method of resolved motion", method, tuple(METHODS))
    search = prepared(robot, task, criterion, None, True)
    c = search.conditions
    require_redundant("resolved_motion", robot, c.task)
    start = sized_array("resolved_motion: q0", q0, (c.n,))
    x = read_path("resolved_motion", c, targets, 2)
    substeps = whole_number("substeps", substeps, 1, MOST_SUBSTEPS)
    time_step = positive("time_step", time_step)
    weights = [number("gain", gain), not_negative("damping", damping)]
    twists = target_rates(c.task, x) / time_step
    if not_negative("correction", correction):
        system = _corrected_system(c, method, SIGNS[search.kind])
        start = np.concatenate([start, _reference(c.task, x[0])])
        weights.append(float(correction))
    else:
        system = rate_system(c, method, SIGNS[search.kind])
        twists = c.task.selected(twists)
    run = simulate(
        system,
        start,
        np.repeat(twists, substeps, axis=0),
        time_step * (len(x) - 1),
        time_step / substeps,
        method=integrator,
        parameters=np.array(weights),
    )
    return run.x[::substeps, : c.n]


@lru_cache(maxsize=32)
def _corrected_system(conditions: Conditions, method: str, sign: float) -> System:
    """Return the same with the target as further states, so that the rates can follow its error.

    The task rates are xd - correction e(q, target). A pose is carried along as (R by columns, p).
    """
    q, target, e, _, _ = conditions.expressions()
    task, p = conditions.task, SX.sym("p", 3)
    if task.turns:
        state, twist = SX.sym("target", 12), SX.sym("twist", 6)
        R = ca.reshape(state[:9], 3, 3)
        e = ca.substitute(e, target, homogeneous(R, state[9:]))
        moved = ca.vertcat(ca.vec(ca.skew(twist[:3]) @ R), twist[3:])
        xd = twist[task.row_numbers]
    else:
        state, xd = SX.sym("target", task.m), SX.sym("xd", task.m)
        e = ca.substitute(e, target, state)
        twist = moved = xd
    rate = METHODS[method](conditions, sign, xd - p[2] * e, p)
    rates = ca.cse(ca.vertcat(rate, moved))
    return System(f"{method}_corrected_motion", ca.vertcat(q, state), rates, twist, p)


def _reference(task: Task, target: Array) -> Array:
    """Return a target as the states that `_corrected_system` carries along."""
    return np.concatenate([target[:3, :3].T.ravel(), target[:3, 3]]) if task.turns else target


def target_rates(task: Task, x: Array) -> Array:
    """Return the differences of successive targets per unit time: twists (t - 1, 6), or rows (t - 1, m)."""
    if not task.turns:
        return np.diff(x, axis=0)
    R = x[:, :3, :3]
    turn = Rotation.from_matrix(R[1:] @ np.swapaxes(R[:-1], -1, -2)).as_rotvec()
    return np.concatenate([turn, np.diff(x[:, :3, 3], axis=0)], axis=-1)
