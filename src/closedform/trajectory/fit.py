"""Sampled data as a trajectory: least-squares splines and Fourier series."""
# ruff: noqa: PLC0415 (SciPy is imported where it is used: it takes a quarter of a second)

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Array
from ..checks import whole_number
from ..errors import ArgumentError
from .harmonic import MOST_TERMS, Harmonic, fourier
from .piecewise import PiecewisePolynomial
from .polynomial import HIGHEST
from .spline import equal_knots, pieces, samples
from .trajectory import instants, seconds

if TYPE_CHECKING:
    from scipy.interpolate import BSpline


def fit_spline(
    times: ArrayLike, values: ArrayLike, *, degree: int = 5, count: int | None = None
) -> PiecewisePolynomial:
    """Return the spline of `count` equal pieces nearest to samples (n, dofs) in least squares.

    Fewer pieces smooth more. Without `count` it is chosen among powers of two by generalised
    cross-validation [CravenWahba1979], the least RSS / (n - p)^2 for p coefficients, which needs no
    knowledge of the noise; the product over the coordinates counts. The trajectory begins at t = 0
    whatever the first instant is.

    >>> import numpy as np, closedform as cf
    >>> t = np.linspace(0, 2, 400)
    >>> noise = 1e-3 * np.random.default_rng(0).normal(size=t.shape)
    >>> motion = cf.trajectory.fit_spline(t, np.sin(3 * t) + noise)
    >>> bool(abs(motion(1.0, order=1)[0] - 3 * np.cos(3)) < 0.01)
    True
    """
    degree = whole_number("fit_spline: degree", degree, 1, HIGHEST)
    t = instants("fit_spline: times", times)
    t = t - t[0]
    data = samples("fit_spline: values", values, t.size)
    most = t.size - degree
    if most < 1:
        raise ArgumentError(
            f"fit_spline: {t.size} samples are too few for degree {degree}; give at least {degree + 1}"
        )
    if count is not None:
        count = whole_number("fit_spline: count", count, 1)
        if count > most:
            raise ArgumentError(
                f"fit_spline: {count} pieces of degree {degree} need {count + degree} samples; {t.size} given"
            )
        fitted = _fitted(t, data, degree, count)
        if fitted is None:
            raise ArgumentError(f"fit_spline: some of the {count} pieces hold too few samples; ask for fewer")
        return pieces(fitted)
    best, lowest = None, np.inf
    floor = t.size * (1e-14 * (np.abs(data).max(axis=0) + 1e-300)) ** 2 + 1e-300
    for power in range(int(np.log2(most)) + 1):
        candidate = _fitted(t, data, degree, 2**power)
        unknowns = 2**power + degree
        if candidate is None or unknowns >= t.size:
            break
        # the logarithm weighs coordinates of any unit alike; the floor is round-off
        residual = ((data - candidate(t)) ** 2).sum(axis=0) + floor
        score = float(np.log(residual).sum()) - 2 * data.shape[1] * np.log(t.size - unknowns)
        if score < lowest:
            best, lowest = candidate, score
    return pieces(best if best is not None else _fitted(t, data, degree, 1))


def _fitted(t: Array, data: Array, degree: int, count: int) -> BSpline | None:
    """Return the least-squares spline, None if a piece holds too few samples to determine it."""
    knots = equal_knots(float(t[-1]), count, degree)
    unknowns = count + degree
    # Schoenberg-Whitney: some sample inside the support of every basis function, in order
    chosen = np.searchsorted(t, knots[:unknowns], side="right")
    chosen[0] = 0
    for i in range(1, unknowns):
        chosen[i] = max(chosen[i], chosen[i - 1] + 1)
    if chosen[-1] >= t.size or not (t[chosen[1:-1]] < knots[degree + 2 : unknowns + degree]).all():
        return None
    from scipy.interpolate import make_lsq_spline

    return make_lsq_spline(t, data, knots, k=degree)


def fit_fourier(times: ArrayLike, values: ArrayLike, *, terms: int, period: float) -> Harmonic:
    """Return the Fourier series of `terms` harmonics nearest to samples (n, dofs) in least squares.

    t = 0 of the series is the first instant. As averaging over many periods does, this removes
    noise without a filter's delay.

    >>> import numpy as np, closedform as cf
    >>> t = np.linspace(0, 6, 600)
    >>> motion = cf.trajectory.fit_fourier(t, 0.3 + np.sin(np.pi * t), terms=2, period=2.0)
    >>> (motion.sines.round(9) + 0.0).tolist()
    [[1.0], [0.0]]
    """
    terms = whole_number("fit_fourier: terms", terms, 1, MOST_TERMS)
    period = seconds("fit_fourier: period", period)
    t = instants("fit_fourier: times", times)
    t = t - t[0]
    data = samples("fit_fourier: values", values, t.size)
    phase = 2 * np.pi / period * t[:, None] * np.arange(1, terms + 1)
    design = np.hstack([np.ones((t.size, 1)), np.cos(phase), np.sin(phase)])
    solution, _, rank, _ = np.linalg.lstsq(design, data, rcond=1e-10)
    if rank < design.shape[1]:
        raise ArgumentError(
            f"fit_fourier: {t.size} samples over {t[-1]:.6g} s determine only {rank} of {design.shape[1]} "
            f"coefficients of period {period:g} s; give more samples, fewer terms or a shorter period"
        )
    return fourier(solution[0], solution[1 : terms + 1], solution[terms + 1 :], period, duration=float(t[-1]))
