"""What a twist is expressed in: axes and a point, each at rest in the base or fixed to the frame."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Reference:
    """Axes that turn with the frame or not, at a point that moves with it or not.

    `twist` is what a twist in this reference is called, `where` says what its components are in.
    """

    turns: bool
    moves: bool
    twist: str
    where: str


BODY = "body"
TWIST_REFERENCES = {
    BODY: Reference(True, True, "body twist", "in frame {frame}"),
    "world": Reference(False, False, "spatial twist", "in axes and about the origin of {observer}"),
    "world_aligned": Reference(
        False, True, "world-aligned twist", "in axes of {observer}, about the origin of frame {frame}"
    ),
}
"""References by the name that a call chooses."""
