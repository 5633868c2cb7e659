"""What a step takes and gives: state, inputs over the step, constants of the run, modes of the joints.

The states z of a law follow the coordinates in one array: both are carried along alike, and only the
expressions of a step know where q ends.
"""

from __future__ import annotations

from typing import Any

import casadi as ca
from casadi import SX

from ..kernels import traced
from ..model import Model
from ..programs import Program
from .plant import Plant, Reactions

FAR = 1e300
"""A stop or a reaction without bound: finite, since zero times it must be zero."""


CONTACT = ("mode", "coulomb", "least", "most", "lower", "upper")
"""What contact adds to the inputs of a step, one number per velocity each: the mode of every joint, its
Coulomb friction, the bounds of its reaction if it is held, and its stops."""


class StepSymbols:
    """The inputs of a step: state, inputs u over the step, its length, constants of the run, contact."""

    def __init__(self, plant: Plant, held: bool) -> None:
        self.plant = plant
        self.q, self.qd, self.h = SX.sym("q", plant.model.nq), SX.sym("qd", plant.nv), SX.sym("h")
        self.z = SX.sym("z", plant.nz)
        count = 1 if held else 3
        self.levels = [SX.sym(f"u{k}", plant.nu) for k in range(count)] if plant.nu else []
        self.constants = {name: SX.sym(name, *shape) for name, shape in plant.constants}
        if plant.phi is not None:
            self.constants["phi"] = plant.phi
        self.contact = {name: SX.sym(name, plant.nv) for name in CONTACT} if plant.contact else {}

    @property
    def arrays(self) -> list[Any]:
        """The inputs of the kernel."""
        found: list[Any] = [("q", ca.vertcat(self.q, self.z)), ("qd", self.qd), ("h", (), self.h)]
        found += [(f"u{k}", each) for k, each in enumerate(self.levels)]
        shapes = dict(self.plant.constants)
        found += [(name, shapes[name], each) for name, each in self.constants.items()]
        found += list(self.contact.items())
        return found

    def inputs(self, part: float) -> SX:
        """Return u at a part of the step: the quadratic through its start, middle and end."""
        if len(self.levels) < 2:
            return self.levels[0] if self.levels else SX(0, 1)
        terms = [w * u for w, u in zip(quadratic(part), self.levels, strict=True) if w]
        return sum(terms[1:], terms[0])


def quadratic(part: float) -> tuple[float, float, float]:
    """Return the weights of start, middle and end in the quadratic through them, at a part of the step."""
    return (1 - part) * (1 - 2 * part), 4 * part * (1 - part), part * (2 * part - 1)


def step_program(given: StepSymbols, name: str, q: SX, qd: SX, z: SX, reactions: Reactions) -> Program:
    """Return the program of a step from the expressions of its end."""
    outputs: list[Any] = [("q", ca.vertcat(q, z)), ("qd", qd)]
    if given.contact:
        outputs.append(("margin", (), margin(given, q, qd, reactions)))
    return traced(name, given.arrays, outputs)


def margin(given: StepSymbols, q: SX, qd: SX, reactions: Reactions) -> SX:
    """Return a number that is negative if a joint's mode does not hold over the step.

    A sliding joint must not turn back, a held one not need more than its reaction can be, which is looked
    at in the beginning of the step, and no joint may be beyond a stop at its end.
    """
    mode, coulomb, least, most, lower, upper = (given.contact[name] for name in CONTACT)
    dry = coulomb + given.plant.gears.symbols[0] if given.plant.geared else coulomb
    total = SX(FAR)
    for i in range(given.plant.nv):
        reserve = ca.fmin(reactions.over_least[i] - least[i], most[i] - reactions.over_most[i])
        sliding = mode[i] * dry[i]
        total = ca.fmin(total, ca.if_else(mode[i], FAR, reserve))
        total = ca.fmin(total, ca.if_else(sliding, sliding * qd[i], FAR))
    for i, iq in stopped_coordinates(given.plant.model):
        room = ca.fmin(q[iq] - lower[i], upper[i] - q[iq])
        total = ca.fmin(total, ca.if_else(mode[i], room, FAR))
    return total


def stopped_coordinates(model: Model) -> list[tuple[int, int]]:
    """Return (velocity, coordinate) of the joints of one degree of freedom, which may have stops."""
    return [(body.iv, body.iq) for body in model.independent if body.joint.nv == 1]
