"""From the bodies of a model to nodes: body frames moved onto their joint axes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..arrays import Array
from ..joints import JointType
from ..model import Body, Model
from ..model.inertia import moments_seen_from
from ..rotations import ROUNDING, inverse, pose, snap_rotation
from .node import Node


def nodes_of(model: Model) -> tuple[Node, ...]:
    """Return the bodies of a model as nodes with their own inertias."""
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
                joint=replace(body.joint, X=_screws(body.joint, T)),
                iq=body.iq,
                iv=body.iv,
                T_frame=T,
                R0=snap_rotation(placement[:3, :3]),
                p0=placement[:3, 3],
                m=m,
                ms=ms,
                S=S,
                armature=body.armature,
                coupling=body.coupling,
                ratio=body.ratio,
            )
        )
    return tuple(nodes)


def _screws(joint: JointType, T: Array) -> Array:
    """Return the screws of a joint in the frame T, whose origin is the centre of its rotation.

    There the linear part of a rotation's screw is along its axis. What the change of frame leaves
    across the axis is round-off, however far the frame was away, and is set to zero.
    """
    R = T[:3, :3]
    w, v = _directions(R.T @ joint.X[:3]), _directions(R.T @ joint.X[3:])
    for k in np.flatnonzero(joint.turns).tolist():
        pitch, moment = joint.pitch(k), joint.X[3:, k]
        v[:, k] = w[:, k] * (pitch if abs(pitch) > ROUNDING * np.abs(moment).max() else 0.0)
    return np.concatenate([w, v]) + 0.0


def _directions(columns: Array) -> Array:
    """Return vectors without the entries that are round-off beside the largest; 1 is made exact."""
    nearest = np.rint(columns)
    columns = np.where(np.abs(columns - nearest) <= ROUNDING, nearest + (nearest == 0) * columns, columns)
    return np.where(np.abs(columns) <= ROUNDING * np.abs(columns).max(axis=0), 0.0, columns)


def _shift(body: Body, home: Array) -> Array:
    """Return the pose, in the body frame, of the frame that suits the joint.

    The axis of a one-dof joint becomes a coordinate axis; a prismatic body that is oblique
    to its parent instead takes the parent's orientation, since it never turns against it (in numbers: not
    if letters of a table place it).
    `home` is the pose of the body frame in the parent's frame at q = 0.
    """
    joint = body.joint
    c = joint.centre
    c = np.where(np.abs(c) <= ROUNDING * np.abs(c).max(), 0.0, c)
    if joint.nv != 1:
        return pose(None, c)
    oblique = body.row is None and np.count_nonzero(snap_rotation(home[:3, :3])) > 5
    if joint.slides_along_axis and oblique:
        return pose(home[:3, :3].T, c)
    X = joint.X[:, 0]
    e = X[:3] if X[:3].any() else X[3:]
    if np.sort(np.abs(e))[1] <= ROUNDING:
        return pose(None, c)
    x = np.cross([0.0, 0.0, 1.0], e)
    x /= np.linalg.norm(x)
    return pose(np.array([x, np.cross(e, x), e]).T, c)
