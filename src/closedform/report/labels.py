"""Names and units of the entries of q, qd and tau."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..joints import JointType
from ..loops.model import ClosedModel
from ..model import Body, Model


@dataclass(frozen=True)
class Label:
    """One entry: its name, the unit of its coordinate, and the joint it belongs to."""

    text: str
    unit: str
    joint: str

    @property
    def effort_unit(self) -> str:
        """Unit of its force or torque."""
        return "N m" if self.unit == "rad" else "N"


def turns(body: Body) -> NDArray[np.bool_]:
    """Return which velocities of a body's joint rotate (the others translate)."""
    return body.joint.turns


def velocity_labels(model: Model) -> tuple[Label, ...]:
    """Return the labels of qd, qdd and tau."""
    return _labels(model, lambda joint: joint.velocity_entries)


def torque_labels(model: Model | ClosedModel) -> tuple[Label, ...]:
    """Return the labels of the torques: those of qd, or of the actuated joints of a robot with loops.

    If nobody drives some of its degrees of freedom, they are those of the generalised forces.
    """
    if isinstance(model, Model):
        return velocity_labels(model)
    every = velocity_labels(model.tree)
    return tuple(every[k] for k in (model.iv if model.undriven else model.av))


def coordinate_labels(model: Model) -> tuple[Label, ...]:
    """Return the labels of q; quaternions have unit 1."""
    return _labels(model, lambda joint: joint.coordinate_entries)


def _labels(model: Model, entries: Callable[[JointType], Sequence[tuple[str, str]]]) -> tuple[Label, ...]:
    return tuple(
        Label(f"{body.joint_name} {part}" if part else body.joint_name, unit, body.joint_name)
        for body in model.independent
        for part, unit in entries(body.joint)
    )


def joint_groups(labels: Sequence[Label], size: int) -> list[list[str]]:
    """Return the joints in order, in groups of at most `size` entries; a free or ball joint is alone."""
    groups: list[list[str]] = []
    room = 0
    for joint in dict.fromkeys(label.joint for label in labels):
        count = sum(label.joint == joint for label in labels)
        if count > 3 or count > room:
            groups.append([])
            room = size
        groups[-1].append(joint)
        room = 0 if count > 3 else room - count
    return groups


def units(names: Sequence[str]) -> str:
    """Return the different units among the names, for an axis title."""
    return ", ".join(dict.fromkeys(names))
