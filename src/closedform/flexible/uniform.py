"""The exact modes of a uniform clamped beam with inertia at its tip."""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, cosh, exp, floor, pi, sin, tanh

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq

from ..arrays import Array
from ..errors import ClosedFormError
from .link import FlexibleLink
from .modes import Mode, Modes, Tip

LOWEST = 1e-3
"""Wave numbers b = beta l below this are lost in round-off (a tip 1e12 times as heavy as the link)."""

SEPARATION = 1e-12
"""Relative distance of wave numbers below which two modes cannot be separated."""


@dataclass(frozen=True)
class Frequencies:
    """The frequency equation of a clamped beam in pure numbers.

    `mass`, `inertia`, `moment` are M_L, J_L, MD over rho l, rho l^3, rho l^2; b is beta l.
    """

    mass: float
    inertia: float
    moment: float

    @classmethod
    def of(cls, link: FlexibleLink, tip: Tip) -> Frequencies:
        """Return the frequency equation of a uniform link and its tip."""
        m, length = link.mass, link.length
        return cls(tip.mass / m, tip.inertia / (m * length**2), tip.moment / (m * length))

    def equation(self, b: float) -> float:
        """Return the frequency determinant over cosh(b), zero at the modes.

        [DeLucaSiciliano1991, Eq. (22)] with the terms of MD, for which the text has no formula:
        1 + c ch - M b (s ch - c sh) - J b^3 (s ch + c sh) - 2 MD b^2 s sh + (M J - MD^2) b^4
        (1 - c ch). Divided by cosh it neither overflows nor loses the cosine in large numbers.
        """
        M, J, D = self.mass, self.inertia, self.moment
        s, c, t, r = sin(b), cos(b), tanh(b), 1 / cosh(b)
        return (
            (r + c)
            - M * b * (s - c * t)
            - J * b**3 * (s + c * t)
            - 2 * D * b**2 * s * t
            + (M * J - D * D) * b**4 * (r - c)
        )

    def count(self, b: float) -> int:
        """Return how many modes have a wave number below b [WittrickWilliams1971].

        The modes of the beam clamped at both ends, plus the negative eigenvalues of the dynamic
        stiffness over (deflection, slope) of the tip.
        """
        s, c, t, r = sin(b), cos(b), tanh(b), 1 / cosh(b)
        turns = floor(b / pi)
        parity = -1 if turns % 2 else 1
        clamped = turns - (1 - parity * _sign(r - c)) // 2
        if self.equation(b) * (r - c) < 0:
            return clamped + 1
        stiffness = b**3 * (s + c * t) / (r - c) - b**4 * self.mass
        return clamped + (2 if stiffness < 0 else 0)

    def roots(self, modes: int) -> Array:
        """Return the lowest wave numbers b, each isolated by counting, then refined.

        The k-th is below k pi, as that of a free end is, and inertia at the tip lowers it.
        """
        return np.array([self._root(k) for k in range(1, modes + 1)])

    def _root(self, k: int) -> float:
        low, high = LOWEST, k * pi
        if self.count(low) >= k:
            raise ClosedFormError(
                f"mode {k}: the tip is too heavy for the link to be resolved (wave number below {LOWEST:g}); "
                "take a lighter tip, or a stiffer, heavier link"
            )
        below, above = self.count(low), self.count(high)
        while (below, above) != (k - 1, k):
            middle = (low + high) / 2
            if high - low < SEPARATION * high:
                raise ClosedFormError(f"modes {k - 1} and {k} cannot be separated; change the tip a little")
            count = self.count(middle)
            if count >= k:
                high, above = middle, count
            else:
                low, below = middle, count
        return float(brentq(self.equation, low, high, xtol=1e-15 * low, rtol=4 * np.finfo(float).eps))


