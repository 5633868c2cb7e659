"""Ellipsoids: of inertia, for the mass of a body, and of manipulability, for the velocities of the tool."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Array
from ..model import Model
from ..model.inertia import inertial_from_phi, second_moments

LARGEST = 0.25
"""Longest semi-axis of a manipulability ellipsoid, in parts of the robot's size."""


@dataclass(frozen=True)
class Ellipsoid:
    """Semi-axes (3,) along the axes of a pose (4, 4)."""

    placement: Array
    axes: Array


def inertia_ellipsoids(model: Model) -> dict[int, Ellipsoid]:
    """Return the homogeneous ellipsoid of the mass and inertia of each body that has them, in its frame.

    The second moments of a homogeneous ellipsoid with semi-axes a are m a^2 / 5. Inertias that no body
    can have are drawn with what is left of them at zero.
    """
    found = {}
    for i, body in enumerate(model.bodies):
        inertial = inertial_from_phi(body.phi)
        if inertial.mass <= 0:
            continue
        squares, R = np.linalg.eigh(second_moments(inertial.inertia))
        axes = np.sqrt(5 * np.maximum(squares, 0.0) / inertial.mass)
        if np.isfinite(axes).all() and axes.max() > 0:
            found[i] = Ellipsoid(_pose(R, inertial.com), np.maximum(axes, 0.02 * axes.max()))
    return found


def manipulability_ellipsoid(J: Array, tool: Array, size: float) -> Ellipsoid | None:
    """Return the velocities of the tool at joint rates of length 1, its longest axis scaled to be seen.

    J is the Jacobian in the tool's frame; None if nothing moves the tool.
    """
    if not J.size or not np.isfinite(J).all():
        return None
    U, values, _ = np.linalg.svd(J[3:])
    if not values.size or values[0] == 0:
        return None
    axes = np.zeros(3)
    axes[: len(values)] = values / values[0] * LARGEST * size
    return Ellipsoid(tool @ _pose(U, np.zeros(3)), np.maximum(axes, 0.01 * axes[0]))


def _pose(R: Array, p: Array) -> Array:
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = R * np.sign(np.linalg.det(R)), p
    return T
