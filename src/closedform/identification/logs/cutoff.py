"""The cutoff of a log's filters: as wide as the motion needs, no wider than the noise of positions allows."""
# ruff: noqa: PLC0415 (SciPy's signal processing is imported where it is used: it takes half a second)

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ...arrays import Array
from ...checks import positive
from ...errors import ArgumentError
from .signals import Samples, even_samples

WIDER = 7.0
"""Cutoff over the motion's bandwidth, as far as its harmonics reach."""

CORNERS = 15.0
"""Cutoff in Hz that reversals of friction need, whose corners are as sharp in slow motions."""

MOST = 0.95
"""Part of the power of the speeds within the bandwidth. The rest may be noise that is not flat: stamps that
are off shift the positions by speed times jitter, more at some frequencies than at others."""

SHARE = 5e-5
"""Power of the noise in accelerations over that of the motion that a cutoff may let through."""

WEIGHT = 1.0
"""Acceleration (rad/s^2 or m/s^2) added to that of the motion, so that an arm almost at rest has some."""

ABOVE = 4.0
"""Density over the noise floor below which a spectrum holds no motion."""

CERTAIN = 20.0
"""Density over the noise floor above which it surely does: one bin in e^20 of white noise exceeds it."""

HUM = 8.0
"""Ratio of a frequency to the next lower one that stands out (at least `LOWEST`), above which it is a hum."""

LOWEST = 6.0
"""Least cutoff in Hz, however noisy positions are: without corners of friction, inertias explain friction."""

SAMPLES = 6.0
"""Least samples in a period of the cutoff."""

NARROWEST = 1e-6
"""Least cutoff over the sampling rate; filters that remember more samples lose their digits."""

SECONDS = 8.0
"""Length of the stretches that spectra are averaged over."""


@dataclass(frozen=True)
class Spectrum:
    """Densities of the joint positions (frequencies, joints), and the flat floor of their noise (joints).

    `derivatives` lead from the columns to accelerations: two from positions, one from velocities.

    The floor is what remains at high frequencies, where no arm moves: quantisation, the sensor, and a
    clock whose stamps are off (speed times jitter). The `motion` is what exceeds the floor, up to the
    last frequency that clearly does; between its harmonics a periodic motion may touch the floor. A hum
    far above all other frequencies (`HUM`) is not motion.
    """

    frequency: Array
    motion: Array
    floor: Array
    derivatives: int = 2

    @classmethod
    def of(cls, samples: Samples, rate: float, derivatives: int = 2) -> Spectrum:
        """Return the spectrum of the joints that move, of their positions or (1 derivative) velocities."""
        from scipy import signal

        if derivatives == 1 and samples.velocity is not None:
            samples = replace(samples, position=samples.velocity)
        position = even_samples(samples, rate).position
        position = position[:, np.ptp(position, axis=0) > 0]
        length = min(len(position), int(SECONDS * rate))
        f, P = signal.welch(position, rate, nperseg=length, axis=0, detrend="linear")
        high = (f >= 0.25 * rate) & (f <= 0.45 * rate)
        floor = np.median(P[high], axis=0) / np.log(2)  # a mean, by the median of an exponential
        ends = [_end(f[surely]) for surely in (CERTAIN * floor < P).T]
        return cls(
            f, np.where((f[:, None] <= ends) & (ABOVE * floor < P), P - floor, 0.0), floor, derivatives
        )

    @property
    def bandwidth(self) -> float:
        """The frequency up to which the joint speeds have `MOST` of their power, all joints counted alike."""
        speed = self.frequency[:, None] ** (2 * self.derivatives - 2) * self.motion
        total = speed.sum(axis=0)
        moving = total > 0
        if not moving.any():
            return float("inf")
        power = np.cumsum((speed[:, moving] / total[moving]).sum(axis=1))
        return float(self.frequency[np.searchsorted(power, MOST * power[-1])])

    @property
    def reach(self) -> float:
        """The frequency up to which the motion and its friction reach."""
        return max(WIDER * self.bandwidth, CORNERS)

    @property
    def clean(self) -> float:
        """The cutoff up to which noise is `SHARE` of the accelerations' power, in the median of the joints.

        White noise of density N has accelerations of density N (2 pi f)^2k after k derivatives: up to the
        cutoff f the power N (2 pi)^2k f^(2k + 1) / (2k + 1). The accelerations of the motion are those
        within its bandwidth; if no motion stands out of the noise, `WEIGHT` replaces them.
        """
        moving = self.floor > 0
        if self.motion.any():
            moving &= self.motion.any(axis=0)
        if not moving.any():
            return float("inf")
        f = self.frequency[self.frequency <= self.bandwidth, None]
        k = 2 * self.derivatives
        power = np.sum((2 * np.pi * f) ** k * self.motion[: len(f)], axis=0)[moving] * (f[1] - f[0])
        noise = self.noise(1.0)[moving]
        return float(np.median((SHARE * (power + WEIGHT**2) / noise) ** (1 / (k + 1))))

    def share(self, cutoff: float) -> float:
        """Return the part of the accelerations' power that is noise up to a cutoff, in the median."""
        return float(SHARE * (cutoff / self.clean) ** (2 * self.derivatives + 1))

    def noise(self, cutoff: float) -> Array:
        """Return the power of the noise of each joint's acceleration up to a cutoff in Hz."""
        k = 2 * self.derivatives
        return np.asarray(self.floor * (2 * np.pi) ** k * cutoff ** (k + 1) / (k + 1))


def _end(frequencies: Array) -> float:
    """Return the last of the frequencies that stand out, up to a hum; -1 if none does."""
    if not len(frequencies):
        return -1.0
    far = frequencies[1:] > HUM * np.maximum(frequencies[:-1], LOWEST)
    return float(frequencies[np.argmax(far) if far.any() else -1])


def spectral_cutoff(samples: Samples, rate: float) -> float:
    """Return the cutoff in Hz for a log: as far as motion and friction reach, or less if noise demands it.

    Only noise of the positions demands it: that of the torques makes least squares no worse. It is judged by
    the floor of the positions' spectrum, never by differences of positions: those of a fast log are nothing
    but noise.
    """
    widest = widest_cutoff(rate)
    if not np.ptp(samples.position, axis=0).any():
        return widest
    spectrum = Spectrum.of(samples, rate)
    return float(np.clip(min(spectrum.reach, spectrum.clean), min(LOWEST, widest), widest))


def widest_cutoff(rate: float) -> float:
    """Return the widest cutoff in Hz that is chosen for a sampling rate."""
    return rate / SAMPLES


def chosen_cutoff(caller: str, given: float | None, samples: Samples, rate: float) -> float:
    """Return the cutoff that was asked for, checked, or the one that fits the log."""
    return spectral_cutoff(samples, rate) if given is None else checked_cutoff(caller, given, rate)


def checked_cutoff(caller: str, given: float, rate: float) -> float:
    """Return a cutoff in Hz that the filters of a sampling rate can have."""
    cutoff = positive(f"{caller}: cutoff", given)
    if not rate * NARROWEST <= cutoff < rate / 2:
        raise ArgumentError(
            f"{caller}: cutoff is {cutoff:g}; expected Hz from {rate * NARROWEST:.3g} to below half the "
            f"sampling rate ({rate / 2:.4g})"
        )
    return cutoff
