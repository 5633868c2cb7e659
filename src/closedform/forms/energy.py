"""Kinetic and potential energy."""

from __future__ import annotations

import casadi as ca
from casadi import SX

from .algebra import constant, cross
from .mass_centre import first_moment
from .springs import spring_energy
from .tree import Tree
from .twists import body_twists


def kinetic_energy(tree: Tree, q: SX, qd: SX) -> SX:
    """Return T = qd^T M qd / 2, summed over the bodies from their twists."""
    energy = SX(0)
    for node, (w, v) in zip(tree.nodes, body_twists(tree.at(q), qd), strict=True):
        ms, S = constant(node.ms), constant(node.S)
        ww = w.T @ w
        energy += 0.5 * (node.m * (v.T @ v) + ww * ca.trace(S) - w.T @ S @ w) + v.T @ cross(w, ms)
        rates = node.rates(qd)
        energy += 0.5 * node.armature * (rates.T @ rates)
    return energy


def potential_energy(tree: Tree, q: SX, *, springs: bool = False) -> SX:
    """Return U = -sum m gravity . c, zero where the centre of mass is at the base origin's height.

    `springs=True` adds the energy of the joints' springs, stiffness (q - rest)^2 / 2.
    """
    energy = -(constant(tree.gravity).T @ first_moment(tree.own_at(q)))
    return energy + spring_energy(tree, q) if springs else energy
