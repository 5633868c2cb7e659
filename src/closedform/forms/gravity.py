"""Gravity torques and their time derivatives."""

from __future__ import annotations

from math import comb

from ..model import Model
from .algebra import SX, constant, cross
from .motion import motions
from .newton_euler import add_rates
from .pairs import Placements
from .subtree import flows
from .tree import Node, recursion_tree
from .tree import upward as base_upward


def gravity_torque(model: Model, q: SX) -> SX:
    """Return g(q), the joint forces that hold the robot still.

    The first moments of each subtree turn gravity into a moment about its joint:
    g_i = X_i . (ms x a; m a) with the upward acceleration a = -gravity in frame i. Equals
    J^T M U G [MuellerKumar2021, Eq. (25)]. Returns (nv).
    """
    return _derivative(model, q, [])


def gravity_torque_dot(model: Model, q: SX, qd: SX) -> SX:
    """Return the time derivative of the gravity torques.

    g_i' = X_i' . (ms x a; m a) + X_i . (P x a; 0), P = ms' being the linear momentum of the
    subtree. Equals J^T M1 U G [MuellerKumar2021, Eq. (36)]. Returns (nv).
    """
    return _derivative(model, q, [qd])


def gravity_torque_ddot(model: Model, q: SX, qd: SX, qdd: SX) -> SX:
    """Return the second time derivative of the gravity torques.

    Leibniz' rule on X_i . (ms x a; m a); equals J^T M2 U G [MuellerKumar2021]. Returns (nv).
    """
    return _derivative(model, q, [qd, qdd])


def _derivative(model: Model, q: SX, rates: list[SX]) -> SX:
    """Return the derivative of g whose order is the number of rates."""
    order = len(rates)
    nodes = recursion_tree(model)
    placements = [node.placement(q) for node in nodes]
    screws = [screws for _, screws in motions(nodes, placements, rates, order)]
    masses, moments = first_moments(nodes, placements)
    if order:
        twists = [twists for twists, _ in motions(nodes, placements, rates, order)]
        moved = flows(nodes, placements, twists, order - 1)
        momenta = [[ms, *(flow.P for flow in each)] for ms, each in zip(moments, moved, strict=True)]
    else:
        momenta = [[ms] for ms in moments]
    up = upward(model, nodes, placements)
    g = SX.zeros(model.nv)
    for i, node in enumerate(nodes):
        own = masses[i] * (screws[i][order][1].T @ up[i])
        for a in range(order + 1):
            own = own + comb(order, a) * (screws[i][a][0].T @ cross(momenta[i][order - a], up[i]))
        add_rates(g, node, own)
    return g


def upward(model: Model, nodes: tuple[Node, ...], placements: Placements) -> list[SX]:
    """Return minus gravity in the frame of every body."""
    up: list[SX] = []
    for node, (R, _) in zip(nodes, placements, strict=True):
        up.append(R.back(up[node.parent] if node.parent >= 0 else base_upward(model, node)))
    return up


def first_moments(nodes: tuple[Node, ...], placements: Placements) -> tuple[list[SX], list[SX]]:
    """Return mass and first moments of every subtree."""
    m = [SX(node.m) for node in nodes]
    ms = [constant(node.ms) for node in nodes]
    for i in reversed(range(len(nodes))):
        parent, (R, p) = nodes[i].parent, placements[i]
        if parent >= 0:
            m[parent] = m[parent] + m[i]
            ms[parent] = ms[parent] + R.out(ms[i]) + m[i] * p
    return m, ms
