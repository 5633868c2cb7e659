"""The chain of integrators that decoupling promises, solved in closed form."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import expm

from ..arrays import Array
from ..checks import finite_array, sized_array
from ..errors import ArgumentError
from ..trajectory import Trajectory
from ..trajectory.trajectory import require_trajectory
from .laws import Decoupling


def chain_motion(control: Decoupling, trajectory: Trajectory, start: ArrayLike, t: ArrayLike) -> Array:
    """Return the link motion of an ideally decoupled robot from a start state, (m, nv).

    Each joint's error solves e'''' + k_3 e''' + k_2 e'' + k_1 e' + k_0 e = 0 (one order less with
    damped springs), so that q = q_d + e with e(t) from a matrix exponential. A simulation of the
    nonlinear closed loop must give the same. `t` (m,) are equal steps from 0.
    """
    if not isinstance(control, Decoupling):
        raise ArgumentError(f"chain_motion: {type(control).__name__} makes no chains; expected a Decoupling")
    robot, order = control.robot, control.order
    require_trajectory("chain_motion", trajectory, robot.joint_names)
    q, qd, theta, thetad = np.split(sized_array("chain_motion: start", start, (4 * robot.nv,)), 4)
    if order == 4:
        actual: tuple[Array, ...] = (q, qd, *robot.link_derivatives(q, qd, theta, thetad))
    else:
        actual = (q, qd, robot.forward_dynamics(q, qd, theta, thetad, np.zeros(robot.nv))[0])
    first = np.stack([a - w for a, w in zip(actual, trajectory.derivatives(0.0, order - 1), strict=True)])
    t = finite_array("chain_motion: t", t)
    if t.ndim != 1 or t.size < 2 or not np.allclose(t, np.linspace(0.0, t[-1], t.size), rtol=0, atol=1e-9):
        raise ArgumentError("chain_motion: t are not equal steps from 0")
    A = np.tile(np.eye(order, k=1), (robot.nv, 1, 1))
    A[:, -1] = -control.gains.T
    onward = expm(A * (t[-1] / (t.size - 1)))
    error = np.empty((t.size, robot.nv, order))
    error[0] = first.T
    for k in range(1, t.size):
        error[k] = (onward @ error[k - 1][..., None])[..., 0]
    return np.asarray(trajectory(t) + error[..., 0])
