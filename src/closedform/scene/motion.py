"""Motions that a scene can show: configurations, a trajectory, or a simulated motion."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays import Array
from ..checks import finite, real_array
from ..errors import ArgumentError, shown
from ..model import Model
from ..model.state import require_orientations
from ..programs import evaluate, trace

SAMPLES = 241
"""Most instants of a scene; a browser moves smoothly between them."""

POSE_BYTES = 1_000_000
"""Most bytes of poses, before they are compressed."""

MOST_GIVEN = 1_000_000
"""Configurations that a caller may give; those between the shown ones are left out."""

LARGEST = 1e6
"""Most of a coordinate, in rad or m: what is farther away has no place in a picture."""

INTERVAL = 0.1
"""Seconds between configurations whose times are not given."""


@dataclass(frozen=True, eq=False)
class Shown:
    """What is shown: instants t (n,), configurations (n, nq), and joint forces (n, nv) if there are some."""

    t: Array
    q: Array
    tau: Array | None = None


def read_motion(model: Model, motion: Any, t: Any, tau: Any, rows: int) -> Shown:
    """Return a motion at the instants that a scene with so many rows of poses shows."""
    if motion is None:
        q = model.neutral()[None]
    elif _is_trajectory(motion):
        if t is not None:
            raise ArgumentError("scene: t is for configurations; the trajectory has times of its own")
        return _sampled(model, motion, tau, rows)
    elif hasattr(motion, "q") and hasattr(motion, "t"):
        if t is not None:
            raise ArgumentError("scene: t is for configurations; the motion has times of its own")
        q, t = _states(model, motion.q), motion.t
        tau = getattr(motion, "tau", None) if tau is None else tau
    else:
        q = _states(model, motion)
    times: Array = read_times(np.arange(len(q)) * INTERVAL if t is None else t, len(q))
    forces = None if tau is None else _forces(model, tau, len(q))
    keep = kept(len(q), rows)
    return Shown(times[keep], q[keep], None if forces is None else forces[keep])


def read_ghost(model: Model, ghost: Any, count: int, rows: int) -> Array:
    """Return the configurations of a ghost at the instants that are shown: as many as the robot's, or one."""
    q = _states(model, ghost, "ghost")
    if len(q) not in (1, count):
        raise ArgumentError(f"scene: ghost has {len(q)} configurations; expected {count}, or one")
    return q[kept(count, rows)] if len(q) > 1 else q


def kept(count: int, rows: int) -> NDArray[np.intp]:
    """Return which of the samples are shown, the first and the last among them."""
    most = max(2, min(SAMPLES, POSE_BYTES // (28 * max(rows, 1))))
    return np.unique(np.linspace(0, count - 1, min(count, most)).round().astype(np.intp))


def read_times(t: Any, count: int) -> Array:
    """Return times (count,) that increase."""
    times = finite("scene: t", real_array("scene: t", t))
    if times.shape != (count,):
        raise ArgumentError(
            f"scene: t has shape {times.shape}; expected ({count},), a time per configuration"
        )
    late = np.flatnonzero(np.diff(times) <= 0)
    if len(late):
        k = int(late[0]) + 1
        raise ArgumentError(
            f"scene: t[{k}] is {times[k]:g} after {times[k - 1]:g}; expected times that increase"
        )
    return times


def _is_trajectory(motion: Any) -> bool:
    return callable(motion) and hasattr(motion, "duration") and hasattr(motion, "derivatives")


def _sampled(model: Model, trajectory: Any, tau: Any, rows: int) -> Shown:
    """Return a trajectory at even instants, with the joint forces that it takes."""
    if trajectory.dofs != model.nq or model.nq != model.nv:
        raise ArgumentError(
            f"scene: trajectory has {trajectory.dofs} coordinates; {model.name!r} has {model.nq}"
            + ("" if model.nq == model.nv else ", some of them quaternions: give configurations (n, nq)")
        )
    t = np.linspace(0.0, trajectory.duration, len(kept(SAMPLES, rows)))
    q, qd, qdd = (np.asarray(each, dtype=float) for each in trajectory.derivatives(t, 2))
    if tau is not None:
        raise ArgumentError(
            "scene: tau is for configurations; a trajectory has the joint forces that it takes"
        )
    if model.has_inertia:
        tau = evaluate(trace(model, "inverse_dynamics"), q, qd, qdd)
    return Shown(t, finite("scene: trajectory", q, LARGEST), tau)


def _states(model: Model, given: Any, what: str = "q") -> Array:
    """Return configurations (n, nq)."""
    nq = model.nq
    if isinstance(given, str | bytes | dict):
        raise ArgumentError(
            f"scene: {what} is {shown(given)}; expected configurations ({nq},) or (n, {nq}), a trajectory or "
            "a motion of `simulate`"
        )
    q = real_array(f"scene: {what}", given)
    if q.ndim == 2 and q.shape[1] == nq and not len(q):
        raise ArgumentError(f"scene: {what} has no configurations; expected at least one of {nq} coordinates")
    if q.ndim > 2 and q.shape[-1] == nq:
        raise ArgumentError(
            f"scene: {what} has shape {q.shape}, many motions; expected one of them, (n, {nq})"
        )
    if q.shape != (nq,) and not (q.ndim == 2 and q.shape[1] == nq):
        raise ArgumentError(f"scene: {what} has shape {q.shape}; expected ({nq},) or (n, {nq})")
    if q.ndim == 2 and len(q) > MOST_GIVEN:
        raise ArgumentError(f"scene: {what} has {len(q)} configurations; expected at most {MOST_GIVEN}")
    q = finite(f"scene: {what}", q, LARGEST)
    require_orientations(f"scene: {what}", model, q)
    return q.reshape(-1, nq) if nq else np.zeros((1, 0))


def _forces(model: Model, given: Any, count: int) -> Array:
    tau = finite("scene: tau", real_array("scene: tau", given))
    expected = (count, model.nv)
    if tau.shape != expected and not (count == 1 and tau.shape == (model.nv,)):
        raise ArgumentError(f"scene: tau has shape {tau.shape}; expected {expected}")
    return tau.reshape(expected)
