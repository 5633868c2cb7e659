"""Names and units of the entries of q, qd and tau."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..model import Body, Model

QUATERNION = ("qx", "qy", "qz", "qw")
TWIST = ("wx", "wy", "wz", "vx", "vy", "vz")


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
    rotating: NDArray[np.bool_] = np.any(body.joint.X[:3] != 0, axis=0)
    return rotating


def velocity_labels(model: Model) -> tuple[Label, ...]:
    """Return the labels of qd, qdd and tau."""
    labels: list[Label] = []
    for body in model.bodies:
        if body.coupling is None:
            name, nv = body.joint_name, body.joint.nv
            parts: Sequence[str] = [str(k + 1) for k in range(nv)]
            if body.joint.kind in ("ball", "free"):
                parts = TWIST[:nv]
            for part, turning in zip(parts, turns(body), strict=True):
                text = name if nv == 1 else f"{name} {part}"
                labels.append(Label(text, "rad" if turning else "m", name))
    return tuple(labels)


def coordinate_labels(model: Model) -> tuple[Label, ...]:
    """Return the labels of q; quaternions have unit 1."""
    labels: list[Label] = []
    rates = iter(velocity_labels(model))
    for body in model.bodies:
        if body.coupling is not None:
            continue
        of_joint = [next(rates) for _ in range(body.joint.nv)]
        if body.joint.kind in ("ball", "free"):
            name = body.joint_name
            position = ("x", "y", "z") if body.joint.kind == "free" else ()
            labels += [Label(f"{name} {part}", "m", name) for part in position]
            labels += [Label(f"{name} {part}", "1", name) for part in QUATERNION]
        else:
            labels += of_joint
    return tuple(labels)


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
