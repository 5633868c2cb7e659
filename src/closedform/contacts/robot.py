"""The robot with contacts that users hold."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..arrays import Array
from ..description.contact import Contact
from ..lazy import cached_property
from ..robot import Robot
from .methods import ContactForms
from .model import ContactModel, contact_model


class ContactRobot(ContactForms):
    """A robot some of whose frames are held by the surroundings; `Robot.with_contacts` makes it.

    Coordinates and velocities are those of the robot itself.
    """

    def __init__(self, model: ContactModel) -> None:
        super().__init__(model)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.model,)

    def __repr__(self) -> str:
        model = self.model
        return (
            f"<ContactRobot {self.name!r}: {model.tree.nv} velocities, {len(model.contacts)} contacts of "
            f"rank {len(model.rows)}>"
        )

    @property
    def name(self) -> str:
        """Name of the robot."""
        return self.model.name

    @property
    def nq(self) -> int:
        """Number of coordinates."""
        return self.model.tree.nq

    @property
    def nv(self) -> int:
        """Number of velocities."""
        return self.model.tree.nv

    @property
    def contacts(self) -> tuple[Contact, ...]:
        """What holds the robot."""
        return self.model.contacts

    @property
    def row_names(self) -> tuple[str, ...]:
        """Names of the rows of all contacts, in the order of `contact_forces`."""
        return self.model.row_names

    @property
    def rank(self) -> int:
        """Number of independent rows at almost every posture."""
        return len(self.model.rows)

    @property
    def gravity(self) -> Array:
        """Acceleration of gravity in the base frame."""
        return self.model.gravity

    @cached_property
    def tree(self) -> Robot:
        """The robot without contacts."""
        return Robot(self.model.tree)


def with_contacts(
    robot: Robot, contacts: Sequence[Contact], actuated: Sequence[str] | None = None, restitution: float = 0.0
) -> ContactRobot:
    """Return the robot with contacts; see `Robot.with_contacts`."""
    return ContactRobot(contact_model(robot.model, contacts, actuated, restitution))
