"""Gears that lose a part of the torque that they transmit: what friction by load does to a motion."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import casadi as ca
import numpy as np
from casadi import SX

from ..arrays import Array
from ..errors import ArgumentError
from ..forms.algebra import constant
from ..lazy import cached_property
from ..model import Model

PASSES, MORE_PASSES = 3, 5
"""Solutions for the accelerations of joints whose rotors take a part in the sign of what gears transmit, and
those if a gear loses more than `LOSSY`.

Three find the signs of all of 48000 random robots of 2 to 7 joints with fl up to 0.3, and all but 3 of 24000
with fl up to 0.8; five find all of 6000 with fl up to 0.95, of which three miss 2."""

LOSSY = 0.3
"""Part fl beyond which more passes are taken: that of worm gears."""


@dataclass(frozen=True, eq=False)
class GearLosses:
    """The part fl of the torques of the links that gears lose, and the rotors A ahead of them, by velocity.

    Links take the torque l and gears lose fl |l| s of it, s being the direction of motion
    [HamonGautierGarrec2011]. With the drive's torque t, less all smooth losses, and Coulomb friction fc,

        t = A qdd + l + s fc + s fl |l|,   so that   l = k (t - A qdd - s fc),   k = 1 / (1 + s fl sign(l))

    where l and t - A qdd - s fc have the same sign if fl < 1: one motion follows. Rotors of mimic joints
    turn with the joint that they follow, and its gear transmits nothing to them.
    """

    part: Array
    rotors: Array

    @classmethod
    def of(cls, model: Model, friction: bool) -> GearLosses:
        """Return the losses of a robot, none without friction; gears that lose all are refused."""
        part, rotors = np.zeros(model.nv), np.zeros(model.nv)
        if friction:
            part = model.joint_array("load_friction")
            for body in model.independent:
                if body.load_friction >= 1:
                    raise ArgumentError(
                        f"simulate: joint {body.joint_name!r} loses the part {body.load_friction:g} of the "
                        "torque that its gear transmits; a motion follows from parts below 1: set it by "
                        "with_friction_curve(load_friction=...)"
                    )
        for body in model.bodies:
            rotors[body.velocities] += body.ratio**2 * body.armature
        return cls(part, rotors)

    @property
    def any(self) -> bool:
        """Whether any gear loses torque."""
        return bool(self.part.any())

    @property
    def passes(self) -> int:
        """How often the accelerations are solved for: once if no rotor is ahead of a gear that loses."""
        if not (self.part * self.rotors).any():
            return 1
        return MORE_PASSES if self.part.max() > LOSSY else PASSES

    @cached_property
    def symbols(self) -> tuple[SX, SX]:
        """The numbers fl and A for expressions, without entries of zero."""
        return constant(self.part), constant(self.rotors)

    def excess(self, s: Any, w: Any) -> Any:
        """Return k - 1 of joints that move with the signs s, of numbers or expressions w = t - A qdd - s fc.

        Of a joint that is held, s = 0, it is zero.
        """
        x = s * self.symbols[0] * ca.sign(w) if isinstance(w, SX) else s * self.part * np.sign(w)
        return -x / (1 + x)

    def widened(self, t: SX, coulomb: SX) -> tuple[SX, SX]:
        """Return what load adds to the least and the most reaction, -fc and fc, of joints that are held.

        M qdd = p + r with qdd_i = 0 holds from where l = t + r would begin to move the joint forth,
        r = k (t - fc) - t, to where it would begin to move back, r = k (t + fc) - t.
        """
        forth, back = t - coulomb, t + coulomb
        return self.excess(1, forth) * forth, self.excess(-1, back) * back
