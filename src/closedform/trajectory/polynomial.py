"""Polynomials from one state to another: quintic, septic, ninth order, any odd degree."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb, factorial

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Array
from ..checks import whole_number
from ..errors import ArgumentError, shown
from .piecewise import PiecewisePolynomial
from .trajectory import coordinates, rates_at, seconds

HIGHEST = 21
"""Highest degree: coefficients grow like 2^degree and cancel, here to nine digits of the position."""


def polynomial(
    start: ArrayLike,
    end: ArrayLike,
    duration: float,
    *,
    degree: int = 7,
    start_rates: Sequence[ArrayLike] = (),
    end_rates: Sequence[ArrayLike] = (),
) -> PiecewisePolynomial:
    """Return the polynomial of odd degree 2m + 1 with given derivatives up to the m-th at both ends.

    Degree 5 (quintic) takes position, velocity and acceleration, 7 (septic) the jerk too, 9 the
    snap too. `start_rates` and `end_rates` are (qd, qdd, ...); what is not given is zero, so that
    the motion rests at its ends. With s = t/T the polynomial is the two-point Taylor expansion

        sum_k T^k/k! [q_start^(k) H_k(s) + (-1)^k q_end^(k) H_k(1 - s)],
        H_k(s) = s^k (1 - s)^(m+1) sum_{j <= m-k} binomial(m + j, j) s^j   [Davis1975, Ch. 2]

    >>> import closedform as cf
    >>> motion = cf.trajectory.polynomial(0.0, 1.0, duration=2.0, degree=5, start_rates=[0.5])
    >>> motion.derivatives(0.0, 2)
    (array([0.]), array([0.5]), array([0.]))
    >>> motion(2.0)
    array([1.])
    """
    degree = odd_degree("polynomial: degree", degree, 1)
    T = seconds("polynomial: duration", duration)
    q0 = coordinates("polynomial: start", start)
    m = degree // 2
    q1 = coordinates("polynomial: end", end, q0.size)
    first = [q0, *rates_at("polynomial: start_rates", start_rates, m, q0.size)]
    last = [q1, *rates_at("polynomial: end_rates", end_rates, m, q0.size)]
    coefficients = np.zeros((degree + 1, q0.size))
    coefficients[: m + 1] = [first[k] * T**k / factorial(k) for k in range(m + 1)]
    for k in range(m + 1):
        H = _basis(m, k)
        coefficients[m + 1 :] += np.outer(H[m + 1 :], first[k] * T**k / factorial(k))
        mirrored = (-1) ** k * _mirrored(H)
        coefficients[m + 1 :] += np.outer(mirrored[m + 1 :], last[k] * T**k / factorial(k))
    coefficients /= T ** np.arange(degree + 1)[:, None]
    return PiecewisePolynomial(np.array([0.0, T]), coefficients[:, None, :], np.inf)


def odd_degree(name: str, given: int, least: int) -> int:
    """Return an odd degree from `least` to `HIGHEST`."""
    degree = whole_number(name, given, least)
    if degree % 2 == 0 or degree > HIGHEST:
        raise ArgumentError(
            f"{name} is {shown(degree)}; expected an odd degree such as 5, 7 or 9, at most {HIGHEST}"
        )
    return degree


def _basis(m: int, k: int) -> Array:
    """Return the coefficients of H_k, which are whole numbers."""
    H = np.polynomial.polynomial.polypow([1.0, -1.0], m + 1)
    H = np.polynomial.polynomial.polymul(H, [float(comb(m + j, j)) for j in range(m - k + 1)])
    return np.concatenate([np.zeros(k), H, np.zeros(2 * m + 2)])[: 2 * m + 2]


def _mirrored(coefficients: Array) -> Array:
    """Return the coefficients of p(1 - s)."""
    result = np.zeros(len(coefficients))
    for n, coefficient in enumerate(coefficients):
        result[: n + 1] += coefficient * np.array([comb(n, i) * (-1.0) ** i for i in range(n + 1)])
    return result
