"""Assembly with gradients: by formulas, or by steps of Newton's method from the posture that a search finds.

A search finds the coordinates x of all joints as numbers, without gradients. From there a step of Newton's
method with the independent coordinates q changes nothing. But if q moves by d, it is off by O(d^2), and two
steps by O(d^4): as a function of q, at x constant, two steps have the exact derivatives of the assembly up
to the third order. The first is that of the implicit function theorem, dx/dq = -c_x^-1 c_q.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import Any, TypeVar, cast

import casadi as ca
from casadi import SX

from ..forms.manifold import moved
from ..forms.tree import Tree
from ..guests.doors import called, kind_of, to_host
from ..kernels import Kernel, compiled
from . import cut_joints
from .closed_tree import ClosedTree
from .linear import BlockSystem
from .model import ClosedModel

STEPS = 2
"""Steps of Newton's method: derivatives are exact up to the order 2^STEPS - 1."""


KEPT = 64
"""Mechanisms whose kernels are kept."""

F = TypeVar("F", bound=Callable[..., Any])


def with_gradients(assemble: F) -> F:
    """Let a robot's search for the coordinates of all joints take arrays with gradients, or traced by JAX."""

    @wraps(assemble)
    def door(robot: Any, q: Any, near: Any = None) -> Any:
        kind, model = kind_of("assemble", q, near), robot.model
        if kind is None or not kind.differentiated(q):
            return assemble(robot, q, near)
        if model.explicit and near is None:
            return called(explicit_assembly(model), [q])
        start = None if near is None else to_host(kind, "assemble: near", near)
        x = kind.searched("assemble: q", q, lambda numbers: assemble(robot, numbers, start), model.tree.nq)
        return called(implicit_assembly(model), [x, q])

    return cast("F", door)


@lru_cache(maxsize=KEPT)
def explicit_assembly(model: ClosedModel) -> Kernel:
    """Return the kernel of coordinates x of all joints from q, by formulas."""
    q = SX.sym("q", model.nq)
    x = ca.densify(ClosedTree(model, Tree.of(model.tree)).assembled(q))
    return compiled("assembly", [("q", (model.nq,), q)], [("x", (model.tree.nq,), x)])


@lru_cache(maxsize=KEPT)
def implicit_assembly(model: ClosedModel) -> Kernel:
    """Return the kernel of coordinates x of all joints, closed at q, from x nearly closed and q."""
    tree = Tree.of(model.tree)
    start, q = SX.sym("x", tree.nq), SX.sym("q", model.nq)
    x = ca.densify(start) + 0
    for k, place in enumerate(model.iq):
        x[place] = q[k]
    for _ in range(STEPS):
        x = _stepped(model, tree, x)
    inputs = [("x", (tree.nq,), start), ("q", (model.nq,), q)]
    return compiled("implicit_assembly", inputs, [("x_closed", (tree.nq,), ca.densify(x))])


def _stepped(model: ClosedModel, tree: Tree, x: SX) -> SX:
    """Return coordinates after a step of Newton's method of the dependent ones."""
    here, step = SX.sym("x", tree.nq), SX.sym("step", len(model.dv))
    whole = SX(tree.nv, 1)
    whole[list(model.dv)] = step
    after = moved(model.tree, here, whole)
    every = ca.vertcat(*(cut_joints.residual(tree, after, each) for each in model.closures))
    c, zero = every[list(model.rows)], SX.zeros(len(model.dv))
    J, c = ca.substitute([ca.jacobian(c, step), c], [step], [zero])
    newton = ca.densify(-BlockSystem(ca.sparsify(J)).solve(c))
    return ca.substitute(ca.substitute(after, step, newton), here, x)
