"""Sums of sines and cosines: Fourier series, and one cosine per coordinate."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Array
from ..checks import finite_array, sized_array
from ..errors import ArgumentError
from ..guests import Kind, own
from .trajectory import Trajectory, coordinates, seconds

MOST_TERMS = 10_000
"""Terms of a Fourier series."""

MOST_RADIANS = 1e9
"""Phase of the fastest wave at the end of a motion, of which double precision keeps seven digits."""


class Harmonic(Trajectory):
    """The motion q(t) = offset + sum_k cosines[k] cos(rates[k] t) + sines[k] sin(rates[k] t).

    `rates` (rad/s) has shape (terms,), `cosines` and `sines` (terms, dofs). Every derivative is
    continuous.
    """

    def __init__(self, offset: Array, rates: Array, cosines: Array, sines: Array, duration: float) -> None:
        where = "Harmonic"
        self.offset = coordinates(f"{where}: offset", offset)
        self.rates = coordinates(f"{where}: rates", rates)
        size = (self.rates.size, self.offset.size)
        self.cosines = sized_array(f"{where}: cosines", cosines, size)
        self.sines = sized_array(f"{where}: sines", sines, size)
        self.duration, self.dofs, self.smoothness = duration, self.offset.size, math.inf
        fastest = np.abs(self.rates).max(initial=0.0)
        if fastest * seconds(f"{where}: duration", duration) > MOST_RADIANS:
            raise ArgumentError(
                f"{where}: a wave of {fastest:.3g} rad/s over {duration:.3g} s passes {MOST_RADIANS:g} "
                "rad and its phase loses its digits; choose a longer period or a shorter duration"
            )

    def _rates(self, t: Any, orders: range, kind: Kind | None = None) -> list[Any]:
        xp = np if kind is None else kind.xp
        phase = t[..., None] * own(kind, self.rates)
        waves = xp.cos(phase), xp.sin(phase)
        values = []
        for order in orders:
            # d/dt turns (cos, sin) into (-sin, cos): the waves take turns with changing signs
            along, across = ((1, 1), (-1, 1), (-1, -1), (1, -1))[order % 4]
            size = self.rates[:, None] ** order
            value = waves[order % 2] @ own(kind, along * size * self.cosines)
            value += waves[1 - order % 2] @ own(kind, across * size * self.sines)
            values.append(value if order else value + own(kind, self.offset))
        return values


def fourier(
    offset: ArrayLike, cosines: ArrayLike, sines: ArrayLike, period: float, *, duration: float | None = None
) -> Harmonic:
    """Return the Fourier series whose term k + 1 has the coefficients cosines[k], sines[k].

    The arrays have shape (terms, dofs). Lasts one period unless a duration is given.

    >>> import closedform as cf
    >>> motion = cf.trajectory.fourier([0.5], cosines=[[0.0]], sines=[[1.0]], period=4.0)
    >>> motion(1.0), motion(1.0, order=2).round(4)
    (array([1.5]), array([-2.4674]))
    """
    q0 = coordinates("fourier: offset", offset)
    parts = []
    for name, given in (("cosines", cosines), ("sines", sines)):
        array = finite_array(f"fourier: {name}", given)
        if array.ndim != 2 or array.shape[1] != q0.size or len(array) > MOST_TERMS:
            raise ArgumentError(
                f"fourier: {name} has shape {array.shape}; expected (terms, {q0.size}), "
                f"at most {MOST_TERMS} terms"
            )
        parts.append(array)
    if parts[0].shape != parts[1].shape:
        raise ArgumentError(f"fourier: cosines {parts[0].shape} and sines {parts[1].shape} differ in shape")
    period = seconds("fourier: period", period)
    rates: Array = 2 * np.pi / period * np.arange(1.0, len(parts[0]) + 1)
    T = period if duration is None else seconds("fourier: duration", duration)
    return Harmonic(q0, rates, parts[0], parts[1], T)


def cosine(
    centre: ArrayLike, amplitude: ArrayLike, frequency: ArrayLike, *, phase: ArrayLike = 0.0, duration: float
) -> Harmonic:
    """Return the motion q_i = centre_i + amplitude_i cos(2 pi frequency_i t + phase_i).

    The kind of motion of [MuellerKumar2021, Sec. 6]: every joint has its own frequency (Hz), and
    with phase 0 it starts at rest.

    >>> import closedform as cf
    >>> motion = cf.trajectory.cosine([0, 1], [0.5, 0.2], [1.0, 0.5], duration=2.0)
    >>> motion(1.0)
    array([0.5, 0.8])
    """
    q0 = coordinates("cosine: centre", centre)
    A = coordinates("cosine: amplitude", amplitude, q0.size)
    rate = 2 * np.pi * coordinates("cosine: frequency", frequency, q0.size)
    p = coordinates("cosine: phase", phase, q0.size)
    T = seconds("cosine: duration", duration)
    return Harmonic(q0, rate, np.diag(A * np.cos(p)), np.diag(-A * np.sin(p)), T)
