"""Kinetic and potential energy."""

from __future__ import annotations

import casadi as ca
from casadi import SX

from ..model import Model
from .algebra import constant, cross
from .kinematics import first_moment
from .motion import body_twists
from .tree import recursion_tree


def kinetic_energy(model: Model, q: SX, qd: SX) -> SX:
    """Return T = qd^T M qd / 2, summed over the bodies from their twists."""
    nodes = recursion_tree(model)
    placements = [node.placement(q) for node in nodes]
    energy = SX(0)
    for node, (w, v) in zip(nodes, body_twists(nodes, placements, qd), strict=True):
        ms, S = constant(node.ms), constant(node.S)
        ww = w.T @ w
        energy += 0.5 * (node.m * (v.T @ v) + ww * ca.trace(S) - w.T @ S @ w) + v.T @ cross(w, ms)
        rates = node.rates(qd)
        energy += 0.5 * node.armature * (rates.T @ rates)
    return energy


def potential_energy(model: Model, q: SX) -> SX:
    """Return U = -sum m gravity . c, zero where the centre of mass is at the base origin's height."""
    return -(constant(model.gravity).T @ first_moment(model, q))
