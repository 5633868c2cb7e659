"""What acts on a robot besides its joint forces: wrenches at bodies or frames, friction and springs."""

from __future__ import annotations

from dataclasses import dataclass, replace

from casadi import SX

from .quantity import FormArray
from .reference import BODY, TWIST_REFERENCES
from .variant import Variant

REFERENCES = tuple(TWIST_REFERENCES)
"""Axes and point of a twist or wrench: of its frame; of the base; the base's axes, the frame's origin."""


def wrenches_noun(of_frames: bool, reference: str) -> str:
    """Return what an array of wrenches is, of bodies or of frames."""
    where = "at frames" if of_frames else "on the bodies"
    return f"wrenches (moment; force) of the environment {where}, {TWIST_REFERENCES[reference].wrench}"


def wrench_array(array: FormArray, variant: Variant) -> FormArray:
    """Return an array of wrenches of bodies as one of the frames and in the axes of a variant."""
    if array.shape[:1] != ("b",) or not (variant.wrenches or variant.reference):
        return array
    frames = variant.wrench_frames
    quantity = replace(array.quantity, noun=wrenches_noun(frames is not None, variant.reference or BODY))
    return replace(array, shape=("b" if frames is None else len(frames), 6), quantity=quantity)


@dataclass(frozen=True)
class Loads:
    """Wrenches of the environment as symbols, and whether friction and springs of the joints count.

    `wrenches` is (rows, 6), then its time derivatives, a row per body of the tree, or per frame of
    `frames` if there are some. `reference`, one of `REFERENCES`, says what they are expressed in.
    """

    wrenches: tuple[SX, ...] = ()
    frames: tuple[str, ...] | None = None
    reference: str = BODY
    friction: bool = False
    springs: bool = False


NO_LOADS = Loads()
"""Nothing acts but the joint forces."""
