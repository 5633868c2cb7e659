"""The prismatic joint: a distance along an axis."""

from __future__ import annotations

from typing import Any, ClassVar

from ..arrays import Array
from .joint import JointType
from .registry import register
from .screws import pinocchio_joint, slide


@register
class Prismatic(JointType):
    """T = exp(X q) with X = (0; e): a slide along the unit axis e."""

    kind = "prismatic"
    written: ClassVar = {"axis": (3,)}
    count = 1
    slides_along_axis = True
    urdf = "prismatic"
    mjcf = "slide"

    @classmethod
    def screws_of(cls, **written: Array) -> Array:
        return slide(written["axis"])

    @classmethod
    def fits(cls, X: Array) -> bool:
        return X.shape[1] == 1 and not X[:3].any()

    def own_problem(self) -> str | None:
        return "its screw rotates; a prismatic joint needs (0; e)" if self.turns[0] else None

    def pinocchio(self, pin: Any) -> Any:
        return pinocchio_joint(pin, "Prismatic", self.X[3:, 0])
