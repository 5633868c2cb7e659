"""Least squares on triangular factors: ordinary, weighted and reweighted, with honest errors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...arrays import Array
from ...checks import choice
from ...errors import ClosedFormError
from .moments import Moments
from .triangle import Triangle, factor, widened

METHODS = ("ordinary", "weighted", "reweighted", "iv")
ROUNDS = {"ordinary": 1, "weighted": 2, "reweighted": 30, "iv": 30}
"""How often joint weights are set to the inverse of the residuals' scatter and the fit repeated."""

DIGITS = 1e-7
"""Least scatter of a joint over its torques: rows of a log without noise do not count more than that."""

CONFUSED = 1e-7
"""Least singular value of the scaled regressor, relative, of parameters that can be told apart."""


REMEDY = (
    "record a motion that excites them (closedform.identification.excitation designs one), lock joints that "
    'stay still (locked=[...]), or say undetermined="prior" to keep what the description says'
)


class ExcitationError(ClosedFormError, ValueError):
    """A log that does not determine some parameters; `parameters` names them, `remedy` says what to do."""

    def __init__(self, parameters: Sequence[str], condition: float, remedy: str = REMEDY) -> None:
        self.parameters, self.condition, self.remedy = tuple(parameters), condition, remedy
        super().__init__(
            f"the motion does not determine {len(self.parameters)} parameter(s), "
            f"{', '.join(self.parameters)} (condition number {condition:.1e}); {remedy}"
        )

    def __reduce__(self) -> tuple[type, tuple[tuple[str, ...], float, str]]:
        return type(self), (self.parameters, self.condition, self.remedy)


@dataclass(frozen=True)
class Fit:
    """Values of the parameters, the scatter and weight of each joint, and the factor they come from.

    `R` is the triangular factor of the weighted rows [W tau]: its last column holds Q^T tau. `prior`
    is that of `solve`. `normal` is the matrix of the normal equations, if it is not that of R.
    """

    values: Array
    scatter: Array
    weights: Array
    R: Array
    rows: int
    condition: float
    prior: tuple[Array, Array] | None = None
    normal: Array | None = None


def residual_squares(triangles: Sequence[Triangle], active: Sequence[NDArray[np.intp]], x: Array) -> Array:
    """Return the sum of squared residuals of each joint."""
    return np.array(
        [np.sum((t.R @ np.append(-x[a], 1.0)) ** 2) for t, a in zip(triangles, active, strict=True)]
    )


def solve(
    triangles: Sequence[Triangle],
    active: Sequence[NDArray[np.intp]],
    width: int,
    method: str = "reweighted",
    prior: tuple[Array, Array] | None = None,
    noises: Sequence[Array] | None = None,
) -> Fit:
    """Return the least squares fit to the rows behind one factor per joint.

    Joints are weighted by the inverse of their residual scatter: never ("ordinary"), once from an
    ordinary fit ("weighted"), or until it no longer changes ("reweighted"). `prior` is (values,
    scales): weak rows (x - values) / scales = 0, for parameters that the rows leave open. `noises` are
    the products of the columns' noise, for "iv": see `corrected`.
    """
    choice("method", method, METHODS)
    rows = np.array([max(t.rows, 1) for t in triangles])
    each = np.array([t.weight for t in triangles]) / rows  # mean weight: whole joints keep theirs
    each = np.where(each > 0, each, 1.0)
    least = np.array([DIGITS**2 * np.sum(t.R[:, -1] ** 2) for t in triangles])
    scatter = np.ones(len(triangles))
    for _ in range(ROUNDS[method]):
        R = weighted_factor(triangles, active, width, scatter, prior)
        x, normal = _back_substituted(R, width), None
        if noises is not None:
            R, normal = corrected(R, active, noises, scatter)
            x = _back_substituted(R, width)
        squares = np.maximum(residual_squares(triangles, active, x), least)
        before = scatter
        scatter = np.sqrt(np.maximum(squares / (each * np.maximum(rows - width / len(triangles), 1)), 1e-24))
        if np.abs(scatter / before - 1).max() < 1e-6:
            break
    norms = np.linalg.norm(R[:width, :width], axis=0)
    singular = np.linalg.svd(R[:width, :width] / np.where(norms > 0, norms, 1), compute_uv=False)
    condition = float(singular[0] / max(singular[-1], 1e-300))
    return Fit(x, scatter, before**-2.0, R, int(np.mean(rows)), condition, prior, normal)


