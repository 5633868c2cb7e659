"""Joint friction: viscous, dry (Coulomb) and constant (offsets), an explicit choice of the dynamics."""

from __future__ import annotations

import casadi as ca
from casadi import SX

from .algebra import constant
from .tree import Tree

LOSSES = ("damping", "friction", "drive_offset")
"""Numbers of the joints that friction takes."""


def friction_torque(tree: Tree, qd: SX) -> SX:
    """Return damping qd + friction sign(qd) + drive_offset, what drives apply against the joints' losses.

    Per velocity, with `robot.damping`, `robot.friction` and `robot.drive_offset`; of a ball or free joint
    each of its velocities has all. sign(0) is 0: a joint at rest has no dry friction here. Returns (nv).
    """
    return friction_rates(tree, qd)[0]


def friction_rates(tree: Tree, *rates: SX) -> tuple[SX, ...]:
    """Return the friction torques and their time derivatives from qd, qdd, ...: those of damping.

    So they are at qd = 0 too, where dry friction jumps.
    """
    damping, dry, offset = (constant(tree.of_joints(each)) for each in LOSSES)
    viscous = [damping * rate for rate in rates]
    return (viscous[0] + dry * ca.sign(rates[0]) + offset, *viscous[1:])
