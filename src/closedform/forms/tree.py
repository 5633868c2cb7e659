"""The tree that recursions run on: body frames moved onto their joint axes, inertias regrouped.

Generalised matrices and forces do not depend on where a body frame sits, so each frame is
placed where its joint is cheapest: origin on the axis, axis along a coordinate axis. What the
user sees (poses, wrenches, parameters) stays in the user's frames; `Node.T_frame` maps.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import casadi as ca
import numpy as np
from casadi import SX

from ..arrays import Array
from ..model import Body, Coupling, JointType, Model
from ..model.inertia import moments_seen_from
from ..rotations import ROUNDING, inverse, pose, snap_rotation
from .algebra import Rotation, Turn, constant, constant_turns, rotation_of_quaternion

UNITS = (1e-6, 1e6)
"""Metres between which an offset may become the unit of length, so that no power of it overflows."""


@dataclass(frozen=True)
class Node:
    """A body of the tree with its joint at the origin of its frame.

    `T_frame` is the pose of this frame in the user's body frame; `R0`, `p0` place the frame in
    the parent's at q = 0; `X` are the joint screws; m, ms, S are mass, first and second moments.
    Lengths are in `unit` metres, and masses so that moments of inertia stay in kg m^2.
    """

    parent: int
    kind: str
    iq: int
    iv: int
    nq: int
    X: Array
    T_frame: Array
    R0: Array
    p0: Array
    m: float
    ms: Array
    S: Array
    armature: float
    coupling: Coupling | None
    unit: float = 1.0

    @property
    def nv(self) -> int:
        """Number of velocities of the joint."""
        return int(self.X.shape[1])

    @property
    def Xw(self) -> SX:
        """Angular part of the screws."""
        return constant(self.X[:3])

    @property
    def Xv(self) -> SX:
        """Linear part of the screws."""
        return constant(self.X[3:])

    def coordinates(self, q: SX) -> SX:
        """Return the joint's own coordinates out of q."""
        own = q[self.iq : self.iq + self.nq]
        return own if self.coupling is None else self.coupling.multiplier * own + self.coupling.offset

    def rates(self, qd: SX) -> SX:
        """Return the joint's own velocities (or accelerations, ...) out of qd."""
        own = qd[self.iv : self.iv + self.nv]
        return own if self.coupling is None else self.coupling.multiplier * own

    def placement(self, q: SX) -> tuple[Rotation, SX]:
        """Return the rotation to the parent frame and the origin's position in it, at q."""
        turn, p = self._joint_motion(self.coordinates(q))
        const = constant_turns(self.R0)
        origin = constant(self.p0)
        if p is not None:
            origin = origin + constant(self.R0) @ p
        dense = any(not isinstance(f, Turn) and np.count_nonzero(self.R0) > 5 for f in const)
        if dense and turn is not None:
            matrix = turn.matrix if isinstance(turn, Turn) else turn
            return Rotation([constant(self.R0) @ matrix]), origin
        return Rotation([*const, turn] if turn is not None else const), origin

    def _joint_motion(self, q: SX) -> tuple[Turn | SX | None, SX | None]:
        """Return the joint's rotation and translation in its frame [MuellerKumar2021, Eq. (6)]."""
        if self.kind == "free":
            return rotation_of_quaternion(q[3:7]), q[:3]
        if self.kind == "ball":
            return rotation_of_quaternion(q), None
        rotating = np.flatnonzero(np.abs(self.X[:3]).sum(axis=0))
        p = None
        if self.X[3:].any():
            p = constant(self.X[3:]) @ q
        if len(rotating) == 0:
            return None, p
        column = int(rotating[0])
        return axis_rotation(self.X[:3, column], q[column]), p


def axis_rotation(e: Array, angle: SX) -> Turn | SX:
    """Return exp(angle e~) for a unit axis [MuellerKumar2021, Eq. (7)]."""
    c, s = ca.cos(angle), ca.sin(angle)
    k = int(np.argmax(np.abs(e)))
    if np.sort(np.abs(e))[1] <= ROUNDING:  # e[k] is 1 for tilts up to 1e-8
        return Turn(k, c, s if e[k] > 0 else -s)
    outer = np.outer(e, e)
    generator = np.array([[0, -e[2], e[1]], [e[2], 0, -e[0]], [-e[1], e[0], 0]])
    return c * constant(np.eye(3) - outer) + s * constant(generator) + constant(outer)


def recursion_tree(model: Model, *, regroup: bool = True) -> tuple[Node, ...]:
    """Return the nodes of a model; `regroup` moves inertia that its own joint cannot feel to the parent.

    Regrouped inertias give the same M, C, g and torques with fewer operations; energies and
    the centre of mass need the bodies' own (`regroup=False`). A model that brings its own
    `recursion_nodes` (symbols in place of numbers) is taken at its word.
    """
    given: tuple[Node, ...] | None = getattr(model, "recursion_nodes", None)
    if given is not None:
        return given
    shifts: list[Array] = []
    nodes = []
    for body in model.bodies:
        T_parent = shifts[body.parent] if body.parent >= 0 else np.eye(4)
        home = inverse(T_parent) @ body.placement
        T = _shift(body, home)
        shifts.append(T)
        placement = home @ T
        m, ms, S = moments_seen_from(body.phi, inverse(T))
        nodes.append(
            Node(
                parent=body.parent,
                kind=body.joint.kind,
                iq=body.iq,
                iv=body.iv,
                nq=body.joint.nq,
                X=_screws(body.joint, T),
                T_frame=T,
                R0=snap_rotation(placement[:3, :3]),
                p0=placement[:3, 3],
                m=m,
                ms=ms,
                S=S,
                armature=body.armature,
                coupling=body.coupling,
            )
        )
    return tuple(in_own_unit(_regrouped(nodes)) if regroup else nodes)


