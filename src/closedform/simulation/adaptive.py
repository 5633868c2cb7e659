"""SciPy's adaptive methods on a robot: the motion as one system of first order."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import casadi as ca
import numpy as np
from casadi import SX

from ..arrays import Array
from ..errors import ArgumentError
from ..forms.manifold import coordinate_rates
from ..integration import Event, System
from ..integration.inputs import Levels
from ..integration.simulate import simulate
from ..model.state import quaternion_part
from .drive import Clock, Drive
from .inputs import at
from .plant import Plant


def adaptive_run(
    plant: Plant,
    found: Drive,
    start: tuple[Array, ...],
    run_clock: Clock,
    parts: list[Levels],
    constants: list[Array],
    method: str,
    events: Sequence[Event],
    progress: Callable[[float], None] | None,
    rtol: float,
    atol: float,
) -> tuple[Array, Array, Array, Array, tuple[list[float], ...]]:
    """Return times, q, qd, the states of the law and the times of events, from a start (q, qd, states).

    Quaternions follow their rates, and each state that is returned has them at length 1.
    """
    if plant.contact:
        raise ArgumentError(
            f"simulate: {method} cannot hold joints by friction or stops; take rk4, or leave "
            "friction and stops out"
        )
    if found.sample is not None:
        raise ArgumentError(f"simulate: {method} follows laws in continuous time; take rk4 for a sampled law")
    inputs: Any = None
    if plant.nu:
        steady = all(each.steady for each in parts) and not any(each.batch for each in parts)
        h = run_clock.step
        inputs = at(parts, 0.0, h) if steady else lambda t: at(parts, t, h)
    numbers = _numbers(plant, constants) if constants else None
    run = simulate(
        system(plant),
        np.concatenate(start, axis=-1),
        inputs,
        float(run_clock.times[-1]),
        run_clock.step,
        method=method,
        parameters=numbers,
        events=events,
        progress=progress,
        rtol=rtol,
        atol=atol,
    )
    q, qd, z = np.split(run.x, [plant.model.nq, plant.model.nq + plant.nv], axis=-1)
    for body in plant.model.independent:
        place = quaternion_part(body)
        if place is not None:
            part = q[..., place]
            part /= np.linalg.norm(part, axis=-1, keepdims=True)
    return run.t, q, qd, z, run.events


def _numbers(plant: Plant, constants: list[Array]) -> Array:
    """Return the numbers of a run one after the other, (..., size): phi may differ from run to run."""
    flat = []
    for (_, shape), each in zip(plant.constants, constants, strict=True):
        flat.append(each.reshape(*each.shape[: each.ndim - len(shape)], math.prod(shape)))
    batch = np.broadcast_shapes(*(each.shape[:-1] for each in flat))
    return np.concatenate([np.broadcast_to(each, (*batch, each.shape[-1])) for each in flat], axis=-1)


def system(plant: Plant) -> System:
    """Return the motion as x' = f(x, u, p) with x = (q, qd), then the law's states."""
    nq, nv = plant.model.nq, plant.nv
    x = SX.sym("x", nq + nv + plant.nz)
    u = SX.sym("u", plant.nu) if plant.nu else None
    shapes = plant.constants
    sizes = [int(np.prod(shape)) for _, shape in shapes]
    p = SX.sym("p", sum(sizes)) if sizes else None
    constants, start = {}, 0
    for (name, shape), size in zip(shapes, sizes, strict=True):
        column = p[start : start + size]  # type: ignore[index]
        constants[name] = ca.reshape(column, shape[1], shape[0]).T if len(shape) == 2 else column
        start += size
    q, qd, z = x[:nq], x[nq : nq + nv], x[nq + nv :]
    a, _, z_dot = plant.acceleration(q, qd, z, SX(0, 1) if u is None else u, constants)
    rate = ca.vertcat(coordinate_rates(plant.model, q, qd), a, z_dot)
    if plant.phi is not None:
        rate = ca.substitute(rate, plant.phi, constants["phi"])
    return System(f"motion_of_{plant.model.name}", x, ca.densify(rate), u, p)
