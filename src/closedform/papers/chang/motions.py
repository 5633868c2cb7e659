"""The motions behind Chang's tables, computed again."""

from __future__ import annotations

from functools import cache

import numpy as np

from ... import redundancy
from ...arrays import Array
from ...report import RedundancyStudy
from ...report.redundancy.path_study import GAIN
from ...report.redundancy.routes import PER_SIDE

SETTLING = 0.5
"""Gain times time step of the self-motion at rest; at 10, as printed, the iteration is unstable."""

SETTLED = 1e-4
"""Accuracy of the joints, in degrees, to which the paper counts iterations."""

MOST = 100
"""Iterations of the self-motion."""


@cache
def study() -> RedundancyStudy:
    """Return the paper's example: square, start, criterion and step."""
    return RedundancyStudy()


@cache
def corners() -> Array:
    """Return the vertices (4, 2) of the square, in metres."""
    return np.asarray(study().route.targets[:-1:PER_SIDE])


@cache
def proposed() -> Array:
    """Return the joint angles (4, 3) of the proposed method at the vertices, in degrees."""
    return np.rad2deg(study().path.q[:-1:PER_SIDE])


@cache
def resolved() -> Array:
    """Return the joint angles of resolved motion at every vertex that it passes, in degrees.

    Two cycles, then down, up and down the left side: four passages per cycle, the first of all included,
    and three more. The criterion, its step and its speed are the paper's, and the start is on the
    first vertex.
    """
    it = study()
    square = it.route.targets
    down, up = square[1 : PER_SIDE + 1], square[PER_SIDE - 1 :: -1]
    path = np.concatenate([square, square[1:], down, up, down])
    q = redundancy.resolved_motion(
        it.arm, path, it.start, it.route.task, it.best, time_step=it.time_step, gain=GAIN
    )
    return np.rad2deg(q[::PER_SIDE])


@cache
def settled() -> tuple[Array, Array]:
    """Return where self-motion at rest ends at each vertex (4, 3), in degrees, and its iterations (4,).

    It starts from the passage of the first cycle through the vertex, for the first vertex its end.
    """
    it = study()
    ends, counts = [], []
    for k, start in enumerate((4, 1, 2, 3)):
        still = np.repeat(corners()[k : k + 1], MOST + 1, axis=0)
        q = np.rad2deg(
            redundancy.resolved_motion(
                it.arm,
                still,
                np.deg2rad(resolved()[start]),
                it.route.task,
                it.best,
                time_step=SETTLING / GAIN,
                gain=GAIN,
            )
        )
        away = np.abs(q - proposed()[k]).max(axis=-1)
        counts.append(int(np.argmax(away < SETTLED)))
        ends.append(q[-1])
    return np.array(ends), np.array(counts)


@cache
def stability_limit() -> float:
    """Return the largest gain times time step for which Runge-Kutta steps of self-motion converge.

    The method is stable for products with the curvature up to 2.785; the curvature of H along the
    self-motion, at its largest on the path, decides.
    """
    return 2.7853 / float(np.nanmax(study().path.curvature))


def tips(angles: Array) -> Array:
    """Return the places (..., 2) of the tip in mm for joint angles (..., 3) in degrees."""
    return np.asarray(1e3 * study().arm.pose(np.deg2rad(angles))[..., :2, 3])
