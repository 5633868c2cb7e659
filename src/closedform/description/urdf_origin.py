"""Poses as a URDF writes them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..rotations import pose, rotation_quaternion, rotation_rpy
from .xml import Element


def urdf_origin(element: Element) -> NDArray[np.float64]:
    """Return the pose that the <origin> of an element gives."""
    origin = element.child("origin")
    if origin is None:
        return np.eye(4)
    xyz = origin.numbers("xyz", 3, (0, 0, 0))
    if "quat_xyzw" not in origin.node.attrib:
        return pose(rotation_rpy(origin.numbers("rpy", 3, (0, 0, 0))), xyz)
    if "rpy" in origin.node.attrib:
        origin.problem("has rpy and quat_xyzw; give one of them")
    if origin.node.getroottree().getroot().get("version", "1.0") == "1.0":
        origin.doubt('quat_xyzw is read, but other readers ignore it before <robot version="1.1">')
    x, y, z, w = origin.numbers("quat_xyzw", 4)
    if x == y == z == w == 0:
        origin.problem("quat_xyzw is zero and gives no rotation")
        return np.eye(4)
    return pose(rotation_quaternion([w, x, y, z]), xyz)
