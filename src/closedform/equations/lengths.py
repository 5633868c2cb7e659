"""Names of the lengths of a robot: positions of joints and frames in the frame of the body before."""

from __future__ import annotations

import numpy as np

from ..arrays import Array
from ..forms.node import Node
from ..model import Frame, Model

Names = list[tuple[str, float, Array]]
"""A position as a sum of (name, value, direction)."""

AXES = "xyz"
ROUND_OFF = 1e-14
"""Metres below which a coordinate is round-off."""


def joint_lengths(model: Model, nodes: tuple[Node, ...], k: int, khalil: bool) -> Names:
    """Return the position of joint k in the frame of its parent.

    In Khalil's names it is d along x of the parent and r along z of the joint, if it has this
    form. Otherwise it is `L<parent>`, with the axis if there are several coordinates and with
    the body if the parent has several children: L1, L2x, L2z, L3_5y.
    """
    p, parent = _cleaned(np.asarray(nodes[k].p0)), nodes[k].parent
    if khalil:
        found = _khalil(p, np.asarray(nodes[k].R0)[:, 2], k + 1)
        if found is not None:
            return found
    return _along_axes(_stem(model, parent, k), p)


def frame_lengths(model: Model, frame: Frame, khalil: bool, letter: str) -> Names:
    """Return the position of a frame in its body: the end `L<body>` of a last link, or `letter`."""
    p = _cleaned(frame.placement[:3, 3])
    return _along_axes(_frame_stem(model, frame, khalil) or letter, p)


def end_of(model: Model, nodes: tuple[Node, ...], k: int, c: Array) -> Names | None:
    """Return the lengths to the end of link k if the point c of its frame is that end, else None.

    A link ends at the next joint. The last link ends at its centre of mass, unless there is a
    frame elsewhere on it.
    """
    if nodes[k].T_frame[:3, 3].any() or not np.array_equal(nodes[k].T_frame[:3, :3], np.eye(3)):
        return None
    children = [i for i, node in enumerate(nodes) if node.parent == k]
    for i in children:
        if np.abs(nodes[i].p0 - c).max() < ROUND_OFF:
            return joint_lengths(model, nodes, i, False)
    if children:
        return None
    ends = [frame.placement[:3, 3] for frame in model.frames if frame.body == k]
    away = [end for end in ends if np.abs(end).max() > ROUND_OFF]
    if any(np.abs(end - c).max() > ROUND_OFF for end in away):
        return None
    return _along_axes(f"L{k + 1}", _cleaned(c))


def _cleaned(p: Array) -> Array:
    return np.where(np.abs(p) < ROUND_OFF, 0.0, p)


def _stem(model: Model, parent: int, k: int) -> str:
    siblings = sum(body.parent == parent for body in model.bodies)
    return f"L{parent + 1}" if siblings == 1 else f"L{parent + 1}_{k + 1}"


def _frame_stem(model: Model, frame: Frame, khalil: bool) -> str | None:
    alone = sum(
        other.body == frame.body and float(np.abs(other.placement[:3, 3]).max()) > ROUND_OFF
        for other in model.frames
    )
    last = all(body.parent != frame.body for body in model.bodies)
    return f"L{frame.body + 1}" if last and alone <= 1 and not khalil else None


def _along_axes(stem: str, p: Array) -> Names:
    """Return one name per coordinate that is not zero; lengths are positive, signs are written."""
    axes = np.flatnonzero(p)
    suffix = {int(i): AXES[i] if len(axes) > 1 else "" for i in axes}
    return [(stem + suffix[int(i)], abs(float(p[i])), np.copysign(1.0, p[i]) * np.eye(3)[i]) for i in axes]


def _khalil(p: Array, z: Array, number: int) -> Names | None:
    """Return p = d x + r z if it has this form, with z not along x."""
    beside = np.delete(z, 0)
    size = float(beside @ beside)
    if size < ROUND_OFF:
        return None
    r = float(beside @ p[1:]) / size
    d = float(p[0] - r * z[0])
    if np.abs(p - r * z - d * np.eye(3)[0]).max() > ROUND_OFF:
        return None
    names = [(f"d{number}", d, np.eye(3)[0]), (f"r{number}", r, z)]
    return [(name, value, axis) for name, value, axis in names if abs(value) > ROUND_OFF]
