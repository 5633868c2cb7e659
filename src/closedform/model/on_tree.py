"""What the forms of a constrained robot ask of its model, and its spanning tree answers."""

from __future__ import annotations

from ..arrays import Array
from .body import Body, Frame
from .model import Model


class OnTree:
    """A model on a `tree`, whose names, bodies, frames and numbers it has."""

    tree: Model

    @property
    def name(self) -> str:
        """Name of the robot."""
        return self.tree.name

    @property
    def bodies(self) -> tuple[Body, ...]:
        """The moving bodies."""
        return self.tree.bodies

    @property
    def frames(self) -> tuple[Frame, ...]:
        """The named frames."""
        return self.tree.frames

    @property
    def frame_names(self) -> tuple[str, ...]:
        """Names of the frames."""
        return self.tree.frame_names

    @property
    def gravity(self) -> Array:
        """Acceleration of gravity in the base frame."""
        return self.tree.gravity

    @property
    def has_inertia(self) -> bool:
        """Whether the bodies have inertias."""
        return self.tree.has_inertia

    @property
    def phi(self) -> Array:
        """All inertial parameters, ten per body."""
        return self.tree.phi

    @property
    def base_phi(self) -> Array:
        """Inertial parameters of what is fixed to the base."""
        return self.tree.base_phi

    def frame(self, name: str | None) -> Frame:
        """Return the frame of that name, or the default one for None."""
        return self.tree.frame(name)

    def joint_array(self, name: str) -> Array:
        """Return a number of all joints as an array over their velocities."""
        return self.tree.joint_array(name)
