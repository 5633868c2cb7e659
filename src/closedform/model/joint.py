"""Joints as constant screws: how many coordinates they have and what moves them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..arrays import Array
from ..checks import LARGEST
from ..rotations import ORTHONORMAL, ROUNDING, pose, rotation_quaternion, screw_motion, skew


@dataclass(frozen=True)
class JointType:
    """The motion of a joint: T(q) in its child frame and the constant screws X with V = X v.

    - "revolute", "prismatic", "helical": one screw, T = exp(X q);
    - "subspace": translations and at most one rotation that maps their span to itself
      (cylindrical, planar, Cartesian, Schoenflies): T = exp(X_t q_t) exp(X_r q_r);
    - "ball": q is a unit quaternion (x, y, z, w) about the point `centre`;
    - "free": q is a position and a unit quaternion.
    """

    kind: str
    X: Array

    @property
    def nv(self) -> int:
        """Number of velocities."""
        return int(self.X.shape[1])

    @property
    def nq(self) -> int:
        """Number of coordinates."""
        return {"ball": 4, "free": 7}.get(self.kind, self.nv)

    @property
    def turns(self) -> NDArray[np.bool_]:
        """Which of the screws rotate."""
        return np.asarray(self.X[:3].any(axis=0))

    @property
    def centre(self) -> Array:
        """A point on the axis of a rotation: the foot of the perpendicular from the origin."""
        column = self.rotation_column
        if self.kind == "ball":
            return np.array([self.X[5, 1], self.X[3, 2], self.X[4, 0]])
        if self.kind == "free" or column is None:
            return np.zeros(3)
        w, v = self.X[:3, column], self.X[3:, column]
        return np.cross(w, v) / (w @ w)

    @property
    def rotation_column(self) -> int | None:
        """Index of the one screw that rotates, for joints with at most one."""
        rotating = np.flatnonzero(self.turns)
        return int(rotating[0]) if len(rotating) == 1 else None

    def problem(self) -> str | None:
        """Return why this is not a joint with constant screws, or None."""
        if self.X.ndim != 2 or self.X.shape[0] != 6 or not (np.abs(self.X) <= LARGEST).all():
            return f"its screws have shape {self.X.shape}; expected finite (6, k), at most {LARGEST:g}"
        if self.nv == 0:
            return None
        lengths = np.linalg.norm(np.where(self.turns, self.X[:3], self.X[3:]), axis=0)
        normed = np.ones(1, dtype=bool) if self.nv == 1 else self.turns
        wrong = lengths[normed & (np.abs(lengths - 1) > ORTHONORMAL)]
        if wrong.size:
            return f"its axis has length {wrong[0]:g}; give a unit vector"
        if self.nv > 1 and np.linalg.matrix_rank(self.X) < self.nv:
            return "its screws are zero or linearly dependent"
        if self.kind == "free":
            return (
                None if np.array_equal(self.X, np.eye(6)) else "a six-dof joint needs the identity as screws"
            )
        if self.kind == "ball" and self.nv != 3:
            return f"a ball joint needs three screws; it has {self.nv}"
        if self.kind == "ball":
            about_centre = np.block([[np.eye(3)], [skew(self.centre)]])
            return (
                None
                if np.allclose(self.X, about_centre)
                else "a ball joint needs the screws (I; c~): rotations about the frame axes through a point c"
            )
        if self.kind != "subspace":
            return None
        rotating = np.flatnonzero(self.turns)
        if len(rotating) > 1:
            return (
                "its screws rotate about more than one axis without being a ball or free joint; "
                "use one joint per axis"
            )
        if len(rotating) == 1:
            translations = np.delete(self.X[3:], rotating[0], axis=1)
            e = self.X[:3, rotating[0]]
            turned = np.cross(e, translations, axis=0)
            residual = turned - translations @ np.linalg.lstsq(translations, turned, rcond=None)[0]
            if np.abs(residual).max() > 1e-9:
                return (
                    "its rotation turns its translations out of their span, so the motion subspace "
                    "is not constant; use one joint per dof"
                )
        return None

    def normalised(self) -> JointType:
        """Return the joint with axes of exactly unit length, even if printed figures have few digits."""
        lengths = np.linalg.norm(np.where(self.turns, self.X[:3], self.X[3:]), axis=0)
        meant = (np.ones(self.nv, dtype=bool) if self.nv == 1 else self.turns) & (lengths > 0)
        off = meant & (np.abs(lengths - 1) > ROUNDING)
        return JointType(self.kind, self.X / np.where(off, lengths, 1.0)) if off.any() else self

    def motion(self, q: Array) -> Array:
        """Return T(q), the pose of the child frame against its place at home, from numbers."""
        if self.kind == "free":
            x, y, z, w = q[3:]
            return pose(rotation_quaternion((w, x, y, z)), q[:3])
        if self.kind == "ball":
            x, y, z, w = q
            R, c = rotation_quaternion((w, x, y, z)), self.centre
            return pose(R, c - R @ c)
        column = self.rotation_column
        if self.nv == 1 or column is None:
            return screw_motion(self.X @ q)
        others = [k for k in range(self.nv) if k != column]
        moved = pose(None, self.X[3:, others] @ q[others])
        return moved @ screw_motion(self.X[:, column] * q[column])

    def neutral(self) -> Array:
        """Return the coordinates of the home pose."""
        q = np.zeros(self.nq)
        if self.kind in ("ball", "free"):
            q[-1] = 1.0
        return q
