"""Shapes made of joints and inertias, for robots whose files say nothing of their looks.

Links are capsules from joint to joint, hinges are short cylinders along their axes, slides are boxes on
rails or rods, bodies that carry several limbs are boxes of their inertia.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

import numpy as np

from ..arrays import Array
from ..model import Body, Model
from ..rotations import pose, unit
from . import solids
from .shape import Colour, Shape, piece
from .skeleton import SLENDER, Bone, Mass, bones, mass_of
from .solids import Mesh

LINK: Colour = (0.82, 0.84, 0.87, 1.0)
JOINT: Colour = (0.29, 0.33, 0.4, 1.0)
BASE: Colour = (0.42, 0.46, 0.52, 1.0)
TIP: Colour = (0.85, 0.44, 0.2, 1.0)

LIMBS = 3
"""Joints that a body carries from which on it is a trunk, drawn as a box."""

STROKE = 0.6
"""Longest rail or rod of a slide, relative to the reach of the robot; limits are often without meaning."""

TYPICAL = 350
"""Triangles of a piece, on average, if a circle has `solids.SIDES` sides."""


def made_shapes(model: Model, triangles: int, only: Collection[int] | None = None) -> list[Shape]:
    """Return pieces for all bodies, or for some (-1: the base), of about so many triangles at most."""
    found = [bone for bone in bones(model) if only is None or bone.body in only]
    if not found:
        return []
    fewer = np.sqrt(triangles / (TYPICAL * 3 * len(found)))
    return _Maker(model, found, int(solids.SIDES * min(1.0, fewer)) // 4 * 4).pieces()


class _Maker:
    """Makes the pieces of bones, with circles of so many sides."""

    def __init__(self, model: Model, found: list[Bone], sides: int) -> None:
        self.model, self.bones, self.sides = model, found, max(8, sides)
        self.longest_stroke = STROKE * max(bone.radius for bone in found) / SLENDER
        self.radii = {bone.body: bone.radius for bone in found}
        self.walks = any(body.joint.floats for body in model.bodies)

    def pieces(self) -> list[Shape]:
        """Return all pieces."""
        return [
            each
            for bone in self.bones
            for each in (*(self._joint(bone) if bone.body >= 0 else self._base(bone)), *self._link(bone))
        ]

    def _piece(self, bone: Bone, placement: Array, mesh: Mesh, colour: Colour, name: str = "") -> Shape:
        body = bone.body
        frame = self.model.bodies[body].name if body >= 0 else self.model.frames[0].name
        return piece(frame, placement, mesh, colour, name=name or frame)

    def _joint(self, bone: Bone) -> Iterator[Shape]:
        """Yield what shows how the joint of a body moves."""
        body, r = self.model.bodies[bone.body], bone.radius
        joint, name = body.joint, body.joint_name
        if joint.nv == 1 and joint.turns[0]:
            mesh = solids.rounded_cylinder(1.12 * r, 2.6 * r, 0.25 * r, self.sides)
            yield self._piece(bone, solids.along(joint.X[:3, 0], bone.start), mesh, JOINT, name)
        elif joint.nv == 1:
            axis = joint.X[3:, 0]
            place = solids.along(axis, bone.start)
            yield self._piece(bone, place, solids.box(2.2 * r, 2.2 * r, 2.8 * r), JOINT, name)
            low, high = self._stroke(body)
            if body.parent >= 0 and high > low:  # a rod that goes through what carries it
                place = solids.along(axis, bone.start - axis * (low + high) / 2)
                yield self._piece(bone, place, solids.cylinder(0.55 * r, high - low, self.sides), JOINT, name)
        elif joint.quaternion is not None and not joint.floats:
            yield self._piece(bone, pose(None, bone.start), solids.sphere(1.3 * r, self.sides), JOINT, name)

    def _stroke(self, body: Body) -> tuple[float, float]:
        """Return the limits of a slide as they are drawn: about zero, and not far apart."""
        most = self.longest_stroke
        return float(np.clip(body.limits.lower, -most, 0.0)), float(np.clip(body.limits.upper, 0.0, most))

    def _base(self, bone: Bone) -> Iterator[Shape]:
        """Yield rails of slides on the base, and a plate that it stands on if there are none."""
        bodies, r = self.model.bodies, bone.radius
        standing = [(bodies[child], point) for child, point in bone.outs if not bodies[child].joint.floats]
        rails = [(body, point) for body, point in standing if body.joint.nv == 1 and not body.joint.turns[0]]
        for body, point in rails:
            axis = body.placement[:3, :3] @ body.joint.X[3:, 0]
            low, high = self._stroke(body)
            place = solids.along(axis, point + axis * (low + high) / 2)
            mesh = solids.box(0.8 * r, 0.8 * r, high - low + 4 * r)
            yield self._piece(bone, place, mesh, BASE)
        if standing and not rails:
            body, point = standing[0]
            axis = body.placement[:3, :3] @ body.joint.X[:3, 0]
            far = float(np.linalg.norm(point)) > r
            upwards = -1.0 if axis @ self.model.gravity > 0 else 1.0
            below = np.zeros(3) if far else point - 1.3 * r * upwards * axis  # a joint here stands on it
            mesh = solids.rounded_cylinder(1.9 * r, 0.5 * r, 0.1 * r, self.sides)
            yield self._piece(bone, solids.along(point if far else axis, below), mesh, BASE)

    def _link(self, bone: Bone) -> Iterator[Shape]:
        """Yield what connects the joints of a body."""
        r, start, bodies = bone.radius, bone.start, self.model.bodies
        moves = bone.body >= 0
        mass = mass_of(bodies[bone.body].phi if moves else self.model.base_phi)
        outs = [(child, point) for child, point in bone.outs if not bodies[child].joint.floats]
        if mass is not None and moves and len(outs) >= LIMBS:
            yield self._trunk(bone, mass)
            start, r = mass.centre, 0.6 * r
        for child, point in outs:
            tip = max(self.radii.get(child, r), 0.75 * r)
            yield from self._limb(bone, start, point, r, min(tip, 1.2 * r), LINK if moves else BASE)
        if bone.end is not None:
            yield from self._limb(bone, start, bone.end, r, 0.75 * r, LINK)
            to = unit(bone.end - start)
            if to is not None:
                disc = solids.rounded_cylinder(0.85 * r, 0.5 * r, 0.1 * r, self.sides)
                mesh = solids.sphere(1.05 * r, self.sides) if self.walks else disc
                yield self._piece(bone, solids.along(to, bone.end), mesh, TIP, "tip")
        elif mass is not None and not bone.outs:
            yield self._trunk(bone, mass)

    def _trunk(self, bone: Bone, mass: Mass) -> Shape:
        """Return a box of the inertia of a body, as far as that is about its joints."""
        half = np.maximum(mass.half, 0.7 * bone.radius)
        low, high = -half, half
        if bone.outs:
            points = (np.array([bone.start, *bone.tips]) - mass.centre) @ mass.axes
            room = 1.5 * bone.radius
            low = np.clip(low, points.min(axis=0) - room, points.min(axis=0) + room)
            high = np.clip(high, points.max(axis=0) - room, points.max(axis=0) + room)
        place = pose(mass.axes, mass.centre + mass.axes @ (low + high) / 2)
        return self._piece(bone, place, solids.box(*np.maximum(high - low, bone.radius)), LINK)

    def _limb(self, bone: Bone, a: Array, b: Array, r: float, tip: float, colour: Colour) -> Iterator[Shape]:
        """Yield a capsule from a to b, nothing if they are nearly one point."""
        length = float(np.linalg.norm(b - a))
        if length > 0.25 * r:
            mesh = solids.capsule(0.92 * r, length, self.sides, 0.92 * tip)
            yield self._piece(bone, solids.along(b - a, (a + b) / 2), mesh, colour)
