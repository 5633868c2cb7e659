"""The design of a regression: base parameters and drive terms as columns, joints as rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...arrays import Array
from ...robot import Robot
from ..base.parameters import BaseParameters, base_parameters
from ..logs.log import Log
from ..logs.samples import Samples
from ..logs.signals import Filters, Signals, condition_signals, thin, to_rows
from ..logs.tables import LogError
from ..logs.transmission import Axis
from .friction import NO_FRICTION, FrictionTerms, Term, term_columns, terms
from .split import UNUSED, Split

SEGMENT = 400_000
"""Samples conditioned together; a longer log is read in segments that overlap."""

SEGMENT_STATES = 50_000
"""States that a segment may hold: regressors are wide, and a high cutoff thins samples little."""

STATES = 20_000
"""States at which the regressor is evaluated together."""

DEPENDENT = 1e-9
"""Part of a column, relative, that other columns do not explain, below which it is dependent."""


@dataclass(frozen=True)
class Rows:
    """Rows of the regression of one stretch of time.

    `W[j]` (rows, columns of joint j) holds the columns that can act on joint j; `tau` are the
    torques and `given` the part of them that is taken as known, both (rows, joints); `label` says
    what each row is for.
    """

    time: Array
    W: tuple[Array, ...]
    tau: Array
    given: Array
    label: NDArray[np.int_]

    @classmethod
    def none(cls, widths: list[int]) -> Rows:
        """Return no rows of joints with so many columns."""
        joints = len(widths)
        W = tuple(np.zeros((0, width)) for width in widths)
        return cls(np.zeros(0), W, np.zeros((0, joints)), np.zeros((0, joints)), np.zeros(0, dtype=int))


class Design:
    """Columns of the regression tau = Y_b(q, qd, qdd) beta + drives(q, qd, qdd) theta.

    `base` gives the base parameters and their regressor, `drive` the terms of the axes.
    `known` is the armature that is taken as given, one per joint: of the model where rotors are
    not identified, or where they cannot be told from a base parameter.
    """

    def __init__(
        self,
        robot: Robot,
        base: BaseParameters,
        axes: tuple[Axis, ...],
        drive: tuple[Term, ...],
        known: Array,
    ) -> None:
        self.robot, self.base, self.axes, self.drive, self.known = robot, base, axes, drive, known
        self.names = (*base.names, *(term.name(axes) for term in drive))
        self._rigid = acting(base, robot)
        self.active = tuple(
            np.concatenate([rigid, base.count + self._driving(j)]) for j, rigid in enumerate(self._rigid)
        )

    @classmethod
    def of(
        cls,
        robot: Robot,
        base: BaseParameters,
        axes: tuple[Axis, ...],
        friction: FrictionTerms,
        rotors: bool,
        dependent: frozenset[Term] = frozenset(),
    ) -> Design:
        """Return the design of a friction model, without the terms that base parameters contain.

        Their rotors keep the described values, as do those of joints coupled to others.
        """
        drive = tuple(term for term in terms(axes, friction, rotors) if term not in dependent)
        fitted = {term.axis for term in drive if term.kind == "Ia"}
        known = np.array([0.0 if j in fitted else value for j, value in enumerate(robot.armature)])
        for body in robot.model.bodies:
            if body.coupling is not None:
                known[body.iv] += body.coupling.multiplier**2 * body.armature
        return cls(robot, base, axes, drive, known)

    @property
    def width(self) -> int:
        """Number of parameters."""
        return len(self.names)

    def _driving(self, joint: int) -> NDArray[np.intp]:
        acts = [bool(self.axes[term.axis].direction[joint]) for term in self.drive]
        return np.flatnonzero(acts)

    def rows(self, signals: Signals, filters: Filters) -> tuple[Array, tuple[Array, ...], Array, Array]:
        """Return times, columns per joint, torques and known torques: everything after the same filters."""
        step, second = filters.first, filters.second
        n = self.robot.nv
        states = [np.ascontiguousarray(x[::step]) for x in (signals.q, signals.qd, signals.qdd)]
        drive = np.empty((len(states[0]), len(self.drive)))
        for k, column in enumerate(term_columns(self.drive, self.axes, signals)):
            drive[:, k] = thin(column[:, None], filters)[:, 0]
        drive = to_rows(drive, filters)
        tau = to_rows(thin(signals.effort, filters), filters)
        given = to_rows(states[2] * self.known, filters)
        rigid = filtered_rows(self.base.regressor, states, self._rigid, filters)
        W = []
        for j in range(n):
            driving = self._driving(j)
            scale = np.array([self.axes[self.drive[k].axis].direction[j] for k in driving])
            W.append(np.concatenate([rigid[j], drive[:, driving] * scale], axis=1))
        time = signals.time[::step][::second]
        return time, tuple(W), tau, given

    def segments(self, log: Log, filters: Filters, split: Split) -> Iterator[Rows]:
        """Yield the rows of a log, segment by segment."""
        for span in spans(log, filters):
            yield self.segment(log.samples(span.start, span.stop), span, filters, split)

    def segment(self, samples: Samples, span: Span, filters: Filters, split: Split) -> Rows:
        """Return the rows of one segment, from its samples; none where the filters cannot settle in it."""
        if not filters.settle_in(samples.time):
            return Rows.none([len(columns) for columns in self.active])
        signals = condition_signals(samples, filters)
        time, W, tau, given = self.rows(signals, filters)
        valid = signals.valid[:: filters.first][:: filters.second]
        inside = (time >= span.first) & (time < span.last)
        label = np.where(valid, split.labels(time), UNUSED)
        return Rows(time[inside], tuple(w[inside] for w in W), tau[inside], given[inside], label[inside])


@dataclass(frozen=True)
class Span:
    """A segment of a log: samples `start` to `stop`, and the times from `first` to `last` it answers for.

    Around those times it holds samples for the filters and friction to settle.
    """

    start: int
    stop: int
    first: float
    last: float


def spans(log: Log, filters: Filters) -> list[Span]:
    """Return the segments of a log, none of which reaches over a pause."""
    longest = max(min(SEGMENT, SEGMENT_STATES * filters.first), int(10 * filters.rate * filters.settling))
    margin = int(filters.rate * max(filters.settling, 2.0))
    found = []
    for start, stop in log.runs:
        count = max(1, round((stop - start) / longest))
        edges = [int(edge) for edge in np.linspace(start, stop, count + 1)]
        times = [float(log.time[min(edge, stop - 1)]) for edge in edges]
        found += [
            Span(max(start, a - margin), min(b + margin, stop), first, last)
            for (a, b), (first, last) in zip(pairwise(edges), pairwise(times), strict=True)
        ]
    return found


def nothing_left(log: Log, filters: Filters) -> LogError:
    """Return the error of a log that has no rows after the filters."""
    return log.too_few(
        "no rows are left; recordings without a pause must be longer than the "
        f"{2 * filters.settling:.3g} s in which filters settle at their ends"
    )


def filtered_rows(
    regressor: Callable[..., Array], states: list[Array], acting: Sequence[Any], filters: Filters
) -> list[Array]:
    """Return columns of a regressor after the filters, joint by joint, evaluated over blocks of states."""
    count = len(states[0])
    blocks: list[list[Array]] = [[] for _ in acting]
    for start in range(0, count, STATES):
        Y = regressor(*(x[start : start + STATES] for x in states))
        for j, columns in enumerate(acting):
            blocks[j].append(Y[:, j, columns].copy())
    return [to_rows(np.concatenate(parts), filters) for parts in blocks]


def acting(base: BaseParameters, robot: Robot) -> tuple[NDArray[np.intp], ...]:
    """Return the base parameters that can act on each joint: those of bodies that it moves."""
    Y = base.regressor(*robot.random_state(0, batch=64))
    scale = np.abs(Y).max(axis=(0, 1))
    seen = np.abs(Y).max(axis=0) > 1e-13 * scale
    return tuple(np.flatnonzero(row) for row in seen)


def independent(robot: Robot, axes: tuple[Axis, ...]) -> tuple[BaseParameters, frozenset[Term]]:
    """Return base parameters, and the rotors and offsets that combinations of them equal at every state.

    The rotor of a first joint adds to that link's own inertia, and both turn alike; so may an
    offset be a constant weight. Where the closed form is not minimal the numerical one is taken.
    """
    base = base_parameters(robot)
    states = robot.random_state(1, batch=4 + 4 * (base.count + len(axes)) // robot.nv)
    Q, R = np.linalg.qr(_columns(base, states))
    if np.abs(np.diag(R)).min() < DEPENDENT:
        base = base_parameters(robot, method="numeric")
        Q = np.linalg.qr(_columns(base, states))[0]
    found = set()
    for term in (*terms(axes, NO_FRICTION, True), *terms(axes, replace(NO_FRICTION, offset=True), False)):
        direction = axes[term.axis].direction
        motion = states[2] @ direction if term.kind == "Ia" else np.ones(len(states[0]))
        column = np.outer(motion, direction).ravel()
        rest = column / np.linalg.norm(column)
        for _ in range(2):  # twice is enough
            rest = rest - Q @ (Q.T @ rest)
        if np.linalg.norm(rest) < DEPENDENT:
            found.add(term)
        else:
            Q = np.column_stack([Q, rest / np.linalg.norm(rest)])
    return base, frozenset(found)


def _columns(base: BaseParameters, states: tuple[Array, ...]) -> Array:
    """Return the base regressor of states stacked, with columns of length one."""
    A = base.regressor(*states).reshape(-1, base.count)
    return np.asarray(A / np.linalg.norm(A, axis=0))