def fit_folds(
    moments: Moments, folds: Sequence[int], method: str, prior: tuple[Array, Array] | None = None
) -> Fit:
    """Return the fit to the rows of some folds."""
    noises = moments.noises(folds) if method == "iv" else None
    return solve(moments.triangles(folds), moments.active, moments.width, method, prior, noises)


def corrected(
    R: Array, active: Sequence[NDArray[np.intp]], noises: Sequence[Array], scatter: Array
) -> tuple[Array, Array]:
    """Return a factor with the solution of (W^T W - N) x = W^T tau in it, and the matrix W^T W - N.

    If columns W_1 and W_2 come from positions with independent noise, either are instruments for the
    other, and W_1^T (tau - W_2 x) + W_2^T (tau - W_1 x) = 0 is free of the bias of least squares. With
    the mean W and N = (W_1 - W_2)^T (W_1 - W_2) / 4 this reads as above. The factor is that of W^T W;
    only its right-hand side changes. Instruments in [JanotVandanjonGautier2014] are columns of a simulated
    motion, which takes the controller; here they come from the log itself.
    """
    width = len(R) - 1
    T = R[:width, :width]
    N = np.zeros((width, width))
    for a, noise, s in zip(active, noises, scatter, strict=True):
        N[np.ix_(a, a)] += noise / s**2
    normal = T.T @ T - N
    d = 1 / np.sqrt(np.maximum(np.diag(T.T @ T), 1e-300))
    if np.linalg.eigvalsh(normal * d * d[:, None])[0] <= 0:
        raise ClosedFormError(
            'method="iv": the noise of the positions hides some parameters altogether; lower cutoff, record '
            "a faster motion, or take another method"
        )
    x = d * np.linalg.solve(normal * d * d[:, None], d * (T.T @ R[:width, width]))
    found = R.copy()
    found[:width, width] = T @ x
    return found, normal


def weighted_factor(
    triangles: Sequence[Triangle],
    active: Sequence[NDArray[np.intp]],
    width: int,
    scatter: Array,
    prior: tuple[Array, Array] | None = None,
) -> Array:
    """Return the factor of all joints' rows [W tau], each joint over its scatter."""
    blocks = [
        widened(t.R / s, np.append(a, width), width + 1)
        for t, a, s in zip(triangles, active, scatter, strict=True)
    ]
    if prior is not None:
        values, scales = prior
        blocks.append(np.column_stack([np.diag(1 / scales), values / scales]))
    return factor(blocks, width + 1)


def _back_substituted(R: Array, width: int) -> Array:
    """Return the solution of R x = z; if R is singular, that of least norm in scaled columns."""
    T, z = R[:width, :width], R[:width, width]
    norms = np.linalg.norm(T, axis=0)
    scale = np.where(norms > 0, norms, 1.0)
    diagonal = np.abs(np.diag(T)) / scale
    if diagonal.min() > 1e-12:
        return np.asarray(np.linalg.solve(T, z))
    return np.asarray(np.linalg.lstsq(T / scale, z, rcond=CONFUSED)[0] / scale)


def ridge_solution(A: Array, b: Array, ridge: float) -> Array:
    """Return the solution of normal equations A x = b, with a ridge on the diagonal of the scaled A."""
    d = np.sqrt(np.maximum(np.diag(A), 1e-300))
    return np.asarray(np.linalg.solve(A / d / d[:, None] + ridge * np.eye(len(d)), b / d) / d)


def ridge_inverse(A: Array, ridge: float) -> Array:
    """Return the inverse that `ridge_solution` multiplies right-hand sides with."""
    d = np.sqrt(np.maximum(np.diag(A), 1e-300))
    return np.asarray(np.linalg.inv(A / d / d[:, None] + ridge * np.eye(len(d))) / d / d[:, None])


def undetermined(R: Array, names: Sequence[str]) -> tuple[tuple[str, ...], float]:
    """Return the parameters that the rows do not determine, by name, and the condition number.

    They are those with a part in a direction of the scaled parameters that the rows do not see.
    """
    width = len(names)
    T = R[:width, :width]
    norms = np.linalg.norm(T, axis=0)
    biggest = norms.max(initial=0.0)
    unseen = norms <= 1e-9 * biggest
    _, s, V = np.linalg.svd(T / np.where(unseen, 1.0, norms))
    open_ = (s <= CONFUSED * s[0])[:, None] * V**2
    parts = open_.sum(axis=0)
    lost = unseen | (parts > 0.01)
    return tuple(name for name, gone in zip(names, lost, strict=True) if gone), float(
        s[0] / max(s[-1], 1e-300)
    )


