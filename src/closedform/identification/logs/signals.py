"""Signals: even clocks, zero-phase filters, derivatives and fewer samples, all without delay."""
# ruff: noqa: PLC0415 (SciPy's signal processing is imported where it is used: it takes half a second)

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ...arrays import Array
from .errors import LogError
from .rounding import least_motion

FIRST = np.array([3, -32, 168, -672, 0, 672, -168, 32, -3]) / 840
SECOND = np.array([-9, 128, -1008, 8064, -14350, 8064, -1008, 128, -9]) / 5040
"""Central differences over nine points: exact for polynomials of degree eight."""

ORDER = 4
"""Order of the Butterworth filters; run forwards and backwards they have no phase."""

JITTER = 1e-3
"""Fraction of the sampling time below which a clock counts as even."""

GAP = 2.5
"""Sampling times without a row that are always interpolated."""

BRIDGED = 0.25
"""Part of the cutoff's period without a row that is interpolated: the motion is far slower."""

KINEMATIC = 2.5
"""Position filter over torque filter: wide, since the regressor's columns pass the torque filter too."""

FINE = 0.1
"""Cutoff of the positions that friction follows, over the sampling rate."""

SURE = 3.0
"""Standard deviations of the noise of rounded positions that are no motion."""

SPARSE = 20
"""Samples of an even clock per row of the log; beyond that there is no motion between the gaps."""

PROBE = 2000
"""Samples on either side of an impulse whose response is looked at; filters remember some tens."""


@dataclass(frozen=True)
class Samples:
    """Rows of a log: time (n,), position, effort and velocity (n, joints).

    `trusted` (n,) says which rows have efforts to fit (all if it is None); saturated ones have none.
    `importance` (n, joints) is how much each effort counts (1 if it is None); masked ones count zero.
    `steps` (joints,) are those that positions were rounded to (none if it is None).
    """

    time: Array
    position: Array
    effort: Array
    velocity: Array | None = None
    trusted: NDArray[np.bool_] | None = None
    importance: Array | None = None
    steps: Array | None = None


@dataclass(frozen=True)
class Filters:
    """The chain of filters of one log: sampling rate, cutoff, delays, and the two stages of decimation.

    Rows of the regression are `first * second` samples apart, about a quarter of the cutoff's
    period, so that neighbouring rows are nearly independent and nothing below the cutoff is lost.
    `lag` is how much later than positions efforts were recorded, in seconds; both are brought
    together. `delay` is that of measured velocities, or None if speeds are differences of positions.
    """

    rate: float
    cutoff: float
    lag: float = 0.0
    delay: float | None = None

    @property
    def first(self) -> int:
        """Decimation from samples to the states where the regressor is evaluated."""
        return max(1, math.floor(self.rate / (12 * self.cutoff)))

    @property
    def second(self) -> int:
        """Decimation from those states to rows."""
        return max(1, math.floor(self.rate / self.first / (4 * self.cutoff)))

    @property
    def step(self) -> int:
        """Decimation from samples to rows."""
        return self.first * self.second

    @property
    def settling(self) -> float:
        """Seconds until the filters forget the end of a recording: their slowest mode decays to 7e-5."""
        return 4 / self.cutoff

    @property
    def longest_gap(self) -> float:
        """Seconds without a row that are interpolated; rows around a longer gap are not used."""
        return max(GAP / self.rate, BRIDGED / self.cutoff)

    def settle_in(self, time: Array) -> bool:
        """Return whether a recording is long enough that something remains between its ends."""
        return len(time) > 3 and bool(time[-1] - time[0] > 2 * self.settling)


@dataclass(frozen=True)
class Signals:
    """An even motion at the full rate: `fine` positions, q, qd, qdd, efforts, and which samples are valid.

    A sample is valid if it is near rows of the log, and far enough from gaps and ends for the filters to
    settle. `importance` (samples, joints), if there is one, is the mean over the samples of a row, and zero
    near masked efforts.
    """

    time: Array
    fine: Array
    q: Array
    qd: Array
    qdd: Array
    effort: Array
    valid: NDArray[np.bool_]
    importance: Array | None = None

    @property
    def counting(self) -> NDArray[np.bool_]:
        """Which samples (samples, joints) are valid and count."""
        valid = np.broadcast_to(self.valid[:, None], self.effort.shape)
        return valid if self.importance is None else valid & (self.importance > 0)


def sampling_rate(time: Array) -> float:
    """Return the samples per second of a clock that may jitter: by the mean of steps without a gap."""
    steps = np.diff(time)
    return float(1 / np.mean(steps[steps <= 1.5 * np.median(steps)]))


