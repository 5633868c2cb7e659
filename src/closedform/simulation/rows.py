"""Inputs of a motion over the steps, as arrays of other kinds: of a core shape, side by side."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ..arrays import Array
from ..errors import ArgumentError
from ..guests import Kind, sized
from ..integration.inputs import Levels
from ..integration.rollout import Rows, rows


def flat(kind: Kind, name: str, given: Any, shape: tuple[int, ...], times: Array) -> Rows:
    """Return an input of a core shape over the steps, its entries row by row."""
    size = math.prod(shape)
    if len(shape) > 1 and not callable(given):
        array = sized(kind, name, given, None)
        if tuple(array.shape[-len(shape) :]) != shape:
            ends = ", ".join(map(str, shape))
            raise ArgumentError(f"{name} has shape {tuple(array.shape)}; expected (..., {ends})")
        given = array.reshape(*array.shape[: -len(shape)], size)
    elif len(shape) > 1:
        given = partial(_raveled, kind, name, given, size)
    return rows(kind, name, given, size, times)


def _raveled(kind: Kind, name: str, function: Callable[[float], Any], size: int, t: float) -> Any:
    value = sized(kind, f"{name} at t = {t:g}", function(t), None)
    return value.reshape(*value.shape[:-2], size)


def in_rows(kind: Kind, given: Rows | Levels) -> Rows:
    """Return inputs that NumPy holds, those of a trajectory, as arrays of a kind."""
    if isinstance(given, Rows):
        return given
    start, middle, end, nodes = (
        kind.array(each) for each in (given.start, given.middle, given.end, given.nodes())
    )
    return Rows(start, middle, end, nodes, held=given.held)


def wide(xp: Any, batch: tuple[int, ...], parts: list[Any]) -> list[Any]:
    """Return arrays (..., n) repeated over a batch."""
    return [xp.broadcast_to(each, (*batch, each.shape[-1])) for each in parts]


def joined(kind: Kind, parts: list[Rows], steps: int) -> Rows | None:
    """Return several inputs as one, side by side."""
    if len(parts) < 2:
        return parts[0] if parts else None
    xp = kind.xp
    batch = np.broadcast_shapes(*(each.batch for each in parts))
    steady, held = all(each.steady for each in parts), all(each.held for each in parts)
    shape = batch if steady else (steps, *batch)

    def side_by_side(name: str) -> Any:
        tables = []
        for each in parts:
            table = getattr(each, name)
            first = 0 if each.steady else 1
            missing = len(batch) - (table.ndim - 1 - first)
            table = table.reshape(*table.shape[:first], *(1,) * missing, *table.shape[first:])
            tables.append(xp.broadcast_to(table, (*shape, table.shape[-1])))
        return xp.concatenate(tables, axis=-1)

    start = side_by_side("start")
    if held:
        return Rows(start, start, start, None, held=True, steady=steady)
    return Rows(start, side_by_side("middle"), side_by_side("end"), None, held=False)
