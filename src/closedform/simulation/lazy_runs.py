"""Simulations of many runs whose states, parameters or torques are dask arrays: motions of lazy arrays."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..arrays import Array
from ..integration.lazy_runs import LazyRuns
from .motion import Motion

SECONDS = 10e-9
"""Time of a step per velocity, at least: 10e-9 to 42e-9 measured for "rk4" and "rk6" steps, on one core."""

ALONG = {"q0": 1, "qd0": 1, "phi": 1, "law": 2, "reference": 2}


def lazy_motion(simulate: Callable[..., Motion], given: dict[str, Any]) -> Motion | None:
    """Return the motion of the arguments of a simulation; None if none of them is a dask array."""
    runs = LazyRuns(simulate, ALONG, ("q0", "qd0", "phi"), {"tau": _tau, "changes": _changes})
    if not runs.asked(given):
        return None
    robot = given["robot"]
    motion: Motion
    motion, also = runs.run(robot.name, given, SECONDS * max(1, robot.nv))
    if given["friction"] or given["stops"]:
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
