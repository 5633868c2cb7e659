"""Inertial parameters of a body about its frame origin, in the order XX XY XZ YY YZ ZZ MX MY MZ M.

This is the only place that knows other libraries' orders.
"""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Array
from ..checks import known_name, real_array
from ..description.description import Inertial, inertia_entries, inertia_matrix
from ..errors import ArgumentError, shown
from ..rotations import skew

NAMES = ("XX", "XY", "XZ", "YY", "YZ", "ZZ", "MX", "MY", "MZ", "M")
"""Names of the ten parameters of one body [GautierKhalil1990, Eq. (1)]."""

_PARAMETER = re.compile(rf"({'|'.join(NAMES)})R?([0-9]{{1,9}})")

PINOCCHIO_ORDER = (9, 6, 7, 8, 0, 1, 3, 2, 4, 5)
"""phi[PINOCCHIO_ORDER] is Pinocchio's (m, mcx, mcy, mcz, xx, xy, yy, xz, yz, zz)."""

GAROFALO_ORDER = (9, 6, 7, 8, 0, 3, 5, 1, 2, 4)
"""phi[GAROFALO_ORDER] is (m, mcx, mcy, mcz, xx, yy, zz, xy, xz, yz) [Garofalo2013, Eq. (9)].

Inertias are about the frame origin there too, or the momentum would not be linear in the parameters.
"""

ORDERS = {"gautier-khalil": tuple(range(10)), "pinocchio": PINOCCHIO_ORDER, "garofalo": GAROFALO_ORDER}
"""Orders of the ten parameters of a body by name: position k holds our parameter ORDERS[name][k]."""


def in_order(values: ArrayLike, order: str) -> Array:
    """Return parameters, or columns that multiply them, in another order: the last axis has ten per body.

    >>> from closedform.model.inertia import in_order
    >>> in_order(range(10), "garofalo").astype(int).tolist()
    [9, 6, 7, 8, 0, 3, 5, 1, 2, 4]
    """
    return _bodies(values)[..., _positions(order)].reshape(np.shape(values))


def from_order(values: ArrayLike, order: str) -> Array:
    """Return parameters, or columns that multiply them, in our order from another one: undoes `in_order`.

    >>> from closedform.model.inertia import from_order, in_order
    >>> from_order(in_order(range(20), "pinocchio"), "pinocchio").astype(int).tolist() == [*range(20)]
    True
    """
    return _bodies(values)[..., np.argsort(_positions(order))].reshape(np.shape(values))


def _positions(order: str) -> list[int]:
    return list(ORDERS[known_name("order of parameters", order, tuple(ORDERS))])


def _bodies(values: ArrayLike) -> Array:
    """Return values with an axis of ten per body in place of the last."""
    given = real_array("values", values)
    if given.ndim == 0 or given.shape[-1] % 10:
        raise ArgumentError(f"values have shape {given.shape}; expected ten per body on the last axis")
    return given.reshape(*given.shape[:-1], -1, 10)


def parameter_index(name: str, given: object, bodies: int) -> int:
    """Return the place in `phi` of a parameter such as XX2, or XXR2 if it is regrouped with others."""
    found = _PARAMETER.fullmatch(given) if isinstance(given, str) else None
    body = int(found[2]) if found is not None else 0
    if found is None or not 1 <= body <= bodies:
        raise ArgumentError(
            f"{name} has {shown(given)}; expected names such as XX1 or MXR{bodies}: one of "
            f"{' '.join(NAMES)}, an R if it is regrouped, and a body from 1 to {bodies}"
        )
    return len(NAMES) * (body - 1) + NAMES.index(found[1])


def phi_from_inertial(inertial: Inertial | None) -> Array:
    """Return the ten parameters about the frame origin, by Steiner's theorem; zeros for None."""
    if inertial is None:
        return np.zeros(10)
    m, c = inertial.mass, inertial.com
    J = inertial.inertia - m * skew(c) @ skew(c)
    return phi_from_parts(m, m * c, J)


