"""Fitting: the moments of all logs, the fit to them, and to rows weighed by its residuals."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ...arrays import Array
from ..logs.plausibility import ROWS
from ..regression.best_method import LEAST, best_method
from ..regression.design import Design
from ..regression.instruments import Instrumented
from ..regression.least_squares import (
    ExcitationError,
    Fit,
    covariance,
    fit_folds,
    jackknife_covariance,
)
from ..regression.least_squares import undetermined as undetermined_names
from ..regression.moments import Moments
from ..regression.outliers import Weighed, outlier_notes, usual_residuals
from ..regression.payload_columns import payload_beliefs, robot_fit
from ..regression.rows import Columns
from .inertias import beliefs
from .recordings import Recording, Recordings
from .runners import Tell

OUTLIER_ROUNDS = 2
"""How often rows are weighed by the residuals of the fit before; the first may be spoilt by outliers."""


@dataclass(frozen=True)
class Fitted:
    """A fit and the rows behind it: `moments` of all rows, `weighed` with outliers counting less.

    `shares` are the moments of each log, `unseen` says which parameters follow a prior because the
    motion does not show them, though no prior was asked for.
    """

    fit: Fit
    method: str
    moments: Moments
    weighed: Moments
    shares: list[Any]
    notes: tuple[str, ...]
    unseen: tuple[str, ...]

    def fit_of(self, folds: Sequence[int]) -> Fit:
        """Return the fit to some folds."""
        return fit_folds(self.weighed, folds, self.method, self.fit.prior)

    def covariance(self, noise: Array) -> Array:
        """Return the covariance of all values; `noise` is that of `least_squares.covariance`."""
        folds = self.weighed.fitted
        if self.method == "iv" and len(folds) > 2:
            return jackknife_covariance(self.fit_of, folds)
        return covariance(self.fit, self.weighed, noise)


def chosen_method(method: str, design: Design, recordings: Recordings) -> tuple[str, tuple[str, ...]]:
    """Return the method that "auto" stands for, and notes: instruments if noise may matter and they pay."""
    if method != "auto":
        return method, ()
    if not recordings.biased:
        return LEAST, ()
    moments, _ = recordings.sample().gather(design, lambda done: None, lags=0, around=Instrumented)
    return best_method(moments)


def fitted_logs(
    design: Design,
    recordings: Recordings,
    main: Recording,
    method: str,
    prior: str,
    told: tuple[Tell, Tell],
) -> Fitted:
    """Return the fit to all logs; `prior` is "never", "always", or "needed" if rows leave parameters open.

    If there are many, one pass over all of them weighs their rows by the fit to some.
    """
    sample = recordings.sample()
    found = _fitted(design, sample, main, method, prior, told)
    if sample is recordings:
        return found
    around, values = _around(method), found.fit.values
    own = around(recordings.columns_of(design, main.name))
    usual = usual_residuals(own, values, main.log.middle(ROWS), main.filters, main.split)
    weighing = _weighing(around, values, usual.size, both=True)
    weighed, shares = recordings.gather(design, told[1], around=weighing)
    moments = weighed.plain
    assert moments is not None
    fit = _fit(design, recordings, weighed, method, found.fit.prior is not None)
    notes = outlier_notes(design.robot.joint_names, weighed.outliers, _rows(weighed))
    return Fitted(fit, method, moments, weighed, shares, notes, found.unseen)


def _fitted(
    design: Design,
    recordings: Recordings,
    main: Recording,
    method: str,
    prior: str,
    told: tuple[Tell, Tell],
) -> Fitted:
    """Return the fit to logs, with as many passes over them as outliers need.

    Outliers are judged by the main log. Another pass over the logs weighs their rows, if it has outliers or
    is not the whole of the rows.
    """
    around = _around(method)
    moments, shares = recordings.gather(design, told[0], around=around)
    unseen: tuple[str, ...] = ()
    try:
        fit = _fit(design, recordings, moments, method, prior == "always")
    except ExcitationError as error:
        if prior == "never":
            raise
        prior, unseen = "always", (str(error),)
        fit = _fit(design, recordings, moments, method, True)
    weighed = moments
    for _ in range(OUTLIER_ROUNDS):
        own = around(recordings.columns_of(design, main.name))
        usual = usual_residuals(own, fit.values, main.log.middle(ROWS), main.filters, main.split)
        if not usual.any and recordings.alone and len(main.log) <= ROWS:
            break
        weighed, _ = recordings.gather(design, told[1], around=_weighing(around, fit.values, usual.size))
        if not weighed.outliers.any():
            break
        fit = _fit(design, recordings, weighed, method, prior == "always")
    notes = outlier_notes(design.robot.joint_names, weighed.outliers, _rows(weighed))
    return Fitted(fit, method, moments, weighed, shares, notes, unseen)


def _fit(design: Design, recordings: Recordings, moments: Moments, method: str, with_prior: bool) -> Fit:
    """Return the fit to the fitted rows, which must determine all parameters unless there is a prior."""
    triangles = moments.triangles(moments.fitted)
    rows, width = max(t.rows for t in triangles), moments.width
    if sum(t.rows for t in triangles) < 2 * width:
        raise recordings.too_few(
            f"{rows} rows of {design.robot.nv} joints for {width} parameters; record for longer, "
            "raise cutoff, or hold out less (or longer blocks)"
        )
    fit = fit_folds(moments, moments.fitted, method)
    if with_prior:
        believed = payload_beliefs(beliefs(design, robot_fit(fit, design.width).R), width)
        fit = fit_folds(moments, moments.fitted, method, believed)
    payloads = (name for each in recordings.payloads for name in each.names)
    names, condition = undetermined_names(fit.R, (*design.names, *payloads))
    if names and not with_prior:
        raise ExcitationError(names, condition)
    return fit


def _rows(moments: Moments) -> int:
    """Return how many rows of a joint are fitted."""
    return max(t.rows for t in moments.triangles(moments.fitted))


def _around(method: str) -> Callable[[Columns], Columns]:
    """Return what a method puts around columns."""
    return Instrumented if method == "iv" else _same


def _same(columns: Columns) -> Columns:
    """Return columns as they are."""
    return columns


def _weighing(
    around: Callable[[Columns], Columns], values: Array, size: Array, both: bool = False
) -> Callable[[Columns], Columns]:
    """Return what weighs rows by their residuals, around other columns."""
    return lambda columns: Weighed(around(columns), values, size, both)
