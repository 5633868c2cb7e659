"""A joint as one object: its screws, its motion, its coordinates, and how people and files call it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arrays import Array
from ..checks import LARGEST, sized_array
from ..errors import ArgumentError
from ..rotations import (
    ORTHONORMAL,
    ROUNDING,
    displacement,
    pose,
    quaternion_of,
    rotated,
    screw_motion,
    unit,
    velocity_of,
)

UNLIMITED = 1e6
"""Joint limits of this magnitude or more mean that there are none."""


@dataclass(frozen=True)
class JointType:
    """The motion of a joint: T(q) in its child frame and the constant screws X with V = X v.

    Screws are constant only if the motions of the joint are a group, that is, translations and one turn
    or none (about an axis that maps the translations to themselves), or all turns about a point, or all
    motions. A kind is one of these (a subclass in a file of its own), or it is made of several such
    joints in a row (`parts`). In coordinates, with c = `centre` and one angle or one quaternion,

        T(q) = (R, c - R c + shifts q - (c x e) angle).
    """

    X: Array

    kind: ClassVar[str] = ""
    written: ClassVar[Mapping[str, tuple[int, ...]] | None] = None
    """Numbers (name: shape) that files may give in place of the screws, "axis" or "axes" as directions;
    None if only the screws themselves say which joint it is."""

    count: ClassVar[int | None] = None
    """How many screws it has; None if that differs."""

    floats: ClassVar[bool] = False
    """Whether it lets a body go anywhere, so that no motor drives it."""

    turns_about_axis: ClassVar[bool] = False
    """Whether all it does is to turn about one axis."""

    slides_along_axis: ClassVar[bool] = False
    """Whether all it does is to slide along one axis."""

    quaternion: ClassVar[slice | None] = None
    """Which of its coordinates are a unit quaternion (x, y, z, w)."""

    mjcf: ClassVar[str | None] = None
    """What MJCF calls it; None if it cannot say it."""

    @property
    def urdf(self) -> str | None:
        """What URDF calls it; None if it cannot say it."""
        return None

    @classmethod
    def screws(cls, **given: ArrayLike) -> Array:
        """Return the screws (6, k) of the numbers that files may give instead, axes of any length.

        >>> from closedform.joints import Universal
        >>> Universal.screws(axes=[(2, 0, 0), (0, 1, 0)]).T.tolist()
        [[1.0, 0.0, 0.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0, 0.0, 0.0]]
        """
        names = "its screws" if cls.written is None else ", ".join(cls.written) or "nothing more"
        if cls.written is None or set(given) != set(cls.written):
            raise ArgumentError(f"a joint of kind {cls.kind} is given by {names}; given: {', '.join(given)}")
        largest = float(np.finfo(float).max)  # what is too large for a screw, `problem` says
        numbers = {
            name: sized_array(name, given[name], shape, largest) for name, shape in cls.written.items()
        }
        for name in {"axis", "axes"} & set(numbers):
            units = [e for row in np.atleast_2d(numbers[name]) if (e := unit(row)) is not None]
            if np.size(units) != np.size(numbers[name]):
                raise ArgumentError(f"{name} has zero length; give a non-zero axis")
            numbers[name] = np.reshape(units, numbers[name].shape)
        return cls.screws_of(**numbers)

    @classmethod
    def screws_of(cls, **written: Array) -> Array:
        """Return the screws of numbers of the right shape, axes of unit length."""
        raise NotImplementedError(f"{cls.__name__} has `written` and needs `screws_of`")

    @classmethod
    def fits(cls, X: Array) -> bool:
        """Return whether screws that no kind is given for are those of this kind."""
        return False

    @property
    def parts(self) -> tuple[JointType, ...]:
        """The joints that it is made of, from the parent to the child: itself if its screws are constant."""
        return (self,)

    @property
    def simple_parts(self) -> tuple[JointType, ...]:
        """The parts of its parts, all with constant screws: what a model has in its place."""
        return self.parts

    @property
    def nv(self) -> int:
        """Number of velocities."""
        return int(self.X.shape[1])

    @property
    def nq(self) -> int:
        """Number of coordinates."""
        return self.nv

    @property
    def turns(self) -> NDArray[np.bool_]:
        """Which of the screws rotate."""
        return np.asarray(self.X[:3].any(axis=0))

    @property
    def rotation_column(self) -> int | None:
        """Index of the one screw that rotates, for joints with at most one."""
        rotating = np.flatnonzero(self.turns)
        return int(rotating[0]) if len(rotating) == 1 else None

    @property
    def centre(self) -> Array:
        """A point on the axis of the rotation: the foot of the perpendicular from the origin."""
        column = self.rotation_column
        if column is None:
            return np.zeros(3)
        w, v = self.X[:3, column], self.X[3:, column]
        return np.cross(w, v) / (w @ w)

    @property
    def shifts(self) -> Array:
        """The translation per unit of each coordinate, (3, nq), moments of the rotation included."""
        return self.X[3:]

    def pitch(self, column: int) -> float:
        """Return how far a screw that rotates moves along its axis per radian."""
        return float(self.X[:3, column] @ self.X[3:, column])

    def shape_problem(self) -> str | None:
        """Return why numbers are no screws, or are too many or too few, or None."""
        if self.X.ndim != 2 or self.X.shape[0] != 6 or not (np.abs(self.X) <= LARGEST).all():
            return f"its screws have shape {self.X.shape}; expected finite (6, k), at most {LARGEST:g}"
        if self.nv == 0 or self.count not in (None, self.nv):
            words = {None: "screws", 1: "one screw", 2: "two screws", 3: "three screws", 6: "six screws"}
            wanted = words.get(self.count, f"{self.count} screws")
            return f"a {self.kind} joint needs {wanted}; it has {self.nv}"
        return None

    def problem(self) -> str | None:
        """Return why this is not a joint of its kind, or None."""
        problem = self.shape_problem()
        if problem:
            return problem
        lengths = self._axis_lengths()
        wrong = lengths[np.abs(lengths - 1) > ORTHONORMAL]
        if wrong.size:
            return f"its axis has length {wrong[0]:g}; give a unit vector"
        if self.nv > 1 and np.linalg.matrix_rank(self.X) < self.nv:
            return "its screws are zero or linearly dependent"
        return self.own_problem()

    def own_problem(self) -> str | None:
        """Return why screws, finite and independent with axes of unit length, are not of this kind.

        Translations and a turn move as a group if the turn maps the span of the translations to itself.
        """
        rotating = np.flatnonzero(self.turns)
        if len(rotating) > 1:
            return (
                "its screws rotate about more than one axis without being a ball or free joint; "
                "use one joint per axis"
            )
        if len(rotating) == 1 < self.nv:
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

    def normalised(self) -> Self:
        """Return the joint with axes of exactly unit length, even if printed figures have few digits."""
        lengths = self._axis_lengths()
        off = (lengths > 0) & (np.abs(lengths - 1) > ROUNDING)
        return replace(self, X=self.X / np.where(off, lengths, 1.0)) if off.any() else self

    def _axis_lengths(self) -> Array:
        """Return the lengths of the axes that are directions; 1 for slides of several, which may have any."""
        lengths = np.linalg.norm(np.where(self.turns, self.X[:3], self.X[3:]), axis=0)
        return lengths if self.nv == 1 else np.where(self.turns, lengths, 1.0)

    def motion(self, q: Array) -> Array:
        """Return T(q), the pose of the child frame against its place at home, from numbers."""
        column = self.rotation_column
        if self.nv == 1 or column is None:
            return screw_motion(self.X @ q)
        others = [k for k in range(self.nv) if k != column]
        moved = pose(None, self.X[3:, others] @ q[others])
        return moved @ screw_motion(self.X[:, column] * q[column])

    def moved(self, q: Array, step: Array) -> Array:
        """Return q (..., nq) moved from T to T exp(X step), exactly for a constant velocity."""
        column = self.rotation_column
        if self.nv == 1 or column is None:
            return q + step
        others = [k for k in range(self.nv) if k != column]
        Xt, e = self.X[3:, others], self.X[:3, column]
        turned = quaternion_of(e * q[..., column, None])
        along = rotated(turned, displacement(e * step[..., column, None], step[..., others] @ Xt.T))
        moved = q + step
        moved[..., others] = q[..., others] + along @ np.linalg.pinv(Xt).T
        return moved

    def step_to(self, q: Array, target: Array) -> Array:
        """Return the step (..., nv) that moves q to a target (..., nq): the inverse of `moved`."""
        column = self.rotation_column
        step = np.asarray(target - q)
        if self.nv == 1 or column is None:
            return step
        others = [k for k in range(self.nv) if k != column]
        Xt, e = self.X[3:, others], self.X[:3, column]
        along = rotated(quaternion_of(-e * q[..., column, None]), step[..., others] @ Xt.T)
        step[..., others] = velocity_of(e * step[..., column, None], along) @ np.linalg.pinv(Xt).T
        return step

    def neutral(self) -> Array:
        """Return the coordinates of the home pose."""
        return np.zeros(self.nq)

    def random(self, rng: np.random.Generator, batch: tuple[int, ...], lower: float, upper: float) -> Array:
        """Return random coordinates (*batch, nq): between the limits, if it has one dof and there are any."""
        if self.nv == 1 and -UNLIMITED < lower <= upper < UNLIMITED:
            return rng.uniform(lower, upper, size=(*batch, 1))
        return rng.uniform(-1, 1, size=(*batch, self.nq)) * np.where(self.turns, np.pi, 1.0)

    def doubt(self, q: Array) -> str | None:
        """Return why coordinates (nq,) give no pose, or None."""
        return None

    @property
    def velocity_entries(self) -> tuple[tuple[str, str], ...]:
        """Name and unit of each velocity, the unit without "/s"; one alone needs no name."""
        names = [""] if self.nv == 1 else [str(k + 1) for k in range(self.nv)]
        units = ("rad" if turning else "m" for turning in self.turns)
        return tuple(zip(names, units, strict=True))

    @property
    def coordinate_entries(self) -> tuple[tuple[str, str], ...]:
        """Name and unit of each coordinate."""
        return self.velocity_entries

    @property
    def meaning(self) -> str:
        """What its coordinates are, for the comments of written code."""
        units = ", ".join(unit for _, unit in self.velocity_entries)
        return f"{self.kind if self.nv == 1 else 'along its screws'} ({units})"

    def pinocchio(self, pin: Any) -> Any:
        """Return Pinocchio's joint with these coordinates, about the `centre`; None if it has none."""
        return None

    @property
    def pinocchio_order(self) -> tuple[int, ...]:
        """Where Pinocchio's velocities are among those of this joint."""
        return tuple(range(self.nv))