def phi_from_parts(m: float, ms: ArrayLike, J: ArrayLike) -> Array:
    """Return phi of mass, first moment and inertia matrix about the frame origin."""
    return np.array([*inertia_entries(np.asarray(J, dtype=float)), *np.asarray(ms), m])


def parts_from_phi(phi: ArrayLike) -> tuple[float, Array, Array]:
    """Return mass, first moment and inertia matrix about the frame origin."""
    phi = np.asarray(phi, dtype=float)
    return float(phi[9]), phi[6:9].copy(), inertia_matrix(phi[:6])


def inertial_from_phi(phi: ArrayLike) -> Inertial:
    """Return mass, centre of mass and inertia about it; the centre is the origin when massless."""
    m, ms, J = parts_from_phi(phi)
    c = ms / m if m else np.zeros(3)
    return Inertial(m, c, J + m * skew(c) @ skew(c))


def second_moments(J: ArrayLike) -> Array:
    """Return S = int r r^T dm = tr(J)/2 I - J.

    The two largest inertias are subtracted first: they differ by no more than the third, which a
    sum of all three would round to the digits of the largest.
    """
    J = np.asarray(J, dtype=float)
    S = -J
    for k in range(3):
        small, large = sorted((J[(k + 1) % 3, (k + 1) % 3], J[(k + 2) % 3, (k + 2) % 3]))
        S[k, k] = 0.5 * ((large - J[k, k]) + small)
    return S


def inertia_from_second_moments(S: ArrayLike) -> Array:
    """Return J = tr(S) I - S, the inverse of `second_moments`, without sums that cancel."""
    S = np.asarray(S, dtype=float)
    J = -S
    for k in range(3):
        J[k, k] = S[(k + 1) % 3, (k + 1) % 3] + S[(k + 2) % 3, (k + 2) % 3]
    return J


def transform_phi(phi: ArrayLike, T: ArrayLike) -> Array:
    """Return the parameters in the outer frame of a body given in the inner frame of pose T."""
    m, ms, S = moments_seen_from(phi, T)
    return phi_from_parts(m, ms, inertia_from_second_moments(S))


def moments_seen_from(phi: ArrayLike, T: ArrayLike) -> tuple[float, Array, Array]:
    """Return mass, first and second moments in the outer frame of a body given in the inner frame of T."""
    m, ms, J = parts_from_phi(phi)
    T = np.asarray(T, dtype=float)
    R, p = T[:3, :3], T[:3, 3]
    S = R @ second_moments(J) @ R.T
    Rms = R @ ms
    S = S + np.outer(p, Rms) + np.outer(Rms, p) + m * np.outer(p, p)
    return m, Rms + m * p, S


def pseudo_inertia(phi: ArrayLike) -> Array:
    """Return int (r; 1) (r; 1)^T dm of a body, 4 x 4: positive definite for every body that fills space."""
    m, ms, J = parts_from_phi(phi)
    return np.block([[second_moments(J), ms[:, None]], [ms, m]])


def pseudo_inertia_deficit(phi: ArrayLike) -> tuple[float, float]:
    """Return how far a body is from physical, relative: (negative inertia, triangle violation).

    The first is the most negative eigenvalue of the inertia about the centre of mass, the
    second by how much its largest principal inertia exceeds the sum of the others; both are
    zero for a physical body. They are fractions of the largest principal inertia, less what
    Steiner's theorem rounds away when the centre of mass is far from the origin.
    """
    inertial = inertial_from_phi(phi)
    principal = np.linalg.eigvalsh(inertial.inertia)
    rounding = 100 * np.finfo(float).eps * inertial.mass * float(inertial.com @ inertial.com)
    scale = max(abs(principal).max(), np.finfo(float).tiny)
    negative = max(0.0, -principal[0] - rounding)
    triangle = max(0.0, principal[2] - principal[0] - principal[1] - rounding)
    return negative / scale, triangle / scale
