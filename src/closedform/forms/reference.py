"""What twists and wrenches are expressed in: axes and a point, each of the base or of the frame."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Reference:
    """Axes that turn with the frame or not, at a point that moves with it or not.

    `twist` is what a twist in this reference is called, `where` says what its components are in, `wrench`
    what those of wrenches are in.
    """

    turns: bool
    moves: bool
    twist: str
    where: str
    wrench: str


BODY = "body"
TWIST_REFERENCES = {
    BODY: Reference(True, True, "body twist", "in frame {frame}", "each in its frame about its origin"),
    "world": Reference(
        False,
        False,
        "spatial twist",
        "in axes and about the origin of {observer}",
        "each in the base's axes about the base's origin",
    ),
    "world_aligned": Reference(
        False,
        True,
        "world-aligned twist",
        "in axes of {observer}, about the origin of frame {frame}",
        "each in the base's axes about its frame's origin",
    ),
}
"""References by the name that a call chooses."""
