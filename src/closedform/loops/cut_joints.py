"""Rows that cut joints and couplings add: what must vanish, and how fast it changes, to any order.

The position and turn of frame B as frame A sees them are p and R, its twist (omega; v) in the axes of A at
the origin of B, so that p' = v and R' = omega~ R. A cut joint holds some of p and of the turn. While it
does, the same components of v and omega vanish, and so do all their derivatives by time: `rates` are
these rows B of B v = 0 with their time derivatives, from the series of `forms.kinematics`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import casadi as ca
from casadi import SX

from ..description.loop import JointCoupling, Loop
from ..forms.algebra import cross, skew
from ..forms.kinematics import column_rates
from ..forms.manifold import HALF_TURN, rotation_difference
from ..forms.path import Path
from ..forms.reference import TWIST_REFERENCES
from ..forms.series import Series, bilinear, leibniz
from ..forms.tree import Tree
from ..model import Model

ALIGNED = "world_aligned"


@dataclass(frozen=True)
class Held:
    """Components of the position and of the turn of frame B in frame A that a cut joint holds.

    A turn held about x and y leaves the z axes parallel; one held about x, y and z leaves none.
    `special` is a row of its own: "universal" or "distance".
    """

    position: tuple[int, ...] = ()
    turn: tuple[int, ...] = ()
    special: str = ""

    @property
    def count(self) -> int:
        """Number of rows."""
        return len(self.position) + len(self.turn) + bool(self.special)


KINDS = {
    "ball": Held(position=(0, 1, 2)),
    "hinge": Held(position=(0, 1, 2), turn=(0, 1)),
    "universal": Held(position=(0, 1, 2), special="universal"),
    "cylindrical": Held(position=(0, 1), turn=(0, 1)),
    "prismatic": Held(position=(0, 1), turn=(0, 1, 2)),
    "planar": Held(position=(2,), turn=(0, 1)),
    "fixed": Held(position=(0, 1, 2), turn=(0, 1, 2)),
    "distance": Held(special="distance"),
}
"""What each kind of cut joint holds."""


def row_count(closure: Loop | JointCoupling) -> int:
    """Return how many rows a loop or coupling has."""
    return KINDS[closure.kind].count if isinstance(closure, Loop) else 1


def residual(tree: Tree, q: SX, closure: Loop | JointCoupling) -> SX:
    """Return what vanishes if a loop is closed: metres, and 2 sin(angle / 2) of turns."""
    if isinstance(closure, JointCoupling):
        model = tree.model
        others = [q[_coordinate(model, each)] for each in closure.drivers]
        return q[_coordinate(model, closure.joint)] - _polynomial(closure, others)
    held = KINDS[closure.kind]
    R, p = Path.of(tree, q, closure.frame_b, closure.frame_a).pose()
    parts = [p[list(held.position)]]
    if held.turn == (0, 1):
        # 2 sin(angle / 2) of the turn between the z axes: longest, not zero, if they are opposite
        parts.append(ca.vertcat(-R[1, 2], R[0, 2]) * ca.sqrt(2 / ca.fmax(1 + R[2, 2], HALF_TURN)))
    elif held.turn:
        parts.append(-rotation_difference(R, SX.eye(3)))
    if held.special == "universal":
        parts.append(R[0, 1])
    if held.special == "distance":
        length = float(closure.length or 0)
        parts.append(((p.T @ p)[0] - length**2) / (2 * length))
    return ca.vertcat(*parts)


def rates(tree: Tree, q: SX, velocities: Sequence[SX], closure: Loop | JointCoupling) -> list[SX]:
    """Return the rows B of a closed loop with B v = 0, and their time derivatives: one per velocity given.

    `velocities` are v, v', ... of all joints; each matrix is (rows, nv).
    """
    if isinstance(closure, JointCoupling):
        return _coupling_rates(tree.model, q, velocities, closure)
    held = KINDS[closure.kind]
    path = Path.of(tree, q, closure.frame_b, closure.frame_a)
    J = twist_rates(tree, path, velocities)
    rows = [*(3 + k for k in held.position), *held.turn]
    plain = [each[rows, :] for each in J]
    if not held.special:
        return plain
    special = _universal if held.special == "universal" else _distance
    more = special(path.pose(), Series.of(J), velocities, float(closure.length or 1))
    return [ca.vertcat(a, b) for a, b in zip(plain, more, strict=True)]


def twist_rates(tree: Tree, path: Path, velocities: Sequence[SX]) -> list[SX]:
    """Return J of the twist (omega; v) of a frame as the observer of a path sees it, J', ...

    In the axes of the observer at the origin of the frame; each matrix is (6, nv).
    """
    J = [SX(6, tree.nv) for _ in range(len(velocities) + 1)]
    found = column_rates(path, list(velocities), TWIST_REFERENCES[ALIGNED])
    for step, columns in zip(path.steps, found, strict=True):
        for matrix, each in zip(J, columns, strict=True):
            matrix[:, step.node.velocities] += step.node.ratio * each
    return J


def _distance(pose: tuple[SX, SX], J: Series, velocities: Sequence[SX], length: float) -> Series:
    """Return the row p^T J_v / length with its time derivatives, from (|p|^2)' / 2 = p . v."""
    along = J.map(lambda each: each[3:, :])
    p = [pose[1]]
    for k in range(len(velocities)):
        p.append(leibniz(_times, along, velocities, k))
    return bilinear(lambda x, A: x.T @ A, Series.of(p), along).map(lambda row: row / length)


