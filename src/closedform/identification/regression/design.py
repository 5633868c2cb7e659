"""The design of a regression: base parameters, drive terms and others as columns, joints as rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...arrays import Array
from ...loops import ClosedRobot
from ...robot import Robot
from ..base.parameters import base_parameters
from ..base.result import BaseParameters
from ..joints import joint_array
from ..logs.signals import Filters, Signals, thin, to_rows
from ..logs.transmission import Axis
from .friction import LINK_SIDE, NO_FRICTION, FrictionTerms, Term, axis_motion, term_columns, terms
from .loop_axes import LoopAxes
from .passive_joints import passive_torques, reachable
from .rows import Columns, Rows
from .split import UNUSED
from .torque_column import TorqueColumn

STATES = 20_000
"""States at which the regressor is evaluated together."""

TURN = 1e-4
"""Step of central differences by a joint's zero, in rad or m."""

DEPENDENT = 1e-4
"""Part of a column, relative, that other columns do not explain, below which it is dependent: what is left by
files that round right angles to 1.5708 tells nothing."""


class Design(Columns):
    """Columns of the regression tau = Y_b(q, qd, qdd) beta + drives(q, qd, qdd) theta + extra + zero offsets.

    `base` gives the base parameters and their regressor, `drive` the terms of the axes, `extra` columns of
    the user, `zeros` the joints whose zero offsets are parameters. `known` is the armature that is taken as
    given, one per joint: that of the model if rotors are not identified, or if a base parameter cannot be
    told apart from it; described springs are given too, unless they are identified, and so is what joints
    without drives take. `about` are values by
    name: friction by load takes the load that they give, and torques are linear in zero offsets about them.
    Without `about` such columns are zero.
    """

    def __init__(
        self,
        robot: Robot | ClosedRobot,
        base: BaseParameters,
        axes: tuple[Axis, ...],
        drive: tuple[Term, ...],
        known: Array,
        extra: tuple[TorqueColumn, ...] = (),
        zeros: tuple[int, ...] = (),
        about: Mapping[str, float] | None = None,
    ) -> None:
        self.robot, self.base, self.axes, self.drive, self.known = robot, base, axes, drive, known
        self.extra, self.zeros, self.about = extra, zeros, about
        self.burden: tuple[int, Array] | None = None
        self.names = (
            *base.names,
            *(term.name(axes) for term in drive),
            *(column.name for column in extra),
            *(f"dq{j + 1}" for j in zeros),
        )
        self.width = len(self.names)
        self._rigid = acting(base, robot)
        sprung = [term.axis for term in drive if term.kind == "k"]
        self._stiffness = joint_array(robot, "stiffness").copy()
        self._rest = joint_array(robot, "spring_rest")
        self._loops = LoopAxes(robot, axes)
        rotors = {term.axis for term in drive if term.kind == "Ia"}
        own = {axis.joint: a in rotors for a, axis in enumerate(axes) if axis.joint is not None}
        self._passive = passive_torques(robot, own)
        self._stiffness[sprung] = 0.0
        self._added = [self._driving(j) for j in range(robot.nv)]
        first = base.count + len(drive)
        self._further = [self._acting_further(j) for j in range(robot.nv)]
        self.active = tuple(
            np.concatenate([rigid, base.count + drive, first + further])
            for rigid, drive, further in zip(self._rigid, self._added, self._further, strict=True)
        )

    @classmethod
    def of(
        cls,
        robot: Robot | ClosedRobot,
        base: BaseParameters,
        axes: tuple[Axis, ...],
        friction: FrictionTerms,
        rotors: bool,
        dependent: frozenset[Term] = frozenset(),
        springs: tuple[int, ...] = (),
        extra: tuple[TorqueColumn, ...] = (),
        zeros: tuple[int, ...] = (),
    ) -> Design:
        """Return the design of a friction model, without the terms that base parameters contain.

        Their rotors keep the described values, as do those of joints coupled to others.
        """
        drive = tuple(term for term in terms(axes, friction, rotors, springs) if term not in dependent)
        fitted = {term.axis for term in drive if term.kind == "Ia"}
        known = np.array(
            [0.0 if j in fitted else value for j, value in enumerate(joint_array(robot, "armature"))]
        )
        for body in robot.model.bodies if isinstance(robot, Robot) else ():
            if body.coupling is not None:
                known[body.iv] += body.coupling.multiplier**2 * body.armature
        return cls(robot, base, axes, drive, known, extra, zeros)

    def with_drive(self, drive: tuple[Term, ...], about: Mapping[str, float] | None = None) -> Design:
        """Return the design with other terms of the axes, about some values."""
        return Design(
            self.robot, self.base, self.axes, drive, self.known, self.extra, self.zeros, about or self.about
        )

    def at(self, values: Array) -> Design:
        """Return the design about some values of its parameters."""
        return self.with_drive(self.drive, dict(zip(self.names, values.tolist(), strict=True)))

    def burdened(self, body: int, phi: Array) -> Design:
        """Return the design of a motion in which a body carries phi: gears that lose by load transmit it too.

        The torque of phi itself is no column of it.
        """
        found = copy(self)
        found.burden = (body, phi)
        return found

    @property
    def curved(self) -> bool:
        """Whether columns depend on values of the parameters: by loads or zero offsets."""
        return bool(self.zeros) or any(term.kind == "fl" for term in self.drive)

    @property
    def shared(self) -> frozenset[str]:
        """Rotors and viscous friction of coupled motors that stand for themselves less those of another one.

        Two motors that turn two joints together have one of each that is not told apart: see `independent`.
        """
        coupled = [a for a, axis in enumerate(self.axes) if axis.label.startswith("m")]
        found = set[str]()
        for kind in ("Ia", "fv"):
            own = [term for term in self.drive if term.kind == kind and term.axis in coupled]
            if len(own) < len(coupled):
                found |= {term.name(self.axes) for term in own}
        return frozenset(found)

    @property
    def transmitted(self) -> tuple[int, ...]:
        """The drive terms whose torques gears transmit: springs, and the offsets that are their rests."""
        sprung = {term.axis for term in self.drive if term.kind in LINK_SIDE}
        kinds = (*LINK_SIDE, "of")
        return tuple(k for k, term in enumerate(self.drive) if term.kind in kinds and term.axis in sprung)

    def _driving(self, joint: int) -> NDArray[np.intp]:
        acts = [bool(self.axes[term.axis].direction[joint]) for term in self.drive]
        return np.flatnonzero(acts)

    def _acting_further(self, joint: int) -> NDArray[np.intp]:
        """Return which extra columns and zero offsets act on a joint."""
        extra = [joint in column.joints(self.robot) for column in self.extra]
        return np.flatnonzero([*extra, *(True for _ in self.zeros)])

    def rows(self, signals: Signals, filters: Filters) -> Rows:
        """Return the rows of a motion: columns of base parameters, drives, the user, and zero offsets."""
        acceleration = signals.qdd[:: filters.first]
        drive = np.empty((len(acceleration), len(self.drive)))
        axes = self._loops.moved(axis_motion(self.axes, signals), signals)
        for k, column in enumerate(term_columns(self.drive, axes)):
            drive[:, k] = thin(column[:, None], filters)[:, 0]
        motion = (signals.q, signals.qd, signals.qdd)
        further = [thin(column.torques(self.robot, *motion), filters) for column in self.extra]
        about = self.about or {}
        values = np.array([about.get(name, 0.0) for name in self.names])
        shift = np.zeros(self.robot.nv)
        shift[list(self.zeros)] = values[self.width - len(self.zeros) :]
        states = [np.ascontiguousarray(x[:: filters.first]) for x in motion]
        used = signals.valid[:: filters.first]
        states[0] = reachable(self.robot, states[0] + shift, signals.time[:: filters.first], used)
        link = (states[0] - shift - self._rest) * self._stiffness
        beta = values[: self.base.count] if self.curved and about else None
        rigid, load = filtered_columns(self.base.columns, states, self._rigid, filters, beta)
        if load is not None:
            load += link
            if self.burden is not None:
                body, phi = self.burden
                load += regressor_torques(self.robot.regressor, states, slice(10 * body, 10 * body + 10), phi)
            further += zero_gradients(self.base.columns, states, self.zeros, values[: self.base.count])
            self._apply_load(drive, load, further, values)
        else:
            further += [np.zeros((len(drive), self.robot.nv)) for _ in self.zeros]
            drive[:, [term.kind == "fl" for term in self.drive]] = 0.0
        given = acceleration * self.known + link
        if self._passive is not None:
            given += self._passive(*states)
        for j, slope in zip(self.zeros, further[len(self.extra) :], strict=True):
            given = given - shift[j] * slope
        rest = [to_rows(columns, filters) for columns in further]
        W = []
        for j, driving in enumerate(self._laid_out(drive, states[0], filters)):
            own = [rest[k][:, j, None] for k in self._further[j]]
            W.append(np.concatenate([rigid[j], driving, *own], axis=1))
        return Rows(
            signals.time[:: filters.step],
            tuple(W),
            to_rows(thin(signals.effort, filters), filters),
            to_rows(given, filters),
            np.where(signals.valid[:: filters.step], 0, UNUSED),
            importance=None if signals.importance is None else signals.importance[:: filters.step],
        )

    def _laid_out(self, drive: Array, q: Array, filters: Filters) -> Iterator[Array]:
        """Yield the columns of the drives that act on each joint, after the filters."""
        rows = to_rows(drive, filters)
        place = {a: k for k, a in enumerate(self._loops.places)}
        turning = [(k, place[term.axis]) for k, term in enumerate(self.drive) if term.axis in place]
        G = self._loops.directions(q) if turning else None
        for j, driving in enumerate(self._added):
            scale = np.array([self.axes[self.drive[k].axis].direction[j] for k in driving])
            if G is not None:
                here = [k for k, _ in turning]
                rows[:, here] = to_rows(drive[:, here] * G[:, [a for _, a in turning], j], filters)
            yield rows[:, driving] * scale

    def _apply_load(self, drive: Array, load: Array, further: list[Array], values: Array) -> None:
        """Scale columns of friction by load with the torque that the gears transmit to the links."""
        first = self.base.count
        for k in self.transmitted:
            load[:, self.drive[k].axis] += values[first + k] * drive[:, k]
        for k in range(len(self.extra)):
            load += values[first + len(self.drive) + k] * further[k]
        for k, term in enumerate(self.drive):
            if term.kind == "fl":
                drive[:, k] *= np.abs(load[:, term.axis])


