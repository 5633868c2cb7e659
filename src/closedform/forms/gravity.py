"""Gravity torques and their time derivatives."""

from __future__ import annotations

from casadi import SX

from .algebra import cross
from .newton_euler import add_rates
from .series import at_rest_in_space, leibniz
from .subtree_rates import SubtreeRates, subtree_rates
from .tree import Posture, Tree


def gravity_torque(tree: Tree, q: SX) -> SX:
    """Return g(q), the joint forces that hold the robot still.

    The first moments of each subtree turn gravity into a moment about its joint:
    g_i = X_i . (ms x a; m a) with the upward acceleration a = -gravity in frame i. Equals
    J^T M U G [MuellerKumar2021, Eq. (25)]. Returns (nv).
    """
    return gravity_torque_rates(tree, q)[0]


def gravity_torque_dot(tree: Tree, q: SX, qd: SX) -> SX:
    """Return the time derivative of the gravity torques.

    g_i' = X_i . (ms' x a + ms x a'; m a') with derivatives as body i sees them: a' = a x w.
    Equals J^T M1 U G [MuellerKumar2021, Eq. (36)]. Returns (nv).
    """
    return gravity_torque_rates(tree, q, qd)[1]


def gravity_torque_ddot(tree: Tree, q: SX, qd: SX, qdd: SX) -> SX:
    """Return the second time derivative of the gravity torques.

    Leibniz' rule on X_i . (ms x a; m a); equals J^T M2 U G [MuellerKumar2021]. Returns (nv).
    """
    return gravity_torque_rates(tree, q, qd, qdd)[2]


def gravity_torque_rates(tree: Tree, q: SX, *rates: SX) -> tuple[SX, ...]:
    """Return (g, g', g'', ...), the gravity torques of a motion and their time derivatives.

    From q, qd, qdd, ...: as many derivatives of g as of q. Leibniz' rule on
    g_i = X_i . (ms x a; m a) as body i sees it, where a' = a x w. Each is (nv).
    """
    at = tree.at(q)
    return tuple(gravity_series(tree, at, subtree_rates(at, rates), len(rates)))


def gravity_series(tree: Tree, at: Posture, subtrees: list[SubtreeRates], order: int) -> list[SX]:
    """Return g with its derivatives up to `order` from what the bodies carry."""
    g = [SX.zeros(tree.nv) for _ in range(order + 1)]
    for node, a, own in zip(at.nodes, at.up, subtrees, strict=True):
        up = at_rest_in_space(a, own.w.to(order - 1))
        for k, total in enumerate(g):
            weight = own.inertia[0].m * (node.Xv.T @ up[k])
            force = leibniz(
                lambda a, inertia, Xw=node.Xw: Xw.T @ cross(inertia.ms, a), up, own.inertia, k, start=weight
            )
            add_rates(total, node, force)
    return g
