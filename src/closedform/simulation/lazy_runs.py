"""Simulations of many runs whose states, parameters or torques are dask arrays: motions of lazy arrays."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..arrays import Array
from ..checks import positive
from ..errors import ArgumentError
from ..guests import is_lazy
from .motion import Motion

SECONDS = 10e-9
"""Time of a step per velocity, at least: 10e-9 to 42e-9 measured for "rk4" and "rk6" steps, on one core."""

ALONG = {"q0": 1, "qd0": 1, "phi": 1, "law": 2, "reference": 2}
"""Arguments that may be dask arrays, and their core axes; torques and references have one for the steps."""


def has_lazy(given: dict[str, Any]) -> bool:
    """Whether one of the arguments that may be dask arrays is one."""
    return is_lazy(*(given[name] for name in ALONG))


def lazy_motion(simulate: Callable[..., Motion], given: dict[str, Any]) -> Motion:
    """Return the motion of the arguments of a simulation, some of them lazy; its torques are lazy too."""
    from ..guests.dask_records import Call, lazy_record  # noqa: PLC0415 (dask is an extra)

    if given["progress"] is not None:
        raise ArgumentError(
            "simulate: progress= does not go with dask arrays; look at dask's dashboard, or say "
            "distributed.progress(motion.q.persist())"
        )
    differing = ("q0", "qd0", "phi")
    arrays = {
        name: given[name]
        for name in ALONG
        if is_lazy(given[name]) or (name in differing and given[name] is not None)
    }
    fixed = {name: value for name, value in given.items() if name not in arrays}
    robot = given["robot"]
    cores = {name: min(ALONG[name], max(1, np.ndim(array))) for name, array in arrays.items()}
    duration, step = (positive(f"simulate: {name}", fixed[name]) for name in ("duration", "step"))
    call = Call(
        simulate,
        f"simulate {robot.name}",
        arrays,
        cores,
        fixed,
        SECONDS * max(1, robot.nv) * max(1.0, duration / step),
        also={"tau": _tau, "changes": _changes},
    )
    motion: Motion
    motion, also = lazy_record(call)
    if fixed["friction"] or fixed["stops"]:
        motion = replace(motion, transitions=also["changes"])
    return replace(motion, torques=Recorded(also["tau"]))


def _tau(motion: Motion, batch: tuple[int, ...]) -> Array:
    return motion.tau


def _changes(motion: Motion, batch: tuple[int, ...]) -> Any:
    """Return the transitions of each run, (...,) of tuples."""
    found = np.empty(batch, dtype=object)
    for run, index in enumerate(np.ndindex(*batch)):
        found[index] = tuple(each for each in motion.transitions if each.run == run)
    return found


@dataclass(frozen=True)
class Recorded:
    """Joint forces that were computed along with a motion."""

    tau: Array

    def __call__(self, t: Array, q: Array, qd: Array, states: dict[str, Array]) -> Array:
        """Return them, whatever the times and states."""
        return self.tau
