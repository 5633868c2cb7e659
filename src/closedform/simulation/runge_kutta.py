"""Runge-Kutta steps on the configuration manifold."""

from __future__ import annotations

from casadi import SX

from ..arrays import Array
from ..forms.manifold import chart_rate, moved
from ..programs import Program
from .plant import NO_REACTIONS, Plant
from .step_symbols import StepSymbols, step_program
from .tableaux import TABLEAUX


def runge_kutta(plant: Plant, method: str, held: bool) -> Program:
    """Return the program of one Runge-Kutta step.

    Munthe-Kaas' method: the stages are steps in the exponential chart at the start, so that quaternions
    stay of unit length and the order is that of the tableau [MuntheKaas1998].
    """
    given, table = StepSymbols(plant, held), TABLEAUX[method]
    model, q, qd, h = plant.model, given.q, given.qd, given.h
    mode, coulomb = given.contact.get("mode"), given.contact.get("coulomb")
    rates: list[SX] = []
    accelerations: list[SX] = []
    memories: list[SX] = []
    reactions = NO_REACTIONS
    for row, part in zip(table.a, table.c, strict=True):
        step, v = _combined(row, rates, h, plant.nv), qd + _combined(row, accelerations, h, plant.nv)
        z, u = given.z + _combined(row, memories, h, plant.nz), given.inputs(part)
        there = moved(model, q, step) if rates else q
        a, reaction, z_dot = plant.acceleration(there, v, z, u, given.constants, mode, coulomb)
        if not rates:
            reactions = reaction
        rates.append(chart_rate(model, there, step, v))
        accelerations.append(a)
        memories.append(z_dot)
    last = moved(model, q, _combined(table.b, rates, h, plant.nv))
    speed = qd + _combined(table.b, accelerations, h, plant.nv)
    then = given.z + _combined(table.b, memories, h, plant.nz)
    return step_program(given, f"{method}_step", last, speed, then, reactions)


def _combined(weights: Array, vectors: list[SX], h: SX, size: int) -> SX:
    """Return h times a sum of vectors, each with its weight; of the first stage, a structural zero."""
    terms = [w * each for w, each in zip(weights, vectors, strict=False) if w]
    return h * sum(terms[1:], terms[0]) if terms else SX(size, 1)
