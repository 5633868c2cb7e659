"""Bodies and frames of a model: each body with the joint that carries it and ten inertial parameters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from ..arrays import Array
from ..description.description import Limits
from ..description.looks import Look
from ..description.mdh_row import LetteredRow
from ..joints import JointType

NO_LIMITS = Limits()


@dataclass(frozen=True)
class Coupling:
    """Motion of a one-dof joint prescribed by another: q = multiplier * q[body] + offset."""

    body: int
    multiplier: float
    offset: float


@dataclass(frozen=True)
class Body:
    """A moving body and the joint that carries it.

    `parent` is the index of the parent body, or -1 for the base; parents come before their
    children. `placement` is the pose of the body frame in the parent frame at q = 0. `iq` and
    `iv` are the first indices of the joint in q and qd (those of the driving joint if a coupling
    prescribes the motion). `row` is the row of a table that the placement follows from, if that has letters.
    """

    name: str
    joint_name: str
    parent: int
    placement: Array
    joint: JointType
    phi: Array
    iq: int
    iv: int
    limits: Limits = NO_LIMITS
    damping: float = 0.0
    friction: float = 0.0
    armature: float = 0.0
    stiffness: float = 0.0
    spring_rest: float = 0.0
    drive_offset: float = 0.0
    smooth_friction: float = 0.0
    smooth_speed: float = 0.0
    stribeck_friction: float = 0.0
    stribeck_speed: float = 0.0
    damping_asymmetry: float = 0.0
    load_friction: float = 0.0
    coupling: Coupling | None = None
    row: LetteredRow | None = None

    @property
    def ratio(self) -> float:
        """Velocity of the joint per velocity of the joint that drives it; 1 if it moves by itself."""
        return 1.0 if self.coupling is None else self.coupling.multiplier

    @property
    def velocities(self) -> slice:
        """Where the velocities of the joint are in qd."""
        return slice(self.iv, self.iv + self.joint.nv)

    def moved(self, T: Array) -> Body:
        """Return the body placed in another frame, in which that of its parent has the pose T."""
        row = self.row
        if row is not None:
            row = replace(row, before=T if row.before is None else T @ row.before)
        return replace(self, placement=T @ self.placement, row=row)


@dataclass(frozen=True)
class Frame:
    """A named frame fixed to a body (-1: to the base); `look` is what a file draws there."""

    name: str
    body: int
    placement: Array
    look: Look | None = field(default=None, compare=False, repr=False)


def numbered(bodies: Sequence[Body]) -> tuple[Body, ...]:
    """Return the bodies with their places in q and qd; those that follow have their driver's."""
    iq = iv = 0
    starts: list[tuple[int, int]] = []
    for body in bodies:
        starts.append((iq, iv))
        if body.coupling is None:
            iq, iv = iq + body.joint.nq, iv + body.joint.nv
    at = [starts[body.coupling.body] if body.coupling else starts[i] for i, body in enumerate(bodies)]
    return tuple(replace(body, iq=iq, iv=iv) for body, (iq, iv) in zip(bodies, at, strict=True))
