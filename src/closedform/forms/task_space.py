"""Dynamics in task space: the inertia that a frame shows, and joint motion that leaves the frame at rest."""

from __future__ import annotations

import casadi as ca
import numpy as np
from casadi import SX

from ..errors import ClosedFormError
from .elimination import Factors
from .forward import factors
from .kinematics import jacobian
from .reference import BODY
from .rows import ROWS
from .tree import Tree

Rows = tuple[str, ...] | None
"""Rows of the task by name, or None for all six."""

DEFICIENT = 1e-12
"""Singular values below this part of the largest are round-off."""


def task_inertia_inverse(
    tree: Tree, q: SX, frame: str | None, *, reference: str = BODY, rows: Rows = None
) -> SX:
    """Return J M^-1 J^T, the accelerations of a frame that unit wrenches at it give.

    J is the `jacobian` of the same frame and `reference`, its rows (omega; v); `rows` selects some
    of them: "position", "orientation", or names such as ("x", "z", "ry"). It exists in every posture
    of every robot, and is singular if J is. Symmetric (t, t), t = 6 or the number of rows.
    """
    return factors(tree, q).congruence(_jacobian(tree, q, frame, reference, rows).T)


def task_inertia(tree: Tree, q: SX, frame: str | None, *, reference: str = BODY, rows: Rows = None) -> SX:
    """Return Lambda = (J M^-1 J^T)^-1, the inertia that a frame shows to wrenches at it.

    [Khatib1987] for robots of any number of joints; `reference` and `rows` as in
    `task_inertia_inverse`. A robot that cannot move its frame in all rows is refused; at a
    singularity of J the entries are huge, inf or NaN in that sample. Symmetric (t, t).
    """
    J = _full(tree, _jacobian(tree, q, frame, reference, rows), "task_inertia", frame, rows)
    return Factors(factors(tree, q).congruence(J.T)).inverse()


def dynamically_consistent_inverse(
    tree: Tree, q: SX, frame: str | None, *, reference: str = BODY, rows: Rows = None
) -> SX:
    """Return Jbar = M^-1 J^T Lambda, the inverse of J whose motion has the least kinetic energy.

    J Jbar = 1, and torques with Jbar^T tau = 0 do not accelerate the frame [Khatib1987]. `reference`
    and `rows` as in `task_inertia`, which says when it exists. Returns (nv, t).
    """
    J = _full(tree, _jacobian(tree, q, frame, reference, rows), "dynamically_consistent_inverse", frame, rows)
    return _consistent_inverse(factors(tree, q), J)


def nullspace_projector(
    tree: Tree, q: SX, frame: str | None, *, reference: str = BODY, rows: Rows = None
) -> SX:
    """Return N = 1 - Jbar J, which takes from joint velocities all that moves the frame.

    J N = 0. For joint torques take its transpose: N^T tau does not accelerate the frame, since
    J M^-1 N^T = 0 [Khatib1987]. `reference` and `rows` as in `task_inertia`, which says when it
    exists. Returns (nv, nv).
    """
    J = _full(tree, _jacobian(tree, q, frame, reference, rows), "nullspace_projector", frame, rows)
    return SX.eye(tree.nv) - _consistent_inverse(factors(tree, q), J) @ J


def _consistent_inverse(M: Factors, J: SX) -> SX:
    """Return M^-1 J^T (J M^-1 J^T)^-1."""
    moved = ca.horzcat(*map(M.solve, ca.horzsplit(J.T)))
    inertia = Factors(M.congruence(J.T))
    return ca.horzcat(*(inertia.solve(row.T) for row in ca.vertsplit(moved))).T


def _jacobian(tree: Tree, q: SX, frame: str | None, reference: str, rows: Rows) -> SX:
    """Return the rows of a frame's Jacobian."""
    J = jacobian(tree, q, frame, reference)
    return J if rows is None else J[[ROWS.index(row) for row in rows], :]


def _full(tree: Tree, J: SX, what: str, frame: str | None, rows: Rows) -> SX:
    """Return a Jacobian whose rows are independent in general; others are refused."""
    rows = rows or ROWS
    rng = np.random.default_rng(0)
    symbols = ca.symvar(J)
    function = ca.Function("J", [ca.vertcat(*symbols)], [ca.densify(J)])
    values = np.array(function(rng.uniform(0.3, 1.3, len(symbols))))
    found: list[int] = []
    for row in sorted(range(len(rows)), key=lambda row: rows[row].startswith("r")):  # positions first
        if np.linalg.matrix_rank(values[[*found, row]], DEFICIENT * np.abs(values).max()) > len(found):
            found.append(row)
    if len(found) == len(rows):
        return J
    name = tree.model.frame(frame).name
    enough = tuple(rows[row] for row in sorted(found))
    remedy = f"choose rows of the task, such as rows={enough}, or use" if found else "use"
    raise ClosedFormError(
        f"{what}: the Jacobian of frame {name!r} of {tree.model.name!r} has rank {len(found)} in every "
        f"posture, less than the {len(rows)} rows of the task, so that J M^-1 J^T has no inverse; {remedy} "
        "task_inertia_inverse"
    )
