"""Where the joints of a robot are on its bodies, how long and thick its bodies are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Array
from ..model import Model
from ..model.inertia import inertial_from_phi, second_moments
from ..sticks import outermost

SLENDER = 0.046
"""Radius of the thickest link, per length of the longest chain of links."""

TAPER = 0.5
"""Radius of what has nothing beyond it, relative to the thickest link."""

SMALLEST = 1e-3
"""Lengths below this part of the reach are no lengths."""


@dataclass(frozen=True)
class Bone:
    """A body between its joints, in its own frame; body -1 is the base.

    `start` is on the axis of its own joint, `outs` are those of the joints (body, point) it carries. `end`
    is what it reaches to if it carries none. `radius` fits its place in the chain and its inertia.
    """

    body: int
    start: Array
    outs: tuple[tuple[int, Array], ...]
    end: Array | None
    radius: float

    @property
    def tips(self) -> list[Array]:
        """The points that the body connects with its start."""
        return [point for _, point in self.outs] + ([] if self.end is None else [self.end])


@dataclass(frozen=True)
class Mass:
    """Centre of mass, and the directions and half edges of a box of the same inertia."""

    centre: Array
    axes: Array
    half: Array

    def radius(self, direction: Array) -> float:
        """Return the radius of a cylinder along a unit vector that has this inertia across it."""
        spread = (self.axes @ np.diag(self.half**2) @ self.axes.T) / 3
        across = max(0.0, float(np.trace(spread) - direction @ spread @ direction))
        return float(np.sqrt(2 * across))

    def reach(self, direction: Array) -> float:
        """Return half the length of a rod along a unit vector that has this inertia along it."""
        return float(np.linalg.norm(self.half * (self.axes.T @ direction)))


def mass_of(phi: Array) -> Mass | None:
    """Return where the mass of a body is, None if it has none or an impossible one."""
    if not np.isfinite(phi).all() or phi[9] <= 0:
        return None
    inertial = inertial_from_phi(phi)
    squares, axes = np.linalg.eigh(second_moments(inertial.inertia) / inertial.mass)
    if not np.isfinite(squares).all():
        return None
    axes[:, 2] *= np.linalg.det(axes)
    return Mass(inertial.com, axes, np.sqrt(3 * np.maximum(squares, 0.0)))


def bones(model: Model) -> list[Bone]:
    """Return the base and the bodies as bones, with radii that suit each other."""
    centres = [np.nan_to_num(body.joint.centre) for body in model.bodies]
    outs: dict[int, list[tuple[int, Array]]] = {}
    for i, body in enumerate(model.bodies):
        point = body.placement[:3, :3] @ centres[i] + body.placement[:3, 3]
        outs.setdefault(body.parent, []).append((i, point))
    ends = _ends(model, centres)
    starts = [*centres, np.zeros(3)]  # that of -1, the base, is the last
    longest = dict.fromkeys(range(-1, len(model.bodies)), 0.0)
    for i in reversed(range(-1, len(model.bodies))):
        tips = [(each, longest[child]) for child, each in outs.get(i, ()) if not _floats(model, child)]
        tips += [(ends[i], 0.0)] if i in ends else []
        longest[i] = max((float(np.linalg.norm(tip - starts[i])) + more for tip, more in tips), default=0.0)
    reach = max(longest.values()) or _spread(model)
    found = []
    for i in range(-1, len(model.bodies)):
        radius = SLENDER * reach * (TAPER + (1 - TAPER) * longest[i] / reach)
        end = ends.get(i)
        bone = Bone(i, starts[i], tuple(outs.get(i, ())), end, radius)
        found.append(Bone(i, bone.start, bone.outs, end, _fitted(model, bone, reach)))
    return found


def _floats(model: Model, i: int) -> bool:
    return bool(model.bodies[i].joint.floats)


def _ends(model: Model, centres: list[Array]) -> dict[int, Array]:
    """Return what outermost bodies reach to: a frame, or else the end of a rod about their centre of mass."""
    found = {}
    for i, _, offset in outermost(model):
        mass = mass_of(model.bodies[i].phi)
        framed = any(
            frame.body == i and np.array_equal(frame.placement[:3, 3], offset) for frame in model.frames
        )
        to = offset - centres[i]
        far = float(np.linalg.norm(to))
        if not framed and mass is not None and far:
            to = to * (1 + min(mass.reach(to / far), far) / far)
        found[i] = centres[i] + to
    return found


def _spread(model: Model) -> float:
    """Return the size of a robot whose joints are all at one place: that of its masses."""
    masses = [mass_of(phi) for phi in (model.base_phi, *(body.phi for body in model.bodies))]
    sizes = [float(np.linalg.norm(mass.half)) + float(np.linalg.norm(mass.centre)) for mass in masses if mass]
    return max(sizes, default=0.0) or 1.0


def _fitted(model: Model, bone: Bone, reach: float) -> float:
    """Return the radius of a bone nearer to what its inertia says, if that is within reason."""
    mass = mass_of(model.bodies[bone.body].phi) if bone.body >= 0 else None
    far = max(bone.tips, key=lambda tip: float(np.linalg.norm(tip - bone.start)), default=bone.start)
    length = float(np.linalg.norm(far - bone.start))
    if mass is None or length < SMALLEST * reach or len(bone.tips) > 1:
        return bone.radius
    return float(np.clip(mass.radius((far - bone.start) / length), 0.7 * bone.radius, 1.4 * bone.radius))
