"""Linear maps on the ten inertial parameters of a body: another frame, a motion, a momentum.

A body is the symmetric 4x4 matrix P = int (r; 1)(r; 1)^T dm of its moments of order two, one and
zero. Seen from a frame in which its own has the pose T it is T P T^T; phi is linear in P.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...arrays import Array
from ...model.inertia import NAMES
from ...rotations import twist_matrix

Entries = NDArray[Any]
"""Numbers, or SymPy expressions in an array of objects."""

SIZE = 10
"""Parameters per body: XX XY XZ YY YZ ZZ MX MY MZ M."""


def parameter_name(k: int | np.integer[Any], regrouped: str = "") -> str:
    """Return the name of the k-th of all parameters, bodies counted from 1: XX1, or XXR1 regrouped."""
    return f"{NAMES[k % SIZE]}{regrouped}{k // SIZE + 1}"


PAIRS = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))


def _doubled_moments() -> NDArray[np.int64]:
    """Return 2 P of each unit parameter: whole numbers, so that symbols stay exact."""
    P = np.zeros((SIZE, 4, 4), dtype=np.int64)
    for k, (i, j) in enumerate(PAIRS):
        if i == j:
            P[k, (0, 1, 2), (0, 1, 2)] = 1
            P[k, i, i] = -1
        else:
            P[k, i, j] = P[k, j, i] = -2
    for i in range(3):
        P[6 + i, i, 3] = P[6 + i, 3, i] = 2
    P[9, 3, 3] = 2
    return P


MOMENTS = _doubled_moments()


def transfer_matrix(T: Entries) -> Entries:
    """Return the 10x10 matrix with phi in the outer frame = matrix @ phi in the inner frame of pose T.

    Its transpose is lambda of [GautierKhalil1990, Eqs. (A2)-(A6)]. T holds numbers or symbols.
    """
    return _parameters(T @ MOMENTS @ T.T)


def motion_matrix(X: Array) -> Array:
    """Return the 10x10 matrix D with d phi / dt = D phi when a body moves with the constant twist X."""
    A = twist_matrix(X)
    return _parameters(A @ MOMENTS + MOMENTS @ A.T)


def momentum_matrix(V: Array) -> Array:
    """Return the 6x10 matrix A(V) with (moment; force) M V = A(V) phi [Garofalo2013, Eqs. (8)-(12)]."""
    (x, y, z), (u, v, w) = V[:3], V[3:]
    return np.array(
        [
            [x, y, z, 0, 0, 0, 0, w, -v, 0],
            [0, x, 0, y, z, 0, -w, 0, u, 0],
            [0, 0, x, 0, y, z, v, -u, 0, 0],
            [0, 0, 0, 0, 0, 0, 0, -z, y, u],
            [0, 0, 0, 0, 0, 0, z, 0, -x, v],
            [0, 0, 0, 0, 0, 0, -y, x, 0, w],
        ]
    )


def _parameters(doubled: Entries) -> Entries:
    """Return the ten parameters of each 2 P along the first axis, as columns."""
    P = doubled / 2
    trace = P[:, 0, 0] + P[:, 1, 1] + P[:, 2, 2]
    rows = [(trace if i == j else 0) - P[:, i, j] for i, j in PAIRS]
    return np.array([*rows, P[:, 0, 3], P[:, 1, 3], P[:, 2, 3], P[:, 3, 3]])
