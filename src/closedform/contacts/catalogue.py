"""The catalogue of the forms of a robot with contacts: what each takes and gives, and its builder.

Shapes: q coordinates, v velocities, c rows of all contacts, r independent rows, b bodies, p phi.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial

from casadi import SX

from ..emit import layout
from ..emit.names import label
from ..emit.subject import Index
from ..errors import ClosedFormError
from ..forms import Catalogue, Form, Need, Quantity
from ..forms.catalogue import INERTIAS, MOTION
from ..forms.quantities import COORDINATES, FORCES, JACOBIAN, PHI, A, Q, V, W
from ..forms.tree import Tree
from ..forms.variant import LOADS
from ..kernels.cache import source_digest
from . import forms, state
from .model import ContactModel


def _sizes(model: ContactModel) -> dict[str, int | None]:
    bodies = len(model.bodies)
    return {
        "q": model.tree.nq,
        "v": model.tree.nv,
        "c": len(model.row_names),
        "r": len(model.rows),
        "b": bodies,
        "p": 10 * bodies,
    }


def _basis(model: ContactModel, constants: Mapping[str, SX]) -> tuple[forms.Held]:
    return (forms.Held(model, Tree.of(model.tree, phi=constants.get("phi"))),)


def _refuse_falling(model: ContactModel, what: str) -> None:
    idle = len(model.idle)
    if model.carried < idle:
        raise ClosedFormError(
            f"{what}: the contacts of {model.name!r} can push {model.carried} of the {idle} velocities that "
            "carry no torque, so that not every motion is possible; add contacts, or name more joints as "
            "actuated"
        )


def _digest(model: ContactModel) -> str:
    """Return a hash of a model and of the source that writes its expressions."""
    return f"{model.digest} {source_digest(('contacts', 'loops'))}"


CARRIED = Need(_refuse_falling)
"""What inverse dynamics needs: contacts that can push all joints without torque."""

FORMS = Catalogue(ContactModel, "form of a robot with contacts", _sizes, _basis, digest=_digest)
"""Every form of a robot with contacts by name."""

HOLDING = Quantity("lambda", r"\lambda", "N or N m", "forces of the contacts on the robot, by row")
IMPULSE = Quantity("p", "p", "N s or N m s", "impulses of the contacts on the robot, by row")
DELASSUS = Quantity("D", "D", "1/kg, 1/(kg m) or 1/(kg m^2)", "accelerations of contacts per force there")
TOUCHED = Quantity("a", "a", "m/s^2 or rad/s^2", "accelerations of the contacts, by row")
ROWS = replace(JACOBIAN, noun="velocities of the contacts per velocity of the joints")

_TAU = (*V, FORCES.array("v"))
_plain = partial(FORMS.add, needs=(MOTION,))
_plain(forms.contact_jacobian, Q, ROWS.array("c", "v"), group="kinematics")
_plain(forms.contact_acceleration, A, TOUCHED.array("c"), group="kinematics")
_inertial = partial(FORMS.add, optional=(PHI,), needs=(INERTIAS, MOTION))
_loads = partial(_inertial, choices=LOADS, loaded=W[0])
_loads(forms.forward_dynamics, _TAU, COORDINATES.rate(2).array("v"))
_loads(forms.contact_forces, _TAU, HOLDING.array("c"))
_inertial(
    forms.impact,
    V,
    (COORDINATES.rate().array("v", name="velocities"), IMPULSE.array("c", name="impulses")),
)
_loads(
    forms.inverse_dynamics,
    A,
    (FORCES.array("v", name="torques"), HOLDING.array("c", name="forces")),
    needs=(INERTIAS, MOTION, CARRIED),
)
_inertial(forms.delassus_matrix, Q, DELASSUS.array("r", "r"))


_QD = COORDINATES.rate()
_state = partial(_loads, group="state")
_motions, _pushes = (
    [given.by(each).array(size, "v", name=f"{name}_d{each.symbol}") for each in (COORDINATES, _QD, FORCES)]
    for given, size, name in (
        (COORDINATES.rate(2), "v", "forward_dynamics"),
        (HOLDING, "c", "contact_forces"),
    )
)
_state(state.forward_dynamics_dq, _TAU, _motions[0])
_state(state.forward_dynamics_dqd, _TAU, _motions[1])
_state(state.forward_dynamics_dtau, _TAU, _motions[2])
_state(state.forward_dynamics_derivatives, _TAU, _motions)
_state(state.contact_forces_dq, _TAU, _pushes[0])
_state(state.contact_forces_dqd, _TAU, _pushes[1])
_state(state.contact_forces_dtau, _TAU, _pushes[2])
_state(state.contact_forces_derivatives, _TAU, _pushes)


@layout.register
def _joints(model: ContactModel, form: Form, index: Index) -> Iterator[str]:
    yield "Joints, in order:"
    for k, joint in enumerate(model.tree.joint_names):
        yield f"  {index('q', (k,))}  {label(joint)}"
