"""Transmissions: the gears between the motors, where logs are often recorded, and the joints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ...arrays import Array
from ...checks import batch_array, flag, real_array, sized_array, whole_number
from ...errors import ArgumentError
from ...guests import in_kind

MOST_JOINTS = 1000
"""Joints of a transmission."""


@dataclass(frozen=True)
class Axis:
    """A coordinate with drive losses of its own: s = direction . q, acting on tau as direction^T f(s).

    Every joint is such an axis. A motor that turns with several joints is one more: its friction
    and rotor inertia follow the motor's own angle, scaled to the joint it mainly drives. So is a `joint`
    that loops move: its direction depends on the posture, ones stand for it. A `passive` one has friction,
    but no drive.
    """

    label: str
    direction: Array
    joint: str | None = None
    passive: bool = False

    def takes(self, kind: str) -> bool:
        """Return whether the axis has terms of a kind: rotors and offsets are those of drives."""
        if kind in ("Ia", "of") and self.passive:
            return False
        if kind == "of":
            return not self.label.startswith("m")
        return not (kind == "fl" and (self.label.startswith("m") or self.joint is not None))


@dataclass(frozen=True)
class Transmission:
    """Gears between motors and joints: motor angles p = R (q - offset), tau = R^T (gain * effort).

    `reduction` is the matrix R (a vector is its diagonal; entries off the diagonal are gear
    couplings), `offset` the joint angles at p = 0, `gain` the drive gains in newton metres per
    logged unit. With `motor_positions=False` the log holds joint angles already and only efforts
    are converted.

    >>> wrist = Transmission.of(2, reduction=[[50, 0], [32, 32]])
    >>> wrist.joint_positions([[100.0, 96.0]])
    array([[2., 1.]])
    >>> wrist.joint_efforts([[0.0, 1.0]])
    array([[32., 32.]])
    >>> [axis.label for axis in wrist.axes]
    ['1', '2', 'm2']
    """

    reduction: Array
    offset: Array
    gain: Array
    motor_positions: bool = True

    @classmethod
    def of(
        cls,
        count: int,
        reduction: ArrayLike | None = None,
        offset: ArrayLike | None = None,
        gain: ArrayLike | None = None,
        motor_positions: bool = True,
    ) -> Transmission:
        """Return the transmission of `count` joints; what is not given is direct drive."""
        count = whole_number("transmission: count", count, 1, MOST_JOINTS)
        flag("motor_positions", motor_positions)
        R = real_array("reduction", np.eye(count) if reduction is None else reduction)
        R = np.diag(R) if R.ndim == 1 else R
        R = sized_array("reduction", R, (count, count))
        if np.linalg.matrix_rank(R / np.abs(R).max(initial=1e-300)) < count:
            raise ArgumentError(
                "reduction is singular; every joint needs a motor (row = motor, column = joint)"
            )
        if (np.diag(R) == 0).any():
            where = int(np.flatnonzero(np.diag(R) == 0)[0]) + 1
            raise ArgumentError(
                f"reduction[{where}, {where}] is zero; order the motors as the joints they drive"
            )
        offsets = sized_array("offset", np.zeros(count) if offset is None else offset, (count,))
        gains = sized_array("gain", np.ones(count) if gain is None else gain, (count,))
        if (gains == 0).any():
            raise ArgumentError("gain has a zero; a drive without effect cannot be identified")
        return cls(R, offsets, gains, motor_positions)

    @property
    def direct(self) -> bool:
        """Whether the log is of the joints themselves: no gears, offsets or gains."""
        same = np.array_equal(self.reduction, np.eye(len(self.reduction)))
        return bool(same and not self.offset.any() and (self.gain == 1).all())

    @in_kind
    def joint_positions(self, p: ArrayLike) -> Array:
        """Return q = R^-1 p + offset."""
        p = batch_array("transmission: p", p, len(self.gain))
        return np.asarray(self._joints(p) + self.offset)

    @in_kind
    def joint_rates(self, pd: ArrayLike) -> Array:
        """Return qd = R^-1 pd."""
        pd = batch_array("transmission: pd", pd, len(self.gain))
        return np.asarray(self._joints(pd))

    @in_kind
    def joint_steps(self, steps: ArrayLike) -> Array:
        """Return the steps of the joints whose motors come in some steps: the sums of their parts."""
        steps = sized_array("transmission: steps", steps, (len(self.gain),))
        return np.asarray(np.abs(self._joints(np.eye(len(steps)))).T @ steps)

    @in_kind
    def joint_efforts(self, effort: ArrayLike) -> Array:
        """Return tau = R^T (gain * effort)."""
        effort = batch_array("transmission: effort", effort, len(self.gain))
        with np.errstate(invalid="ignore", over="ignore"):  # a log may hold numbers that are not finite
            return np.asarray((effort * self.gain) @ self.reduction)

    def _joints(self, motors: Array) -> Array:
        """Return R^-1 times rows of the motors; rows of the joints as they are."""
        if not self.motor_positions:
            return motors
        with np.errstate(invalid="ignore", over="ignore"):
            return np.asarray(motors @ np.linalg.inv(self.reduction).T)

    @property
    def axes(self) -> tuple[Axis, ...]:
        """The joints, then the motors that turn with several joints."""
        n = len(self.reduction)
        joints = [Axis(f"{j + 1}", np.eye(n)[j]) for j in range(n)]
        coupled = [m for m in range(n) if np.count_nonzero(self.reduction[m]) > 1]
        return (*joints, *(Axis(f"m{m + 1}", self.reduction[m] / self.reduction[m, m]) for m in coupled))


def directions(axes: Sequence[Axis]) -> Array:
    """Return the directions of the axes as rows."""
    return np.array([axis.direction for axis in axes])
