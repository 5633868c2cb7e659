"""Why a log does not fit: changes that would explain it better, found by trying them.

Each trial is a small least squares on some hundred states of the log, with the columns of the base
parameters and plain friction, and is judged by states left out in turn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from ...arrays import Array
from ...lazy import cached_property
from ..base.numeric import regressor_at
from ..base.result import BaseParameters
from ..joints import on_tree
from ..logs.log import Log
from ..logs.signals import Filters, condition_signals, zero_phase
from ..regression.least_squares import ridge_solution
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

ALIKE = 2.0
"""Error of a cause over that of the best one, beyond which it is not named beside it."""

LAGS = (0.02, 0.05, 0.1, 0.2, 0.4)
"""Lags tried, in periods of the cutoff."""

UNITS = {"degrees": np.pi / 180, "turns": 2 * np.pi, "radians (not degrees)": 180 / np.pi}
"""Units tried for positions, and their factors."""

FACTORS = (1e3, 1e-3, 1e2, 1e-2, 10.0, 0.1)
"""Factors tried for the effort of a single joint: other units, and gears."""

MATTERS = 1.3
"""Error without the zero offset of a joint over that with it, from which on it matters."""

PAIRS = 60
"""Most pairs of joints that are swapped on trial."""

FARTHEST = 2.0
"""Relative error of a joint at which it is capped: such a joint is wrong, by whatever factor."""


@dataclass(frozen=True)
class Cause:
    """A change of robot or log, and the error averaged over the joints with it and without it."""

    words: str
    error: float
    present: float

    def __str__(self) -> str:
        return (
            f"with {self.words} the error of rows left out, averaged over the joints, would be "
            f"{100 * self.error:.2g} % instead of {100 * self.present:.2g} %"
        )


TRIED = "gravity along each axis, signs and order of joints, units, zero offsets, lag"
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
        present = _mean(self.present)
        tried = [Cause(words, _mean(errors), present) for words, errors in self._trials()]
        lag = self.lag()
        tried += [Cause(words, error, present) for words, error in dict(self._zeros()).items()]
        better = [cause for cause in tried if cause.error < HELPS * present]
        better = sorted([*better, *([lag] if lag else [])], key=lambda cause: cause.error)
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
        now = f"{100 * _mean(self.present):.2g} % (averaged over the joints, with plain friction)"
        none = f"nothing that was tried lowers the error of rows left out, {now}: {self.tried}"
        return tuple(causes or [none])

    def _trials(self) -> Iterator[tuple[str, Array]]:
        """Yield each change in words, and the errors of the joints with it."""
        names, n = self.base.mechanism.joint_names, self.tau.shape[1]
        for words, Y in self._gravities():
            yield words, self.errors(Y, self.states, self.tau)
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
            error = _mean(self._shifted(start))
            tried.append((error, k, start))
        best = min(tried, key=lambda each: each[:2])
        for _, _, start in [best] if best[1] == 0 else [tried[0], best]:
            found = zero_offsets(base, states, tau, self.rows, start, np.ones(len(start), dtype=bool))
            found = self._needed(found)
            found = zero_offsets(base, states, tau, self.rows, found, found != 0)
            words = offset_words(base.robot.joint_names, found)
            if words:
                yield words, _mean(self._shifted(found))

    def _needed(self, offset: Array) -> Array:
        """Return offsets without those that hardly matter, the smallest first."""
        found, error = offset.copy(), _mean(self._shifted(offset))
        for j in np.argsort(np.abs(offset)):
            without = np.where(np.arange(len(offset)) == j, 0.0, found)
            if _mean(self._shifted(without)) < MATTERS * error:
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
        """Yield the regressors of all parameters, linear in gravity, with gravity along each axis."""
        mechanism = self.base.mechanism
        model = self.base.robot.model
        model = model.with_phi(np.zeros(model.phi.size))  # only the geometry matters
        size = float(np.linalg.norm(model.gravity)) or 9.81
        if len(model.bodies) > 40:  # whose expressions would take longer than the fit
            return
        states = [self.base.postures(self.states[0]), *self.states[1:]]
        if not np.isfinite(states[0]).all():
            return
        still, *along = (
            np.moveaxis(regressor_at(on_tree(mechanism, model.with_gravity(gravity)), states), 0, 1)
            for gravity in (np.zeros(3), *np.eye(3))
        )
        for k, axis in enumerate("xyz"):
            for sign, word in ((1.0, "+"), (-1.0, "-")):
                direction = sign * np.eye(3)[k]
                if np.abs(direction - model.gravity / size).max() > 1e-3:
                    yield f"gravity along {word}{axis}", still + sign * size * (along[k] - still)

    def lag(self) -> Cause | None:
        """Return the lag between efforts and positions that explains the log better, if there is one."""
        if not self.enough:
            return None
        present = _mean(self.present)
        period = 1 / self.filters.cutoff
        tried = {0.0: present}
        for part in (*LAGS, *(-part for part in LAGS)):
            tried[part * period] = self._lagged(part * period)
        best = min(tried, key=lambda lag: tried[lag])
        if best == 0 or tried[best] > 0.8 * present:
            return None
        order = sorted(tried)
        at = order.index(best)
        if 0 < at < len(order) - 1:  # the bottom of a parabola through three squared errors
            lags = np.array(order[at - 1 : at + 2])
            a, b, _ = np.polyfit(lags / period, [tried[lag] ** 2 for lag in lags], 2)
            finer = (
                float(np.clip(-b / (2 * a), lags[0] / period, lags[2] / period)) * period if a > 0 else best
            )
            tried[finer] = self._lagged(finer)
            best = min(tried, key=lambda lag: tried[lag])
        shift = "earlier (they lag behind the positions)" if best > 0 else "later (the positions lag behind)"
        words = f"efforts shifted {1e3 * abs(best):.2g} ms {shift}"
        return Cause(words, tried[best], present)

    def _lagged(self, lag: float) -> float:
        """Return the error if the efforts of a time `lag` later belong to the states."""
        at = np.clip(self.time[self.chosen] + lag, self.time[0], self.time[-1])
        tau = np.stack([np.interp(at, self.time, column) for column in self.effort.T], axis=1)
        return _mean(self.errors(self.columns, self.states, tau))


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


def _mean(errors: Array) -> float:
    """Return the root mean square of the joints' errors, each counted up to `FARTHEST`."""
    return float(np.sqrt(np.mean(np.minimum(np.nan_to_num(errors, nan=FARTHEST), FARTHEST) ** 2)))
