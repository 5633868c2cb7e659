"""Expected standard errors of an identification, from the motion and the noise of the torques."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ...arrays import Array
from ...checks import flag, known_name, one_each, positive
from ...errors import ArgumentError, shown
from ...trajectory import Harmonic
from ..base.result import BaseParameters
from ..logs.signals import Signals
from ..logs.transmission import Axis
from ..regression.design import Design, independent
from ..regression.friction import NO_FRICTION, FrictionTerms, axis_motion, term_columns

SAMPLES = 2000
"""Instants at which a motion is looked at; errors scale with the samples that are recorded."""

NOISES = (1e-12, 1e12)
"""Least and largest standard deviation of torques."""


@dataclass(frozen=True)
class ExpectedErrors:
    """Standard errors that a log of a motion would lead to, beside the described values.

    `values` are None of parameters that the description does not have.
    """

    names: tuple[str, ...]
    errors: Array
    values: tuple[float | None, ...]
    torque_noise: Array
    rate: float

    def __getitem__(self, name: str) -> float:
        """Return the standard error of a parameter."""
        return float(self.errors[self.names.index(known_name("parameter", name, self.names))])


def expected_errors(
    base: BaseParameters,
    motion: Harmonic,
    torque_noise: ArrayLike,
    rate: float,
    friction: FrictionTerms | None,
    rotors: bool,
) -> ExpectedErrors:
    """Return sqrt(diag((W^T S^-1 W)^-1)) of weighted least squares, with S = diag(noise^2) by joint.

    W has the columns that `identify` would have: base parameters, rotors and friction.
    """
    robot = base.robot
    noise = one_each("expected_errors: torque_noise", torque_noise, robot.nv)
    if not ((noise >= NOISES[0]) & (noise <= NOISES[1])).all():
        raise ArgumentError(
            f"expected_errors: torque_noise is {shown(torque_noise)}; expected numbers from {NOISES[0]:g} "
            f"to {NOISES[1]:g} N m or N"
        )
    rate = positive("expected_errors: rate", rate)
    flag("expected_errors: rotors", rotors)
    axes = tuple(Axis(f"{j + 1}", np.eye(robot.nv)[j]) for j in range(robot.nv))
    if friction is not None and not isinstance(friction, FrictionTerms):
        raise ArgumentError(f"expected_errors: friction is {shown(friction)}; expected FrictionTerms or None")
    if friction is not None and friction.load:
        raise ArgumentError("expected_errors: friction by load depends on values; leave load out")
    _, dependent = independent(robot, axes)
    design = Design.of(robot, base, axes, friction or NO_FRICTION, rotors, dependent)
    t = np.arange(SAMPLES) * motion.duration / SAMPLES
    q, qd, qdd = motion.derivatives(t, 2)
    W = np.zeros((SAMPLES, robot.nv, design.width))
    W[..., : base.count] = base.regressor(q, qd, qdd)
    signals = Signals(t, q, q, qd, qdd, 0 * q, np.ones(SAMPLES, dtype=bool))
    for k, column in enumerate(term_columns(design.drive, axis_motion(axes, signals))):
        W[..., base.count + k] = column[:, None] * axes[design.drive[k].axis].direction
    A = (W / noise[:, None]).reshape(-1, design.width)
    scale = np.linalg.norm(A, axis=0)
    scale = np.where(scale > 0, scale, 1.0)
    R = np.linalg.qr(A / scale, mode="r")
    with np.errstate(divide="ignore"):
        spread = np.linalg.norm(np.linalg.pinv(R), axis=1) / scale
    samples = rate * motion.duration / SAMPLES
    described: list[float | None] = [None] * design.width
    if robot.model.has_inertia:
        described[: base.count] = base.values.tolist()
    return ExpectedErrors(design.names, spread / np.sqrt(samples), tuple(described), noise, rate)
