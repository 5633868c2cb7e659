"""The catalogue of an arm's forms: inputs, outputs and the function that builds each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from casadi import SX

from ..programs import Shaped
from . import dynamics, energy
from .model import LINEAR, ArmModel, Constants


@dataclass(frozen=True)
class ArmForm:
    """A form of an arm: inputs by name, outputs as (symbol, shape), and the function that builds them.

    In shapes N stands for the coordinates, n for the joints, 2N for the state, p for parameters.
    """

    inputs: tuple[str, ...]
    outputs: tuple[tuple[str, tuple[str | int, ...]], ...]
    build: Callable[..., SX | tuple[SX, ...]]

    @property
    def name(self) -> str:
        """Name of the form."""
        return self.build.__name__

    @property
    def doc(self) -> str:
        """Documentation of the form."""
        return (self.build.__doc__ or "").strip()

    def expressions(
        self, model: ArmModel, constants: Constants | None = None
    ) -> tuple[list[Shaped], list[Shaped]]:
        """Return inputs and outputs as (name, core shape, expression), of the arm's numbers by default."""
        N, n, p = model.size, model.joints, len(model.symbols(LINEAR)[1])
        sizes = {"N": N, "n": n, "2N": 2 * N, "p": p}
        inputs: list[Shaped] = []
        for name in self.inputs:
            size = n if name == "u" else N
            inputs.append((name, (size,), SX.sym(name, size)))
        known = model.numbers() if constants is None else constants
        built = self.build(model, known, *(symbol for _, _, symbol in inputs))
        results = built if isinstance(built, tuple) else (built,)
        outputs = [
            (name, tuple(sizes[x] if isinstance(x, str) else x for x in shape), result)
            for (name, shape), result in zip(self.outputs, results, strict=True)
        ]
        return inputs, outputs


_Q, _V, _A, _U = ("q",), ("q", "qd"), ("q", "qd", "qdd"), ("q", "qd", "u")

FORMS = {
    form.name: form
    for form in (
        ArmForm(_Q, (("B", ("N", "N")),), dynamics.mass_matrix),
        ArmForm(_V, (("h", ("N",)),), dynamics.coriolis_torque),
        ArmForm(_V, (("C", ("N", "N")),), dynamics.coriolis_matrix),
        ArmForm(_Q, (("g", ("N",)),), dynamics.gravity_torque),
        ArmForm(_V, (("T", ()),), energy.kinetic_energy),
        ArmForm(_Q, (("U", ()),), dynamics.potential_energy),
        ArmForm(_A, (("f", ("N",)),), dynamics.inverse_dynamics),
        ArmForm(_U, (("qdd", ("N",)),), dynamics.forward_dynamics),
        ArmForm(_U, (("A", ("2N", "2N")), ("B", ("2N", "n"))), dynamics.state_matrices),
        ArmForm(_Q, (("tip", (2,)),), dynamics.tip_position),
        ArmForm(_Q, (("angle", ()),), dynamics.tip_angle),
        ArmForm(_Q, (("J", (2, "N")),), dynamics.tip_jacobian),
        ArmForm(_A, (("Y", ("N", "p")),), dynamics.regressor),
    )
}
"""Every form of an arm by name."""
