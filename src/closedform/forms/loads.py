"""What acts on a robot besides its joint forces: wrenches at bodies or frames, and friction."""

from __future__ import annotations

from dataclasses import dataclass

from casadi import SX

BODY = "body"
REFERENCES = (BODY, "world", "world_aligned")
"""Axes and point of a twist or wrench: of its frame; of the base; the base's axes, the frame's origin."""


@dataclass(frozen=True)
class Loads:
    """Wrenches of the environment as columns of symbols, and whether the joints' own friction counts.

    `wrenches` is (rows, 6), then its time derivatives, a row per body of the tree, or per frame of
    `frames` if there are some. `reference`, one of `REFERENCES`, says what they are expressed in.
    """

    wrenches: tuple[SX, ...] = ()
    frames: tuple[str, ...] | None = None
    reference: str = BODY
    friction: bool = False


NO_LOADS = Loads()
"""Nothing acts but the joint forces."""
