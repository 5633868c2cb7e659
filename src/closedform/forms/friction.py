"""Joint friction: viscous, dry, smooth and constant (offsets), an explicit choice of the dynamics."""

from __future__ import annotations

from math import e, sqrt

import casadi as ca
from casadi import SX

from ..model import Model
from .algebra import constant
from .tree import Tree

CURVE = ("smooth_friction", "smooth_speed", "stribeck_friction", "stribeck_speed", "damping_asymmetry")
"""Numbers of the joints behind `friction_curve`."""

LOSSES = ("damping", "friction", "drive_offset", *CURVE, "load_friction")
"""Numbers of the joints that friction takes."""


def friction_torque(tree: Tree, qd: SX) -> SX:
    """Return damping qd + friction sign(qd) + drive_offset, what drives apply against the joints' losses.

    Per velocity, with `robot.damping`, `robot.friction` and `robot.drive_offset`, and what
    `with_friction_curve` adds: smooth friction tanh(qd / speed), Stribeck friction and |qd| by direction.
    Of a ball or free joint each of its velocities has all. sign(0) is 0: a joint at rest has no dry
    friction here. Returns (nv).
    """
    return friction_rates(tree, qd)[0]


def friction_rates(tree: Tree, *rates: SX) -> tuple[SX, ...]:
    """Return the friction torques and their time derivatives from qd, qdd, ...

    Dry friction has none, at qd = 0 neither, where it jumps.
    """
    damping, dry, offset = (constant(tree.of_joints(each)) for each in LOSSES[:3])
    viscous = [damping * rate for rate in rates]
    found = (viscous[0] + dry * ca.sign(rates[0]) + offset, *viscous[1:])
    if not is_curved(tree.model):
        return found
    v = [SX.sym(f"v{k}", tree.nv) for k in range(len(rates))]
    curve = [friction_curve(tree, v[0])]
    for k in range(1, len(rates)):
        curve.append(ca.jtimes(curve[-1], ca.vertcat(*v[:k]), ca.vertcat(*v[1 : k + 1])))
    return tuple(a + b for a, b in zip(found, ca.substitute(curve, v, list(rates)), strict=True))


def is_curved(model: Model) -> bool:
    """Return whether a joint has friction that is a smooth function of the speed, other than viscous."""
    return any(model.joint_array(name).any() for name in CURVE[::2])


def friction_curve(tree: Tree, qd: SX) -> SX:
    """Return the friction that is a smooth function of the speed, velocity by velocity.

    smooth tanh(qd / ws) + stribeck sqrt(2 e) (qd / wt) exp(-(qd / wt)^2) + asymmetry |qd|, with the speeds
    ws and wt; the second has its peak, stribeck, at 0.71 wt [ArmstrongDupontCanudas1994]. Returns (nv).
    """
    smooth, ws, peak, wt, asymmetry = (constant(tree.of_joints(each)) for each in CURVE)
    numbers = [tree.model.joint_array(each) for each in CURVE[::2]]
    found = SX(tree.nv, 1)
    for i in range(tree.nv):
        if numbers[0][i]:
            found[i] += smooth[i] * ca.tanh(qd[i] / ws[i])
        if numbers[1][i]:
            r = qd[i] / wt[i]
            found[i] += peak[i] * sqrt(2 * e) * r * ca.exp(-r * r)
        if numbers[2][i]:
            found[i] += asymmetry[i] * ca.fabs(qd[i])
    return found


def friction_slope(tree: Tree, qd: SX) -> SX:
    """Return the derivative of the friction torques by qd, velocity by velocity; dry friction has none."""
    damping = constant(tree.of_joints("damping"))
    return damping + curve_slope(tree, qd) if is_curved(tree.model) else damping


def curve_slope(tree: Tree, qd: SX) -> SX:
    """Return the derivative of `friction_curve` by qd, velocity by velocity."""
    v = SX.sym("v", tree.nv)
    slope = ca.jtimes(friction_curve(tree, v), v, SX.ones(tree.nv))
    return ca.substitute(slope, v, qd)


def load_friction(tree: Tree, link: SX, qd: SX) -> SX:
    """Return the part of the torques `link`, transmitted to the links, that gears lose: part |link| sign(qd).

    With `robot.load_friction` [HamonGautierGarrec2011]. Returns (nv).
    """
    part = constant(tree.of_joints("load_friction"))
    return part * ca.fabs(link) * ca.sign(qd)
