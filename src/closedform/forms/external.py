"""Joint forces of external wrenches and their time derivatives."""

from __future__ import annotations

from casadi import SX

from .environment import applied_wrenches, wrench_gradient
from .loads import Loads
from .newton_euler import add_rates
from .pairs import Screw, joint_twists, plus, product, rates_to_parent
from .reference import BODY
from .tree import Tree

Frames = tuple[str, ...] | None
"""Names of the frames that wrenches act at, or None for one of each body."""


def external_torque(tree: Tree, q: SX, wrenches: SX, *, frames: Frames = None, reference: str = BODY) -> SX:
    """Return J^T W, the joint forces equivalent to wrenches the environment applies to the bodies.

    The equations of motion are M qdd + C qd + g = tau + J^T W. `wrenches` is (bodies, 6), each
    (moment; force) in its body frame about its origin [MuellerKumar2021, Eq. (27), with W of
    the opposite sign]. Returns (nv).

    Or {frame: (6)}. `reference` is "body" (the frame's axes and origin, default), "world_aligned"
    (the base's axes, the frame's origin) or "world" (the base's axes and origin).
    """
    return external_torque_rates(tree, q, wrenches, frames=frames, reference=reference)[0]


def external_torque_dot(
    tree: Tree,
    q: SX,
    qd: SX,
    wrenches: SX,
    wrenches_dot: SX,
    *,
    frames: Frames = None,
    reference: str = BODY,
) -> SX:
    """Return the time derivative of J^T W for wrenches W and their rates in the body frames.

    Wrenches change as their bodies see them; seen from across a joint of twist v, F' gains v x F.
    Equals J^T (W' - (Aa)^T W) [MuellerKumar2021, Eq. (37)]. Returns (nv).

    Wrenches of frames and in other axes as in `external_torque`; rates are in the same axes.
    """
    return external_torque_rates(tree, q, qd, wrenches, wrenches_dot, frames=frames, reference=reference)[1]


def external_torque_ddot(
    tree: Tree,
    q: SX,
    qd: SX,
    qdd: SX,
    wrenches: SX,
    wrenches_dot: SX,
    wrenches_ddot: SX,
    *,
    frames: Frames = None,
    reference: str = BODY,
) -> SX:
    """Return the second time derivative of J^T W for wrenches and their rates in the body frames.

    The rule of the first derivative twice [MuellerKumar2021, Eq. (53)]. Returns (nv). Wrenches of
    frames and in other axes as in `external_torque_dot`.
    """
    given = (qd, qdd, wrenches, wrenches_dot, wrenches_ddot)
    return external_torque_rates(tree, q, *given, frames=frames, reference=reference)[2]


def external_torque_rates(
    tree: Tree, q: SX, *given: SX, frames: Frames = None, reference: str = BODY
) -> tuple[SX, ...]:
    """Return J^T W with its time derivatives, W being the wrenches of the bodies in their frames.

    From q, qd, ... and then W, W', ...: as many derivatives of the wrenches as of q. The rule of
    `external_torque_dot`, applied once per order. Each is (nv). Wrenches of frames and in other axes
    as in `external_torque_dot`.
    """
    order = len(given) // 2
    rates, wrenches = given[:order], given[order:]
    at = tree.own_at(q)
    total: list[list[Screw]] = [[(SX(3, 1), SX(3, 1)) for _ in wrenches] for _ in at.nodes]
    for each in applied_wrenches(tree, at, rates, Loads(wrenches, frames, reference)):
        own = zip(total[each.body], each.wrench, strict=True)
        total[each.body] = [plus(screw, (W[:3], W[3:])) for screw, W in own]
    tau = [SX.zeros(tree.nv) for _ in wrenches]
    for i, node, placement in at.leaves_first():
        for force, wrench in zip(tau, total[i], strict=True):
            add_rates(force, node, product(node.screws, wrench))
        if node.parent >= 0:
            moved = rates_to_parent(total[i], joint_twists(node, rates), *placement)
            total[node.parent] = [plus(a, b) for a, b in zip(total[node.parent], moved, strict=True)]
    return tuple(tau)


def external_torque_dq(
    tree: Tree, q: SX, wrenches: SX, *, frames: Frames = None, reference: str = BODY
) -> SX:
    """Return d (J^T W) / dq for constant wrenches, by body-frame (right) perturbations of the joints.

    Wrenches and their axes, in which they are constant, as in `external_torque`: a force in the
    base's axes does not turn with its body. Returns (nv, nv).
    """
    at = tree.own_at(q)
    acting = applied_wrenches(tree, at, (), Loads((wrenches,), frames, reference))
    return wrench_gradient(at, tree.nv, acting, reference)
