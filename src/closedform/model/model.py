"""The model: an immutable tree of bodies, each with one joint to its parent and ten inertial parameters."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Array
from ..checks import known_name, sized_array
from ..description.mdh_row import LetteredRow, generic_values
from ..errors import ClosedFormError, listed
from ..lazy import cached_property
from ..rotations import pose, rotation_rpy, rpy_of
from .body import Body, Frame
from .idle_joints import idle_joints


@dataclass(frozen=True)
class Model:
    """A kinematic tree with inertias, in the conventions of the package.

    `base_phi` are the ten inertial parameters of everything fixed to the base, about its origin.
    They take no part in the equations of motion; an object without a moving joint has only these.
    `letters` are those of the rows of a table, with their numbers; None for those that have none, on
    which some placements depend: these are NaN there.
    """

    name: str
    bodies: tuple[Body, ...]
    frames: tuple[Frame, ...]
    gravity: Array
    has_inertia: bool = True
    citation: str = ""
    base_phi: Array = field(default_factory=lambda: np.zeros(10))
    letters: Mapping[str, float | None] = field(default_factory=dict)

    @cached_property
    def nq(self) -> int:
        """Number of coordinates."""
        return sum(body.joint.nq for body in self.independent)

    @cached_property
    def nv(self) -> int:
        """Number of velocities."""
        return sum(body.joint.nv for body in self.independent)

    @cached_property
    def phi(self) -> Array:
        """All inertial parameters, ten per body, bodies in order."""
        phi = np.concatenate([np.zeros(0), *(body.phi for body in self.bodies)])
        phi.flags.writeable = False
        return phi

    @cached_property
    def geometry(self) -> Array:
        """Placements of the bodies in their parents, a row x, y, z, roll, pitch, yaw each, as in URDF."""
        self.require_numbers("geometry")
        rows = [(*body.placement[:3, 3], *rpy_of(body.placement[:3, :3])) for body in self.bodies]
        geometry = np.array(rows).reshape(-1, 6)
        geometry.flags.writeable = False
        return geometry

    @cached_property
    def mass(self) -> float:
        """Mass of the moving bodies, or of the whole object if nothing moves."""
        return float(sum(body.phi[9] for body in self.bodies) if self.bodies else self.base_phi[9])

    @cached_property
    def idle_joints(self) -> tuple[str, ...]:
        """Names of the joints that move no inertia, for which M is singular at every q.

        There are none if inertias are symbols (NaN in `phi`) or lengths are letters: their values decide.
        """
        known = np.isfinite(self.phi).all() and not self.without_numbers
        return idle_joints(self.bodies, self.nv) if known else ()

    def with_phi(self, phi: ArrayLike) -> Model:
        """Return the model with other inertial parameters, physical or not."""
        values = sized_array("phi", phi, self.phi.shape)
        bodies = tuple(
            replace(body, phi=row) for body, row in zip(self.bodies, values.reshape(-1, 10), strict=True)
        )
        return replace(self, bodies=bodies, has_inertia=True)

    def with_geometry(self, geometry: ArrayLike) -> Model:
        """Return the model with other placements of its bodies, rows as in `geometry`."""
        rows = sized_array("geometry", geometry, (len(self.bodies), 6))
        bodies = tuple(
            replace(body, placement=pose(rotation_rpy(row[3:]), row[:3]), row=None)
            for body, row in zip(self.bodies, rows, strict=True)
        )
        return replace(self, bodies=bodies, letters={})

    def with_letters(self, values: Mapping[str, float | None]) -> Model:
        """Return the model with these numbers for its letters, None for a letter without one."""
        letters = {**self.letters, **values}
        bodies = tuple(
            body if self.row(k) is None and self.letters else _placed(body, letters)
            for k, body in enumerate(self.bodies)
        )
        return replace(self, bodies=bodies, letters=letters)

    def row(self, k: int) -> LetteredRow | None:
        """Return the row with letters that a body's placement follows from, None if it has no such row.

        A placement that has been changed since follows from no row.
        """
        row, T = self.bodies[k].row, self.bodies[k].placement
        follows = row is not None and np.array_equal(row.pose(self.letters), T, equal_nan=True)
        return row if follows else None

    @cached_property
    def without_numbers(self) -> tuple[str, ...]:
        """Letters without a number."""
        return tuple(name for name, value in self.letters.items() if value is None)

    def require_numbers(self, what: str) -> None:
        """Refuse a model some of whose letters have no number."""
        if self.without_numbers:
            names = listed([repr(name) for name in self.without_numbers], 8)
            one, *more = self.without_numbers
            missing = (
                "letters {} of robot {!r} have no numbers; give them"
                if more
                else ("letter {} of robot {!r} has no number; give it")
            )
            raise ClosedFormError(
                f"{what}: {missing.format(names, self.name)}, "
                f"robot.with_letters({{{one!r}: 0.4}}), or use what keeps letters: equations, "
                "base_parameters(robot, symbolic=True), kernels with geometry=True"
            )

    @property
    def filled(self) -> Model:
        """The model with generic numbers for those letters that have none."""
        if not self.without_numbers:
            return self
        return self.with_letters(generic_values(self.without_numbers))

    @cached_property
    def generic(self) -> Model:
        """The model with numbers for its letters that no special case has, to see what depends on them."""
        return self.with_letters(generic_values(tuple(self.letters)))

    def with_gravity(self, gravity: ArrayLike) -> Model:
        """Return the model in another field of gravity."""
        return replace(self, gravity=sized_array("gravity", gravity, (3,)))

    @cached_property
    def frame_names(self) -> tuple[str, ...]:
        """Names that `pose` and `jacobian` accept."""
        return tuple(frame.name for frame in self.frames)

    @cached_property
    def default_frame(self) -> Frame:
        """The last frame that a joint moves: files often end with frames of the base."""
        moving = (frame for frame in reversed(self.frames) if frame.body >= 0)
        return next(moving, self.frames[-1])

    def frame(self, name: str | None) -> Frame:
        """Return the frame of that name, or the default one for None."""
        if name is None:
            return self.default_frame
        return self.frames[self.frame_names.index(known_name("frame", name, self.frame_names))]

    def ancestors(self, body: int) -> list[int]:
        """Return the bodies from `body` to the root, both included."""
        path = []
        while body >= 0:
            path.append(body)
            body = self.bodies[body].parent
        return path

    @cached_property
    def digest(self) -> str:
        """A hash of every number that the equations depend on; names do not matter."""
        h = hashlib.sha256()
        for body in self.bodies:
            h.update(repr((body.parent, body.joint.kind, body.iq, body.iv, body.coupling)).encode())
            for array in (body.placement, body.joint.X, body.phi, np.array([body.armature])):
                h.update(np.ascontiguousarray(array, dtype=float).tobytes())
        h.update(np.ascontiguousarray(self.gravity).tobytes())
        h.update(bytes([self.has_inertia]))
        if not self.bodies:
            h.update(np.ascontiguousarray(self.base_phi, dtype=float).tobytes())
        return h.hexdigest()

    @cached_property
    def independent(self) -> tuple[Body, ...]:
        """The bodies whose joints have coordinates of their own: no coupling prescribes their motion."""
        return tuple(body for body in self.bodies if body.coupling is None)

    @cached_property
    def joint_names(self) -> tuple[str, ...]:
        """Names of the joints that have coordinates of their own, in order."""
        return tuple(body.joint_name for body in self.independent)

    @cached_property
    def coupled(self) -> bool:
        """Whether any joint is coupled to another."""
        return len(self.independent) < len(self.bodies)

    def neutral(self) -> Array:
        """Return the coordinates of the home pose."""
        return np.concatenate([np.zeros(0), *(body.joint.neutral() for body in self.independent)])

    def limit_array(self, name: str) -> Array:
        """Return a field of the joint limits as an array over the velocities."""
        return self._over_velocities([getattr(body.limits, name) for body in self.independent])

    def joint_array(self, name: str) -> Array:
        """Return a number of the joints (damping, armature, ...) as an array over the velocities."""
        return self._over_velocities([getattr(body, name) for body in self.independent])

    def _over_velocities(self, values: list[float]) -> Array:
        """Return an array with the value of each independent joint for all of its velocities."""
        return np.repeat(np.array(values, dtype=float), [body.joint.nv for body in self.independent])


def _placed(body: Body, letters: Mapping[str, float | None]) -> Body:
    """Return a body where its row puts it, if it has one."""
    return body if body.row is None else replace(body, placement=body.row.pose(letters))
