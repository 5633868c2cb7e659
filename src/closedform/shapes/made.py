"""Shapes made of joints and inertias, for robots whose files say nothing of their looks.

Links are capsules from joint to joint, hinges are short cylinders along their axes, slides are boxes on
rails or rods, bodies that carry several limbs are boxes of their inertia.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

import numpy as np

from ..arrays import Array
from ..model import Model
from ..rotations import pose, unit
from . import solids
from .shape import Colour, Shape, piece
from .skeleton import SMALLEST, Bone, bones, mass_of

LINK: Colour = (0.82, 0.84, 0.87, 1.0)
JOINT: Colour = (0.25, 0.29, 0.35, 1.0)
BASE: Colour = (0.38, 0.42, 0.48, 1.0)
TIP: Colour = (0.85, 0.44, 0.2, 1.0)

LIMBS = 3
"""Joints that a body carries from which on it is a trunk, drawn as a box."""

STROKE = 0.6
"""Longest rail or rod of a slide, relative to the size of the robot; limits are often without meaning."""


def made_shapes(model: Model, only: Collection[int] | None = None) -> list[Shape]:
    """Return pieces of joints and inertias for all bodies, or for some (-1: the base)."""
    found = bones(model)
    size = max(bone.radius for bone in found)
    return [
        each
        for bone in found
        if only is None or bone.body in only
        for each in (*_own_joint(model, bone, size), *_link(model, bone, found, size))
    ]


def _frame(model: Model, bone: Bone) -> str:
    return model.bodies[bone.body].name if bone.body >= 0 else model.frames[0].name


def _own_joint(model: Model, bone: Bone, size: float) -> Iterator[Shape]:
    """Yield what shows how the joint of a body moves."""
    if bone.body < 0:
        return
    body, frame, r = model.bodies[bone.body], _frame(model, bone), bone.radius
    joint = body.joint
    if joint.turns_about_axis or (joint.nv == 1 and joint.turns[0]):
        place = solids.along(joint.X[:3, 0], bone.start)
        yield piece(
            frame, place, solids.rounded_cylinder(1.12 * r, 2.6 * r, 0.25 * r), JOINT, name=body.joint_name
        )
    elif joint.nv == 1:
        axis = joint.X[3:, 0]
        yield piece(
            frame,
            solids.along(axis, bone.start),
            solids.box(2.2 * r, 2.2 * r, 2.8 * r),
            JOINT,
            name=body.joint_name,
        )
        if body.parent >= 0:
            low, high = _stroke(body.limits.lower, body.limits.upper, size)
            yield _bar(frame, bone.start - axis * high, bone.start - axis * low, 0.55 * r, body.joint_name)
    elif joint.quaternion is not None and not joint.floats:
        yield piece(frame, pose(None, bone.start), solids.sphere(1.3 * r), JOINT, name=body.joint_name)


def _stroke(lower: float, upper: float, size: float) -> tuple[float, float]:
    """Return limits of a slide as they are drawn: zero is between them, and they are not far apart."""
    most = STROKE * size / 0.05
    return float(np.clip(lower, -most, 0.0)), float(np.clip(upper, 0.0, most))


def _bar(frame: str, a: Array, b: Array, r: float, name: str) -> Shape:
    """Return a rod from a to b."""
    length = float(np.linalg.norm(b - a))
    return piece(frame, solids.along(b - a, (a + b) / 2), solids.cylinder(r, length), JOINT, name=name)


def _link(model: Model, bone: Bone, all_bones: list[Bone], size: float) -> Iterator[Shape]:
    """Yield what connects the joints of a body."""
    frame, r, start = _frame(model, bone), bone.radius, bone.start
    radii = {each.body: each.radius for each in all_bones}
    if bone.body < 0:
        yield from _base(model, bone)
    mass = mass_of(model.bodies[bone.body].phi) if bone.body >= 0 else None
    if mass is not None and len(bone.outs) >= LIMBS:
        half = np.clip(mass.half, 0.8 * r, None)
        yield piece(frame, pose(mass.axes, mass.centre), solids.box(*(2 * half)), LINK, name=frame)
        start = mass.centre
    for child, point in bone.outs:
        if model.bodies[child].joint.floats:
            continue
        colour = BASE if bone.body < 0 else LINK
        yield from _limb(frame, start, point, r, max(radii[child], 0.75 * r), colour)
    if bone.end is not None:
        yield from _limb(frame, start, bone.end, r, 0.75 * r, LINK)
        to = unit(bone.end - start)
        if to is not None:
            mesh = solids.rounded_cylinder(0.85 * r, 0.5 * r, 0.1 * r)
            foot = any(body.joint.floats for body in model.bodies)
            mesh = solids.sphere(1.05 * r) if foot else mesh
            yield piece(frame, solids.along(to, bone.end), mesh, TIP, name="tip")
    elif bone.body >= 0 and not bone.outs and mass is not None:
        half = np.clip(mass.half, 0.5 * r, None)
        yield piece(frame, pose(mass.axes, mass.centre), solids.box(*(2 * half)), LINK, name=frame)


def _limb(frame: str, a: Array, b: Array, r: float, tip: float, colour: Colour) -> Iterator[Shape]:
    """Yield a capsule from a to b, nothing if they are one point."""
    length = float(np.linalg.norm(b - a))
    if length > max(SMALLEST, 0.25 * r):
        yield piece(
            frame,
            solids.along(b - a, (a + b) / 2),
            solids.capsule(0.92 * r, length, tip=0.92 * tip),
            colour,
            name=frame,
        )


def _base(model: Model, bone: Bone) -> Iterator[Shape]:
    """Yield a foot plate, and the rails of slides on the base."""
    frame, r = _frame(model, bone), bone.radius
    standing = [(child, point) for child, point in bone.outs if not model.bodies[child].joint.floats]
    for child, point in standing:
        body = model.bodies[child]
        if body.joint.nv == 1 and not body.joint.turns[0]:
            axis = body.placement[:3, :3] @ body.joint.X[3:, 0]
            low, high = _stroke(body.limits.lower, body.limits.upper, r)
            low, high = (low - 2 * r, high + 2 * r)
            place = solids.along(axis, point + axis * (low + high) / 2)
            yield piece(frame, place, solids.box(0.8 * r, 0.8 * r, high - low), BASE, name=frame)
    if standing and not any(model.bodies[child].joint.slides_along_axis for child, _ in standing):
        child, point = standing[0]
        X = model.bodies[child].placement[:3, :3] @ model.bodies[child].joint.X[:3, 0]
        far = float(np.linalg.norm(point)) > r
        yield piece(
            frame,
            solids.along(point if far else X, np.zeros(3)),
            solids.rounded_cylinder(1.9 * r, 0.5 * r, 0.1 * r),
            BASE,
            name=frame,
        )
