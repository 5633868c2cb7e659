"""What drives a simulation over time: torques, references of a law, wrenches, each over all steps."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from .. import checks
from ..arrays import Array
from ..checks import known_name, real_array
from ..control import Law
from ..errors import ArgumentError, shown
from ..forms.loads import REFERENCES
from ..integration.inputs import Levels, levels
from ..model import Model
from ..trajectory import Trajectory

Flatten = Callable[[str, Any, tuple[int, ...], Array], Any]
"""What makes the table of an input from its name, what is given, its core shape and the times."""


def reference_levels(law: Law, given: Any, times: Array, flatten: Flatten | None = None) -> list[Any]:
    """Return the references of a law over the steps, one entry each.

    `given` is a joint trajectory, an array or function of time for the first reference, or a
    mapping of names to these. References other than the first are zero if they are not given.
    """
    wanted = [each for each in law.references if not (law.timed and each.name == "t")]
    if isinstance(given, Trajectory):
        return _of_trajectory(law, given, times) + _clock(law, times)
    if given is None and wanted:
        names = ", ".join(each.name for each in wanted)
        raise ArgumentError(f"simulate: {law.name} needs a reference ({names}); give reference=...")
    if given is not None and not wanted:
        raise ArgumentError(f"simulate: {law.name} takes no reference; {shown(given)} given")
    parts = given if isinstance(given, Mapping) else ({wanted[0].name: given} if wanted else {})
    for name in parts:
        law.input(name)
    found = []
    for k, each in enumerate(wanted):
        if each.name not in parts and k == 0:
            raise ArgumentError(f"simulate: {law.name} needs the reference {each.name!r}")
        value = parts.get(each.name, np.zeros(each.shape))
        name = f"simulate: reference {each.name}"
        found.append((flatten or flattened)(name, value, each.shape, times))
    return found + _clock(law, times)


def _of_trajectory(law: Law, trajectory: Trajectory, times: Array) -> list[Levels]:
    """Return the references of a trajectory, evaluated at all steps and their middles at once."""
    nodes = law.reference(trajectory, times)
    middles = law.reference(trajectory, (times[:-1] + times[1:]) / 2)
    return [
        Levels(node[:-1], middle, node[1:], held=False, function=partial(_along, law, trajectory, k))
        for k, (node, middle) in enumerate(zip(nodes, middles, strict=True))
    ]


def _along(law: Law, trajectory: Trajectory, k: int, t: float) -> Array:
    return np.asarray(law.reference(trajectory, t)[k])


def _clock(law: Law, times: Array) -> list[Levels]:
    """Return the time itself for a law that takes it."""
    if not law.timed:
        return []
    t = times[:, None]
    return [Levels(t[:-1], (t[:-1] + t[1:]) / 2, t[1:], held=False, function=lambda s: np.array([s]))]


def flattened(name: str, given: Any, shape: tuple[int, ...], times: Array) -> Levels:
    """Return an input of a core shape over the steps, its entries row by row."""
    size = math.prod(shape)
    if callable(given):
        function: Callable[[float], Any] = given
        if len(shape) > 1:
            function = _raveled(name, checks.function(name, given, "time"), shape)
        return levels(name, function, size, times)
    if len(shape) > 1:
        array = real_array(name, given)
        if array.shape[-len(shape) :] != shape:
            raise ArgumentError(
                f"{name} has shape {array.shape}; expected (..., {', '.join(map(str, shape))})"
            )
        given = array.reshape(*array.shape[: -len(shape)], size)
    return levels(name, given, size, times)


def _raveled(name: str, function: Callable[[float], Any], shape: tuple[int, ...]) -> Callable[[float], Array]:
    def flat(t: float) -> Array:
        value = real_array(f"{name} at t = {t:g}", function(t))
        if value.shape[-len(shape) :] != shape:
            raise ArgumentError(f"{name} has shape {value.shape} at t = {t:g}; expected (..., {shape})")
        return value.reshape(*value.shape[: -len(shape)], -1)

    return flat


def wrench_levels(
    model: Model, given: Any, reference: str, times: Array, flatten: Flatten | None = None
) -> tuple[tuple[str, ...], bool, list[Any]]:
    """Return the frames at which wrenches act, whether all bodies have one, and the wrenches over the steps.

    `given` maps frames to six numbers, arrays over the steps or functions of time; or it is one of
    these for all bodies, (bodies, 6).
    """
    known_name("reference of wrenches", reference, REFERENCES)
    made = flatten or flattened
    if given is None:
        return (), False, []
    if isinstance(given, Mapping):
        frames = tuple(model.frame(name).name for name in given)
        return (
            frames,
            False,
            [made(f"simulate: wrench at {name!r}", each, (6,), times) for name, each in given.items()],
        )
    return (), True, [made("simulate: wrenches", given, (len(model.bodies), 6), times)]


def together(parts: list[Levels], steps: int, batch: tuple[int, ...]) -> Levels:
    """Return several inputs as one, side by side; held if all are. Of a batch they have all axes, or none."""
    if not parts:
        nothing = np.broadcast_to(np.zeros(0), (steps, 0))
        return Levels(nothing, nothing, nothing, held=True)
    if len(parts) == 1 and parts[0].batch in ((), batch):
        return parts[0]
    held = all(each.held for each in parts)
    steady = all(each.steady for each in parts)
    batch = batch if any(each.batch for each in parts) else ()

    def joined(tables: list[Array]) -> Array:
        first = 1 if steady else steps
        wide = []
        for table in tables:
            missing = (1,) * (len(batch) + 2 - table.ndim)
            rows = table[:first].reshape(first, *missing, *table.shape[1:])
            wide.append(np.broadcast_to(rows, (first, *batch, table.shape[-1])))
        whole = np.concatenate(wide, axis=-1)
        return np.broadcast_to(whole, (steps, *whole.shape[1:])) if steady else whole

    start = joined([each.start for each in parts])
    if held:
        return Levels(start, start, start, held=True)
    return Levels(start, joined([e.middle for e in parts]), joined([e.end for e in parts]), held=False)


def at(parts: list[Levels], t: float, h: float) -> Array:
    """Return all inputs at a time, side by side."""
    values = [each.at(t, h) for each in parts]
    batch = np.broadcast_shapes(*(each.shape[:-1] for each in values))
    return np.concatenate([np.broadcast_to(v, (*batch, v.shape[-1])) for v in values], axis=-1)
