"""B-splines through waypoints, smooth enough for what follows."""
# ruff: noqa: PLC0415 (SciPy is imported where it is used: it takes a quarter of a second)

from __future__ import annotations

from collections.abc import Sequence
from math import factorial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Array
from ..checks import finite, real_array
from ..errors import ArgumentError
from .piecewise import PiecewisePolynomial
from .polynomial import odd_degree
from .trajectory import instants, rates_at

if TYPE_CHECKING:
    from scipy.interpolate import BSpline


EXACT = 1e-6
"""How far from a waypoint a spline may pass, relative to the largest: a sign of lost digits."""


def spline(
    times: ArrayLike,
    waypoints: ArrayLike,
    *,
    degree: int = 5,
    start_rates: Sequence[ArrayLike] = (),
    end_rates: Sequence[ArrayLike] = (),
) -> PiecewisePolynomial:
    """Return the spline through the waypoints whose derivatives up to degree - 1 are continuous.

    The quintic has continuous snap, as elastic joints need; degree 7 goes two derivatives further.
    `times` (n,) begin anywhere, the trajectory at t = 0; `waypoints` has shape (n, dofs). The
    derivatives 1 to (degree - 1)/2 at the ends are `start_rates` and `end_rates`, zero if not
    given, so that the motion rests at its ends.

    >>> import closedform as cf
    >>> motion = cf.trajectory.spline([0, 1, 3], [[0.0, 0.0], [1.0, 0.5], [0.0, 2.0]])
    >>> motion(1.0).round(12), motion.smoothness
    (array([1. , 0.5]), 4)
    """
    degree = odd_degree("spline: degree", degree, 3)
    t = instants("spline: times", times)
    points = samples("spline: waypoints", waypoints, t.size)
    ends = [
        list(enumerate(rates_at(f"spline: {name}", given, degree // 2, points.shape[1]), 1))
        for name, given in (("start_rates", start_rates), ("end_rates", end_rates))
    ]
    from scipy.interpolate import make_interp_spline

    try:
        found = pieces(make_interp_spline(t - t[0], points, k=degree, bc_type=tuple(ends)))
    except (np.linalg.LinAlgError, ValueError):
        found = None
    if found is None or not (np.abs(found(t - t[0]) - points) <= EXACT * (1 + np.abs(points).max())).all():
        raise ArgumentError(
            f"spline: degree {degree} through these instants is beyond double precision; "
            "lower the degree, or space the instants more evenly"
        )
    return found


def equal_knots(duration: float, count: int, degree: int) -> Array:
    """Return the knots of a spline of `count` equal pieces from 0, the ends repeated `degree` times more."""
    inner = np.linspace(0.0, duration, count + 1)
    return np.concatenate([np.zeros(degree), inner, np.full(degree, duration)])


def pieces(given: BSpline) -> PiecewisePolynomial:
    """Return a B-spline from 0 as polynomial pieces: its Taylor coefficients at the start of each."""
    breaks = np.unique(given.t)
    coefficients = [given(breaks[:-1], nu=order) / factorial(order) for order in range(given.k + 1)]
    return PiecewisePolynomial(breaks, np.array(coefficients), given.k - 1)


def samples(name: str, given: ArrayLike, count: int) -> Array:
    """Return finite samples of shape (count, dofs); a vector is one coordinate."""
    array = real_array(name, given)
    if array.ndim == 1:
        array = array[:, None]
    if array.ndim != 2 or len(array) != count or array.shape[1] == 0:
        raise ArgumentError(f"{name} has shape {array.shape}; expected ({count}, dofs), one row per instant")
    return finite(name, array, remedy=": drop the row, or fill it")
