"""The bending arm along its motions, deflections magnified."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ...flexible import ArmMotion, FlexibleArm
from ...flexible.bending import Bending, bending
from ..section import Section
from .arm_study import FlexibleStudy

ANIMATED = (4, 1)
"""Motions of the paper that are animated: the switching torques of Fig. 9, the free motion of Fig. 6."""


@dataclass(frozen=True)
class Film:
    """A motion in words, and the arm along it."""

    title: str
    bending: Bending


@dataclass(frozen=True)
class AnimationFacts:
    """The arm in words, and the films of the page."""

    arm: tuple[str, ...]
    printed: bool
    films: tuple[Film, ...]


def gather(study: FlexibleStudy) -> AnimationFacts:
    """Return the points of the arm along two motions, or along the one there is."""
    chosen = ANIMATED if len(study.cases) > max(ANIMATED) else sorted({len(study.cases) - 1, 0}, reverse=True)
    films = tuple(Film(study.cases[k].title, _bending(study.motions[k])) for k in chosen)
    return AnimationFacts(tuple(_words(study.subject)), study.printed, films)


def _bending(run: ArmMotion) -> Bending:
    return bending(run.arm, run.t, run.q, run.u)


def _words(arm: FlexibleArm) -> Iterator[str]:
    """Yield what the arm is made of: every link with its hub, the payload, gravity."""
    for i, (link, modes) in enumerate(zip(arm.links, arm.modes, strict=True)):
        rigidity = f", rigidity {link.rigidity:g} N m²" if link.uniform else ", not uniform"
        parts = [
            f"{value:g} {unit}"
            for value, unit in ((link.hub_mass, "kg"), (link.hub_inertia, "kg m²"))
            if value
        ]
        hub = f", hub of {' and '.join(parts)}" if parts else ""
        yield (
            f"Link {i + 1}: {link.length:g} m, {link.mass:.4g} kg{rigidity}{hub}, "
            f"{len(modes)} mode{'s' if len(modes) > 1 else ''}"
        )
    mass, inertia = arm.payload
    ahead, beside = arm.payload_offset
    off = (
        f", centre of mass {ahead:g} m ahead of the tip and {beside:g} m beside it" if ahead or beside else ""
    )
    yield f"Payload: {mass:g} kg and {inertia:g} kg m²{off}" if mass else "No payload"
    x, y = arm.gravity
    yield f"Gravity: ({x:g}, {y:g}) m/s²" if arm.gravity.any() else "No gravity: the plane is level"


SECTION = Section("flexible_animation", "The arm", gather)
