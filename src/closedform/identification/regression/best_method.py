"""Least squares or instrumental variables: what predicts rows left out better, noise of the columns aside."""

from __future__ import annotations

import numpy as np

from ...arrays import Array
from ...errors import ClosedFormError
from .least_squares import fit_folds, residual_squares
from .moments import Moments

LEAST, INSTRUMENTS = "weighted", "iv"

GAIN = 0.01
"""Part of the error by which instruments must predict better to be preferred."""


def best_method(moments: Moments) -> tuple[str, tuple[str, ...]]:
    """Return the method whose fits predict folds left out better, and notes that compare both.

    `moments` are those of `Instrumented` columns. Noise of the positions biases least squares but adds no
    scatter; instruments are the other way round. They are taken if they save more than `GAIN`, and more than
    one standard error over the folds.
    """
    if len(moments.fitted) < 2:
        return LEAST, ()
    try:
        before, after = (noise_free_squares(moments, method) for method in (LEAST, INSTRUMENTS))
    except ClosedFormError:  # noise hides some parameters from the instruments
        return LEAST, ()
    saved = before - after
    spread = np.std(saved, ddof=1) * np.sqrt(len(saved))
    pays = after.sum() < (1 - GAIN) ** 2 * before.sum() and saved.sum() > spread
    ratio = float(np.sqrt(max(after.sum(), 0.0) / before.sum())) if before.sum() > 0 else 1.0
    verdict = "are taken" if pays else "are not taken"
    note = (
        f"instrumental variables, which the noise of positions does not bias, predict rows left out with "
        f"{ratio:.3g} times the error of least squares (noise of the positions taken off) and {verdict}"
    )
    return INSTRUMENTS if pays else LEAST, (note,)


def noise_free_squares(moments: Moments, method: str) -> Array:
    """Return the squared errors (folds,) of rows left out in turn, as if their columns had no noise.

    If columns W_1 and W_2 have independent noise, (tau - W_1 x)^T (tau - W_2 x) is on average what
    |tau - W x|^2 would be without noise; with the mean W and N of `corrected` it is
    |tau - W x|^2 - x^T N x. Joints count by their scatter in a fit to all rows.
    """
    folds, found = moments.fitted, []
    weight = fit_folds(moments, folds, LEAST).scatter ** -2.0
    for fold in folds:
        x = fit_folds(moments, [other for other in folds if other != fold], method).values
        squares = residual_squares(moments.triangles([fold]), moments.active, x)
        noise = [x[a] @ N @ x[a] for a, N in zip(moments.active, moments.noises([fold]), strict=True)]
        found.append(weight @ (squares - noise))
    return np.array(found)
