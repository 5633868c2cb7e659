"""The catalogue of a flexible arm's forms: what each takes and gives, and the function that builds it.

Shapes: N coordinates, n joints, 2N state, p parameters. With it, what exported code and equations say
of an arm.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from fractions import Fraction

from casadi import SX

from ..checks import known_name, some_of
from ..emit import facts, layout
from ..emit.subject import Index
from ..forms import Catalogue, Form, Quantity
from ..forms.lettered import Lettered, lettered
from . import dynamics, energy
from .model import KINDS, LINEAR, ArmModel, Constants

COORDINATES = Quantity(
    "q",
    "q",
    "rad, m",
    "joint angles, then mode coordinates link by link",
    ("rates of joint angles and mode coordinates", "accelerations of joint angles and mode coordinates"),
)
TORQUES = Quantity("u", "u", "N m", "joint torques")
MASS = Quantity("B", "B", "kg m^2, kg m, kg", "inertia matrix")
BIAS = Quantity("h", "h", "N m, N", "Coriolis and centrifugal forces")
CORIOLIS = Quantity("C", "C", "kg m^2/s, kg m/s, kg/s", "Coriolis matrix, C qd = h")
GRAVITY = Quantity("g", "g", "N m, N", "forces of gravity")
KINETIC = Quantity("T", "T", "J", "kinetic energy")
POTENTIAL = Quantity("U", "U", "J", "energy of bending and of gravity")
FORCES = Quantity("f", "f", "N m, N", "generalised forces")
SYSTEM = Quantity("A", "A", "1, 1/s, 1/s^2", "system matrix, x' = A x + B u with x = (q, qd)")
INPUT = Quantity("B", "B", "rad/s^2 or m/s^2, per N m", "input matrix, x' = A x + B u with x = (q, qd)")
TIP = Quantity("tip", r"\mathrm{tip}", "m", "position of the tip in the base frame")
ANGLE = Quantity("angle", r"\mathrm{angle}", "rad", "direction of the tip")
JACOBIAN = Quantity("J", "J", "m, 1", "map from qd to the velocity of the tip")
REGRESSOR = Quantity("Y", "Y", "force per parameter", "regressor, forces = Y p")

Q = (COORDINATES.array("N"),)
V = (*Q, COORDINATES.rate().array("N"))
A = (*V, COORDINATES.rate(2).array("N"))
U = (*V, TORQUES.array("n"))


def _sizes(model: ArmModel) -> dict[str, int | None]:
    N, n = model.size, model.joints
    return {"N": N, "n": n, "2N": 2 * N, "p": len(model.symbols(LINEAR)[1])}


def _basis(model: ArmModel, _: Mapping[str, SX]) -> tuple[ArmModel, Constants]:
    return model, model.numbers()


FORMS = Catalogue(ArmModel, "form of a flexible arm", _sizes, _basis)
"""Every form of an arm by name."""

FORMS.add(dynamics.mass_matrix, Q, MASS.array("N", "N"))
FORMS.add(dynamics.coriolis_torque, V, BIAS.array("N"))
FORMS.add(dynamics.coriolis_matrix, V, CORIOLIS.array("N", "N"))
FORMS.add(dynamics.gravity_torque, Q, GRAVITY.array("N"))
FORMS.add(energy.kinetic_energy, V, KINETIC.array())
FORMS.add(dynamics.potential_energy, Q, POTENTIAL.array())
FORMS.add(dynamics.inverse_dynamics, A, FORCES.array("N"))
FORMS.add(dynamics.forward_dynamics, U, COORDINATES.rate(2).array("N"))
FORMS.add(dynamics.state_matrices, U, (SYSTEM.array("2N", "2N"), INPUT.array("2N", "n")), group="state")
FORMS.add(dynamics.tip_position, Q, TIP.array(2), group="kinematics")
FORMS.add(dynamics.tip_angle, Q, ANGLE.array(), group="kinematics")
FORMS.add(dynamics.tip_jacobian, Q, JACOBIAN.array(2, "N"), group="kinematics")
FORMS.add(dynamics.tip_jacobian_dot, V, JACOBIAN.rate().array(2, "N"), group="kinematics")
FORMS.add(dynamics.regressor, A, REGRESSOR.array("N", "p"), group="parameters")


@layout.register
def _coordinates(model: ArmModel, form: Form, index: Index) -> Iterator[str]:
    yield "Coordinates, in order:"
    for k, each in enumerate(model.coordinate_names):
        yield f"  {index('q', (k,))}  {each}"


@facts.register
def _data(model: ArmModel, form: Form) -> Iterator[str]:
    for i, (link, modes) in enumerate(zip(model.links, model.modes, strict=True)):
        frequencies = ", ".join(f"{f:.4g}" for f in modes.stacked("frequency"))
        yield f"Link {i + 1}: {link.length:g} m, {link.mass:g} kg, modes at {frequencies} Hz."
    load = model.payload
    gravity = ", ".join(f"{value + 0.0:g}" for value in model.gravity)
    offset = "" if load.balanced else f" at ({load.ahead:g}, {load.beside:g}) m from the tip"
    yield f"Payload {load.mass:g} kg, {load.inertia:g} kg m^2{offset}; gravity ({gravity}) m/s^2."


@lettered.register
def _letters(
    model: ArmModel, form: Form, symbolic: bool | str | Collection[str], convention: str
) -> Lettered:
    """Return an arm with letters for the constants of some kinds."""
    from ..equations.parameters import Letter  # noqa: PLC0415 (SymPy takes half a second to import)
    from ..equations.reader import meant  # noqa: PLC0415

    known_name("convention of an arm's parameters", convention, ("masses",))
    constants, letters = model.symbols(some_of("symbolic", symbolic, KINDS))
    roles = {"stiffness": "inertia", "damping": "inertia"}
    parameters = [
        Letter(each.name, Fraction(meant(each.value)), roles.get(each.kind, each.kind), each.symbol)
        for each in letters
    ]
    kinds = ("inertia", "geometry", "gravity") if letters else ()
    return Lettered((model, constants), parameters, kinds, [list(range(model.joints))])
