"""Tip-trajectory feedforward for a one-link arm by stable inversion.

The tip of a flexible link is not minimum phase: torques that make it follow a path start before
the path does. Splitting the internal dynamics and integrating its unstable part backwards in
time gives the one bounded solution [BayoPaden1987], [DevasiaChenPaden1996].
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arrays import Array
from ..checks import positive
from ..errors import ArgumentError, ClosedFormError
from .arm_motion import ArmMotion
from .joint_space import sampled
from .structure import ArmStructure

MAX_SAMPLES = 1_000_000
"""Samples of an inverted path, the time before and after it included."""

SETTLED = 1e-9
"""What is left of the internal motion at either end of the time before and after the path."""


def tip_inverse_dynamics(arm: ArmStructure, path: Any, step: float, duration: float | None) -> ArmMotion:
    """Return the motion whose tip follows the path; see `FlexibleArm.tip_inverse_dynamics`."""
    if arm.joints != 1 or arm.model.exact or arm.gravity.any():
        raise ArgumentError(
            f"{arm.name}: the tip is inverted for a one-link arm of first order without gravity; "
            "use joint_inverse_dynamics, or another arm"
        )
    reference, duration = sampled(path, duration, 1)
    step = positive("step", step)
    c, A, gain = _internal(arm)
    values, V = np.linalg.eig(A)
    rates = values.real
    if np.abs(rates).min() < 1e-6 * np.abs(values).max():
        raise ClosedFormError(f"{arm.name}: the tip has zeros on the imaginary axis; add damping")
    before, after = (
        -np.log(SETTLED) / np.abs(rates[side]).min(initial=np.inf) for side in (rates > 0, rates < 0)
    )
    if (before + duration + after) / step > MAX_SAMPLES:
        count = (before + duration + after) / step
        raise ArgumentError(
            f"{arm.name}: {count:.3g} samples of the path and of the time before and after it; at most "
            f"{MAX_SAMPLES}; take longer steps"
        )
    first, last = -int(np.ceil(before / step)), int(np.ceil((duration + after) / step))
    t = step * np.arange(first, last + 1, dtype=float)
    inside = (t >= 0) & (t <= duration)
    y, yd, ydd = np.stack([reference(min(max(s, 0.0), duration)) for s in t]).T
    yd, ydd = np.where(inside, yd, 0.0), np.where(inside, ydd, 0.0)
    xi = _split(values, np.linalg.solve(V, gain.astype(complex)), ydd, step)
    eta = (xi @ V.T).real
    delta, delta_rate = np.split(eta, 2, axis=-1)
    delta_acceleration = (eta @ A.T + ydd[:, None] * gain)[:, len(c) :]
    q, qd, qdd = (
        np.column_stack([p - d @ c, d]) for p, d in ((y, delta), (yd, delta_rate), (ydd, delta_acceleration))
    )
    return ArmMotion(arm, t, q, qd, np.asarray(arm.inverse_dynamics(q, qd, qdd)[..., :1]))


def _internal(arm: ArmStructure) -> tuple[Array, Array, Array]:
    """Return output c and the internal dynamics eta' = A eta + gain y'' of (delta, delta').

    With the tip's angle y = theta + c delta in place of theta, the rows of the modes read
    (M - b c^T) delta'' + D delta' + K delta = -b y''.
    """
    B = arm.mass_matrix(np.zeros(arm.size))
    b, M = B[1:, 0], B[1:, 1:]
    c = arm.modes[0].stacked("tip") / arm.links[0].length
    m = len(c)
    inverse = np.linalg.inv(M - np.outer(b, c))
    K, D = arm.stiffness[1:, 1:], arm.damping[1:, 1:]
    A = np.block([[np.zeros((m, m)), np.eye(m)], [-inverse @ K, -inverse @ D]])
    return c, A, np.concatenate([np.zeros(m), -inverse @ b])


def _split(values: Any, gains: Any, drive: Array, h: float) -> Any:
    """Return the bounded solutions of xi' = value xi + gain drive: stable forwards, unstable backwards.

    Exact for a drive that is linear between samples.
    """
    xi = np.zeros((len(drive), len(values)), dtype=complex)
    for k, (value, gain) in enumerate(zip(values, gains, strict=True)):
        sign = 1.0 if value.real < 0 else -1.0
        path = drive if sign > 0 else drive[::-1]
        a = sign * value * h  # of negative real part
        grow = np.exp(a)
        late = (grow - 1 - a) / a**2  # weights of the drive's end and start
        early = (grow - 1) / a - late
        force = sign * gain * h * (early * path[:-1] + late * path[1:])
        x = np.zeros(len(path), dtype=complex)
        for j, f in enumerate(force):
            x[j + 1] = grow * x[j] + f
        xi[:, k] = x if sign > 0 else x[::-1]
    return xi
