"""The catalogue of an elastic-joint robot's forms: what each takes and gives, and its builder.

Shapes: v joints, k joints if the stiffness is an input.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from casadi import SX

from ..checks import some_of
from ..emit import layout
from ..emit.names import label
from ..emit.subject import Index
from ..errors import ClosedFormError
from ..forms import Catalogue, Form, Need, Quantity
from ..forms.lettered import Lettered, lettered
from ..forms.quantities import COORDINATES
from ..model import Model
from .decoupling import decoupling, link_derivatives
from .drives import Drives
from .inverse import inverse_dynamics, motor_motion
from .plant import Plant, energy, forward_dynamics


@dataclass(frozen=True, eq=False)
class ElasticModel:
    """What the forms of an elastic-joint robot are built from: its links and its drives."""

    links: Model
    drives: Drives

    @property
    def name(self) -> str:
        """Name of the robot."""
        return f"elastic_{self.links.name}"


def joint_names(links: Model) -> tuple[str, ...]:
    """Return a name per degree of freedom."""
    names: list[str] = []
    for body in links.independent:
        dofs = body.joint.nv
        names += [body.joint_name] if dofs == 1 else [f"{body.joint_name} {k + 1}" for k in range(dofs)]
    return tuple(names)


def _sizes(model: ElasticModel) -> dict[str, int | None]:
    return {"v": model.links.nv, "k": model.links.nv if model.drives.stiffness is None else None}


def _basis(model: ElasticModel, stiffness: Mapping[str, SX]) -> tuple[Plant]:
    return (Plant(model.links, model.drives, stiffness=tuple(stiffness.values())),)


def _refuse_damping(model: ElasticModel, what: str) -> None:
    damped = model.drives.damping > 0
    if damped.any():
        joint = joint_names(model.links)[int(np.argmax(damped))]
        raise ClosedFormError(
            f"{what}: the spring of joint {joint!r} is damped, so the link motion does not "
            "determine the motor motion; use changed(damping=0) for the undamped model (an "
            "approximation), or decoupling, which is exact"
        )


def _refuse_some_damping(model: ElasticModel, what: str) -> None:
    damped = model.drives.damping > 0
    if damped.any() and not damped.all():
        raise ClosedFormError(
            f"{what}: some springs are damped and some are not; the joints would need chains of "
            "different lengths. Give every joint damping, or none"
        )


UNDAMPED, ALIKE = Need(_refuse_damping), Need(_refuse_some_damping)
"""What forms need: springs without damping, or springs that are all damped or all not."""

MOTOR = Quantity(
    "theta", r"\theta", "rad", "motor angles, at the shaft", ("motor velocities", "motor accelerations")
)
TORQUES = Quantity("u", "u", "N m", "motor torques, at the shaft")
COMMAND = Quantity("s", "s", "rad/s^4", "commanded derivative of the link angles at the end of the chain")
SPRING = Quantity(
    "K",
    "K",
    "N m/rad",
    "stiffness of the springs, at the shaft",
    ("rate of the stiffness", "second rate of the stiffness"),
)
ENERGY = Quantity("E", "E", "J", "energy of links, motors and springs")

MOTION = tuple(COORDINATES.rate(k).array("v") for k in range(5))
POSITIONS = (*MOTION[:2], MOTOR.array("v"), MOTOR.rate().array("v"))
STIFFNESS = tuple(
    SPRING.rate(k).array("k", name=name)
    for k, name in enumerate(("stiffness", "stiffness_dot", "stiffness_ddot"))
)
"""Last inputs of a form if the stiffness is variable, as many as the form needs."""

STATE = tuple(each.name for each in POSITIONS)
"""Names of the state: link and motor angles and velocities."""

FORMS = Catalogue(ElasticModel, "form of an elastic-joint robot", _sizes, _basis)
"""Every form of an elastic-joint robot by name."""

FORMS.add(
    forward_dynamics,
    (*POSITIONS, TORQUES.array("v")),
    (MOTION[2], MOTOR.rate(2).array("v")),
    constants=STIFFNESS[:1],
)
FORMS.add(inverse_dynamics, MOTION, TORQUES.array("v"), needs=(UNDAMPED,), constants=STIFFNESS)
FORMS.add(
    motor_motion,
    MOTION,
    tuple(MOTOR.rate(k).array("v") for k in range(3)),
    needs=(UNDAMPED,),
    constants=STIFFNESS,
)
FORMS.add(link_derivatives, POSITIONS, MOTION[2:4], needs=(UNDAMPED,), constants=STIFFNESS[:2])
FORMS.add(
    decoupling,
    (*POSITIONS, COMMAND.array("v")),
    TORQUES.array("v"),
    group="control",
    needs=(ALIKE,),
    constants=STIFFNESS,
)
FORMS.add(energy, POSITIONS, ENERGY.array(), constants=STIFFNESS[:1])


@layout.register
def _joints(model: ElasticModel, form: Form, index: Index) -> Iterator[str]:
    yield "Joints, in order:"
    for k, joint in enumerate(joint_names(model.links)):
        yield f"  {index('q', (k,))}  {label(joint)}"


@lettered.register
def _numbers(
    model: ElasticModel, form: Form, symbolic: bool | str | Collection[str], convention: str
) -> Lettered:
    """Return the model itself: the constants of elastic joints are numbers."""
    from ..equations.build import MAX_OPERATIONS, angle_groups  # noqa: PLC0415 (SymPy is slow to import)

    some_of("symbolic", symbolic, ())
    return Lettered(groups=angle_groups(model.links), most=MAX_OPERATIONS)
