"""Gravity torques and their time derivatives."""

from __future__ import annotations

from math import comb

from casadi import SX

from .algebra import cross
from .convective import Carried, Series, carried, fixed_in_space
from .newton_euler import add_rates
from .tree import Posture, Tree


def gravity_torque(tree: Tree, q: SX) -> SX:
    """Return g(q), the joint forces that hold the robot still.

    The first moments of each subtree turn gravity into a moment about its joint:
    g_i = X_i . (ms x a; m a) with the upward acceleration a = -gravity in frame i. Equals
    J^T M U G [MuellerKumar2021, Eq. (25)]. Returns (nv).
    """
    return _derivative(tree, q, [])


def gravity_torque_dot(tree: Tree, q: SX, qd: SX) -> SX:
    """Return the time derivative of the gravity torques.

    g_i' = X_i . (ms' x a + ms x a'; m a') with derivatives as body i sees them: a' = a x w.
    Equals J^T M1 U G [MuellerKumar2021, Eq. (36)]. Returns (nv).
    """
    return _derivative(tree, q, [qd])


def gravity_torque_ddot(tree: Tree, q: SX, qd: SX, qdd: SX) -> SX:
    """Return the second time derivative of the gravity torques.

    Leibniz' rule on X_i . (ms x a; m a); equals J^T M2 U G [MuellerKumar2021]. Returns (nv).
    """
    return _derivative(tree, q, [qd, qdd])


def _derivative(tree: Tree, q: SX, rates: list[SX]) -> SX:
    """Return the derivative of g whose order is the number of rates."""
    at = tree.at(q)
    return gravity_series(tree, at, carried(at, rates), len(rates))[-1]


def gravity_series(tree: Tree, at: Posture, all_carried: list[Carried], order: int) -> Series:
    """Return g with its derivatives up to `order` from what the bodies carry."""
    g = [SX.zeros(tree.nv) for _ in range(order + 1)]
    for node, a, own in zip(at.nodes, at.up, all_carried, strict=True):
        up = fixed_in_space(a, own.w[:order])
        for k in range(order + 1):
            force = own.inertia[0].m * (node.Xv.T @ up[k])
            for b in range(k + 1):
                force = force + comb(k, b) * (node.Xw.T @ cross(own.inertia[k - b].ms, up[b]))
            add_rates(g[k], node, force)
    return g
