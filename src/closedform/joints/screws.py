"""Screws of axes, and the joints that other libraries have about an axis."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arrays import Array


def turn(e: Array) -> Array:
    """Return the screw (6, 1) of a turn about the unit axis e through the origin: (e; 0)."""
    return np.concatenate([e, np.zeros(3)])[:, None]


def slide(e: Array) -> Array:
    """Return the screw (6, 1) of a slide along the unit axis e: (0; e)."""
    return np.concatenate([np.zeros(3), e])[:, None]


def plane(e: Array) -> Array:
    """Return the screws (6, 3) of a plane: two slides across e, a right-handed frame with it, and a turn.

    The slides are along x and y if e is z.
    """
    k = int(np.argmax(np.abs(e)))
    other = np.eye(3)[(k + 1) % 3]
    t1 = other - (other @ e) * e
    t1 /= np.linalg.norm(t1)
    return np.hstack([slide(t1), slide(np.cross(e, t1)), turn(e)])


def pinocchio_joint(pin: Any, name: str, axis: Array, *more: float) -> Any:
    """Return Pinocchio's joint of one dof: it has types of its own for the coordinate axes."""
    letter = next((each for each, e in zip("XYZ", np.eye(3), strict=True) if np.array_equal(axis, e)), None)
    if letter:
        return getattr(pin, f"JointModel{name[0]}{letter}")(*more)
    return getattr(pin, f"JointModel{name}Unaligned")(axis, *more)
