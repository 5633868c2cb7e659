"""The planar joint: two distances in a plane, and an angle about its normal."""

from __future__ import annotations

from typing import ClassVar

from ..arrays import Array
from .joint import JointType
from .registry import register
from .screws import plane
from .subspace import Subspace


@register
class Planar(Subspace):
    """T = exp(X_x q_x + X_y q_y) exp(X_r q_r): slides along two axes of a plane, then a turn in it."""

    kind = "planar"
    written: ClassVar = {"axis": (3,)}
    count = 3

    @classmethod
    def screws_of(cls, **written: Array) -> Array:
        return plane(written["axis"])

    @classmethod
    def fits(cls, X: Array) -> bool:
        return False  # without a name it is a subspace

    @property
    def parts(self) -> tuple[JointType, ...]:
        return (Subspace(self.X),)

    def own_problem(self) -> str | None:
        if self.rotation_column is None:
            return "a planar joint needs two translations and one turn"
        return super().own_problem()
