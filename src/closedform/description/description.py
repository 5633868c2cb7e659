"""A robot as its user wrote it: named links with inertias, joined by named joints."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

KINDS = ("revolute", "prismatic", "helical", "subspace", "ball", "free", "fixed")


@dataclass(frozen=True)
class Inertial:
    """Mass, centre of mass and rotational inertia about it, in the axes of the link frame."""

    mass: float
    com: Array
    inertia: Array

    @classmethod
    def of(cls, mass: float, com: object = (0, 0, 0), inertia: object = np.zeros((3, 3))) -> Inertial:
        """Return an inertial from a 3x3 matrix or the six entries xx, xy, xz, yy, yz, zz."""
        matrix = np.asarray(inertia, dtype=float)
        if matrix.shape == (6,):
            xx, xy, xz, yy, yz, zz = matrix
            matrix = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        return cls(float(mass), np.asarray(com, dtype=float), matrix)


@dataclass(frozen=True)
class Link:
    """A rigid piece; `inertial` is None where the source gives no inertia."""

    name: str
    inertial: Inertial | None = None


@dataclass(frozen=True)
class Mimic:
    """The coupling q = multiplier * q[joint] + offset of a one-dof joint to another."""

    joint: str
    multiplier: float = 1.0
    offset: float = 0.0


@dataclass(frozen=True)
class Limits:
    """Bounds a joint is made for; infinite where the source is silent."""

    lower: float = -np.inf
    upper: float = np.inf
    velocity: float = np.inf
    effort: float = np.inf


@dataclass(frozen=True)
class Joint:
    """A joint between two links.

    `placement` is T_pc, the 4x4 pose of the child frame in the parent link frame at q = 0.
    `subspace` holds the joint screws (omega; v) in the child frame, one column per dof; it is
    6 x 0 for a fixed joint. `kind` is one of `KINDS`.
    """

    name: str
    kind: str
    parent: str
    child: str
    placement: Array = field(default_factory=lambda: np.eye(4))
    subspace: Array = field(default_factory=lambda: np.zeros((6, 0)))
    limits: Limits = Limits()
    damping: float = 0.0
    friction: float = 0.0
    armature: float = 0.0
    mimic: Mimic | None = None


@dataclass(frozen=True)
class Description:
    """Links and joints in the order they were written, with the gravity they stand in."""

    name: str
    links: tuple[Link, ...]
    joints: tuple[Joint, ...]
    gravity: tuple[float, float, float] = (0.0, 0.0, -9.81)
    source: str = ""
    citation: str = ""
