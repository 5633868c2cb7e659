"""Least squares inside the cone of bodies that can exist: an interior-point method in NumPy alone."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...arrays import Array
from ...errors import ClosedFormError
from ...model.inertia import pseudo_inertia

MARGIN = 1e-6
"""Least eigenvalue of a pseudo-inertia, relative to the body's own scales."""

GAP, RELATIVE_GAP = 1e-4, 1e-8
"""How far the sum of squares may be above the least one: in units of the rows' variance, and relative."""

FASTER = 100.0
"""Factor of the sharpness of the barrier from one round to the next."""

SLIGHTLY = 1.01
"""Factor above the sharpness that is enough: more than enough only loses digits."""

STEPS = 400
"""Newton steps before the search gives up."""

STALLED, NEAR = 1e-8, 0.1
"""Part of a Newton step below which only round-off stops it, and what the step would gain if that is so: the
gap is that much over the sharpness wider, far less than the barrier's own."""

SOLVED = 1e-6
"""Error of the equations of a Newton step, relative to their right-hand side, up to which they are solved."""

ROUNDING = 1e-13
"""Relative error of sums of squares that round-off explains."""

E = np.stack([pseudo_inertia(row) for row in np.eye(10)])
"""Pseudo-inertias of the ten parameters one by one: that of a body is their sum, phi_k E_k."""

UPPER = np.triu_indices(4)
TWICE = np.where(UPPER[0] == UPPER[1], 1.0, np.sqrt(2.0))
"""Entries of a symmetric matrix, and weights with which their squares sum up to those of all entries."""


class InconsistentError(ClosedFormError):
    """No bodies that can exist explain a log."""

    def __init__(self) -> None:
        super().__init__(
            "no bodies that can exist explain the log: have efforts, positions or gravity the wrong sign, or "
            "another unit? Look at the fit with physical=False, or at what diagnose=True tries"
        )


@dataclass(frozen=True)
class Cone:
    """Vectors x whose first 10 `bodies` entries are bodies that can exist, with G x >= h and C x = c.

    The parameters of a body are in units of its own mass and length.
    """

    bodies: int
    G: Array
    h: Array
    C: Array
    c: Array

    @property
    def order(self) -> int:
        """The barrier's parameter: the gap to the optimum is at most this over the sharpness."""
        return 4 * self.bodies + len(self.h)

    def pseudo_inertias(self, x: Array) -> Array:
        """Return the pseudo-inertias of the bodies less `MARGIN`: they must be positive definite."""
        P = np.einsum("ik,kab->iab", x[: 10 * self.bodies].reshape(-1, 10), E)
        return np.asarray(P - MARGIN * np.eye(4))

    def barrier(self, x: Array) -> float:
        """Return -log det of all pseudo-inertias and -log of all distances from bounds; outside infinity."""
        slack = self.G @ x - self.h
        try:
            L = np.linalg.cholesky(self.pseudo_inertias(x))
        except np.linalg.LinAlgError:
            return np.inf
        if not (slack > 0).all():
            return np.inf
        value = -2 * np.log(np.einsum("iaa->ia", L)).sum() - np.log(slack).sum()
        return float(value) if np.isfinite(value) else np.inf

    def derivatives(self, x: Array, K: Array, GK: Array) -> tuple[Array, Array]:
        """Return the barrier's gradient by y, x = start + K y, and a root F of its Hessian F^T F; GK is G K.

        With P = L L^T of each body and S_k = L^-1 E_k L^-T, d(-log det P) = -tr S_k, d2 = tr S_k S_l.
        """
        inverse = np.linalg.inv(np.linalg.cholesky(self.pseudo_inertias(x)))
        S = inverse[:, None] @ E @ inverse.transpose(0, 2, 1)[:, None]
        rows = K[: 10 * self.bodies].reshape(self.bodies, 10, -1)
        bodies = (S[..., UPPER[0], UPPER[1]] * TWICE).transpose(0, 2, 1) @ rows
        bounds = GK / (self.G @ x - self.h)[:, None]
        traces = np.trace(S, axis1=2, axis2=3).ravel()
        gradient = -traces @ K[: 10 * self.bodies] - bounds.sum(axis=0)
        return gradient, np.concatenate([bodies.reshape(-1, K.shape[1]), bounds])


