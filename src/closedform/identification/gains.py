"""Drive gains: what one unit of logged effort is in newton metres, by the described inertias."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import ArgumentError, ClosedFormError, shown
from ..robot import Robot
from .cutoff import spectral_cutoff
from .log import Log
from .reading import read_log
from .signals import Filters, condition_signals, sampling_rate, thin, to_rows
from .tables import LogError

Array = NDArray[np.float64]

ROWS = 200_000
"""Samples of a log that are used."""

FEWEST = 20
"""Rows below which no gain is estimated."""

CERTAIN = 0.5
"""Part of the efforts' squares that the described torques must explain for a gain to count."""

FARTHEST = 8.0
"""Factor by which described and logged torques may differ before units are doubted."""


@dataclass(frozen=True)
class DriveGains:
    """Gains of the drives (N m or N per logged unit), and how much of the efforts they explain.

    `explained` is the part of each joint's squared efforts, beyond friction and a constant, that
    the described inertias account for: 0, with gains of one, where a log is too short to tell.
    """

    joints: tuple[str, ...]
    values: Array
    explained: Array


def drive_gains(robot: Robot, log: Log | Any, *, cutoff: float | None = None, **reading: Any) -> DriveGains:
    """Return drive gains g for which g * effort fits the described inertias and friction best.

    Each joint's effort is fitted by (tau_described(q, qd, qdd) + fv qd + fc sign(qd) + of) / g: for
    logs of motor currents, of which the scale and even the sign are unknown, and robots whose
    inertias are known from drawings.

    >>> import numpy as np, closedform as cf
    >>> arm = cf.load("2r")
    >>> t = np.arange(0, 20, 0.002)
    >>> q = np.stack([np.sin(t) + np.sin(2.7 * t), np.cos(1.3 * t) - np.sin(3.1 * t)], axis=1)
    >>> qd, qdd = np.gradient(q, t, axis=0), np.gradient(np.gradient(q, t, axis=0), t, axis=0)
    >>> tau = arm.inverse_dynamics(q, qd, qdd)
    >>> drive_gains(arm, {"t": t, "q": q, "current": tau / [20.0, -5.0]}).values.round(2)
    array([20., -5.])
    """
    if not isinstance(robot, Robot):
        raise ArgumentError(f"drive_gains: robot is {shown(robot)}; expected a Robot")
    if not robot.model.has_inertia:
        raise ClosedFormError(f"drive_gains: robot {robot.name!r} has no inertias to compare with")
    log = read_log(log, robot, **reading)
    if log.joints != robot.joint_names:
        raise LogError(
            "drive_gains: the log lacks joints of the robot; lock them first (closedform.identification.lock)"
        )
    samples = log.middle(ROWS)
    rate = sampling_rate(samples.time)
    if cutoff is not None and not (isinstance(cutoff, int | float) and 0 < cutoff < rate / 2):
        raise ArgumentError(
            f"drive_gains: cutoff is {shown(cutoff)}; expected Hz below half the sampling rate "
            f"({rate / 2:.4g})"
        )
    filters = Filters(rate, spectral_cutoff(samples, rate) if cutoff is None else cutoff)
    s = condition_signals(samples, filters)
    used = s.valid[:: filters.first][:: filters.second]
    values, explained = np.ones(robot.nv), np.zeros(robot.nv)
    if np.count_nonzero(used) < FEWEST:
        return DriveGains(log.joints, values, explained)
    columns = (robot.inverse_dynamics(s.q, s.qd, s.qdd), s.effort, s.qd, np.tanh(s.qd / 0.05))
    torque, effort, speed, sign = (to_rows(thin(x, filters), filters)[used] for x in columns)
    for j in range(robot.nv):
        losses = np.column_stack([speed[:, j], sign[:, j], np.ones(len(speed))])
        without = _residual(losses, effort[:, j])
        own = _residual(losses, torque[:, j])
        slope = float(own @ without / max(float(own @ own), 1e-300))
        rest = without - slope * own
        explained[j] = 1 - float(rest @ rest) / max(float(without @ without), 1e-300)
        values[j] = 1 / slope if slope else np.inf
    return DriveGains(log.joints, values, explained)


def check_gains(robot: Robot, log: Log, cutoff: float) -> None:
    """Refuse efforts whose scale or sign contradicts the described inertias."""
    if not robot.model.has_inertia:
        return
    found = drive_gains(robot, log, cutoff=cutoff)
    wrong = [
        (name, gain)
        for name, gain, share in zip(found.joints, found.values, found.explained, strict=True)
        if share > CERTAIN and not 1 / FARTHEST < gain < FARTHEST
    ]
    if wrong:
        name, gain = wrong[0]
        others = f" ({len(wrong) - 1} other joint(s) are off too)" if wrong[1:] else ""
        raise LogError(
            f"{log.source}: the described inertias need {gain:.3g} times the logged effort of joint {name!r}"
            f"{others}: motor currents, another unit or sign? Say gain=[...] or reduction=[...] "
            "(closedform.identification.drive_gains estimates them), or plausible=False if the described "
            "inertias are wrong"
        )


def _residual(columns: Array, target: Array) -> Array:
    return np.asarray(target - columns @ np.linalg.lstsq(columns, target, rcond=None)[0])
