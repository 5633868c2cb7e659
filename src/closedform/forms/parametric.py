"""Forms that keep the inertial parameters as an input, for adaptive control."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import casadi as ca
from casadi import SX

from ..errors import ArgumentError
from ..model import Model
from .algebra import constant, outer_symmetric, second_moments, symmetric
from .form import Form
from .tree import Node, recursion_tree


def parametric(form: Form) -> Form:
    """Return the form with one more input, `phi`, in place of the robot's own inertial parameters."""
    if form.framed or not form.dynamic or form.group == "parameters" or form.takes_phi:
        raise ArgumentError(f"{form.name} does not take phi as an input: it does not depend on it")
    build = form.build

    def with_phi(model: Model, *inputs: SX) -> ca.SX | tuple[ca.SX, ...]:
        *others, phi = inputs
        return build(_model(model, phi), *others)

    with_phi.__doc__ = _documented(build)
    return replace(
        form, inputs=(*form.inputs, "phi"), build=with_phi, closed=None, ordered=False, takes_phi=True
    )


def _documented(build: Callable[..., object]) -> str:
    more = "The inertial parameters `phi` (10 bodies) are the last input."
    return f"{(build.__doc__ or '').rstrip()}\n\n    {more}\n"


def _model(model: Model, phi: SX) -> Model:
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
