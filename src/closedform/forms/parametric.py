"""Forms that keep the inertial parameters as an input, for adaptive control."""

from __future__ import annotations

from dataclasses import replace

from casadi import SX

from ..model import Model
from .algebra import constant, outer_symmetric, second_moments, symmetric
from .tree import Node, recursion_tree


def with_phi(model: Model, phi: SX) -> Model:
    """Return the model whose recursions run on symbols for the inertias."""
    nodes = tuple(
        _with_inertia(node, phi[10 * k : 10 * k + 10])
        for k, node in enumerate(recursion_tree(model, regroup=False))
    )
    symbolic = replace(model, has_inertia=True)
    object.__setattr__(symbolic, "recursion_nodes", nodes)
    return symbolic


def _with_inertia(node: Node, phi: SX) -> Node:
    """Return a node with the inertia of ten symbols about the user's body frame."""
    xx, xy, xz, yy, yz, zz = (phi[k] for k in range(6))
    R, c = constant(node.T_frame[:3, :3]), constant(node.T_frame[:3, 3])
    m, ms = phi[9], phi[6:9]
    S = second_moments(symmetric(xx, xy, xz, yy, yz, zz))
    # r_user = R r + c, so r = R^T (r_user - c): shift first, then turn.
    shifted = S - outer_symmetric(c, ms - (0.5 * m) * c)
    inertia = {"m": m, "ms": R.T @ (ms - m * c), "S": R.T @ shifted @ R}
    return replace(node, **inertia)  # type: ignore[arg-type]  # symbols in place of numbers
