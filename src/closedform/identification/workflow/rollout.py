"""Rollouts: the identified robot, driven by logged torques for a short while, beside the logged motion."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...arrays import Array
from ...checks import positive, whole_number
from ...display import card, html_table
from ...errors import listed
from ...robot import Robot
from ..logs.errors import LogError
from ..logs.log import Log
from ..logs.signals import Filters, Signals, condition_signals, zero_phase
from ..regression.rows import nothing_left, spans
from ..regression.torque_column import TorqueColumn
from .listing import Column, Table

STEP = 1e-3
"""Seconds of a step of integration at most; samples that are closer are thinned to about this."""

MOST_STARTS = 10_000
"""Starts of a rollout."""

COLUMNS = (
    Column("position", ".2g"),
    Column("at the end", ".2g"),
    Column("moved", ".2g"),
    Column("velocity", ".2g"),
)


@dataclass(frozen=True, repr=False)
class Rollout:
    """How far simulated motions are from the logged one, `times` after their start.

    `position_errors` and `velocity_errors` (times, joints) are root mean squares over the starts, and
    `moved` (joints,) that of the way from the start in the log: the position error of a robot that would
    not move. `starts` are the times in the log at which motions start. Those that `diverged` have another
    error than a number, or one greater than all motion in the log, and are left out of the errors; if none
    is left, errors are infinite.
    """

    joints: tuple[str, ...]
    times: Array
    position_errors: Array
    velocity_errors: Array
    moved: Array
    starts: Array
    diverged: int

    @property
    def position(self) -> Array:
        """Root mean square error of positions over the horizon, per joint (rad or m)."""
        return np.asarray(np.sqrt(np.mean(self.position_errors**2, axis=0)))

    @property
    def velocity(self) -> Array:
        """Root mean square error of velocities over the horizon, per joint (rad/s or m/s)."""
        return np.asarray(np.sqrt(np.mean(self.velocity_errors**2, axis=0)))

    @property
    def table(self) -> Table:
        """The errors of each joint: positions over the horizon and at its end, the motion, velocities."""
        numbers = np.stack([self.position, self.position_errors[-1], self.moved, self.velocity], axis=1)
        rows = zip(self.joints, map(tuple, numbers.tolist()), strict=True)
        return Table("rollout error", COLUMNS, tuple(rows))

    @property
    def _facts(self) -> list[str]:
        """How many starts diverged, if some did, and how many there were."""
        count = len(self.starts)
        doubt = f"doubt: {self.diverged} of {count} starts diverged and are left out"
        return [*([doubt] if self.diverged else []), f"{self.times[-1]:.3g} s from {count} starts"]

    def __repr__(self) -> str:
        shown = ", ".join(f"{value:.2g}" for value in self.position)
        return f"<Rollout: {'; '.join(self._facts)}; position error {shown}>"

    def _repr_html_(self) -> str:
        """Return what a notebook shows: the errors of each joint."""
        headings = [self.table.heading, *(column.heading for column in COLUMNS)]
        return card("rollout", "; ".join(self._facts), html_table(headings, self.table.cells()))

    def __str__(self) -> str:
        return "\n".join([*self._facts, "", *self.table.lines()])


@dataclass(frozen=True)
class Windows:
    """Stretches of a log: when they start, and positions, speeds and torques (windows, samples, joints)."""

    start: Array
    q: Array
    qd: Array
    tau: Array

    def every(self, count: int) -> Windows:
        """Return at most so many of them, spread evenly."""
        which = _spread(len(self.start), count)
        return Windows(self.start[which], self.q[which], self.qd[which], self.tau[which])


def rollout(
    robot: Robot,
    extra: Sequence[tuple[TorqueColumn, float]],
    log: Log,
    filters: Filters,
    horizon: float,
    starts: int,
) -> Rollout:
    """Return the errors of simulated motions from logged states: see `Identification.rollout`.

    `extra` are torques that are not of the robot, with their factors.
    """
    horizon = positive("rollout: horizon", horizon)
    starts = whole_number("rollout: starts", starts, 1, MOST_STARTS)
    if log.joints != robot.joint_names:
        raise LogError(
            f"{log.source}: a log of joints {listed(log.joints, 5)}; expected one of {robot.name!r}, "
            f"{listed(robot.joint_names, 5)}"
        )
    apart = max(1, math.floor(STEP * filters.rate)) / filters.rate
    if horizon < apart:
        raise LogError(
            f"{log.source}: a horizon of {horizon:g} s is less than the {apart:.3g} s from sample to sample; "
            "give a longer one"
        )
    if horizon > log.duration:
        raise _too_long(log, filters, horizon)
    windows = _windows(robot, extra, log, filters, horizon, starts)
    count, steps = windows.q.shape[1] - 1, math.ceil(apart / STEP)
    motion = robot.simulate(
        windows.q[:, 0],
        windows.qd[:, 0],
        _finer(windows.tau, steps),
        count * apart,
        apart / steps,
        friction=True,
        springs=True,
    )
    e_q, e_qd = motion.q[:, ::steps] - windows.q, motion.qd[:, ::steps] - windows.qd
    far = np.abs(e_q).max(axis=(1, 2))  # NaN of a run without numbers, which is not less than anything
    near = np.asarray((far <= log.ranges(10_000).max()) & np.isfinite(e_qd).all(axis=(1, 2)))
    return Rollout(
        log.joints,
        apart * np.arange(count + 1),
        _root_mean_squares(e_q[near]),
        _root_mean_squares(e_qd[near]),
        np.sqrt(np.mean((windows.q - windows.q[:, :1]) ** 2, axis=(0, 1))),
        windows.start,
        int((~near).sum()),
    )


def _windows(
    robot: Robot,
    extra: Sequence[tuple[TorqueColumn, float]],
    log: Log,
    filters: Filters,
    horizon: float,
    starts: int,
) -> Windows:
    """Return stretches of a log that are as long as the horizon, spread over it, at thinned samples."""
    found = list(_segments(robot, extra, log, filters, horizon, starts))
    if not found:
        raise _too_long(log, filters, horizon)
    parts = ([getattr(each, name) for each in found] for name in ("start", "q", "qd", "tau"))
    return Windows(*map(np.concatenate, parts)).every(starts)


def _segments(
    robot: Robot,
    extra: Sequence[tuple[TorqueColumn, float]],
    log: Log,
    filters: Filters,
    horizon: float,
    starts: int,
) -> Iterator[Windows]:
    """Yield the stretches of each segment of a log, as many as is its part of the log."""
    stride = max(1, math.floor(STEP * filters.rate))
    rows = stride * np.arange(round(horizon * filters.rate / stride) + 1)
    nothing = True
    for span in spans(log, filters):
        samples = log.samples(span.start, span.stop)
        if not filters.settle_in(samples.time):
            continue
        signals = condition_signals(samples, filters)
        nothing &= not signals.valid.any()
        own = (signals.time >= span.first) & (signals.time < span.last)
        candidates = np.flatnonzero(own & _whole(signals, int(rows[-1])))
        share = math.ceil(starts * (span.last - span.first) / log.duration)
        chosen = candidates[_spread(len(candidates), share)]
        if len(chosen):
            at = chosen[:, None] + rows
            tau = zero_phase(_driving(robot, extra, signals), 0.4 / STEP, filters.rate)
            yield Windows(signals.time[chosen], signals.q[at], signals.qd[at], tau[at])
    if nothing:
        raise nothing_left(log, filters)


def _whole(signals: Signals, length: int) -> NDArray[np.bool_]:
    """Return at which samples a stretch of so many more begins that are all valid."""
    wrong = np.concatenate([[0], np.cumsum(~signals.valid)])
    found = np.zeros(len(signals.valid), dtype=bool)
    if length < len(found):
        found[: len(found) - length] = wrong[length + 1 :] == wrong[: len(found) - length]
    return found


def _driving(robot: Robot, extra: Sequence[tuple[TorqueColumn, float]], signals: Signals) -> Array:
    """Return the logged torques, less what simulations have no place for, as it is along the log."""
    motion = (signals.q, signals.qd, signals.qdd)
    known = np.zeros_like(signals.effort)
    for column, factor in extra:
        known += factor * column.torques(robot, *motion)
    if extra and robot.load_friction.any():  # of all that gears transmit to the links, as in the fit
        link = robot.with_armature(0.0).inverse_dynamics(*motion, springs=True)
        more = np.abs(known + link) - np.abs(link)
        known += robot.load_friction * more * np.sign(signals.qd)
    return np.asarray(signals.effort - known)


def _finer(tau: Array, steps: int) -> Array:
    """Return torques (windows, samples, joints) at so many steps from sample to sample, linear between."""
    if steps == 1:
        return tau
    part = np.arange(steps)[:, None] / steps
    between = tau[:, :-1, None] + part * (tau[:, 1:, None] - tau[:, :-1, None])
    return np.concatenate([between.reshape(len(tau), -1, tau.shape[-1]), tau[:, -1:]], axis=1)


def _root_mean_squares(errors: Array) -> Array:
    """Return root mean squares over the first axis; infinite over nothing."""
    if not len(errors):
        return np.full(errors.shape[1:], np.inf)
    return np.asarray(np.sqrt(np.mean(errors**2, axis=0)))


def _spread(of: int, count: int) -> NDArray[np.intp]:
    """Return at most `count` of the numbers up to `of`, spread evenly."""
    return np.unique(np.linspace(0, of - 1, min(of, count)).round().astype(int))


def _too_long(log: Log, filters: Filters, horizon: float) -> LogError:
    """Return the error of a log without a stretch as long as the horizon."""
    return log.too_few(
        f"no stretch is as long as the horizon of {horizon:g} s, of {log.duration:.3g} s in all; rows near "
        f"gaps, saturated efforts and ends ({filters.settling:.2g} s) do not count. Give a shorter horizon"
    )