def filtered_columns(
    regressor: Callable[..., Array],
    states: Sequence[Array],
    acting: Sequence[Any],
    filters: Filters,
    beta: Array | None = None,
) -> tuple[list[Array], Array | None]:
    """Return columns of a regressor after the filters, joint by joint, evaluated over blocks of states.

    If values beta of its parameters are given, their torques (states, joints) before the filters too.
    """
    blocks, torques, widths = [], [], [0]
    for start in range(0, len(states[0]), STATES):
        Y = regressor(*(x[start : start + STATES] for x in states))
        if beta is not None:
            torques.append(Y @ beta)
        parts = [Y[:, j, columns] for j, columns in enumerate(acting)]
        widths = [part.shape[1] for part in parts]
        blocks.append(np.concatenate(parts, axis=1))
    whole = to_rows(np.concatenate(blocks), filters)  # all joints at once
    rows = np.split(whole, np.cumsum(widths)[:-1], axis=1)
    return rows, np.concatenate(torques) if torques else None


def regressor_torques(
    regressor: Callable[..., Array], states: Sequence[Array], columns: slice, phi: Array
) -> Array:
    """Return the torques (states, joints) of some columns of a regressor, evaluated over blocks of states."""
    starts = range(0, len(states[0]), STATES)
    blocks = [regressor(*(x[k : k + STATES] for x in states))[..., columns] @ phi for k in starts]
    return np.concatenate(blocks)


