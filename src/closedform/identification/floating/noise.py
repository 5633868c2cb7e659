"""Noise of the equations of motion: its scatter by base rows and joints, from projected residuals."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...arrays import Array

STEPS = 5
"""Steps of expectation and maximisation per fit."""

FLOOR = 1e-3
"""Least scatter of a row, relative to the largest of its kind."""


def whitening(Z: Array, variances: Array) -> Array:
    """Return L^-1 with L L^T = Z^T diag(variances) Z: projected rows times it have noise of variance 1."""
    C = np.swapaxes(Z, -1, -2) @ (variances[:, None] * Z)
    return np.asarray(np.linalg.inv(np.linalg.cholesky(C)))


def updated_variances(
    variances: Array, bases: Sequence[Array], residuals: Sequence[Array], groups: Sequence[slice]
) -> Array:
    """Return the variances of generalised forces that projected residuals show, group by group.

    Residuals e = Z^T n see the noise n only in part. Expectation and maximisation [Dempster1977]: given e,
    n has the mean S Z C^-1 e and the covariance S - S Z C^-1 Z^T S with S = diag(variances) and
    C = Z^T S Z; the variance of a group is the mean of its squares. Groups that never appear keep theirs.
    """
    for _ in range(STEPS):
        total, count = np.zeros(len(variances)), 0
        for Z, e in zip(bases, residuals, strict=True):
            L = whitening(Z, variances)
            G = variances[:, None] * (Z @ np.swapaxes(L, -1, -2))  # S Z L^-T
            mean = (G @ (L @ e[..., None]))[..., 0]
            total += np.sum(mean**2 + variances - np.sum(G**2, axis=-1), axis=0)
            count += len(e)
        found = total / max(count, 1)
        for group in groups:
            found[group] = found[group].mean()
        variances = np.maximum(found, FLOOR**2 * found.max())
    return np.asarray(variances)
