"""Input shaping: commands split into delayed parts whose vibrations cancel."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from math import comb

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Array
from ..checks import (
    finite_array,
    instance,
    known_name,
    positive,
    real_array,
    sized_array,
    small_number,
)
from ..errors import ArgumentError, shown
from ..guests import in_kind

MOST_IMPULSES = 100_000
"""Impulses of a shaper of several modes."""

MOST_MODES = 16
"""Modes of one shaper."""

MOST_RADIANS = 1e9
"""Phase at the end of a shaper, of which double precision keeps seven digits."""

KINDS = {"zv": 1, "zvd": 2, "zvdd": 3}
"""Shapers by the order to which vibration vanishes at the design frequency."""


@dataclass(frozen=True, eq=False)
class InputShaper:
    """Impulses at `times` [s] whose `amplitudes` sum to one; commands are convolved with them."""

    times: Array
    amplitudes: Array

    def __post_init__(self) -> None:
        times = np.atleast_1d(real_array("shaper: times", self.times))
        object.__setattr__(self, "times", sized_array("shaper: times", times, times.shape[:1]))
        given = np.atleast_1d(real_array("shaper: amplitudes", self.amplitudes))
        object.__setattr__(self, "amplitudes", sized_array("shaper: amplitudes", given, times.shape))
        if not times.size or times.min() < 0:
            raise ArgumentError("shaper: times are empty or negative; expected impulses from 0 on")

    @classmethod
    def of(cls, frequency: float, ratio: float = 0.0, kind: str = "zv") -> InputShaper:
        """Return the shaper of one mode of a frequency [Hz] and damping ratio [SingerSeering1990].

        The two impulses of a "zv" shaper, half a damped period apart with amplitudes 1 : K, leave
        no vibration; "zvd" and "zvdd" repeat it, so that errors of the frequency matter less.

        >>> from closedform.flexible import InputShaper
        >>> InputShaper.of(2.0, kind="zvd").amplitudes.tolist()
        [0.25, 0.5, 0.25]
        """
        omega = 2 * np.pi * positive("shaper: frequency", frequency)
        ratio = small_number("shaper: ratio", ratio, 0.999)
        known_name("kind of shaper", kind, tuple(KINDS))
        order, root = KINDS[kind], np.sqrt(1 - ratio**2)
        K = np.exp(-ratio * np.pi / root)
        amplitudes = np.array([comb(order, k) * K**k for k in range(order + 1)])
        return cls(np.arange(order + 1) * np.pi / (omega * root), amplitudes / amplitudes.sum())

    @classmethod
    def of_modes(cls, frequencies: ArrayLike, ratios: ArrayLike = 0.0, kind: str = "zv") -> InputShaper:
        """Return the shaper of several modes: one shaper after the other."""
        each = np.atleast_1d(real_array("shaper: frequencies", frequencies))
        damped = np.atleast_1d(real_array("shaper: ratios", ratios))
        if each.ndim != 1 or not each.size or damped.shape not in ((1,), each.shape):
            raise ArgumentError(
                f"shaper: frequencies of shape {each.shape} and ratios of shape {damped.shape}; "
                "expected a frequency for each mode, and a ratio for each or one for all"
            )
        if each.size > MOST_MODES:
            raise ArgumentError(f"shaper: {each.size} modes; expected at most {MOST_MODES}")
        pairs = zip(each, np.broadcast_to(damped, each.shape), strict=True)
        return reduce(cls.then, [cls.of(f, z, kind) for f, z in pairs])

    def then(self, other: InputShaper) -> InputShaper:
        """Return both shapers in succession."""
        instance("shaper: other", other, InputShaper)
        if self.times.size * other.times.size > MOST_IMPULSES:
            raise ArgumentError(
                f"shaper: {self.times.size} times {other.times.size} impulses; at most {MOST_IMPULSES}: "
                "shape fewer modes"
            )
        times = np.add.outer(self.times, other.times).ravel()
        order = np.argsort(times, kind="stable")
        return InputShaper(times[order], np.outer(self.amplitudes, other.amplitudes).ravel()[order])

    @property
    def duration(self) -> float:
        """How much later a shaped command ends."""
        return float(self.times.max())

    @in_kind
    def __call__(self, command: ArrayLike, step: float) -> Array:
        """Return a sampled command (k,) or (k, n) after shaping, on the same times.

        Before its start the command has its first value; between samples it is linear.
        """
        values = finite_array("command", command)
        if values.ndim not in (1, 2) or len(values) < 2 or not values.size:
            raise ArgumentError(f"command has shape {values.shape}; expected (k,) or (k, n) with k samples")
        t = positive("step", step) * np.arange(len(values))
        columns = values.reshape(len(values), -1).T
        shaped = [
            sum(a * np.interp(t - d, t, column) for d, a in zip(self.times, self.amplitudes, strict=True))
            for column in columns
        ]
        return np.stack(shaped, axis=-1).reshape(values.shape)

    @in_kind
    def residual(self, frequency: ArrayLike, ratio: float = 0.0) -> Array:
        """Return the vibration left at a frequency [Hz], as a part of that of the unshaped command."""
        ratio = small_number("shaper: ratio", ratio, 0.999)
        omega = 2 * np.pi * finite_array("shaper: frequency", frequency)[..., None]
        if (np.abs(omega) * self.duration > MOST_RADIANS).any():
            raise ArgumentError(
                f"shaper: frequency is {shown(frequency)}; expected at most {MOST_RADIANS:g} rad "
                "over the shaper"
            )
        s = omega * (-ratio + 1j * np.sqrt(1 - ratio**2))
        with np.errstate(over="ignore", invalid="ignore", under="ignore"):  # a frequency below zero grows
            left = np.abs((self.amplitudes * np.exp(s * (self.duration - self.times))).sum(-1))
        return np.asarray(left)