def even_samples(samples: Samples, rate: float, lag: float = 0.0, delay: float | None = None) -> Samples:
    """Return samples on an even clock: as they are if it is even, else by cubic splines.

    Efforts that were recorded `lag` later than positions, and velocities that were recorded `delay`
    later, are taken as much earlier; velocities are left out if there is no delay.
    """
    steps = np.diff(samples.time)
    even = np.abs(steps * rate - 1).max() < JITTER
    time, trusted = samples.time, samples.trusted
    if not even:
        count = math.floor((time[-1] - time[0]) * rate + 1e-9) + 1
        if count > SPARSE * len(time) + 1000:
            raise LogError(
                f"the clock is too uneven: {len(time)} rows from {time[0]:g} to {time[-1]:g} s, most of them "
                f"{1 / rate:.3g} s apart; split the log at its gaps"
            )
        time = time[0] + np.arange(count) / rate
        if trusted is not None:
            after = np.clip(np.searchsorted(samples.time, time), 1, len(steps))
            trusted = trusted[after] & trusted[after - 1]

    def moved(values: Array, later: float) -> Array:
        return values if even and not later else splined(samples.time, values, time + later)

    velocity = None if delay is None or samples.velocity is None else moved(samples.velocity, delay)
    importance = samples.importance
    if importance is not None and not (even and not lag):
        importance = _between(samples.time, importance, time + lag)
    position, effort = moved(samples.position, 0.0), moved(samples.effort, lag)
    return Samples(time, position, effort, velocity, trusted, importance, samples.steps)


def _between(time: Array, importance: Array, at: Array) -> Array:
    """Return at other times how much efforts count: zero beside one that does not count."""
    after = np.clip(np.searchsorted(time, at), 1, len(time) - 1)
    part = np.clip((at - time[after - 1]) / (time[after] - time[after - 1]), 0.0, 1.0)[:, None]
    left, right = importance[after - 1], importance[after]
    return np.where((left > 0) & (right > 0), (1 - part) * left + part * right, 0.0)


def bridged(time: Array, effort: Array, counts: NDArray[np.bool_]) -> Array:
    """Return efforts with straight lines in place of those that do not count: filters would spread them."""
    found = effort.copy()
    for j, counted in enumerate(counts.T):
        if not counted.all():
            known = effort[counted, j] if counted.any() else np.zeros(1)
            at = time[counted] if counted.any() else time[:1]
            found[~counted, j] = np.interp(time[~counted], at, known)
    return found


def splined(time: Array, values: Array, at: Array) -> Array:
    """Return columns sampled at `time` at other times, by cubic splines; at the ends as they end."""
    from scipy import interpolate

    spline = interpolate.make_interp_spline(time, values, k=min(3, len(time) - 1))
    return np.asarray(spline(np.clip(at, time[0], time[-1])))


def between(time: Array, at: Array) -> NDArray[np.bool_]:
    """Return which moments are rows of an even clock that may have gaps, or lie between neighbouring ones."""
    if len(time) < 2:
        return np.zeros(len(at), dtype=bool)
    after = np.clip(np.searchsorted(time, at), 1, len(time) - 1)
    left, right = time[after - 1], time[after]
    near = (left <= at) & (at <= right) & (right - left < 1.5 * np.median(np.diff(time)))
    return np.asarray(near | (at == left) | (at == right))


def covered(samples: Samples, time: Array, filters: Filters) -> NDArray[np.bool_]:
    """Return which times of an even clock are near rows of the log, or in a gap that can be bridged."""
    after = np.clip(np.searchsorted(samples.time, time), 1, len(samples.time) - 1)
    gap = samples.time[after] - samples.time[after - 1]
    return np.asarray(gap < filters.longest_gap)


def zero_phase(x: Array, cutoff: float, rate: float) -> Array:
    """Return the low-pass of columns, forwards and backwards; as they are if the cutoff is too high."""
    if cutoff >= 0.45 * rate or not x.size:
        return x
    from scipy import signal

    sections, start = _sections(cutoff, rate)
    pad = min(len(x) - 1, int(3 * rate / cutoff))
    # sosfiltfilt of SciPy, with every column in one piece of memory and the start of the filter remembered
    y = np.empty((x.shape[1], len(x) + 2 * pad))
    y[:, pad : pad + len(x)] = x.T
    y[:, :pad] = 2 * x[:1].T - x[pad:0:-1].T
    y[:, pad + len(x) :] = 2 * x[-1:].T - x[-2 : -pad - 2 : -1].T
    for _ in range(2):
        y, _ = signal.sosfilt(sections, y, axis=1, zi=start * y[None, :, :1])
        y = y[:, ::-1]
    return np.asarray(y[:, pad : pad + len(x)].T)


