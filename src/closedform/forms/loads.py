"""What acts on a robot besides its joint forces: wrenches at bodies or frames, and friction."""

from __future__ import annotations

from dataclasses import dataclass

from casadi import SX

from .reference import BODY, TWIST_REFERENCES

REFERENCES = tuple(TWIST_REFERENCES)
"""Axes and point of a twist or wrench: of its frame; of the base; the base's axes, the frame's origin."""


def wrenches_noun(of_frames: bool, reference: str) -> str:
    """Return what an array of wrenches is, of bodies or of frames."""
    where = "at frames" if of_frames else "on the bodies"
    return f"wrenches (moment; force) of the environment {where}, {TWIST_REFERENCES[reference].wrench}"


@dataclass(frozen=True)
class Loads:
    """Wrenches of the environment as symbols, and whether the joints' own friction counts.

    `wrenches` is (rows, 6), then its time derivatives, a row per body of the tree, or per frame of
    `frames` if there are some. `reference`, one of `REFERENCES`, says what they are expressed in.
    """

    wrenches: tuple[SX, ...] = ()
    frames: tuple[str, ...] | None = None
    reference: str = BODY
    friction: bool = False


NO_LOADS = Loads()
"""Nothing acts but the joint forces."""
