"""The model: an immutable tree of bodies, each with one joint to its parent and ten inertial parameters."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Array
from ..checks import known_name, sized_array
from ..lazy import cached_property
from .body import Body, Frame
from .idle_joints import idle_joints


@dataclass(frozen=True)
class Model:
    """A kinematic tree with inertias, in the conventions of the package.

    `base_phi` are the ten inertial parameters of everything fixed to the base, about its origin.
    They take no part in the equations of motion; an object without a moving joint has only these.
    """

    name: str
    bodies: tuple[Body, ...]
    frames: tuple[Frame, ...]
    gravity: Array
    has_inertia: bool = True
    citation: str = ""
    base_phi: Array = field(default_factory=lambda: np.zeros(10))

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
    def mass(self) -> float:
        """Mass of the moving bodies, or of the whole object if nothing moves."""
        return float(sum(body.phi[9] for body in self.bodies) if self.bodies else self.base_phi[9])

    @cached_property
    def idle_joints(self) -> tuple[str, ...]:
        """Names of the joints that move no inertia, for which M is singular at every q.

        There are none if inertias are symbols (NaN in `phi`): their values decide.
        """
        return idle_joints(self.bodies, self.nv) if np.isfinite(self.phi).all() else ()

    def with_phi(self, phi: ArrayLike) -> Model:
        """Return the model with other inertial parameters, physical or not."""
        values = sized_array("phi", phi, self.phi.shape)
        bodies = tuple(
            replace(body, phi=row) for body, row in zip(self.bodies, values.reshape(-1, 10), strict=True)
        )
        return replace(self, bodies=bodies, has_inertia=True)

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