def zero_gradients(
    regressor: Callable[..., Array], states: Sequence[Array], joints: Sequence[int], beta: Array
) -> list[Array]:
    """Return d(Y beta)/dq of some joints, each (states, joints), by central differences."""
    q, qd, qdd = states
    found = []
    for j in joints:
        step = TURN * np.eye(q.shape[1])[j]
        parts = []
        for start in range(0, len(q), STATES):
            block = slice(start, start + STATES)
            ahead, behind = (regressor(x[block], qd[block], qdd[block]) @ beta for x in (q + step, q - step))
            parts.append((ahead - behind) / (2 * TURN))
        found.append(np.concatenate(parts))
    return found


def filtered_rows(
    regressor: Callable[..., Array], signals: Signals, acting: Sequence[Any], filters: Filters
) -> list[Array]:
    """Return columns of a regressor after the filters, joint by joint."""
    states = [np.ascontiguousarray(x[:: filters.first]) for x in (signals.q, signals.qd, signals.qdd)]
    return filtered_columns(regressor, states, acting, filters)[0]


def acting(base: BaseParameters, robot: Robot | ClosedRobot) -> tuple[NDArray[np.intp], ...]:
    """Return the base parameters that can act on each joint: those of bodies that it moves."""
    Y = base.columns(*robot.random_state(0, batch=64))
    scale = np.abs(Y).max(axis=(0, 1))
    seen = np.abs(Y).max(axis=0) > 1e-13 * scale
    return tuple(np.flatnonzero(row) for row in seen)


def independent(robot: Robot | ClosedRobot, axes: tuple[Axis, ...]) -> tuple[BaseParameters, frozenset[Term]]:
    """Return base parameters, and the terms of the axes that combinations of others equal at every state.

    The rotor of the first joint and its link turn together, so that their inertias add up; an offset
    may equal a constant weight. Two motors that turn two joints together have one rotor and one viscous
    friction that those of the joints and the other motor tell. If the closed form is not minimal, the
    numerical one is taken.
    """
    base = base_parameters(robot)
    states = robot.random_state(1, batch=4 + 4 * (base.count + len(axes)) // robot.nv)
    Q, R = np.linalg.qr(_columns(base, states))
    if np.abs(np.diag(R)).min() < DEPENDENT:
        base = base_parameters(robot, method="numeric")
        Q = np.linalg.qr(_columns(base, states))[0]
    found = set()
    loops = LoopAxes(robot, axes)
    turned = loops.directions(states[0]) if loops else None
    derivative = {"fv": 1, "Ia": 2}
    for term in terms(axes, replace(NO_FRICTION, viscous=True, offset=True), True):
        order = derivative.get(term.kind)
        direction = np.broadcast_to(axes[term.axis].direction, states[2].shape)
        motion = np.ones(len(states[0])) if order is None else np.einsum("tj,tj->t", states[order], direction)
        if turned is not None and term.axis in loops.places:
            k = loops.places.index(term.axis)
            direction = turned[:, k]
            motion = motion if order is None else loops.rates(*states)[order - 1][:, k]
        column = (motion[:, None] * direction).ravel()
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
    A = base.columns(*states).reshape(-1, base.count)
    return np.asarray(A / np.linalg.norm(A, axis=0))
