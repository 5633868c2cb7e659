"""The geometry of a robot as symbols: where each joint is in its parent, six numbers per body."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import casadi as ca
import numpy as np
from casadi import SX

from .algebra import Rotation, Turn, constant
from .node import Node


def placed(nodes: Sequence[Node], geometry: SX) -> tuple[Node, ...]:
    """Return nodes whose placements are symbols: rows (x, y, z, roll, pitch, yaw), one per body.

    A row is the pose of the user's body frame in that of its parent at q = 0, with the rotation
    Rz(yaw) Ry(pitch) Rx(roll) about fixed axes, as in URDF. Nodes stay where they are in their bodies.
    """
    return tuple(
        at_pose(node, nodes, rotation_rpy(geometry[k, 3:].T), geometry[k, :3].T)
        for k, node in enumerate(nodes)
    )


def at_pose(node: Node, nodes: Sequence[Node], R: SX, p: SX) -> Node:
    """Return a node whose body frame has the pose R, p in that of its parent at q = 0."""
    T, T_parent = node.T_frame, nodes[node.parent].T_frame if node.parent >= 0 else np.eye(4)
    back = constant(T_parent[:3, :3].T)
    p0 = back @ (p + R @ constant(T[:3, 3]) - constant(T_parent[:3, 3]))
    return replace(node, R0=back @ R @ constant(T[:3, :3]), p0=p0)


def rotation_rpy(rpy: SX) -> SX:
    """Return Rz(yaw) Ry(pitch) Rx(roll) of symbols."""
    turns = [Turn(axis, ca.cos(rpy[axis]), ca.sin(rpy[axis])) for axis in (2, 1, 0)]
    return Rotation(turns).matrix