@dataclass(frozen=True)
class UniformShape:
    """A mode shape as P f1 + R f2, in functions that stay near one in size for any wave number.

    f1 = sin a - cos a + exp(-a) and f2 = exp(a - b) - exp(-b) (sin a + cos a) with a = b x / l
    span the clamped solutions of [DeLucaSiciliano1991, Eqs. (19), (20)].
    """

    b: float
    length: float
    P: float
    R: float

    def __call__(self, x: ArrayLike, derivative: int = 0) -> Array:
        """Return a derivative by x of order 0 to 3."""
        f1, f2 = _clamped(self.b, np.asarray(x) / self.length, derivative)
        return (self.P * f1 + self.R * f2) * (self.b / self.length) ** derivative


def uniform_modes(link: FlexibleLink, tip: Tip) -> Modes:
    """Return the exact modes of a uniform link, normalised with the inertia at the tip.

    int rho phi^2 dx + M_L phi_e^2 + J_L phi'_e^2 + 2 MD phi_e phi'_e = m. This is what the
    numbers of [DeLucaSiciliano1991, Eq. (30)] follow, which has the integral alone. The modes are those
    of a beam (14) that is clamped (15) and swings at one frequency (18). The sign is that
    of a shape that leaves the hub upwards.
    """
    m, length = link.mass, link.length
    numbers = Frequencies.of(link, tip)
    bs = numbers.roots(link.modes)
    points, weights = np.polynomial.legendre.leggauss(32 + int(bs[-1]))
    x, weights = length * (points + 1) / 2, weights / 2  # means over the link
    shapes, modes = [], []
    for b in bs.tolist():
        shape = UniformShape(b, length, *_amplitudes(numbers, b))
        end = np.array([shape(length, k) for k in (0, 1)])
        size = m * weights @ shape(x) ** 2 + end @ tip.matrix @ end
        scale = float(np.sqrt(m / size) * np.sign(shape(0.0, 2)))
        shape = UniformShape(b, length, scale * shape.P, scale * shape.R)
        phi = shape(x)
        omega = float((b / length) ** 2 * np.sqrt(float(link.rigidity) * length / m))  # type: ignore[arg-type]
        v, w = float(m * weights @ phi), float(m * weights @ (phi * x))
        tips = float(shape(length)), float(shape(length, 1))
        modes.append(Mode(b / length, omega, *tips, v, w, shape, length))
        shapes.append(shape)
    phi = np.array([shape(x) for shape in shapes])
    bent = np.array([shape(x, 2) for shape in shapes])
    z = m * (phi * weights) @ phi.T
    k = float(link.rigidity) * length * (bent * weights) @ bent.T  # type: ignore[arg-type]
    return Modes(tuple(modes), tip, z, k)


def _amplitudes(numbers: Frequencies, b: float) -> tuple[float, float]:
    """Return the P, R that satisfy the tip conditions, of unit size.

    EI phi'' = w^2 (J phi' + MD phi) and EI phi''' = -w^2 (M phi + MD phi'), which is
    [DeLucaSiciliano1991, Eqs. (16), (21)]; at a root the two rows are parallel, and the one with less
    cancellation counts.
    """
    M, J, D = numbers.mass, numbers.inertia, numbers.moment
    f = [np.array(_clamped(b, np.ones(()), k)) * b**k for k in range(4)]
    terms = ((f[2], -(b**4) * J * f[1], -(b**4) * D * f[0]), (f[3], b**4 * M * f[0], b**4 * D * f[1]))
    rows = [sum(row) / sum(np.abs(term).sum() for term in row) for row in terms]
    p, r = max(rows, key=lambda row: float(np.abs(row).sum()))
    size = float(np.hypot(p, r))
    return float(-r) / size, float(p) / size


def _clamped(b: float, xi: Array, derivative: int) -> tuple[Array, Array]:
    """Return the derivatives by a = b xi of the two clamped functions."""
    a = b * xi
    s, c, E = np.sin(a), np.cos(a), exp(-b)
    near, far = np.exp(-a), np.exp(a - b)
    return (
        (s - c + near, far - E * (s + c)),
        (s + c - near, far - E * (c - s)),
        (c - s + near, far + E * (s + c)),
        (-c - s - near, far + E * (c - s)),
    )[derivative]


def _sign(x: float) -> int:
    return -1 if x < 0 else 1
