"""Base parameters found numerically: by the rank of regressors sampled at random states."""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca
import numpy as np
from scipy.linalg import qr, solve_triangular

from ...arrays import Array
from ...forms.form_catalogue import catalogue
from ...loops.model import ClosedModel
from ...model import Model
from ...model.state import random_state
from .regrouping import pivot_rows, snapped
from .transfer import SIZE

SEED = 1990
"""Seed of the sampled states, so that a result is the same every time."""

ROWS_PER_COLUMN = 3
"""Equations sampled per unknown: random rows beyond the unknowns only improve the conditioning."""

NEGLIGIBLE = 1e-12
"""Diagonal of R, relative to the largest, that counts as zero. Round-off is about 1e-15, what a robot feels
is above 1e-4. Right angles written with few digits are in between: like the closed form, as they are."""

CLEAN = 1e-10
"""Distance of a coefficient (in units of the robot) to a whole or half number that counts as round-off."""


def regressor_at(model: Model | ClosedModel, states: Sequence[Array], name: str = "regressor") -> Array:
    """Return the regressor Y of all parameters at q, qd, qdd of samples, (torques, samples, parameters).

    q of a model with loops is what its forms take: of all joints if there is no formula.
    """
    symbols, (Y,) = catalogue(model)[name].expression(model)
    samples = len(states[0])
    rows = ca.Function("regressor", symbols, [Y]).map(samples)(*(each.T for each in states))
    return np.asarray(rows).reshape(Y.shape[0], samples, -1)


def sampled_regressor(model: Model) -> Array:
    """Return rows of Y with tau = Y phi at random states, at least three per inertial parameter."""
    samples = 5 + ROWS_PER_COLUMN * SIZE * len(model.bodies) // model.nv
    Y = regressor_at(model, random_state(model, SEED, (samples,), 2))
    return Y.reshape(model.nv * samples, -1)


def null_space(W: Array) -> Array:
    """Return an orthonormal basis of the parameters that rows W do not see, by QR with column pivoting.

    W P = Q [R1 R2; 0 0] has the null space P [-R1^-1 R2; I].
    """
    R, order = qr(W, mode="r", pivoting=True)
    diagonal = np.abs(np.diag(R))
    rank = int((diagonal > NEGLIGIBLE * diagonal.max(initial=0.0)).sum())
    basis = np.zeros((W.shape[1], W.shape[1] - rank))
    basis[order[rank:]] = np.eye(W.shape[1] - rank)
    basis[order[:rank]] = -solve_triangular(R[:rank, :rank], R[:rank, rank:])
    return np.asarray(np.linalg.qr(basis)[0])


def eliminated_by(basis: Array, columns: Sequence[int]) -> list[int]:
    """Return the positions in `columns` that a null space eliminates, from the leaves to the base.

    `columns` are the indices in phi of the rows of the basis. The choice among the parameters of a
    body is that of the closed form, so that both methods give the same names.
    """
    body = np.asarray(columns) // SIZE
    parameter = np.asarray(columns) % SIZE
    left = basis
    found: list[int] = []
    for k in np.unique(body)[::-1]:
        rows = np.flatnonzero(body == k)
        U, s, Vt = np.linalg.svd(left[rows], full_matrices=True)
        rank = int((s > np.sqrt(NEGLIGIBLE)).sum())
        block = np.zeros((SIZE, rank))
        block[parameter[rows]] = U[:, :rank]
        chosen = pivot_rows(block)
        found += [int(row) for row in rows if parameter[row] in chosen]
        left = left @ Vt[rank:].T
    if len(found) < basis.shape[1]:
        # the rank of a body's part was too close to call: take any independent rows instead
        found = [int(row) for row in qr(basis.T, mode="r", pivoting=True)[1][: basis.shape[1]]]
    return sorted(found)


def reduction(basis: Array, columns: Sequence[int]) -> tuple[list[int], Array]:
    """Return the positions in `columns` that stay, and the matrix (stay, columns) that regroups the rest."""
    gone = eliminated_by(basis, columns)
    stay = [row for row in range(len(columns)) if row not in gone]
    matrix = np.zeros((len(stay), len(columns)))
    matrix[:, stay] = np.eye(len(stay))
    matrix[:, gone] = -np.linalg.solve(basis[gone].T, basis[stay].T).T
    return stay, snapped(matrix, CLEAN)