def least_squares_inside(A: Array, b: Array, cone: Cone, start: Array, gap: float = GAP) -> Array:
    """Return the x of a cone with the least |A x - b|^2, to within `gap` and `RELATIVE_GAP`.

    A must have a row for every column, and `start` be inside of the cone.

    Minimises s |A x - b|^2 + barrier(x) by Newton's method for growing sharpness s: the gap to the
    optimum is at most order / s [BoydVandenberghe2004, Sec. 11.3]. The steps are taken in the
    singular vectors of A, so that directions that the rows determine to all digits and those that they do not
    see at all are kept apart.
    """
    K, d, target = _directions(A, b, cone, start)
    y = np.zeros(K.shape[1])
    GK = cone.G @ K

    def squares(y: Array) -> float:
        return float(np.sum((d * (y - target)) ** 2))

    sharpness = cone.order / max(squares(y), gap)
    for _ in range(STEPS):
        x = start + K @ y
        gradient, F = cone.derivatives(x, K, GK)
        g = 2 * sharpness * d**2 * (y - target) + gradient
        step = _newton_step(F, np.sqrt(2 * sharpness) * d, g)
        decrement = float(-g @ step)
        if not np.isfinite(decrement):
            break
        value, size = sharpness * squares(y) + cone.barrier(x), 1.0
        settled = decrement < 1e-6 + ROUNDING * abs(value)
        while not settled and size > STALLED:
            trial = sharpness * squares(y + size * step) + cone.barrier(start + K @ (y + size * step))
            if trial <= value - 0.1 * size * decrement + ROUNDING * abs(value):
                break
            size *= 0.5
        if settled or (size <= STALLED and decrement < NEAR):
            enough = cone.order / (gap + RELATIVE_GAP * squares(y))
            if sharpness >= enough:
                return np.asarray(x)
            sharpness = min(FASTER * sharpness, SLIGHTLY * enough)
        elif size <= STALLED:  # round-off
            break
        else:
            y = y + size * step
    raise InconsistentError


def _newton_step(F: Array, e: Array, g: Array) -> Array:
    """Return the step -(F^T F + diag(e)^2)^-1 g; not finite if round-off leaves none.

    The matrix has lost half of the digits of its root, of which a QR takes longer: that is for steps that the
    matrix does not tell.
    """
    H = F.T @ F
    H[np.diag_indices_from(H)] += e**2
    norms = np.sqrt(np.diag(H))
    if not (np.isfinite(norms) & (norms > 0)).all():
        return np.full(len(g), np.nan)
    H, g = H / norms / norms[:, None], g / norms
    try:
        step = np.linalg.solve(H, g)
        if not np.linalg.norm(H @ step - g) <= SOLVED * np.linalg.norm(g):
            both = np.concatenate([F, np.diag(e)]) / norms
            R = np.asarray(np.linalg.qr(both, mode="r"))  # NumPy 2.4 types it as Q and R
            step = np.linalg.solve(R, np.linalg.solve(R.T, g))
    except np.linalg.LinAlgError:
        return np.full(len(g), np.nan)
    return np.asarray(-step / norms)


def _directions(A: Array, b: Array, cone: Cone, start: Array) -> tuple[Array, Array, Array]:
    """Return K, d and y* with |A x - b|^2 = |d (y - y*)|^2 + constant for x = start + K y, where C x = c."""
    free = np.eye(len(start))
    if len(cone.c):
        _, s, V = np.linalg.svd(cone.C)
        free = V[np.count_nonzero(s > 1e-10 * s[0]) :].T
    U, d, V = np.linalg.svd(A @ free, full_matrices=False)
    d = np.where(d > 1e-15 * d[0], d, 0.0)
    return free @ V.T, d, U.T @ (b - A @ start) / np.where(d > 0, d, np.inf)
