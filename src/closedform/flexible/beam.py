"""Modes of a non-uniform link by finite elements: cubic Hermite beams."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.polynomial import Polynomial
from scipy.linalg import eigh

from ..arrays import Array
from .link import POINTS, FlexibleLink
from .modes import Mode, Modes, Tip

HERMITE = tuple(
    Polynomial(coefficients) for coefficients in ([1, 0, -3, 2], [0, 1, -2, 1], [0, 0, 3, -2], [0, 0, -1, 1])
)
"""Deflection and slope at the left end, then at the right, of an element of unit length."""


@dataclass(frozen=True)
class ElementShape:
    """A deflection that is cubic on each element: nodal values (deflection, slope)."""

    nodes: Array
    length: float

    def __call__(self, x: Array, derivative: int = 0) -> Array:
        """Return a derivative by x of order 0 to 3."""
        count = len(self.nodes) - 1
        h = self.length / count
        element = np.clip((np.asarray(x) / h).astype(int), 0, count - 1)
        N = _shape_functions(np.asarray(x) / h - element, h, derivative)
        values = np.concatenate([self.nodes[element], self.nodes[element + 1]], axis=-1)
        return np.asarray((N * values).sum(-1))


def element_modes(link: FlexibleLink, tip: Tip) -> Modes:
    """Return the modes of a beam of cubic elements, normalised like those of a uniform link.

    The frequencies are upper bounds of the exact ones, with an error of fourth order in the
    length of an element.
    """
    x, _ = link.stations
    count, h = len(x), link.length / len(x)
    points, weights = np.polynomial.legendre.leggauss(POINTS)
    xi, weights = (points + 1) / 2, h * weights / 2
    M, K = np.zeros((2, 2 * count + 2, 2 * count + 2))
    for matrix, profile, order in ((M, link.along("density"), 0), (K, link.along("rigidity"), 2)):
        N = _shape_functions(xi, h, order)
        for e in range(count):
            part = slice(2 * e, 2 * e + 4)
            matrix[part, part] += N.T @ (N * (profile[e] * weights)[:, None])
    whole = M.copy()
    whole[-2:, -2:] += tip.matrix
    # Of K phi = omega^2 M phi the slow modes are sought; as the largest 1 / omega^2 they keep their digits.
    inverse, vectors = eigh(whole[2:, 2:], K[2:, 2:], subset_by_index=[2 * count - link.modes, 2 * count - 1])
    squares = 1 / inverse[::-1]
    grid = np.linspace(0, link.length, count + 1)
    straight = np.stack([np.ones(count + 1), np.zeros(count + 1)], axis=-1).ravel()
    tilted = np.stack([grid, np.ones(count + 1)], axis=-1).ravel()
    phi = np.zeros((2 * count + 2, link.modes))
    phi[2:] = vectors[:, ::-1] * np.sqrt(link.mass * squares)
    phi *= np.sign(_shape_functions(np.array(0.0), h, 2) @ phi[:4])
    rho, EI = link.mass / link.length, float((link.along("rigidity") @ weights).sum() / link.length)
    modes = []
    for square, column in zip(squares, phi.T, strict=True):
        modes.append(
            Mode(
                beta=float((square * rho / EI) ** 0.25),
                omega=float(np.sqrt(square)),
                tip=float(column[-2]),
                tip_slope=float(column[-1]),
                v=float(straight @ M @ column),
                w=float(tilted @ M @ column),
                shape=ElementShape(column.reshape(-1, 2), link.length),
                length=link.length,
            )
        )
    return Modes(tuple(modes), tip, phi.T @ M @ phi, phi.T @ K @ phi)


def _shape_functions(xi: Array, h: float, derivative: int) -> Array:
    """Return the four shape functions at xi in an element of length h, derived by x."""
    N = [polynomial.deriv(derivative)(xi) if derivative else polynomial(xi) for polynomial in HERMITE]
    scales = np.array([1.0, h, 1.0, h]) / h**derivative
    return np.stack(N, axis=-1) * scales