def _universal(pose: tuple[SX, SX], J: Series, velocities: Sequence[SX], _: float) -> Series:
    """Return the row (u x e_x)^T J_w of the angle between A's x axis and B's y axis u = R e_y, u' = w x u."""
    turn = J.map(lambda each: each[:3, :])
    w = Series.of(leibniz(_times, turn, velocities, k) for k in range(len(velocities)))
    u = [pose[0][:, 1]]
    for k in range(len(velocities)):
        u.append(leibniz(cross, w, u, k))
    x = SX([1.0, 0.0, 0.0])
    return bilinear(lambda a, A: a.T @ A, Series.of(u).map(lambda each: -skew(x) @ each), turn)


def _coupling_rates(model: Model, q: SX, velocities: Sequence[SX], coupling: JointCoupling) -> list[SX]:
    """Return the row e_joint - P'(x) e_driver with its time derivatives, by Horner's rule on series."""
    joint = _velocity(model, coupling.joint)
    order = len(velocities)
    found = [SX(1, model.nv) for _ in range(order + 1)]
    found[0][0, joint] = 1
    if len(coupling.drivers) != 1:
        for name, c in zip(coupling.drivers, coupling.coefficients[1:], strict=True):
            found[0][0, _velocity(model, name)] = -c
        return found
    (driver,) = coupling.drivers
    place = _velocity(model, driver)
    x = Series.of([q[_coordinate(model, driver)], *(each[place] for each in velocities)])
    slope = Series.constant(SX(0), order)
    for k, c in reversed([*enumerate(coupling.coefficients)][1:]):
        slope = bilinear(lambda a, b: a * b, slope, x) + Series.constant(SX(k * c), order)
    for matrix, each in zip(found, slope, strict=True):
        matrix[0, place] = matrix[0, place] - each
    return found


def _polynomial(coupling: JointCoupling, drivers: Sequence[SX]) -> SX:
    first, *others = coupling.coefficients
    if len(drivers) != 1:
        return first + sum((c * x for c, x in zip(others, drivers, strict=True)), SX(0))
    value = SX(0)
    for c in reversed(others):
        value = drivers[0] * (value + c)
    return first + value


def _times(A: SX, x: SX) -> SX:
    return A @ x


def _velocity(model: Model, joint: str) -> int:
    return next(body.iv for body in model.independent if body.joint_name == joint)


def _coordinate(model: Model, joint: str) -> int:
    return next(body.iq for body in model.independent if body.joint_name == joint)
