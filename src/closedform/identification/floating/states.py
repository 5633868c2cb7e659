"""States of a legged robot: its log on an even clock, filtered, with all generalised coordinates."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ...arrays import Array
from ..logs.signals import (
    KINEMATIC,
    Filters,
    Samples,
    Signals,
    condition_signals,
    differentiate,
    thin,
    zero_phase,
)
from .log import FloatingLog
from .pose import body_motion, continuous, filtered_rotations

BLURRED = 0.3
"""Part of the cutoff's period beside a change of contacts in which filters blur it: not used."""


@dataclass(frozen=True)
class States:
    """A stretch of motion: `signals` of all dofs at the full rate, then what the states hold.

    The coordinates of the base are zero in `signals`, which are for the drives.

    `force` (states, nv) is (0, tau) + J_m^T W of the measured wrenches; `contacts` are those of feet whose
    forces are unknown; `valid` states are away from ends, gaps and changes of contact.
    """

    signals: Signals
    time: Array
    q: Array
    qd: Array
    qdd: Array
    force: Array
    contacts: dict[str, NDArray[np.bool_]]
    valid: NDArray[np.bool_]


def states(log: FloatingLog, filters: Filters) -> Iterator[States]:
    """Yield the states of each recording without a pause."""
    for start, stop in log.joints.runs:
        samples = log.joints.samples(start, stop)
        if filters.settle_in(samples.time) and len(samples.time) == stop - start:
            yield _states(log, samples, slice(start, stop), filters)


def _states(log: FloatingLog, samples: Samples, rows: slice, filters: Filters) -> States:
    robot, rate, step = log.robot, filters.rate, filters.first
    joints = condition_signals(samples, filters)
    time = joints.time

    def even(values: Array) -> Array:
        if len(time) == len(samples.time) and np.array_equal(time, samples.time):
            return values
        from scipy.interpolate import make_interp_spline  # noqa: PLC0415 (slow to import)

        return np.asarray(make_interp_spline(samples.time, values, k=3)(time))

    cutoff = KINEMATIC * filters.cutoff
    position = zero_phase(even(log.position[rows]), cutoff, rate)
    quaternion = filtered_rotations(continuous(even(log.quaternion[rows])), cutoff, rate)
    twist, acceleration = body_motion(position, quaternion, rate)
    if log.twist is not None:
        twist = zero_phase(even(log.twist[rows]), cutoff, rate)
        acceleration = differentiate(twist, rate)[0]
    still = np.zeros((len(time), 6))
    signals = replace(
        joints,
        fine=np.concatenate([still, joints.fine], axis=1),
        q=np.concatenate([still, joints.q], axis=1),
        qd=np.concatenate([twist, joints.qd], axis=1),
        qdd=np.concatenate([acceleration, joints.qdd], axis=1),
        effort=np.concatenate([still, joints.effort], axis=1),
    )
    whole = np.concatenate([position, quaternion, joints.q], axis=1)
    q, qd, qdd = (np.ascontiguousarray(x[::step]) for x in (whole, signals.qd, signals.qdd))
    force = thin(signals.effort, filters)
    for foot, wrench in log.wrenches.items():
        reference = "body" if log.axes == "foot" else "world_aligned"
        W = thin(even(wrench[rows]), filters)
        force = force + robot.external_torque(q, {foot: W}, reference=reference)
    valid = signals.valid[::step].copy()
    contacts = {}
    for foot, stands in log.contacts.items():
        raw = np.interp(time, samples.time, stands[rows].astype(float)) > 0.5
        changes = time[1:][raw[1:] != raw[:-1]]
        contacts[foot] = raw[::step]
        valid &= ~_near(time[::step], changes, BLURRED / filters.cutoff)
    return States(signals, time[::step], q, qd, qdd, force, contacts, valid)


def _near(time: Array, events: Array, margin: float) -> NDArray[np.bool_]:
    """Return which times are within a margin of an event."""
    if not len(events):
        return np.zeros(len(time), dtype=bool)
    after = np.searchsorted(events, time)
    before = np.abs(time - events[np.clip(after - 1, 0, len(events) - 1)])
    following = np.abs(time - events[np.clip(after, 0, len(events) - 1)])
    return np.asarray(np.minimum(before, following) < margin)
