"""Frequencies of a clamped beam that carries rigid bodies, by Rayleigh and Ritz: no code of the package."""

import numpy as np
from numpy.polynomial import Legendre
from scipy.linalg import eigh

TERMS = 12
"""Polynomials of the deflection: the first frequencies are then right to ten digits."""


def ritz_frequencies(length, density, rigidity, bodies, count):
    """Return the lowest frequencies [Hz] of a uniform beam clamped at 0.

    `bodies` are (mass, inertia about its own centre, x, y): rigid bodies welded to the beam's end, x and
    y ahead of it and beside it when it is straight.
    """
    basis = [Legendre.basis(k, domain=[0, length]) for k in range(TERMS)]
    square = Legendre.fit([0, length / 2, length], [0, length**2 / 4, length**2], 2, domain=[0, length])
    shapes = [square * p for p in basis]
    points, weights = np.polynomial.legendre.leggauss(40)
    x, weights = length * (points + 1) / 2, length * weights / 2
    phi = np.array([p(x) for p in shapes])
    bent = np.array([p.deriv(2)(x) for p in shapes])
    M, K = density * (phi * weights) @ phi.T, rigidity * (bent * weights) @ bent.T
    end, slope = (np.array([p(length) for p in each]) for each in (shapes, [p.deriv() for p in shapes]))
    for mass, inertia, ahead, beside in bodies:
        along, across = -beside * slope, end + ahead * slope  # velocity of its centre per unit rate
        M += mass * (np.outer(along, along) + np.outer(across, across)) + inertia * np.outer(slope, slope)
    return np.sqrt(eigh(K, M, eigvals_only=True)[:count]) / (2 * np.pi)


def rigid_rod(length, density, angle, start=(0.0, 0.0), pieces=200):
    """Return the bodies of a straight rod that starts beyond the beam's end and points at an angle."""
    each = length / pieces
    middle = (np.arange(pieces) + 0.5) * each
    mass, inertia = density * each, density * each**3 / 12
    return [(mass, inertia, start[0] + r * np.cos(angle), start[1] + r * np.sin(angle)) for r in middle]
