"""Springs of the joints, an explicit choice of the dynamics and of the potential energy."""

from __future__ import annotations

from typing import NamedTuple

import casadi as ca
from casadi import SX

from .algebra import constant
from .tree import Tree


class _Spring(NamedTuple):
    """A spring of a joint: its place in qd, stiffness and deflection, and how fast that grows with q.

    `ratio` is 1, or that of a mimic joint to the joint it follows.
    """

    iv: int
    stiffness: SX
    deflection: SX
    ratio: float


def spring_torque(tree: Tree, q: SX) -> SX:
    """Return stiffness (q - rest), the joint forces that hold the joints' springs at q.

    Of joints of one degree of freedom, with `robot.stiffness` and `robot.spring_rest`; others have no
    springs. Returns (nv).
    """
    return spring_rates(tree, q)[0]


def spring_rates(tree: Tree, q: SX, *rates: SX) -> tuple[SX, ...]:
    """Return the torques that hold the springs and their time derivatives, from q, qd, qdd, ..."""
    found = [SX(tree.nv, 1) for _ in range(1 + len(rates))]
    for each in _springs(tree, q):
        force = each.ratio * each.stiffness
        found[0][each.iv] += force * each.deflection
        for torque, rate in zip(found[1:], rates, strict=True):
            torque[each.iv] += force * each.ratio * rate[each.iv]
    return tuple(found)


def spring_gradient(tree: Tree, q: SX) -> SX:
    """Return the derivative of the spring torques by q, diagonal (nv, nv)."""
    found = SX(tree.nv, 1)
    for each in _springs(tree, q):
        found[each.iv] += each.ratio * each.ratio * each.stiffness
    return ca.diag(found)


def spring_energy(tree: Tree, q: SX) -> SX:
    """Return the energy of the springs, stiffness (q - rest)^2 / 2 over the joints."""
    parts = [0.5 * each.stiffness * each.deflection * each.deflection for each in _springs(tree, q)]
    return sum(parts, start=SX(1, 1))


def _springs(tree: Tree, q: SX) -> list[_Spring]:
    """Return the springs of the joints; those of joints that follow others act on these."""
    stiffness, rest = (constant(tree.of_joints(each)) for each in ("stiffness", "spring_rest"))
    found = []
    for body in tree.model.bodies:
        if body.joint.nv != 1 or not body.stiffness:
            continue
        x = q[body.iq]
        if body.coupling is None:
            found.append(_Spring(body.iv, stiffness[body.iv], x - rest[body.iv], 1.0))
        else:
            deflection = body.ratio * x + (body.coupling.offset - body.spring_rest)
            found.append(_Spring(body.iv, SX(body.stiffness), deflection, body.ratio))
    return found
