"""Joint forces of external wrenches and their time derivatives."""

from __future__ import annotations

from casadi import SX

from .algebra import constant, cross
from .newton_euler import add_rates
from .node import Node
from .pairs import Screw, joint_twists, plus, product, rates_to_parent
from .tree import Tree


def external_torque(tree: Tree, q: SX, wrenches: SX) -> SX:
    """Return J^T W, the joint forces equivalent to wrenches the environment applies to the bodies.

    The equations of motion are M qdd + C qd + g = tau + J^T W. `wrenches` is (bodies, 6), each
    (moment; force) in its body frame about its origin [MuellerKumar2021, Eq. (27), with W of
    the opposite sign]. Returns (nv).
    """
    return external_torque_rates(tree, q, wrenches)[0]


def external_torque_dot(tree: Tree, q: SX, qd: SX, wrenches: SX, wrenches_dot: SX) -> SX:
    """Return the time derivative of J^T W for wrenches W and their rates in the body frames.

    Wrenches change as their bodies see them; seen from across a joint of twist v, F' gains v x F.
    Equals J^T (W' - (Aa)^T W) [MuellerKumar2021, Eq. (37)]. Returns (nv).
    """
    return external_torque_rates(tree, q, qd, wrenches, wrenches_dot)[1]


def external_torque_ddot(
    tree: Tree, q: SX, qd: SX, qdd: SX, wrenches: SX, wrenches_dot: SX, wrenches_ddot: SX
) -> SX:
    """Return the second time derivative of J^T W for wrenches and their rates in the body frames.

    The rule of the first derivative twice [MuellerKumar2021, Eq. (53)]. Returns (nv).
    """
    return external_torque_rates(tree, q, qd, qdd, wrenches, wrenches_dot, wrenches_ddot)[2]


def external_torque_rates(tree: Tree, q: SX, *given: SX) -> tuple[SX, ...]:
    """Return J^T W with its time derivatives, W being the wrenches of the bodies in their frames.

    From q, qd, ... and then W, W', ...: as many derivatives of the wrenches as of q. The rule of
    `external_torque_dot`, applied once per order. Each is (nv).
    """
    order = len(given) // 2
    rates, wrenches = given[:order], given[order:]
    at = tree.own_at(q)
    total = [[_in_node(node, each[i, :]) for each in wrenches] for i, node in enumerate(at.nodes)]
    tau = [SX.zeros(tree.nv) for _ in wrenches]
    for i, node, placement in at.leaves_first():
        for force, wrench in zip(tau, total[i], strict=True):
            add_rates(force, node, product(node.screws, wrench))
        if node.parent >= 0:
            moved = rates_to_parent(total[i], joint_twists(node, rates), *placement)
            total[node.parent] = [plus(a, b) for a, b in zip(total[node.parent], moved, strict=True)]
    return tuple(tau)


def _in_node(node: Node, wrench: SX) -> Screw:
    """Return a wrench in the user's body frame as one in the frame of the recursion."""
    R, c = constant(node.T_frame[:3, :3]), constant(node.T_frame[:3, 3])
    n, f = wrench[0, :3].T, wrench[0, 3:].T
    return R.T @ (n - cross(c, f)), R.T @ f
