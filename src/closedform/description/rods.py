"""Rods between two balls: what spins about its own axis, whatever the mechanism does.

A body on a ball joint that a loop holds by a ball too can turn about the line through both centres. No other
joint determines that turn, nor does it determine others, while a ball joint is dependent or independent as a
whole. So with loops the ball joint of such a rod becomes three hinges in a row: two across the rod and one
along it, whose angle is a coordinate of its own.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np

from ..arrays import Array
from ..joints import Ball, Revolute, joint_type
from .description import Description, Joint, Limits, Link, new_name
from .loop import Loop, Mechanism


def with_spinning_rods(description: Description, mechanism: Mechanism) -> tuple[Description, Mechanism]:
    """Return a description whose rods between balls have hinges, and its mechanism without their balls."""
    by_child = {joint.child: joint for joint in description.joints}
    bodies = {link.name: _body(link.name, by_child) for link in description.links}
    moving = [joint for joint in description.joints if not joint.fixed]
    loads = Counter(bodies[joint.parent][0] for joint in moving if joint.parent in bodies)
    anchors = {anchor.name: anchor for anchor in mechanism.anchors}
    ends: dict[str, Array] = {}
    for closure in mechanism.closures:
        if not isinstance(closure, Loop):
            continue
        for name in (closure.frame_a, closure.frame_b):
            anchor = anchors.get(name)
            link, placement = (anchor.link, anchor.placement) if anchor else (name, np.eye(4))
            if link in bodies:
                body, T = bodies[link]
                loads[body] += 1
                if closure.kind == "ball":
                    ends[body] = (T @ placement)[:3, 3]
    rods = {
        by_child[body].name: end
        for body, end in ends.items()
        if loads[body] == 1 and body in by_child and by_child[body].kind == Ball.kind
    }
    if not rods:
        return description, mechanism
    links, joints = list(description.links), []
    names = {link.name for link in links}, {joint.name for joint in description.joints}
    for joint in description.joints:
        if joint.name not in rods:
            joints.append(joint)
            continue
        hinges = _hinges(joint, rods[joint.name], *names)
        links += [Link(hinge.child) for hinge in hinges[:-1]]
        joints += hinges
    near = {name: q for name, q in mechanism.near.items() if name not in rods}
    motors, actuated = (
        tuple(name for name in names if name not in rods) for names in (mechanism.motors, mechanism.actuated)
    )
    changed = replace(mechanism, near=near, motors=motors, actuated=actuated)
    return replace(description, links=tuple(links), joints=tuple(joints)), changed


def _body(link: str, by_child: dict[str, Joint]) -> tuple[str, Array]:
    """Return the link of the joint that moves a link, and the pose of the one in the other."""
    T, seen = np.eye(4), {link}
    while link in by_child and by_child[link].fixed and by_child[link].parent not in seen:
        T = by_child[link].placement @ T
        link = by_child[link].parent
        seen.add(link)
    return link, T


def _hinges(joint: Joint, end: Array, link_names: set[str], joint_names: set[str]) -> list[Joint]:
    """Return a ball joint as hinges across and along the line from its centre to the end of the rod."""
    kind = joint_type(Ball.kind, joint.subspace)
    c = kind.centre
    along = end - c
    length = float(np.linalg.norm(along))
    e3 = along / length if length > 0 else np.array([0.0, 0.0, 1.0])
    e1 = np.cross(np.eye(3)[int(np.argmin(np.abs(e3)))], e3)
    e1 = e1 / np.linalg.norm(e1)
    found, parent, placement = [], joint.parent, joint.placement
    for k, e in enumerate((e1, np.cross(e3, e1), e3), start=1):
        name = new_name(f"{joint.name}/{k}", joint_names)
        child = joint.child if k == 3 else new_name(f"{joint.child}/{name}", link_names)
        X = np.concatenate([e, np.cross(c, e)])[:, None]
        found.append(
            replace(
                joint,
                name=name,
                kind=Revolute.kind,
                parent=parent,
                child=child,
                placement=placement,
                subspace=X,
                limits=Limits(),
            )
        )
        parent, placement = child, np.eye(4)
    return found
