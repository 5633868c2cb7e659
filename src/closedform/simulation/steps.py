"""One step of a motion as a kernel: Runge-Kutta methods on the configuration manifold."""

from __future__ import annotations

from functools import partial
from typing import Any

import casadi as ca
from casadi import SX

from ..arrays import Array
from ..forms.manifold import chart_rate, moved
from ..kernels import DeferredRecipe, Kernel, traced
from ..model import Model
from ..programs import Program
from .plant import Plant
from .tableaux import TABLEAUX

ROOMS = ("rotations.py", "model", "forms", "control", "simulation")
"""Modules and packages that decide the expressions of a step."""

KEPT = 64
"""Kernels of steps that a process keeps."""

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
        count = 1 if held else 3
        self.levels = [SX.sym(f"u{k}", plant.nu) for k in range(count)] if plant.nu else []
        self.constants = {name: SX.sym(name, *shape) for name, shape in plant.constants}
        self.contact = {name: SX.sym(name, plant.nv) for name in CONTACT} if plant.contact else {}

    @property
    def arrays(self) -> list[Any]:
        """The inputs of the kernel."""
        found: list[Any] = [("q", self.q), ("qd", self.qd), ("h", (), self.h)]
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


def step_kernel(plant: Plant, method: str, held: bool) -> Kernel:
    """Return the kernel of one step: (q, qd, h, ...) -> (q, qd) at its end, and a margin with contact."""
    outputs: list[Any] = [("q", (plant.model.nq,)), ("qd", (plant.nv,))]
    if plant.contact:
        outputs.append(("margin", ()))
    return _kernel(f"{method}_step", plant, held, outputs, partial(_step, plant, method, held))


def forces_kernel(plant: Plant) -> Kernel:
    """Return the kernel (q, qd, u, constants) -> (M, p, tau): M qdd = p + friction and stops."""
    outputs = [("M", (plant.nv, plant.nv)), ("p", (plant.nv,)), ("tau", (plant.nv,))]
    return _kernel("motion_forces", plant, True, outputs, partial(_forces, plant))


_KERNELS: dict[tuple[Any, ...], Kernel] = {}


def _kernel(name: str, plant: Plant, held: bool, outputs: list[Any], build: Any) -> Kernel:
    """Return a kernel, loaded once per process and traced only if its code is not in the cache."""
    known = (name, held, plant.key) if plant.key is not None else (name, held, plant)
    if known not in _KERNELS:
        while len(_KERNELS) >= KEPT:
            _KERNELS.pop(next(iter(_KERNELS)))
        given = StepSymbols(plant, held).arrays
        inputs = [(each[0], _shape(each)) for each in given if name != "motion_forces" or _lasting(each[0])]
        key = None if plant.key is None else (repr(held), *plant.key)
        doc = f"Return the outputs of {name}."
        recipe = DeferredRecipe(name, doc, repr(plant.model.name), inputs, outputs, build, key, ROOMS)
        _KERNELS[known] = Kernel(recipe)
    return _KERNELS[known]


def _shape(each: Any) -> tuple[int, ...]:
    return each[1] if len(each) == 3 else (each[1].size1(),)


def _lasting(name: str) -> bool:
    """Whether an input of a step is one of the forces at an instant too."""
    return name not in ("h", *CONTACT)


def _step(plant: Plant, method: str, held: bool) -> Program:
    """Return the program of one Runge-Kutta step.

    Munthe-Kaas' method: the stages are steps in the exponential chart at the start, so that quaternions
    stay of unit length and the order is that of the tableau [MuntheKaas1998].
    """
    given, table = StepSymbols(plant, held), TABLEAUX[method]
    model, q, qd, h = plant.model, given.q, given.qd, given.h
    mode, coulomb = given.contact.get("mode"), given.contact.get("coulomb")
    rates: list[SX] = []
    accelerations: list[SX] = []
    reactions = SX(plant.nv, 1)
    for row, part in zip(table.a, table.c, strict=True):
        step, v = _combined(row, rates, h, plant.nv), qd + _combined(row, accelerations, h, plant.nv)
        there = moved(model, q, step) if rates else q
        a, reaction = plant.acceleration(there, v, given.inputs(part), given.constants, mode, coulomb)
        if not rates:
            reactions = reaction
        rates.append(chart_rate(model, there, step, v))
        accelerations.append(a)
    last = moved(model, q, _combined(table.b, rates, h, plant.nv))
    speed = qd + _combined(table.b, accelerations, h, plant.nv)
    return step_program(given, f"{method}_step", last, speed, reactions)


def step_program(given: StepSymbols, name: str, q: SX, qd: SX, reactions: SX) -> Program:
    """Return the program of a step from the expressions of its end."""
    outputs: list[Any] = [("q", q), ("qd", qd)]
    if given.contact:
        outputs.append(("margin", (), margin(given, q, qd, reactions)))
    return traced(name, given.arrays, outputs)


def margin(given: StepSymbols, q: SX, qd: SX, reactions: SX) -> SX:
    """Return a number that is negative if a joint's mode does not hold over the step.

    A sliding joint must not turn back, a held one not need more than its reaction can be, which is looked
    at in the beginning of the step, and no joint may be beyond a stop at its end.
    """
    mode, coulomb, least, most, lower, upper = (given.contact[name] for name in CONTACT)
    total = SX(FAR)
    for i in range(given.plant.nv):
        reserve = ca.fmin(reactions[i] - least[i], most[i] - reactions[i])
        sliding = mode[i] * coulomb[i]
        total = ca.fmin(total, ca.if_else(mode[i], FAR, reserve))
        total = ca.fmin(total, ca.if_else(sliding, sliding * qd[i], FAR))
    for i, iq in stopped_coordinates(given.plant.model):
        room = ca.fmin(q[iq] - lower[i], upper[i] - q[iq])
        total = ca.fmin(total, ca.if_else(mode[i], room, FAR))
    return total


def stopped_coordinates(model: Model) -> list[tuple[int, int]]:
    """Return (velocity, coordinate) of the joints of one degree of freedom, which may have stops."""
    return [(body.iv, body.iq) for body in model.independent if body.joint.nv == 1]


def _forces(plant: Plant) -> Program:
    given = StepSymbols(plant, held=True)
    u = given.inputs(0.0)
    p = plant.forces(given.q, given.qd, u, given.constants)
    tau = plant.joint_forces(given.q, given.qd, u, given.constants)
    arrays = [each for each in given.arrays if _lasting(each[0])]
    outputs = [("M", (plant.nv, plant.nv), plant.mass_matrix(given.q)), ("p", p), ("tau", tau)]
    return traced("motion_forces", arrays, outputs)


def _combined(weights: Array, vectors: list[SX], h: SX, size: int) -> SX:
    """Return h times a sum of vectors, each with its weight; of the first stage, a structural zero."""
    terms = [w * each for w, each in zip(weights, vectors, strict=False) if w]
    return h * sum(terms[1:], terms[0]) if terms else SX(size, 1)
