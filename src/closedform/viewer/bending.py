"""A flexible arm in real time: torques in, a bent arm out."""

from __future__ import annotations

import warnings

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Array
from ..checks import sized_array
from ..errors import ClosedFormError
from ..flexible import FlexibleArm

STEP = 1e-3
"""Seconds of one integration step."""

LONGEST = 0.1
"""Seconds that are made up for at once; a slower machine shows a slower arm."""

STATIONS = 15
"""Points along each link."""

BENT = 0.3
"""Deflection over length above which the model, of small deflections, says nothing."""


class BendingState:
    """The state of a flexible arm under torques that are set at any time.

    If the integration fails or the links bend beyond what the model holds for, the arm stops where it was
    and `note` says so.

    >>> import closedform as cf
    >>> state = BendingState(cf.FlexibleArm.deluca_siciliano())
    >>> state.set_torque(0, 0.1)
    >>> state.advance(0.05), state.time
    (True, 0.05)
    >>> state.points().shape
    (30, 2)
    """

    def __init__(self, arm: FlexibleArm, q: ArrayLike | None = None) -> None:
        self.arm = arm
        self.start = np.zeros(arm.size) if q is None else sized_array("view: q", q, (arm.size,))
        self.torques = np.zeros(arm.joints)
        self.magnified = 1.0
        self.rest()

    def rest(self) -> None:
        """Begin again, at rest, without torques."""
        self.q, self.qd = self.start.copy(), np.zeros(self.arm.size)
        self.torques[:] = 0.0
        self.time, self.note, self.running = 0.0, "", True

    def hold(self) -> None:
        """Stop all velocities where the arm is."""
        self.qd[:] = 0.0

    def set_torque(self, joint: int, torque: float) -> None:
        """Set the torque of a joint from now on; what is not a number is not taken over."""
        if np.isfinite(torque):
            self.torques[joint] = torque

    @property
    def ranges(self) -> Array:
        """Torques up to which the sliders go: those that turn the stretched arm by 90 degrees in a second."""
        B = np.asarray(self.arm.mass_matrix(np.zeros(self.arm.size)))
        n = self.arm.joints
        weight = np.abs(np.asarray(self.arm.gravity_torque(np.zeros(self.arm.size))))[:n]
        found: Array = np.pi * np.diag(B)[:n] + 1.5 * weight
        return found

    def advance(self, seconds: float) -> bool:
        """Simulate some seconds under the present torques; return whether the arm has moved."""
        steps = round(min(seconds, LONGEST) / STEP)
        if not self.running or steps < 1:
            return False
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # deflections are looked at below
                run = self.arm.simulate(self.q, self.qd, self.torques.copy(), steps * STEP, STEP)
        except ClosedFormError as error:
            return self._stop(str(error))
        q, qd = run.q[-1], run.qd[-1]
        if not (np.isfinite(q).all() and np.isfinite(qd).all()):
            return self._stop("the motion is not finite")
        if self.deflection(q) > BENT:
            return self._stop(
                f"a link bends by more than {BENT:g} of its length, beyond what the model holds for"
            )
        self.q, self.qd = q, qd
        self.time = round(self.time + steps * STEP, 6)
        return True

    def deflection(self, q: Array | None = None) -> float:
        """Return the largest deflection of a link's end over its length."""
        q = self.q if q is None else q
        tips = [
            abs(float(modes.stacked("tip") @ q[part])) / link.length
            for link, modes, part in zip(self.arm.links, self.arm.modes, self.arm.model.parts, strict=True)
        ]
        return max(tips)

    def points(self) -> Array:
        """Return points (links times stations, 2) along the arm, deflections magnified."""
        factors = np.where(np.arange(self.arm.size) < self.arm.joints, 1.0, self.magnified)
        found: Array = self.arm.points(self.q * factors, STATIONS)
        return found

    def _stop(self, why: str) -> bool:
        self.running, self.note = False, f"{why}: the arm is stopped where it was; press Begin again"
        return False
