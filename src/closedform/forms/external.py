"""Joint forces of external wrenches and their time derivatives."""

from __future__ import annotations

from casadi import SX

from .algebra import constant, cross
from .convective import series_to_parent, wrench_matrices
from .newton_euler import add_rates
from .node import Node
from .pairs import Screw, plus, product
from .tree import Tree


def external_torque(tree: Tree, q: SX, wrenches: SX) -> SX:
    """Return J^T W, the joint forces equivalent to wrenches the environment applies to the bodies.

    The equations of motion are M qdd + C qd + g = tau + J^T W. `wrenches` is (bodies, 6), each
    (moment; force) in its body frame about its origin [MuellerKumar2021, Eq. (27), with W of
    the opposite sign]. Returns (nv).
    """
    return _derivative(tree, q, [], [wrenches])


def external_torque_dot(tree: Tree, q: SX, qd: SX, wrenches: SX, wrenches_dot: SX) -> SX:
    """Return the time derivative of J^T W for wrenches W and their rates in the body frames.

    Wrenches change as the bodies see them, and past each joint by its twist v: F' gains v x F.
    Equals J^T (W' - (Aa)^T W) [MuellerKumar2021, Eq. (37)]. Returns (nv).
    """
    return _derivative(tree, q, [qd], [wrenches, wrenches_dot])


def external_torque_ddot(
    tree: Tree, q: SX, qd: SX, qdd: SX, wrenches: SX, wrenches_dot: SX, wrenches_ddot: SX
) -> SX:
    """Return the second time derivative of J^T W for wrenches and their rates in the body frames.

    The rule of the first derivative twice [MuellerKumar2021, Eq. (53)]. Returns (nv).
    """
    return _derivative(tree, q, [qd, qdd], [wrenches, wrenches_dot, wrenches_ddot])


def _derivative(tree: Tree, q: SX, rates: list[SX], wrenches: list[SX]) -> SX:
    """Return the derivative of J^T W whose order is the number of rates."""
    at = tree.own_at(q)
    total = [[_in_node(node, each[i, :]) for each in wrenches] for i, node in enumerate(at.nodes)]
    tau = SX.zeros(tree.nv)
    for i, node, placement in at.leaves_first():
        add_rates(tau, node, product(node.screws, total[i][-1]))
        if node.parent >= 0:
            moved = series_to_parent(total[i], wrench_matrices(node, rates), *placement)
            total[node.parent] = [plus(a, b) for a, b in zip(total[node.parent], moved, strict=True)]
    return tau


def _in_node(node: Node, wrench: SX) -> Screw:
    """Return a wrench in the user's body frame as one in the frame of the recursion."""
    R, c = constant(node.T_frame[:3, :3]), constant(node.T_frame[:3, 3])
    n, f = wrench[0, :3].T, wrench[0, 3:].T
    return R.T @ (n - cross(c, f)), R.T @ f
