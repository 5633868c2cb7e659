"""The catalogue of an elastic-joint robot's forms: what each takes and gives, and its builder.

Shapes: v joints, k joints if the stiffness is an input, c joints if it is not, 4v the state, 5v the
estimates, p phi.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from casadi import SX

from ..checks import known_name, some_of
from ..emit import layout
from ..emit.names import label
from ..emit.subject import Index
from ..errors import ClosedFormError
from ..forms import Catalogue, Form, FormArray, Need, Quantity
from ..forms.form import Builder
from ..forms.lettered import Lettered, lettered
from ..forms.quantities import COORDINATES, PHI
from ..model import Model
from .decoupling import decoupling, link_derivatives
from .drives import Drives
from .inverse import inverse_dynamics, motor_motion
from .law_forms import (
    decoupling_bias,
    decoupling_law,
    decoupling_matrix,
    feedforward_law,
    rigid_law,
    static_feedforward_law,
)
from .letters import KINDS, lettered_drives
from .observer_forms import (
    loaded_link_derivatives,
    momentum_balance,
    motor_observer_rate,
    plant_observer_rate,
    spring_links,
)
from .plant import Plant, energy, forward_dynamics, spring_torque, state_rate
from .staged import staged_law


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
    variable = model.drives.stiffness is None
    joints = model.links.nv
    return {
        "v": joints,
        "4v": 4 * joints,
        "5v": 5 * joints,
        "k": joints if variable else None,
        "c": None if variable else joints,
        "p": model.links.phi.size,
    }


def _basis(model: ElasticModel, constants: Mapping[str, SX]) -> tuple[Plant]:
    """Return the plant, with symbols for those of its numbers that are inputs."""
    stiffness = tuple(constants[each.name] for each in STIFFNESS if each.name in constants)
    inertias = {name: constants.get(name) for name in ("motor_inertia", "phi")}
    return (Plant(model.links, model.drives, stiffness=stiffness, **inertias),)


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

WANTED = Quantity(
    "q", "q", "rad or m", "wanted link angles", ("wanted velocities", "wanted accelerations"), mark="_d"
)
GAINS = Quantity("k", "k", "1/s to a power", "gains of the errors as rows, from the lowest derivative on")
STATE_RATE = Quantity("x", "x", "rad, rad/s", "state (q, qd, theta, thetad)").rate()
DECOUPLING = Quantity("H", "H", "N m s^4", "matrix of the decoupling torque, u = H s + h")
BIAS = Quantity("h", "h", "N m", "motor torques of decoupling at s = 0, u = H s + h")
SPRING_TORQUE = Quantity("z", "z", "N m", "torques of the springs, at the shaft")
EXTERNAL = Quantity("d", "d", "N m or N", "external torques at the links, constant")
MEASURED = Quantity("theta", r"\theta", "rad", "measured motor angles, at the shaft", mark="_m")
ESTIMATES = Quantity("x", "x", "rad, rad/s, N m", "estimates (q, qd, theta, thetad, d)").rate()
MOTOR_ESTIMATES = Quantity("x", "x", "rad, N m", "estimates (theta, thetad, z, zd, zdd)").rate()
MOMENTA = Quantity("p", "p", "N m s or N s", "momenta of the links", ("torques that change the momenta",))
MOTOR_INERTIA = Quantity("MG", "M_G", "kg m^2", "inertia of the motors, at the shaft")

MOTION = tuple(COORDINATES.rate(k).array("v") for k in range(5))
POSITIONS = (*MOTION[:2], MOTOR.array("v"), MOTOR.rate().array("v"))
REFERENCE = tuple(WANTED.rate(k).array("v") for k in range(5))
STIFFNESS = tuple(
    SPRING.rate(k).array("k", name=name)
    for k, name in enumerate(("stiffness", "stiffness_dot", "stiffness_ddot"))
)
"""Last inputs of a form if the stiffness is variable, as many as the form needs."""

STATE = tuple(each.name for each in POSITIONS)
"""Names of the state: link and motor angles and velocities."""

FORMS = Catalogue(ElasticModel, "form of an elastic-joint robot", _sizes, _basis)
"""Every form of an elastic-joint robot by name."""


def _add(
    build: Builder,
    takes: Sequence[FormArray],
    gives: FormArray | Sequence[FormArray],
    rates: int = 0,
    needs: tuple[Need, ...] = (),
    group: str = "dynamics",
) -> None:
    """Add a form that needs a variable stiffness and some of its rates.

    With phi as an input, so are stiffness and motor inertia.
    """
    spring = STIFFNESS[: rates + 1]
    steady = SPRING.array("c", name="stiffness")
    numbers = (steady, MOTOR_INERTIA.array("v", name="motor_inertia"), PHI)
    light = (spring_torque, spring_links, motor_observer_rate)  # the inertias of the links do not matter
    optional = () if build in light else numbers
    FORMS.add(build, takes, gives, group=group, needs=needs, constants=spring, optional=optional)


def _law(build: Builder, state: int, order: int, gains: int, need: Need | None) -> None:
    """Add a law of the last `state` parts of the state, of a reference to some order and of gains."""
    takes = (*POSITIONS[-state:], *REFERENCE[: order + 1], GAINS.array(gains, "v", name="gains"))
    _add(build, takes, TORQUES.array("v"), 2, () if need is None else (need,), "control")


_add(forward_dynamics, (*POSITIONS, TORQUES.array("v")), (MOTION[2], MOTOR.rate(2).array("v")))
_add(inverse_dynamics, MOTION, TORQUES.array("v"), 2, (UNDAMPED,))
_add(motor_motion, MOTION, tuple(MOTOR.rate(k).array("v") for k in range(3)), 2, (UNDAMPED,))
_add(link_derivatives, POSITIONS, MOTION[2:4], 1, (UNDAMPED,))
_add(energy, POSITIONS, ENERGY.array())
_add(state_rate, (*POSITIONS, TORQUES.array("v")), STATE_RATE.array("4v"))
_add(spring_torque, POSITIONS, SPRING_TORQUE.array("v"))
_add(decoupling, (*POSITIONS, COMMAND.array("v")), TORQUES.array("v"), 2, (ALIKE,), "control")
_add(decoupling_matrix, MOTION[:1], DECOUPLING.array("v", "v"), 0, (UNDAMPED,), "control")
_add(decoupling_bias, POSITIONS, BIAS.array("v"), 2, (UNDAMPED,), "control")
_law(decoupling_law, 4, 4, 4, ALIKE)
_law(staged_law, 4, 4, 4, ALIKE)
_law(feedforward_law, 2, 4, 2, UNDAMPED)
_law(static_feedforward_law, 2, 2, 2, UNDAMPED)
_law(rigid_law, 2, 2, 2, None)
_spring = tuple(SPRING_TORQUE.rate(k).array("v") for k in range(3))
_signals = (MEASURED.array("v"), TORQUES.array("v"), GAINS.array(5, "v", name="gains"))
_estimate = partial(_add, group="estimation")
_estimate(motor_observer_rate, (*POSITIONS[2:], *_spring, *_signals), MOTOR_ESTIMATES.array("5v"))
_estimate(spring_links, (*POSITIONS[2:], *_spring[:2]), MOTION[:2], needs=(UNDAMPED,))
_estimate(
    plant_observer_rate,
    (*POSITIONS, EXTERNAL.array("v"), *_signals),
    ESTIMATES.array("5v"),
    needs=(UNDAMPED,),
)
_estimate(
    loaded_link_derivatives,
    (*POSITIONS, EXTERNAL.array("v")),
    MOTION[2:4],
    rates=1,
    needs=(UNDAMPED,),
)
_estimate(momentum_balance, POSITIONS, (MOMENTA.array("v"), MOMENTA.rate().array("v")))


@layout.register
def _joints(model: ElasticModel, form: Form, index: Index) -> Iterator[str]:
    yield "Joints, in order:"
    for k, joint in enumerate(joint_names(model.links)):
        yield f"  {index('q', (k,))}  {label(joint)}"


@lettered.register
def _letters(
    model: ElasticModel, form: Form, symbolic: bool | str | Collection[str], convention: str
) -> Lettered:
    """Return a robot with letters for its links as those of a rigid robot, and for its drives."""
    from ..equations.build import MAX_OPERATIONS, angle_groups  # noqa: PLC0415 (SymPy is slow to import)
    from ..equations.parameters import CONVENTIONS, lettered_tree  # noqa: PLC0415
    from ..equations.parameters import KINDS as RIGID  # noqa: PLC0415

    kinds = some_of("symbolic", symbolic, KINDS)
    known_name("convention of inertial parameters", convention, CONVENTIONS)
    groups = angle_groups(model.links)
    if not kinds:
        return Lettered(groups=groups, most=MAX_OPERATIONS)
    tree, letters = lettered_tree(model.links, convention, kinds)
    plant, drives = lettered_drives(tree, model.drives)
    everything = (*kinds, *RIGID) if len(kinds) == len(KINDS) else kinds  # no number is left
    return Lettered((plant,), (*letters, *drives), everything, groups, most=MAX_OPERATIONS)
