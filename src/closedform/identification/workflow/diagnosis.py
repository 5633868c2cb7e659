"""Why a log does not fit: changes that would explain it better, found by trying them.

Each trial is a small least squares on some hundred states of the log, with the columns of the base
parameters and plain friction, and is judged by states left out in turn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from ...arrays import Array
from ...lazy import cached_property
from ..base.result import BaseParameters
from ..logs.log import Log
from ..logs.signals import Filters, condition_signals, zero_phase
from ..regression.least_squares import ridge_solution
from .cause import FARTHEST, Cause, mean_error
from .gravities import Gravities
from .late_efforts import lag_causes
from .zero_offsets import offset_words, starts, zero_offsets

Change = Callable[[Array], Array]

ROWS = 100_000
"""Rows of the log that states are taken from."""

STATES = 400
"""States of a trial."""

RIDGE = 1e-8
"""Diagonal added to scaled normal equations, so that confused columns only share their effect."""

FOLDS = 5
"""Parts that are left out in turn."""

HELPS = 0.6
"""Error with a cause over the error without it, below which the cause is named."""

EXPLAINED = 0.5
"""Error with a cause above which it explains nothing, whatever it was before."""

ALIKE = 2.0
"""Error of a cause over that of the best one, beyond which it is not named beside it."""

UNITS = {"degrees": np.pi / 180, "turns": 2 * np.pi, "radians (not degrees)": 180 / np.pi}
"""Units tried for positions, and their factors."""

FACTORS = (1e3, 1e-3, 1e2, 1e-2, 10.0, 0.1)
"""Factors tried for the effort of a single joint: other units, and gears."""

MATTERS = 1.3
"""Error without the zero offset of a joint over that with it, from which on it matters."""

CLOCKS = (0.1, 0.2, 0.25, 0.4, 0.5, 2.0, 2.5, 4.0, 5.0, 10.0)
"""Factors tried for the rate of the clock."""

PAIRS = 60
"""Most pairs of joints that are swapped on trial."""

TRIED = "the direction of gravity, signs and order of joints, units, the rate, zero offsets, lags"
"""What `Diagnosis` tries; zero offsets only of robots without loops."""


class Diagnosis:
    """Trials on the states of one log."""

    def __init__(self, base: BaseParameters, log: Log, filters: Filters) -> None:
        self.base, self.filters = base, filters
        signals = condition_signals(log.middle(ROWS), filters)
        self.time = signals.time
        self.effort = zero_phase(signals.effort, filters.cutoff, filters.rate)
        usable = np.flatnonzero(signals.counting.all(axis=1))
        self.chosen = usable[np.linspace(0, len(usable) - 1, min(STATES, len(usable))).astype(int)]
        self.states = [
            np.ascontiguousarray(zero_phase(x, filters.cutoff, filters.rate)[self.chosen])
            for x in (signals.q, signals.qd, signals.qdd)
        ]
        self.tau = self.effort[self.chosen]
        self.fold = np.arange(len(self.chosen)) * 2 * FOLDS // max(len(self.chosen), 1) % FOLDS

    @property
    def enough(self) -> bool:
        """Whether there are enough states for a trial."""
        return len(self.chosen) * self.base.mechanism.nv > 2 * (self.base.count + 4 * self.base.mechanism.nv)

    @property
    def speeds(self) -> Array:
        """Root mean squares of the joints' speeds."""
        squares = self.states[1] ** 2
        return np.asarray(np.sqrt(squares.sum(axis=0) / max(len(squares), 1)))

    @cached_property
    def columns(self) -> Array:
        """The base regressor of the states as they are, (states, joints, parameters)."""
        return np.asarray(self.base.columns(*self.states))

    @cached_property
    def present(self) -> Array:
        """Relative errors of the joints as they are."""
        return self.errors(self.columns, self.states, self.tau)

    def rows(self, Y: Array, states: list[Array], tau: Array) -> Array:
        """Return rows [columns, torque] (states, joints, columns + 1), over the size of each joint's torques.

        Columns are those of the base parameters, then viscous and dry friction, an offset and a rotor.
        """
        n = tau.shape[1]
        size = np.sqrt(np.mean(tau**2, axis=0))
        size = np.where(size > 0, size, 1.0)
        _, qd, qdd = states
        width = 0.1 * np.sqrt(np.mean(qd**2, axis=0)) + 1e-9
        losses = np.zeros((len(tau), n, 4 * n))
        for j in range(n):
            parts = (qd[:, j], np.tanh(qd[:, j] / width[j]), np.ones(len(tau)), qdd[:, j])
            losses[:, j, 4 * j : 4 * j + 4] = np.stack(parts, axis=1)
        return np.asarray(np.concatenate([Y, losses, tau[..., None]], axis=2) / size[:, None])

    def errors(self, Y: Array, states: list[Array], tau: Array) -> Array:
        """Return the relative error of each joint on states left out in turn."""
        n, A = tau.shape[1], self.rows(Y, states, tau)
        if not np.isfinite(Y).all():  # positions that no mechanism reaches
            return np.full(n, FARTHEST)
        parts = [A[self.fold == k].reshape(-1, A.shape[2]) for k in range(FOLDS)]
        grams = [part.T @ part for part in parts]
        total, squares = sum(grams), np.zeros(n)
        for k in range(FOLDS):
            G = total - grams[k]
            x = ridge_solution(G[:-1, :-1], G[:-1, -1], RIDGE)
            here = A[self.fold == k]
            squares += np.sum((here[..., -1] - here[..., :-1] @ x) ** 2, axis=0)
        return np.sqrt(squares / len(tau))

    def causes(self) -> tuple[Cause, ...]:
        """Return the changes that help, the best first."""
        if not self.enough:
            return ()
        names, present = self.base.mechanism.joint_names, mean_error(self.present)
        tried = [Cause(words, mean_error(errors), present) for words, errors in self._trials()]
        tried += [Cause(words, error, present) for words, error in dict(self._zeros()).items()]
        better = [cause for cause in tried if cause.error < HELPS * present]
        better += lag_causes(names, self._lagged, 1 / self.filters.cutoff)
        better = sorted((each for each in better if each.error < EXPLAINED), key=lambda each: each.error)
        return tuple(cause for cause in better if cause.error < ALIKE * better[0].error)

    @property
    def tried(self) -> str:
        """What is tried, in words."""
        loops = self.base.mechanism is not self.base.robot
        return TRIED.replace("zero offsets, ", "") if loops else TRIED

    def account(self) -> tuple[str, ...]:
        """Return what would help, the best first, or that nothing that was tried does."""
        if not self.enough:
            return ("too few states of the log are usable to try what would help; record for longer",)
        causes = [str(cause) for cause in self.causes()]
        now = f"{100 * mean_error(self.present):.2g} % (averaged over the joints, with plain friction)"
        none = f"nothing that was tried lowers the error of rows left out, {now}: {self.tried}"
        return tuple(causes or [none])

    def _trials(self) -> Iterator[tuple[str, Array]]:
        """Yield each change in words, and the errors of the joints with it."""
        names, n = self.base.mechanism.joint_names, self.tau.shape[1]
        yield from self._gravities()
        for j in range(n):
            opposite = _times(np.where(np.arange(n) == j, -1.0, 1.0))
            yield f"the opposite sign of the effort of {names[j]}", self._changed(effort=opposite)
            yield f"the opposite sign of the position of {names[j]}", self._changed(position=opposite)
        pairs = sorted(combinations(range(n), 2), key=lambda pair: -float(self.present[list(pair)].sum()))
        for j, k in pairs[:PAIRS]:
            swap = _swapping(j, k, n)
            both = f"of {names[j]} and {names[k]} swapped"
            yield f"the efforts {both}", self._changed(effort=swap)
            yield f"the positions {both}", self._changed(position=swap)
            yield f"the positions and efforts {both}", self._changed(position=swap, effort=swap)
        for words, order in _orders(n):
            yield f"positions {words}", self._changed(position=_ordered(order))
            yield f"efforts {words}", self._changed(effort=_ordered(order))
        for words, unit in UNITS.items():
            yield f"positions in {words}", self._changed(position=_times(unit))
            for j in range(n):
                one = _times(np.where(np.arange(n) == j, unit, 1.0))
                yield f"the position of {names[j]} in {words}", self._changed(position=one)
        for factor in CLOCKS:
            q, qd, qdd = self.states
            states = [q, factor * qd, factor**2 * qdd]
            faster = self.errors(np.asarray(self.base.columns(*states)), states, self.tau)
            yield f"a clock that is {factor:g} times as fast (rate={factor * self.filters.rate:.4g})", faster
        for j in range(n if n > 1 else 0):
            for factor in FACTORS:
                one = _times(np.where(np.arange(n) == j, factor, 1.0))
                yield f"the effort of {names[j]} times {factor:g}", self._changed(effort=one)

    def _zeros(self) -> Iterator[tuple[str, float]]:
        """Yield zero offsets of the joints in words, and the mean error with them: refined from the best."""
        base, states, tau = self.base, self.states, self.tau
        if base.robot.nq != tau.shape[1] or base.mechanism is not base.robot:
            return
        tried: list[tuple[float, int, Array]] = []
        for k, start in enumerate(starts(base)):
            error = mean_error(self._shifted(start))
            tried.append((error, k, start))
        best = min(tried, key=lambda each: each[:2])
        for _, _, start in [best] if best[1] == 0 else [tried[0], best]:
            found = zero_offsets(base, states, tau, self.rows, start, np.ones(len(start), dtype=bool))
            found = self._needed(found)
            found = zero_offsets(base, states, tau, self.rows, found, found != 0)
            words = offset_words(base.robot.joint_names, found)
            if words:
                yield words, mean_error(self._shifted(found))

    def _needed(self, offset: Array) -> Array:
        """Return offsets without those that hardly matter, the smallest first."""
        found, error = offset.copy(), mean_error(self._shifted(offset))
        for j in np.argsort(np.abs(offset)):
            without = np.where(np.arange(len(offset)) == j, 0.0, found)
            if mean_error(self._shifted(without)) < MATTERS * error:
                found = without
        return found

    def _shifted(self, offset: Array) -> Array:
        """Return the errors of the joints with offsets added to the positions."""
        states = [self.states[0] + offset, *self.states[1:]]
        return self.errors(np.asarray(self.base.columns(*states)), states, self.tau)

    def _changed(self, position: Change | None = None, effort: Change | None = None) -> Array:
        """Return the errors of the joints with a linear change of positions and of efforts."""
        states = self.states if position is None else [np.ascontiguousarray(position(x)) for x in self.states]
        Y = self.columns if position is None else np.asarray(self.base.columns(*states))
        return self.errors(Y, states, self.tau if effort is None else effort(self.tau))

    def _gravities(self) -> Iterator[tuple[str, Array]]:
        """Yield directions of gravity in words, and the errors of the joints: along each axis, and tilted."""
        gravities = Gravities.of(self.base, self.states)
        if gravities is None:
            return
        described = gravities.described / gravities.size
        tried = [(mean_error(self.present), described)] if described.any() else []
        for words, direction in gravities.axes():
            errors = self.errors(gravities.columns(direction), self.states, self.tau)
            tried.append((mean_error(errors), direction))
            yield words, errors
        start = min(tried, key=lambda each: each[0])[1]
        found = gravities.tilted(self.rows, self.states, self.tau, start)
        tilt = gravities.words(found)
        if tilt:
            yield tilt, self.errors(gravities.columns(found), self.states, self.tau)

    def _lagged(self, lag: float, late: NDArray[np.bool_]) -> float:
        """Return the error if the efforts of some joints of a time `lag` later belong to the states."""
        at = np.clip(self.time[self.chosen] + lag, self.time[0], self.time[-1])
        tau = self.tau.copy()
        for j in np.flatnonzero(late):
            tau[:, j] = np.interp(at, self.time, self.effort[:, j])
        return mean_error(self.errors(self.columns, self.states, tau))


def _times(factor: Array | float) -> Change:
    """Return the multiplication by one factor, or by one for each column."""
    return lambda x: x * factor


def _swapping(j: int, k: int, count: int) -> Change:
    """Return the exchange of two columns."""
    order = np.arange(count)
    order[[j, k]] = order[[k, j]]
    return lambda x: x[:, order]


def _ordered(order: NDArray[np.intp]) -> Change:
    """Return columns in another order."""
    return lambda x: x[:, order]


def _orders(count: int) -> list[tuple[str, NDArray[np.intp]]]:
    """Return other orders of all columns, in words; of two, swapping is tried anyway."""
    order = np.arange(count)
    if count < 3:
        return []
    return [
        ("in reverse order", order[::-1]),
        ("of the joint before", np.roll(order, 1)),
        ("of the joint after", np.roll(order, -1)),
    ]