def upward(model: Model, node: Node) -> SX:
    """Return minus gravity in the base frame, in the unit of the tree: the base seems to rise."""
    return -constant(model.gravity / node.unit)


def in_own_unit(nodes: list[Node]) -> list[Node]:
    """Return a tree of revolute joints measured by its most frequent offset, which becomes one.

    Torques do not change; products with that offset vanish from the code. Residues of rounding
    are not lengths: the unit is within `UNITS`, and its square is not lost beside the largest.
    """
    if any(node.kind != "revolute" for node in nodes):
        return nodes
    offsets = np.concatenate([np.abs(node.p0) for node in nodes if node.parent >= 0] or [np.zeros(1)])
    shortest = max(UNITS[0], offsets.max() * np.sqrt(np.finfo(float).eps))
    fit = (offsets >= shortest) & (offsets <= UNITS[1])
    lengths, counts = np.unique(offsets[fit], return_counts=True)
    if len(lengths) == 0:
        return nodes
    unit = float(lengths[np.argmax(counts)])
    return [
        replace(node, p0=node.p0 / unit, m=node.m * unit**2, ms=node.ms * unit, unit=unit) for node in nodes
    ]


def _screws(joint: JointType, T: Array) -> Array:
    """Return the screws of a joint in the frame T, whose origin is the centre of its rotation.

    There a rotation has no moment but along its axis: what the change of frame would leave of the
    distance, however long, is known to be zero.
    """
    R = T[:3, :3]
    w, v = _directions(R.T @ joint.X[:3]), _directions(R.T @ joint.X[3:])
    for k in np.flatnonzero(joint.turns):
        axis, moment = joint.X[:3, k], joint.X[3:, k]
        pitch = axis @ moment if joint.kind in ("helical", "subspace") else 0.0
        v[:, k] = w[:, k] * (pitch if abs(pitch) > ROUNDING * np.abs(moment).max() else 0.0)
    return np.concatenate([w, v]) + 0.0


def _directions(columns: Array) -> Array:
    """Return vectors without the entries that are rounding beside the largest; 1 is made exact."""
    nearest = np.rint(columns)
    columns = np.where(np.abs(columns - nearest) <= ROUNDING, nearest + (nearest == 0) * columns, columns)
    return np.where(np.abs(columns) <= ROUNDING * np.abs(columns).max(axis=0), 0.0, columns)


def _shift(body: Body, home: Array) -> Array:
    """Return the pose, in the body frame, of the frame that suits the joint.

    The axis of a one-dof joint becomes a coordinate axis; a prismatic body that stands oblique
    to its parent instead takes the parent's orientation, since it never turns against it.
    `home` is the pose of the body frame in the parent's frame at q = 0.
    """
    joint = body.joint
    c = joint.centre
    c = np.where(np.abs(c) <= ROUNDING * np.abs(c).max(), 0.0, c)
    if joint.nv != 1:
        return pose(None, c)
    if joint.kind == "prismatic" and np.count_nonzero(snap_rotation(home[:3, :3])) > 5:
        return pose(home[:3, :3].T, c)
    X = joint.X[:, 0]
    e = X[:3] if X[:3].any() else X[3:]
    if np.sort(np.abs(e))[1] <= ROUNDING:
        return pose(None, c)
    x = np.cross([0.0, 0.0, 1.0], e)
    x /= np.linalg.norm(x)
    return pose(np.array([x, np.cross(e, x), e]).T, c)


def _regrouped(nodes: list[Node]) -> list[Node]:
    """Return the nodes with inertia moved toward the base as far as the joints allow.

    A revolute joint does not feel a line of mass on its axis, a prismatic one not the second
    moments of its body about its frame: those move to the parent unchanged
    [GautierKhalil1990, Eqs. (15)-(20), written on second moments].
    """
    m = [node.m for node in nodes]
    ms = [node.ms.copy() for node in nodes]
    S = [node.S.copy() for node in nodes]
    for i in reversed(range(len(nodes))):
        node = nodes[i]
        if node.kind == "revolute":
            e = node.X[:3, 0]
            line_m, line_ms, line_S = m[i], e @ ms[i], e @ S[i] @ e
            k = int(np.argmax(np.abs(e)))
            m[i], ms[i][k], S[i][k, k] = 0.0, 0.0, 0.0
            d, p = node.R0 @ e, node.p0
            moved_ms = line_m * p + line_ms * d
            moved_S = line_m * np.outer(p, p) + line_ms * (np.outer(p, d) + np.outer(d, p))
            moved_S += line_S * np.outer(d, d)
        elif node.kind == "prismatic":
            line_m, moved_ms, moved_S = 0.0, np.zeros(3), node.R0 @ S[i] @ node.R0.T
            S[i] = np.zeros((3, 3))
        else:
            continue
        if node.parent >= 0:
            m[node.parent] += line_m
            ms[node.parent] += moved_ms
            S[node.parent] += moved_S
    return [
        Node(**{**node.__dict__, "m": m[i], "ms": ms[i], "S": 0.5 * (S[i] + S[i].T)})
        for i, node in enumerate(nodes)
    ]
