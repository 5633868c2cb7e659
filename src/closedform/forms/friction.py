"""Joint friction: viscous damping and dry (Coulomb) friction, an explicit choice of the dynamics."""

from __future__ import annotations

import casadi as ca
from casadi import SX

from .algebra import constant
from .tree import Tree


def friction_torque(tree: Tree, qd: SX) -> SX:
    """Return damping qd + friction sign(qd), the joint forces that overcome the joints' friction.

    Per velocity, with `robot.damping` and `robot.friction`; of a ball or free joint each of its
    velocities has both. sign(0) is 0: a joint at rest has no friction here. Returns (nv).
    """
    return friction_rates(tree, qd)[0]


def friction_rates(tree: Tree, *rates: SX) -> tuple[SX, ...]:
    """Return the friction torques and their time derivatives from qd, qdd, ...; dry friction has none.

    At qd = 0, where dry friction jumps, the derivatives are those of damping too.
    """
    damping, dry = (constant(tree.of_joints(each)) for each in ("damping", "friction"))
    viscous = [damping * rate for rate in rates]
    return (viscous[0] + dry * ca.sign(rates[0]), *viscous[1:])
