"""Runge-Kutta steps on arrays of other kinds: where they are, and with gradients.

Each step is a kernel, so that what differentiates kernels differentiates a run: by initial states, inputs
and parameters.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import checks
from ..arrays import Array
from ..checks import MOST_ENTRIES, common_batch
from ..errors import ArgumentError
from ..guests import Kind, own, sized
from .system import System


@dataclass(frozen=True)
class Rows:
    """Inputs over the steps: (steps, ..., nu) at their start, middle and end, or (..., nu) if `steady`.

    `nodes` are those at the nodes of the grid, (..., steps + 1, nu).
    """

    start: Any
    middle: Any
    end: Any
    nodes: Any
    held: bool
    steady: bool = False

    @property
    def batch(self) -> tuple[int, ...]:
        """The leading shape of one step's inputs."""
        return tuple(self.start.shape[(0 if self.steady else 1) : -1])

    @property
    def tables(self) -> tuple[Any, ...]:
        """What differs from step to step: start, middle and end, or the start alone if they are held."""
        if self.steady:
            return ()
        return (self.start,) if self.held else (self.start, self.middle, self.end)


def rows(kind: Kind, name: str, given: Any, nu: int, times: Array) -> Rows:
    """Return inputs over the steps between `times`, as `inputs.levels` does for NumPy's arrays."""
    xp, steps = kind.xp, len(times) - 1
    if callable(given):
        function = checks.function(f"{name}: inputs", given, "time")
        at = [_sampled(kind, name, function, nu, t) for t in (*times, *((times[:-1] + times[1:]) / 2))]
        whole = xp.stack(at)
        nodes, middle = whole[: steps + 1], whole[steps + 1 :]
        return Rows(nodes[:-1], middle, nodes[1:], kind.moved(nodes, 0, -2), held=False)
    array = sized(kind, f"{name}: inputs", np.zeros(nu) if given is None else given, None)
    shape = tuple(array.shape)
    if shape == (nu,):
        return Rows(array, array, array, xp.broadcast_to(array, (steps + 1, nu)), held=True, steady=True)
    if len(shape) < 2 or shape[-1] != nu or shape[-2] not in (steps, steps + 1):
        raise ArgumentError(
            f"{name}: inputs have shape {shape}; expected ({nu},) held all the time, "
            f"(..., {steps}, {nu}) held over each step, or (..., {steps + 1}, {nu}) at the nodes"
        )
    first = kind.moved(array, -2, 0)
    if shape[-2] == steps:
        nodes = xp.concatenate([array, array[..., -1:, :]], axis=-2)
        return Rows(first, first, first, nodes, held=True)
    return Rows(first[:-1], (first[:-1] + first[1:]) / 2, first[1:], array, held=False)


def _sampled(kind: Kind, name: str, function: Callable[[float], Any], nu: int, t: float) -> Any:
    value = sized(kind, f"{name}: the input function's value at t = {t:g}", function(float(t)), None)
    if tuple(value.shape[-1:]) != (nu,):
        raise ArgumentError(
            f"{name}: the input function gave shape {tuple(value.shape)} at t = {t:g}; expected (..., {nu})"
        )
    return value


def rollout(
    kind: Kind, system: System, x0: Any, inputs: Any, times: Array, parameters: Any
) -> tuple[Any, Any, bool]:
    """Return the states (..., steps + 1, nx), the inputs at the times, and whether these are held."""
    name, xp = system.name, kind.xp
    start = sized(kind, f"{name}: initial state", x0, system.nx)
    driven = rows(kind, name, inputs, system.nu, times) if system.nu else None
    fixed = [] if parameters is None else [sized(kind, f"{name}: parameters", parameters, system.np)]
    batch = common_batch(
        name,
        states=tuple(start.shape[:-1]),
        inputs=() if driven is None else driven.batch,
        parameters=tuple(fixed[0].shape[:-1]) if fixed else (),
    )
    require_room(name, batch, len(times), system.nx)
    kernel = system.step if kind.dtype == np.float64 else system.step.single
    h = own(kind, times[1] - times[0])
    levels = [] if driven is None else [driven.start, driven.middle, driven.end]
    moving = [not driven.steady] * 3 if driven is not None else []
    moving += [False] * (1 + len(fixed))
    whole = xp.broadcast_to(start, (*batch, system.nx))
    (path,) = kind.stepped(kernel, [whole], [*levels, h, *fixed], moving, len(times) - 1)
    return kind.moved(path, 0, -2), None if driven is None else driven.nodes, driven is None or driven.held


def require_room(name: str, batch: Sequence[int], times: int, size: int) -> None:
    """Refuse runs whose states would be more numbers than one array may hold."""
    numbers = math.prod(batch) * times * size
    if numbers > MOST_ENTRIES:
        raise ArgumentError(
            f"{name}: {times} states of {math.prod(batch)} run(s) are {numbers} numbers; at most "
            f"{MOST_ENTRIES}: take longer steps or fewer runs at a time"
        )
