"""Joint forces of external wrenches and their time derivatives."""

from __future__ import annotations

from math import comb

from ..model import Model
from .algebra import SX, constant, cross
from .motion import motions
from .newton_euler import add_rates
from .pairs import Screw, plus, product
from .tree import Node, recursion_tree


def external_torque(model: Model, q: SX, wrenches: SX) -> SX:
    """Return J^T W, the joint forces equivalent to wrenches the environment applies to the bodies.

    The equations of motion are M qdd + C qd + g = tau + J^T W. `wrenches` is (bodies, 6), each
    (moment; force) in its body frame about its origin [MuellerKumar2021, Eq. (27), with W of
    the opposite sign]. Returns (nv).
    """
    return _derivative(model, q, [], [wrenches])


def external_torque_dot(model: Model, q: SX, qd: SX, wrenches: SX, wrenches_dot: SX) -> SX:
    """Return the time derivative of J^T W for wrenches W and their rates in the body frames.

    Seen by an inertial observer the wrench of a body changes by W' - ad_V^T W, and
    (X . F)' = X' . F + X . F' for the wrenches F of each subtree; equals J^T (W' - (Aa)^T W)
    [MuellerKumar2021, Eq. (37)]. Returns (nv).
    """
    return _derivative(model, q, [qd], [wrenches, wrenches_dot])


def external_torque_ddot(
    model: Model, q: SX, qd: SX, qdd: SX, wrenches: SX, wrenches_dot: SX, wrenches_ddot: SX
) -> SX:
    """Return the second time derivative of J^T W for wrenches and their rates in the body frames.

    Leibniz' rule on X . F [MuellerKumar2021, Eq. (53)]. Returns (nv).
    """
    return _derivative(model, q, [qd, qdd], [wrenches, wrenches_dot, wrenches_ddot])


def _derivative(model: Model, q: SX, rates: list[SX], wrenches: list[SX]) -> SX:
    """Return the derivative of J^T W whose order is the number of rates."""
    order = len(rates)
    nodes = recursion_tree(model, regroup=False)
    placements = [node.placement(q) for node in nodes]
    moving = motions(nodes, placements, rates, order, "first")
    total = []
    for i, node in enumerate(nodes):
        own = [_in_node(node, each[i, :]) for each in wrenches]
        total.append([_seen(own, moving[i][0], k) for k in range(order + 1)])
    tau = SX.zeros(model.nv)
    for i in reversed(range(len(nodes))):
        node, (R, p), screws = nodes[i], placements[i], moving[i][1]
        joint = product(screws[0], total[i][order])
        for a in range(1, order + 1):
            joint = joint + comb(order, a) * product(screws[a], total[i][order - a])
        add_rates(tau, node, joint)
        if node.parent >= 0:
            for k, (n, f) in enumerate(total[i]):
                f_out = R.out(f)
                moved = (R.out(n) + cross(p, f_out), f_out)
                total[node.parent][k] = plus(total[node.parent][k], moved)
    return tau


def _in_node(node: Node, wrench: SX) -> Screw:
    """Return a wrench in the user's body frame as one in the frame of the recursion."""
    R, c = constant(node.T_frame[:3, :3]), constant(node.T_frame[:3, 3])
    n, f = wrench[0, :3].T, wrench[0, 3:].T
    return R.T @ (n - cross(c, f)), R.T @ f


def _seen(own: list[Screw], twists: list[Screw], k: int) -> Screw:
    """Return the k-th derivative of a wrench seen by the observer, from its derivatives in the body.

    F^(k) = (F^(k-1) of the derived wrench) + (V x F)^(k-1): one Leibniz sum per order.
    """
    if k == 0:
        return own[0]
    result = _seen(own[1:], twists, k - 1)
    for a in range(k):
        w, v = twists[a]
        n, f = _seen(own, twists, k - 1 - a)
        factor = comb(k - 1, a)
        result = plus(result, (factor * (cross(w, n) + cross(v, f)), factor * cross(w, f)))
    return result