def covariance(fit: Fit, moments: Moments, noise: Array | None = None) -> Array:
    """Return the covariance of the values, with residuals correlated from row to row.

    It is A^-1 S A^-1 with A = sum_j w_j W_j^T W_j and
    S = sum_j w_j^2 sum_l r_j(l) W_j^T shift(l) W_j [NeweyWest1987]: filters correlate the noise of
    neighbouring rows, and independent rows would promise too much. The autocovariances r_j(l) are
    those of the residuals (window flat, then falling), and those of white noise after the filters,
    `noise` being its correlation by lag; of each value the larger variance of the two counts. Values that
    follow a prior are as uncertain as the prior. The noise of positions biases least squares, which is not
    counted; with "iv" it is part of the residuals.
    """
    width = moments.width
    inverse = np.linalg.pinv(fit.R[:width, :width])
    A_inverse = inverse @ inverse.T if fit.normal is None else np.linalg.inv(fit.normal)
    measured, filtered = np.zeros((2, width, width))
    products = noise_products(moments, [fit.values[a] for a in moments.active], noise)
    for own, expected, active, w in zip(*products, moments.active, fit.weights, strict=True):
        where = np.ix_(active, active)
        measured[where] += w**2 * own
        filtered[where] += w**2 * expected
    if fit.prior is not None:
        believed = np.diag(fit.prior[1] ** -2.0)
        measured, filtered = measured + believed, filtered + believed
    freedom = fit.rows / max(fit.rows - width / len(moments.active), 1.0)
    both = [freedom * A_inverse @ S @ A_inverse for S in (measured, filtered)]
    variances = np.maximum(np.maximum(*map(np.diag, both)), 0.0)
    found = max(both, key=lambda C: float(np.sum(np.diag(C) / np.where(variances > 0, variances, 1.0))))
    own = np.diag(found)
    scale = np.sqrt(variances / np.where(own > 0, own, np.inf))
    return np.asarray(found * scale * scale[:, None])


def standard_errors(fit: Fit, moments: Moments, noise: Array | None = None) -> Array:
    """Return the standard errors of the values, the roots of the diagonal of their `covariance`."""
    return np.asarray(np.sqrt(np.diag(covariance(fit, moments, noise))))


def noise_products(
    moments: Moments, values: Sequence[Array], noise: Array | None = None
) -> tuple[tuple[Array, ...], tuple[Array, ...]]:
    """Return the covariance of W_j^T e_j of each joint, e_j its noise: by residuals, and by white noise.

    It is sum_l r_j(l) W_j^T shift(l) W_j [NeweyWest1987]. The autocovariances r_j(l) are
    those of the residuals that the `values` of each joint's columns leave (window flat, then falling), and
    those of white noise of their size after the filters, `noise` being its correlation by lag.
    """
    lags = len(moments.lagged[0])
    window = np.minimum(1.0, 2 - 2 * np.arange(lags) / lags)
    expected = np.eye(1, lags)[0] if noise is None else noise
    measured, filtered = [], []
    for lagged, own, pairs in zip(moments.lagged, values, moments.pairs, strict=True):
        x = np.append(-own, 1.0)
        r = np.einsum("i,lij,j->l", x, lagged, x) / np.maximum(pairs, 1)
        products = lagged[:, :-1, :-1] + np.moveaxis(lagged[:, :-1, :-1], 1, 2)
        products[0] /= 2
        measured.append(np.einsum("l,lij->ij", r * window, products))
        filtered.append(np.einsum("l,lij->ij", r[0] * expected, products))
    return tuple(measured), tuple(filtered)


def jackknife_covariance(fit_of: Callable[[Sequence[int]], Fit], folds: Sequence[int]) -> Array:
    """Return the covariance of the values by their scatter if each fold is left out in turn.

    It counts noise of the columns too: (k - 1) / k sum_k (x_k - mean) (x_k - mean)^T [Efron1982].
    """
    parts = np.array([fit_of([other for other in folds if other != fold]).values for fold in folds])
    k, apart = len(parts), parts - parts.mean(axis=0)
    return np.asarray((k - 1) / k * apart.T @ apart)
