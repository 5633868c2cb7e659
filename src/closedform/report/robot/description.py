"""The robot itself: where its numbers come from, its joints and its bodies."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...description import Limits
from ...model import Body, Model
from ...model.inertia import parts_from_phi
from ..section import Section
from .robot_study import Study


@dataclass(frozen=True)
class JointFacts:
    """A row of the joint table; `drive` tells how a coupled joint follows another."""

    name: str
    kind: str
    parent: str
    child: str
    limits: Limits
    unit: str
    drive: str


@dataclass(frozen=True)
class BodyFacts:
    """A row of the body table: mass and centre of mass in the body frame."""

    name: str
    mass: float
    com: tuple[float, float, float]


@dataclass(frozen=True)
class RobotFacts:
    """What a robot is made of."""

    model: Model
    joints: tuple[JointFacts, ...]
    bodies: tuple[BodyFacts, ...]
    notes: tuple[str, ...]

    @property
    def mass(self) -> float:
        """Mass of all moving bodies."""
        return sum(body.mass for body in self.bodies)


def gather(study: Study) -> RobotFacts:
    """Return the facts of the model."""
    model = study.robot.model
    return RobotFacts(
        model,
        tuple(_joint(model, body) for body in model.bodies),
        tuple(_body(body) for body in model.bodies),
        study.notes,
    )


def _joint(model: Model, body: Body) -> JointFacts:
    parent = model.bodies[body.parent].name if body.parent >= 0 else model.frames[0].name
    unit = "m" if not body.joint.X[:3].any() else "rad"
    drive = ""
    if body.coupling is not None:
        coupling = body.coupling
        drive = f"{coupling.multiplier:g}".replace("-", "−") + f" × {model.bodies[coupling.body].joint_name}"
        drive += f" {'+' if coupling.offset > 0 else '−'} {abs(coupling.offset):g}" if coupling.offset else ""
    return JointFacts(body.joint_name, body.joint.kind, parent, body.name, body.limits, unit, drive)


def _body(body: Body) -> BodyFacts:
    m, ms, _ = parts_from_phi(body.phi)
    x, y, z = ms / m if m else np.zeros(3)
    return BodyFacts(body.name, m, (float(x), float(y), float(z)))


SECTION = Section("robot", "Robot", gather)
