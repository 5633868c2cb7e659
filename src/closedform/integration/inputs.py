"""Inputs of a system over a grid of steps: constants, held or sampled arrays, functions of time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..arrays import Array
from ..checks import LARGEST, finite, real_array
from ..errors import ArgumentError, shorten

Inputs = ArrayLike | Callable[[float], ArrayLike] | None


@dataclass(frozen=True)
class Levels:
    """Inputs at the start, middle and end of every step: each (steps, ..., nu), nu = 0 for none.

    `held` says that they do not change within a step. `function` is the function of time, if given.
    """

    start: Array
    middle: Array
    end: Array
    held: bool
    function: Callable[[float], Array] | None = None

    @property
    def tables(self) -> tuple[Array, ...]:
        """(start, middle, end), or nothing if the system takes no inputs."""
        return (self.start, self.middle, self.end) if self.start.shape[-1] else ()

    @property
    def steady(self) -> bool:
        """Whether they are the same all the time."""
        return self.held and not self.start.strides[0]

    @property
    def batch(self) -> tuple[int, ...]:
        """The leading shape of one step's inputs."""
        return self.start.shape[1:-1]

    def nodes(self) -> Array:
        """Return the inputs at the nodes of the grid, (..., steps + 1, nu)."""
        whole = np.concatenate([self.start, self.end[-1:]])
        return np.moveaxis(whole, 0, -2)

    def at(self, t: float, h: float) -> Array:
        """Return the inputs at any time: of the function, held, or linear between samples."""
        if self.function is not None:
            return self.function(t)
        k = min(max(int(t / h), 0), len(self.start) - 1)
        if self.held:
            return np.asarray(self.start[k])
        s = t / h - k
        return np.asarray((1 - s) * self.start[k] + s * self.end[k])


def levels(name: str, given: Inputs, nu: int, times: Array) -> Levels:
    """Return the inputs of a system over the steps between `times`.

    An array of shape (nu,) is constant, (..., steps, nu) is held over each step, and
    (..., steps + 1, nu) is sampled at the nodes and linear between them. A function of time is
    evaluated at the start, middle and end of each Runge-Kutta step, and wherever an adaptive
    method asks.
    """
    if nu == 0 and given is not None:
        raise ArgumentError(f"{name}: takes no inputs; give None")
    if given is None:
        given = np.zeros(nu)
    steps = len(times) - 1
    if callable(given):
        function = partial(_sample, name, checks.function(f"{name}: inputs", given, "time"), nu)
        nodes = _stacked(name, [function(t) for t in times])
        middle = _stacked(name, [function(t) for t in (times[:-1] + times[1:]) / 2])
        return Levels(nodes[:-1], middle, nodes[1:], held=False, function=function)
    array = real_array(f"{name}: inputs", given)
    if array.shape == (nu,):
        held = np.broadcast_to(finite(f"{name}: inputs", array), (steps, nu))
        return Levels(held, held, held, held=True)
    if array.ndim < 2 or array.shape[-1] != nu or array.shape[-2] not in (steps, steps + 1):
        raise ArgumentError(
            f"{name}: inputs have shape {array.shape}; expected ({nu},) held all the time, "
            f"(..., {steps}, {nu}) held over each step, or (..., {steps + 1}, {nu}) at the nodes"
        )
    array = np.ascontiguousarray(np.moveaxis(finite(f"{name}: inputs", array), -2, 0))
    if len(array) == steps:
        return Levels(array, array, array, held=True)
    return Levels(array[:-1], (array[:-1] + array[1:]) / 2, array[1:], held=False)


def _stacked(name: str, values: list[Array]) -> Array:
    try:
        return np.stack(values)
    except ValueError:
        shapes = sorted({value.shape for value in values})[:3]
        raise ArgumentError(
            f"{name}: the input function gave shapes {shapes}; expected the same at all times"
        ) from None


def _sample(name: str, function: Callable[[float], ArrayLike], nu: int, t: float) -> Array:
    given = function(float(t))
    if type(given) is np.ndarray and given.dtype == np.float64 and given.shape == (nu,):
        value = given.copy()  # the usual case, many times: the function may fill the same array again
    else:
        value = real_array(f"{name}: the input function's value at t = {t:g}", given)
    if value.shape[-1:] != (nu,):
        raise ArgumentError(
            f"{name}: the input function gave shape {value.shape} at t = {t:g}; expected (..., {nu})"
        )
    if not (np.abs(value) <= LARGEST).all():
        raise ArgumentError(
            f"{name}: the input function gave {shorten(str(value), 80)} at t = {t:g}; expected finite numbers"
        )
    return value
