"""Rods between two balls: what spins about its own axis, whatever the mechanism does.

A rigid body that is held by two balls and nothing else can turn about the line through both centres. No other
joint determines that turn, nor does it determine others, while a ball joint is dependent or independent as a
whole. So with loops a ball joint of such a rod becomes three hinges in a row: two across the rod and one
along it, whose angle is a coordinate of its own. A ball is a joint, to the parent or to a child, or a loop; a
rod may be cut by a loop that is fixed, and is one rigid body all the same.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from ..arrays import Array
from ..joints import Ball, Revolute, joint_type
from .description import Description, Joint, Limits, Link, new_name
from .loop import Loop, Mechanism


@dataclass(frozen=True, eq=False)
class _Hold:
    """What holds a rigid body: the centre of a ball in its axes, None for anything else.

    `joint` is the ball joint between the body and its parent, and `own` the pose of that joint's child.
    """

    centre: Array | None = None
    joint: Joint | None = None
    own: Array | None = None


def with_spinning_rods(description: Description, mechanism: Mechanism) -> tuple[Description, Mechanism]:
    """Return a description whose rods between balls have hinges, and its mechanism without their balls."""
    rods = dict(_rods(description, mechanism))
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


def _rods(description: Description, mechanism: Mechanism) -> Iterator[tuple[str, Array]]:
    """Yield a ball joint of every rod, with the other end of the rod in the frame of its child."""
    by_child = {joint.child: joint for joint in description.joints}
    places = {link.name: _body(link.name, by_child) for link in description.links}
    for anchor in mechanism.anchors:
        if anchor.link in places:
            link, T = places[anchor.link]
            places[anchor.name] = link, T @ anchor.placement
    loops = [
        each
        for each in mechanism.closures
        if isinstance(each, Loop) and each.frame_a in places and each.frame_b in places
    ]
    cuts = [(places[each.frame_a], places[each.frame_b]) for each in loops if each.kind == "fixed"]
    whole = _joined({link for link, _ in places.values()}, cuts)
    holds: dict[str, list[_Hold]] = defaultdict(list)
    for link in {link for link, _ in places.values()} - by_child.keys():
        holds[whole[link][0]].append(_Hold())  # the base
    for joint in description.joints:
        if joint.fixed or joint.parent not in places:
            continue
        (parent, T), (root, own) = places[joint.parent], whole[joint.child]
        root_above, above = whole[parent]
        below = beyond = _Hold()
        if joint.kind == Ball.kind:
            centre = np.append(joint_type(Ball.kind, joint.subspace).centre, 1)
            below = _Hold((own @ centre)[:3], joint, own)
            beyond = _Hold((above @ T @ joint.placement @ centre)[:3])
        holds[root].append(below)
        holds[root_above].append(beyond)
    for each in loops:
        for name in (each.frame_a, each.frame_b):
            link, T = places[name]
            root, P = whole[link]
            if each.kind != "fixed":
                holds[root].append(_Hold((P @ T)[:3, 3] if each.kind == "ball" else None))
    for found in holds.values():
        if len(found) != 2 or any(each.centre is None for each in found):
            continue
        for hold, other in (found, found[::-1]):
            if hold.joint is not None and hold.own is not None and other.centre is not None:
                yield hold.joint.name, (np.linalg.inv(hold.own) @ np.append(other.centre, 1))[:3]
                break


def _body(link: str, by_child: dict[str, Joint]) -> tuple[str, Array]:
    """Return the link of the joint that moves a link, and the pose of the one in the other."""
    T, seen = np.eye(4), {link}
    while link in by_child and by_child[link].fixed and by_child[link].parent not in seen:
        T = by_child[link].placement @ T
        link = by_child[link].parent
        seen.add(link)
    return link, T


def _joined(
    bodies: set[str], cuts: list[tuple[tuple[str, Array], tuple[str, Array]]]
) -> dict[str, tuple[str, Array]]:
    """Return the rigid body that each body is part of, by the name of one part, and its pose in that.

    A cut holds a frame of one body, by its pose, on a frame of another.
    """
    whole = {body: (body, np.eye(4)) for body in bodies}
    for (a, T_a), (b, T_b) in cuts:
        (root_a, P_a), (root_b, P_b) = whole[a], whole[b]
        if root_a != root_b:
            moved = P_a @ T_a @ np.linalg.inv(P_b @ T_b)
            for body, (root, P) in whole.items():
                if root == root_b:
                    whole[body] = root_a, moved @ P
    return whole


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
