"""Natural frequencies of the springs between motors and links."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Array
from ..checks import common_batch, finite_array, instance, rows_array
from ..errors import ArgumentError
from ..guests import in_kind
from ..model.idle import refuse_idle_joints
from .robot import ElasticJointRobot

RESOLVED = 0.5
"""Step times fastest frequency: Runge-Kutta steps of this length lose 1e-4 of an oscillation's amplitude."""


@in_kind
def natural_frequencies(robot: ElasticJointRobot, q: ArrayLike, stiffness: ArrayLike | None = None) -> Array:
    """Return the nv natural frequencies in rad/s at configurations q, lowest first.

    They are those of M q'' = N^-1 K dq, M_G theta'' = -K dq with dq = theta - N^-1 q: the motors
    spin freely, gravity and damping are left out. `stiffness` (at the shaft) replaces the robot's own.

    >>> import closedform as cf
    >>> from closedform.elastic import natural_frequencies
    >>> pendulum = cf.ElasticJointRobot(cf.load("pendulum"), 100.0, 1.0, 1.0)
    >>> M = pendulum.robot.mass_matrix([0.0])[0, 0]
    >>> bool(abs(natural_frequencies(pendulum, [0.0])[0] - (100 / M + 100) ** 0.5) < 1e-12)
    True
    """
    instance("natural_frequencies: robot", robot, ElasticJointRobot)
    q = rows_array("natural_frequencies: q", q, robot.nv)
    K = robot.drives.stiffness
    if stiffness is not None:
        K = finite_array("natural_frequencies: stiffness", stiffness)
        if K.shape[-1:] not in ((), (1,), (robot.nv,)) or K.size == 0:
            raise ArgumentError(
                f"natural_frequencies: stiffness has shape {K.shape}; expected (..., {robot.nv})"
            )
        K = np.broadcast_to(K, (*K.shape[:-1], robot.nv))
    if K is None:
        raise ArgumentError("natural_frequencies: the stiffness is variable; give one")
    if not (K > 0).all():
        raise ArgumentError(
            f"natural_frequencies: stiffness is {K.min():g} somewhere; expected positive numbers"
        )
    common_batch("natural_frequencies", q=q.shape[:-1], stiffness=K.shape[:-1])
    N, B = robot.drives.gear_ratio, robot.drives.motor_inertia
    refuse_idle_joints(robot.links.model, "natural_frequencies")
    # dq'' = -(B^-1 + N^-1 M^-1 N^-1) K dq; the matrix becomes symmetric between roots of K.
    inverse = np.linalg.inv(robot.links.mass_matrix(q)) / (N[:, None] * N)
    root = np.sqrt(K)
    squares = np.linalg.eigvalsh(root[..., :, None] * (inverse + np.diag(1 / B)) * root[..., None, :])
    if not (squares >= 0).all():
        raise ArgumentError(
            "natural_frequencies: stiffness and inertias are too many orders of magnitude apart for "
            "double precision; check their units"
        )
    return np.asarray(np.sqrt(squares))


@in_kind
def resolving_step(robot: ElasticJointRobot, q: ArrayLike, stiffness: ArrayLike | None = None) -> float:
    """Return the longest integration step that resolves the fastest oscillation at any q."""
    fastest = float(natural_frequencies(robot, q, stiffness).max(initial=0.0))
    if not fastest:
        raise ArgumentError("resolving_step: no configuration given, or no spring that oscillates")
    return RESOLVED / fastest
