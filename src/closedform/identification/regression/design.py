"""The design of a regression: base parameters and drive terms as columns, joints as rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...arrays import Array
from ...robot import Robot
from ..base.parameters import base_parameters
from ..base.result import BaseParameters
from ..logs.signals import Filters, Signals, thin, to_rows
from ..logs.transmission import Axis
from .friction import NO_FRICTION, FrictionTerms, Term, term_columns, terms
from .rows import Columns, Rows
from .split import UNUSED

STATES = 20_000
"""States at which the regressor is evaluated together."""

DEPENDENT = 1e-9
"""Part of a column, relative, that other columns do not explain, below which it is dependent."""


class Design(Columns):
    """Columns of the regression tau = Y_b(q, qd, qdd) beta + drives(q, qd, qdd) theta.

    `base` gives the base parameters and their regressor, `drive` the terms of the axes.
    `known` is the armature that is taken as given, one per joint: that of the model if rotors are
    not identified, or if a base parameter cannot be told apart from it.
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
        self.width = len(self.names)
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

    def _driving(self, joint: int) -> NDArray[np.intp]:
        acts = [bool(self.axes[term.axis].direction[joint]) for term in self.drive]
        return np.flatnonzero(acts)

    def rows(self, signals: Signals, filters: Filters) -> Rows:
        """Return the rows of a motion: columns of the base parameters, then those of the drives."""
        acceleration = signals.qdd[:: filters.first]
        drive = np.empty((len(acceleration), len(self.drive)))
        for k, column in enumerate(term_columns(self.drive, self.axes, signals)):
            drive[:, k] = thin(column[:, None], filters)[:, 0]
        drive = to_rows(drive, filters)
        rigid = filtered_rows(self.base.regressor, signals, self._rigid, filters)
        W = []
        for j in range(self.robot.nv):
            driving = self._driving(j)
            scale = np.array([self.axes[self.drive[k].axis].direction[j] for k in driving])
            W.append(np.concatenate([rigid[j], drive[:, driving] * scale], axis=1))
        return Rows(
            signals.time[:: filters.step],
            tuple(W),
            to_rows(thin(signals.effort, filters), filters),
            to_rows(acceleration * self.known, filters),
            np.where(signals.valid[:: filters.step], 0, UNUSED),
        )


def filtered_rows(
    regressor: Callable[..., Array], signals: Signals, acting: Sequence[Any], filters: Filters
) -> list[Array]:
    """Return columns of a regressor after the filters, joint by joint, evaluated over blocks of states."""
    states = [np.ascontiguousarray(x[:: filters.first]) for x in (signals.q, signals.qd, signals.qdd)]
    blocks: list[list[Array]] = [[] for _ in acting]
    for start in range(0, len(states[0]), STATES):
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

    The rotor of the first joint and its link turn together, so that their inertias add up; an offset
    may equal a constant weight. If the closed form is not minimal, the numerical one is taken.
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
