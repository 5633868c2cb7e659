"""How the task moves with the joints: rows of its Jacobian, and a cheaper one of the same volume."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
from casadi import SX

from ..forms import form
from ..forms.algebra import cross_columns
from ..forms.node import Node
from ..forms.reference import BODY
from ..forms.tree import Tree
from ..model import Frame, Model


@dataclass(frozen=True)
class Twist:
    """The rows `J` of a frame's Jacobian that a task selects, in base axes, on a tree of numbers or letters.

    `rows` are their names.
    """

    tree: Tree
    q: SX
    frame: Frame
    rows: tuple[str, ...]
    J: SX

    @property
    def same_volume(self) -> SX:
        """A matrix with the same det(J J^T), cheapest to differentiate.

        For all six rows that is the Jacobian of the whole chain seen from the body half way along it:
        twists change their frame by a matrix of determinant 1, and from there no column passes
        through more than half of the joints.
        """
        chain = self.tree.model.ancestors(self.frame.body)[::-1]
        if self.J.size1() < 6 or not chain:
            return self.J
        nodes = self.tree.own
        half = (len(chain) + 1) // 2
        J = SX.zeros(6, self.tree.nv)
        R, p = SX.eye(3), SX(3, 1)
        for node in (nodes[i] for i in reversed(chain[:half])):  # inwards, as seen from each body
            _add(J, node, R.T @ node.Xw, R.T @ (node.Xv + cross_columns(node.Xw, p)))
            turn, origin = node.placement(self.q)
            R, p = turn.out(R), turn.out(p) + origin
        R, p = SX.eye(3), SX(3, 1)
        for node in (nodes[i] for i in chain[half:]):  # outwards, carried along
            turn, origin = node.placement(self.q)
            R, p = R @ turn.matrix, p + R @ origin
            w = R @ node.Xw
            _add(J, node, w, R @ node.Xv - cross_columns(w, p))
        return J


def _add(J: SX, node: Node, w: SX, v: SX) -> None:
    """Add the columns of a joint, at the coordinate that drives it."""
    J[:, node.velocities] += node.ratio * ca.vertcat(w, v)


def form_at(
    name: str, model: Model, q: SX, frame: str | None = None, reference: str = BODY, tree: Tree | None = None
) -> SX:
    """Return the expression of a form of q alone, on other symbols than its own, and on a tree if given."""
    chosen = form(name, frame=frame) if reference == BODY else form(name, frame=frame, reference=reference)
    (symbol,), (expression,) = chosen.expression(model, basis=None if tree is None else (tree,))
    return ca.substitute(expression, symbol, q)
