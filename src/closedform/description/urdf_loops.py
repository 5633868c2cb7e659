"""Loops in a URDF: the <loop> elements of URDF+, and <loop_joint> as simulators read it.

    <loop name="knee" type="revolute">                    <loop_joint name="knee" type="spherical">
      <predecessor link="a"><origin xyz=""/></predecessor>  <link1 link="a" xyz="" rpy=""/>
      <successor link="b"><origin xyz=""/></successor>      <link2 link="b" xyz="" rpy=""/>
      <axis xyz="0 0 1"/>                                 </loop_joint>
    </loop>

URDF+ [ChignoliURDF2024] leaves the rest of a URDF as it is. A joint with independent="true" is one of the
minimal coordinates. Its <coupling> elements are not held; <mimic> says the same.
"""

from __future__ import annotations

import numpy as np

from ..arrays import Array
from ..errors import shown, similar
from ..rotations import pose, rotation_rpy, unit
from .description import Joint, Link, new_name
from .loop import Anchor, Loop, Mechanism
from .urdf_origin import urdf_origin
from .xml import Element

KINDS = {
    "revolute": "hinge",
    "continuous": "hinge",
    "spherical": "ball",
    "fixed": "fixed",
    "prismatic": "prismatic",
    "planar": "planar",
    "cylindrical": "cylindrical",
    "universal": "universal",
}
"""Types of loop joints, and the cut joints that they are; the axis becomes the z axis of both frames."""

ENDS = {"loop": ("predecessor", "successor"), "loop_joint": ("link1", "link2")}


def urdf_mechanism(root: Element, links: tuple[Link, ...], joints: tuple[Joint, ...]) -> Mechanism | None:
    """Return what closes the loops of a URDF, None if nothing does."""
    names = {link.name for link in links}
    taken = set(names)
    closures, anchors = [], []
    for tag, ends in ENDS.items():
        for element in root.children(tag):
            name, written = element.text("name"), element.text("type")
            if written and written not in KINDS:
                element.problem(f"type {written!r} is not one of {', '.join(KINDS)}{similar(written, KINDS)}")
            turn = _turn(element, KINDS.get(written, ""))
            frames = []
            for end in ends:
                found = _anchor(element, tag, end, names)
                if found is not None:
                    link, placement = found
                    frames.append(new_name(f"{name}/{end}", taken))
                    anchors.append(Anchor(frames[-1], link, placement @ turn))
            if len(frames) == 2 and written in KINDS:
                closures.append(Loop(frames[0], frames[1], KINDS[written]))
    for element in root.children("coupling"):
        element.doubt("<coupling> is not held; write <mimic> in the joint that follows")
    independent = [joint for joint in root.children("joint") if joint.node.get("independent") == "true"]
    if not closures:
        return None
    chosen = tuple(joint.text("name") for joint in independent)
    return Mechanism(tuple(closures), tuple(anchors), independent=chosen)


def _anchor(element: Element, tag: str, end: str, names: set[str]) -> tuple[str, Array] | None:
    """Return the link of one end of a loop and the pose of its frame there."""
    side = element.child(end)
    if side is None:
        element.problem(f'has no <{end} link="...">')
        return None
    link = side.text("link")
    if link and link not in names:
        side.problem(f"no link is called {shown(link)}{similar(link, names)}")
        return None
    if tag == "loop":
        return link, urdf_origin(side)
    return link, pose(rotation_rpy(side.numbers("rpy", 3, (0, 0, 0))), side.numbers("xyz", 3, (0, 0, 0)))


def _turn(element: Element, kind: str) -> Array:
    """Return the turn that brings the z axis of a frame to the axis of a loop."""
    axis = element.child("axis")
    if kind in ("ball", "fixed", "universal", "") or axis is None:
        # without an <axis> that of a URDF joint is x
        e = np.array([1.0, 0.0, 0.0]) if kind in ("hinge", "prismatic", "planar", "cylindrical") else None
    else:
        e = unit(axis.numbers("xyz", 3))
        if e is None:
            element.problem("axis has zero length; give a non-zero <axis xyz>")
    if e is None:
        return np.eye(4)
    side = np.eye(3)[int(np.argmin(np.abs(e)))]
    x = np.cross(side, e)
    x = x / np.linalg.norm(x)
    return pose(np.column_stack([x, np.cross(e, x), e]))
