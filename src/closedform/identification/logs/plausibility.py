"""Plausibility: logs that cannot be in the units they are read in are refused, each with a hint."""

from __future__ import annotations

import numpy as np

from ...loops import ClosedRobot
from ...robot import Robot
from ..joints import joint_bodies, limit_array
from .errors import LogError
from .log import STILL, Log
from .signals import Samples

SLOWEST = 5.0
"""Samples per second below which no dynamics can be seen."""

FASTEST = 2e5
"""Samples per second beyond which a clock is in the wrong unit."""

BEYOND = 2.0
"""Times a limit must be exceeded before units are doubted."""

BURST = 0.2
"""First percentile of the time from row to row over its mean, below which stamps come in bursts."""

ROWS = 200_000
"""Rows looked at; more would show nothing new."""


def check_plausible(robot: Robot | ClosedRobot, log: Log) -> None:
    """Refuse a log whose clock, angles, speeds or torques cannot be in the units they are read in."""
    rate = 1 / float(np.median(np.diff(log.time)))
    if rate < SLOWEST:
        raise LogError(
            f"{log.source}: {rate:.3g} samples per second over {log.duration:.4g} s; is the time in "
            'milliseconds? Say units={"time": "ms"} (or "us", "ns")'
        )
    if rate > FASTEST:
        raise LogError(
            f"{log.source}: {rate:.3g} samples per second; is the time in another unit than seconds? "
            'Say units={"time": "min"}, or give rate= in Hz'
        )
    samples = log.middle(ROWS)
    _check_positions(robot, log, samples)
    _check_speeds(robot, log, samples)
    _check_velocities(log, samples)
    _check_efforts(robot, log, samples)


def check_motion(log: Log) -> None:
    """Refuse joints that do not move, by name."""
    still = [name for name, span in zip(log.joints, log.ranges(ROWS), strict=True) if span < STILL]
    if still:
        place = log.samples(0, 1).position[0, log.joints.index(still[0])]
        raise LogError(
            f"{log.source}: joint(s) {', '.join(still)} do not move; record them moving, or lock them: "
            f"locked={{{still[0]!r}: {place:.4g}}}"
        )


def _check_positions(robot: Robot | ClosedRobot, log: Log, samples: Samples) -> None:
    turning = np.array([body.joint.turns_about_axis for body in joint_bodies(robot)])
    lower, upper = limit_array(robot, "lower"), limit_array(robot, "upper")
    reach = np.maximum(np.abs(lower), np.abs(upper))
    largest = np.abs(samples.position).max(axis=0)
    limited = np.isfinite(reach) & (reach > 0)
    for j, name in enumerate(log.joints):
        if not limited[j] or largest[j] <= BEYOND * reach[j]:
            continue
        if turning[j] and np.radians(largest[j]) <= BEYOND * reach[j]:
            hint = 'are the angles in degrees? Say units={"position": "deg"}'
        elif not turning[j] and largest[j] / 1000 <= BEYOND * reach[j]:
            hint = 'are they in millimetres? Say units={"position": "mm"}'
        else:
            hint = "are they motor angles? Say reduction=[...], or check that the log is of this robot"
        raise LogError(
            f"{log.source}: joint {name!r} reaches {largest[j]:.4g} but its limit is {reach[j]:.4g}; {hint}"
        )
    turns = largest > 8 * np.pi
    if turning.any() and (turns & turning & ~limited).sum() > turning.sum() / 2:
        j = int(np.argmax(largest * turning))
        raise LogError(
            f"{log.source}: joint {log.joints[j]!r} reaches {largest[j]:.4g} rad, four turns and more; are "
            'the angles in degrees (units={"position": "deg"}) or of the motors (reduction=[...])?'
        )


def _check_speeds(robot: Robot | ClosedRobot, log: Log, samples: Samples) -> None:
    slope = np.percentile(np.abs(np.gradient(samples.position, samples.time, axis=0)), 99, axis=0)
    steps = np.diff(samples.time)
    shortest, mean = float(np.percentile(steps, 1)), float(np.mean(steps))
    hint = (
        f"are time stamps uneven (rows come {1e3 * shortest:.2g} ms apart, {1e3 * mean:.2g} ms on average)? "
        "Give rate= in Hz if the rows were sampled evenly"
        if shortest < BURST * mean
        else 'are angles in degrees, or time in another unit? Say units={"position": "deg"} or {"time": "ms"}'
    )
    for name, speed, limit in zip(log.joints, slope, limit_array(robot, "velocity"), strict=True):
        if 0 < 10 * BEYOND * limit < speed:
            raise LogError(
                f"{log.source}: joint {name!r} moves at {speed:.4g} rad/s, its limit is {limit:.4g}: {hint}"
            )


def _check_velocities(log: Log, samples: Samples) -> None:
    """Compare logged speeds with the slope of the positions: their ratio gives away a wrong unit."""
    if samples.velocity is None:
        return
    slope = np.gradient(samples.position, samples.time, axis=0)
    power = np.sum(slope**2)
    if power == 0:
        return
    ratio = abs(float(np.sum(slope * samples.velocity) / power))
    known = {
        180 / np.pi: 'velocities in deg/s? Say units={"velocity": "deg/s"}',
        np.pi / 180: 'positions in degrees? Say units={"position": "deg"}',
        1000.0: 'time in milliseconds? Say units={"time": "ms"}',
        30 / np.pi: 'velocities in rpm? Say units={"velocity": "rpm"}',
    }
    for value, hint in known.items():
        if 0.8 < ratio / value < 1.25:
            raise LogError(
                f"{log.source}: logged velocities are {ratio:.3g} times the slope of positions; {hint}"
            )


def _check_efforts(robot: Robot | ClosedRobot, log: Log, samples: Samples) -> None:
    limit = limit_array(robot, "effort")
    largest = np.percentile(np.abs(samples.effort), 99, axis=0)
    for j, name in enumerate(log.joints):
        if np.isfinite(limit[j]) and limit[j] > 0 and largest[j] > 10 * BEYOND * limit[j]:
            hint = (
                'in N mm or mN m? Say units={"effort": "mNm"}'
                if largest[j] / 1000 <= limit[j] * BEYOND
                else ("in another unit than N m? Say gain=[...]")
            )
            raise LogError(
                f"{log.source}: effort of joint {name!r} reaches {largest[j]:.4g}, its limit is "
                f"{limit[j]:.4g}; {hint}"
            )
    counts = np.ones(samples.effort.shape) if samples.importance is None else samples.importance
    columns = zip(log.joints, samples.effort.T, counts.T, strict=True)
    moving = np.ptp(samples.position, axis=0) >= STILL  # a joint that rests may need no effort
    silent = [
        name
        for (name, effort, count), moves in zip(columns, moving, strict=True)
        if moves and count.any() and not effort.any()
    ]
    if not samples.effort.any():
        raise LogError(f"{log.source}: every effort is zero; is the right column read?")
    if silent:
        raise LogError(
            f"{log.source}: every effort of {', '.join(silent)} is zero: does its drive report none? Lock "
            f"what it moves (locked=[{silent[0]!r}]), or read another column"
        )