@lru_cache(64)
def _sections(cutoff: float, rate: float) -> tuple[Array, Array]:
    """Return a low-pass as sections of second order, and their states (sections, 1, 2) at an input of one.

    Short logs would spend a fifth of their time on it.
    """
    from scipy import signal

    sections = np.asarray(signal.butter(ORDER, cutoff, fs=rate, output="sos"))
    return sections, np.asarray(signal.sosfilt_zi(sections))[:, None]


def differentiate(x: Array, rate: float) -> tuple[Array, Array]:
    """Return the first and second time derivatives of evenly sampled columns."""
    from scipy import ndimage

    first = ndimage.correlate1d(x, FIRST, axis=0, mode="nearest") * rate
    second = ndimage.correlate1d(x, SECOND, axis=0, mode="nearest") * rate**2
    return first, second


def condition_signals(samples: Samples, filters: Filters) -> Signals:
    """Return the motion behind samples: evenly timed, filtered without delay, differentiated."""
    rate = filters.rate
    even = even_samples(samples, rate, filters.lag, filters.delay)
    fine = zero_phase(even.position, FINE * rate, rate)
    if even.steps is not None and even.steps.any():
        fine = least_motion(fine, SURE * even.steps * np.sqrt(2 * FINE / 12))
    q = zero_phase(even.position, KINEMATIC * filters.cutoff, rate)
    qd, qdd = differentiate(q, rate)
    if even.velocity is not None:
        qd = zero_phase(even.velocity, KINEMATIC * filters.cutoff, rate)
        qdd = differentiate(qd, rate)[0]
    valid = covered(samples, even.time, filters)
    reach = max(1, int(filters.settling * rate))
    if not valid.all():
        from scipy import ndimage

        valid = ~ndimage.binary_dilation(~valid, iterations=reach)
    if even.trusted is not None and not even.trusted.all():
        from scipy import ndimage

        valid &= ~ndimage.binary_dilation(~even.trusted, iterations=max(1, int(rate / filters.cutoff)))
    valid[:reach] = valid[-reach:] = False
    importance = None if even.importance is None else _spread(even.importance, filters)
    return Signals(even.time, fine, q, qd, qdd, even.effort, valid, importance)


def _spread(importance: Array, filters: Filters) -> Array:
    """Return the mean of importance over the samples of a row; zero within a cutoff's period of a zero."""
    from scipy import ndimage

    mean = ndimage.uniform_filter1d(importance, filters.step, axis=0, mode="nearest")
    reach = 2 * max(1, int(filters.rate / filters.cutoff)) + 1
    least = ndimage.minimum_filter1d(importance, reach, axis=0, mode="nearest")
    return np.where(least > 0, mean, 0.0)


def thin(x: Array, filters: Filters) -> Array:
    """Return columns at the rate of states: filtered against aliasing, every `first`-th sample."""
    return thin_filter(x, filters)[:: filters.first]


def thin_filter(x: Array, filters: Filters) -> Array:
    """Return columns without the frequencies that the rate of states cannot represent."""
    return zero_phase(x, 0.4 * filters.rate / filters.first, filters.rate) if filters.first > 1 else x


def noise_correlation(filters: Filters, lags: int) -> Array:
    """Return the correlation of white noise after the filters, at rows 0 to `lags` apart.

    The autocorrelation of the filters' impulse responses, stage by stage.
    """
    from scipy.signal import fftconvolve

    impulse = np.zeros((2 * PROBE + 1, 1))
    impulse[PROBE] = 1.0
    first = thin_filter(impulse, filters)[:, 0]
    spread = fftconvolve(first, first[::-1])[2 * PROBE % filters.first :: filters.first]
    second = zero_phase(impulse, filters.cutoff, filters.rate / filters.first)[:, 0]
    total = fftconvolve(spread, fftconvolve(second, second[::-1]))
    middle = 2 * PROBE // filters.first + 2 * PROBE
    found = total[middle : middle + lags * filters.second + 1 : filters.second]
    return np.asarray(found / found[0])


def to_rows(x: Array, filters: Filters) -> Array:
    """Return columns at the rate of rows: after the torque filter, every `second`-th state."""
    rate = filters.rate / filters.first
    return zero_phase(x, filters.cutoff, rate)[:: filters.second]
