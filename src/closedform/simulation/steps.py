"""Steps and forces as kernels: loaded once per process, traced only if their code is not in the cache."""

from __future__ import annotations

from functools import partial
from typing import Any

from ..kernels import DeferredRecipe, Kernel, traced
from ..programs import Program
from .plant import Plant
from .rosenbrock import rosenbrock
from .runge_kutta import runge_kutta
from .step_symbols import CONTACT, StepSymbols
from .tableaux import TABLEAUX
from .variational import variational

ROOMS = ("rotations.py", "joints", "model", "forms", "control", "simulation")
"""Modules and packages that decide the expressions of a step."""

KEPT = 64
"""Kernels of steps that a process keeps."""

IMPLICIT = {"variational": variational, "rosenbrock": rosenbrock}
"""Programs of steps that solve an equation, by name."""

METHODS = (*TABLEAUX, *IMPLICIT)
"""Methods of equal steps by name."""


def step_kernel(plant: Plant, method: str, held: bool) -> Kernel:
    """Return the kernel of one step: (q, qd, h, ...) -> (q, qd) at its end, and a margin with contact."""
    outputs: list[Any] = [("q", (plant.model.nq + plant.nz,)), ("qd", (plant.nv,))]
    if plant.contact:
        outputs.append(("margin", ()))
    if method in IMPLICIT:
        build = partial(IMPLICIT[method], plant, held)
    else:
        build = partial(runge_kutta, plant, method, held)
    return _kernel(f"{method}_step", plant, held, outputs, build)


def forces_kernel(plant: Plant) -> Kernel:
    """Return the kernel (q, qd, u, constants) -> (M, p, t): M qdd = p + friction and stops, see `Forces`."""
    outputs = [("M", (plant.nv, plant.nv)), ("p", (plant.nv,)), ("t", (plant.nv,))]
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


def _forces(plant: Plant) -> Program:
    given = StepSymbols(plant, held=True)
    u = given.inputs(0.0)
    p, t, _ = plant.forces(given.q, given.qd, given.z, u, given.constants)
    arrays = [each for each in given.arrays if _lasting(each[0])]
    outputs: list[Any] = [("M", (plant.nv, plant.nv), plant.mass_matrix(given.q)), ("p", p), ("t", t)]
    return traced("motion_forces", arrays, outputs)
