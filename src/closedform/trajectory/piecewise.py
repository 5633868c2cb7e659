"""Trajectories made of polynomial pieces: what polynomials, splines and profiles all are."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arrays import Array
from ..checks import finite, finite_array, real_array, whole_number
from ..errors import ArgumentError
from ..guests import Kind, own
from .trajectory import HIGHEST_ORDER, Jump, Trajectory, at_most


class PiecewisePolynomial(Trajectory):
    """A motion that is a polynomial in t - breaks[i] from breaks[i] to breaks[i + 1].

    `breaks` has shape (pieces + 1,), or (dofs, pieces + 1) if every coordinate has its own; it
    starts at 0 and ends at the duration, and pieces may have no length. `coefficients` has shape
    (degree + 1, pieces, dofs), lowest power first. At a break the piece that begins there counts.
    `lengths` are the exact lengths of the pieces if the breaks, being sums, have round-off: a piece
    is not followed beyond its length. `smoothness` is given, since continuity cannot be seen in
    rounded numbers.
    """

    def __init__(
        self, breaks: Array, coefficients: Array, smoothness: float, lengths: Array | None = None
    ) -> None:
        self.breaks = np.atleast_2d(finite_array("PiecewisePolynomial: breaks", breaks))
        terms = real_array("PiecewisePolynomial: coefficients", coefficients)
        # those of a nanosecond are huge
        self.coefficients = finite("PiecewisePolynomial: coefficients", terms, np.finfo(float).max)
        self.lengths = np.diff(self.breaks, axis=1)
        if lengths is not None:
            self.lengths = np.atleast_2d(real_array("PiecewisePolynomial: lengths", lengths))
        self._require_shapes()
        self.duration = float(self.breaks[0, -1])
        self.dofs = self.coefficients.shape[2]
        self.smoothness = smoothness
        self._known: dict[int, Array] = {}
        real = self.lengths[:, ::-1] > 0
        self._last = real.shape[1] - 1 - np.argmax(real, axis=1)

    def _require_shapes(self) -> None:
        """Refuse breaks, coefficients and lengths that do not go together."""
        c, b = self.coefficients.shape, self.breaks.shape
        fits = len(c) == 3 and min(c) > 0 and len(b) == 2 and b[0] in (1, c[2]) and b[1] == c[1] + 1
        if not fits or self.lengths.shape != (b[0], b[1] - 1):
            raise ArgumentError(
                f"PiecewisePolynomial: breaks {b}, coefficients {c} and lengths {self.lengths.shape} do not "
                "go together; expected (pieces + 1,) or (dofs, pieces + 1), (degree + 1, pieces, dofs) "
                "and (pieces,)"
            )
        if not (self.lengths >= 0).all() or not (self.breaks[:, 0] == 0).all():
            raise ArgumentError("PiecewisePolynomial: breaks must start at 0 and not decrease")

    def _rates(self, t: Any, orders: range, kind: Kind | None = None) -> list[Any]:
        xp = np if kind is None else kind.xp
        breaks, lengths, last = (own(kind, each) for each in (self.breaks, self.lengths, self._last))
        at: Any
        if self.lengths.shape[1] == 1:
            at, local = 0, t[..., None]
        elif len(self.breaks) == 1:
            at = xp.minimum(xp.searchsorted(breaks[0, 1:-1], t, side="right"), last[0])
            local = at_most(kind, t - breaks[0, at], lengths[0, at])[..., None]
        else:
            found = [xp.searchsorted(row[1:-1], t, side="right") for row in breaks]
            columns = own(kind, np.arange(self.dofs))
            at = xp.minimum(xp.stack(found, axis=-1), last), columns
            local = at_most(kind, t[..., None] - breaks[columns, at[0]], lengths[columns, at[0]])
        values = []
        for order in orders:
            coefficients = own(kind, self._differentiated(order)[::-1])
            if kind is None:
                value = np.zeros((*t.shape, self.dofs))
                for coefficient in coefficients:
                    value *= local
                    value += coefficient[at]
            else:  # such arrays may not be written to
                value = xp.broadcast_to(own(kind, np.zeros(self.dofs)), (*t.shape, self.dofs))
                for coefficient in coefficients:
                    value = value * local + coefficient[at]
            values.append(value)
        return values

    def _differentiated(self, order: int) -> Array:
        """Return the coefficients of a derivative."""
        if order not in self._known:
            self._known[order] = _differentiated(self.coefficients, order)
        return self._known[order]

    def _jump(self, order: int) -> Jump | None:
        before = _horner(self.coefficients, self.lengths.T, order).T
        after = _horner(self.coefficients, np.zeros(()), order).T
        largest = None
        for dof in range(self.dofs):
            row = self.breaks[dof % len(self.breaks)]
            real = np.flatnonzero(self.lengths[dof % len(self.breaks)] > 0)
            sizes = after[dof, real[1:]] - before[dof, real[:-1]]
            if sizes.size and np.abs(sizes).max() > abs(largest.size if largest else 0.0):
                i = int(np.argmax(np.abs(sizes)))
                largest = Jump(float(row[real[i + 1]]), dof, float(sizes[i]))
        return largest

    def extremes(self, order: int = 0) -> tuple[Array, Array]:
        """Return the lowest and the highest value of a derivative over the whole motion, per coordinate.

        Exact: the ends of every piece and the roots of the next derivative inside it.
        """
        order = whole_number("extremes: order", order, 0, HIGHEST_ORDER)
        lowest, highest = self(0.0, order), self(0.0, order)
        for dof in range(self.dofs):
            row = self.lengths[dof % len(self.lengths)]
            for i in np.flatnonzero(row > 0):
                width = row[i]
                piece = self.coefficients[:, i, dof]
                where = np.concatenate([[0.0, width], _roots(_differentiated(piece, order + 1), width)])
                values = _horner(piece, where, order)
                lowest[dof] = min(lowest[dof], values.min())
                highest[dof] = max(highest[dof], values.max())
        return lowest, highest


def _differentiated(coefficients: Array, order: int) -> Array:
    """Return the coefficients of a derivative, lowest power first; empty when it is zero."""
    for _ in range(order):
        powers = np.arange(1, len(coefficients)).reshape(-1, *[1] * (coefficients.ndim - 1))
        coefficients = coefficients[1:] * powers
    return coefficients


def _horner(coefficients: Array, x: Array, order: int) -> Array:
    """Return the derivative of that order of polynomials at x."""
    rest = _differentiated(coefficients, order)
    value = np.zeros(np.broadcast_shapes(coefficients.shape[1:], x.shape))
    for coefficient in rest[::-1]:
        value = value * x + coefficient
    return value


def _roots(coefficients: Array, width: float) -> Array:
    """Return the real roots of a polynomial strictly between 0 and `width`."""
    scaled = coefficients * width ** np.arange(len(coefficients))
    scaled = np.trim_zeros(scaled, "b")
    if len(scaled) < 2:
        return np.empty(0)
    found = np.roots(scaled[::-1])
    real = found.real[np.abs(found.imag) <= 1e-7]
    inside: Array = real[(real > 0) & (real < 1)] * width
    return inside
