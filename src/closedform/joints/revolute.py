"""The revolute joint: an angle about an axis."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from ..arrays import Array
from ..rotations import ORTHONORMAL
from .joint import JointType
from .registry import register
from .screws import pinocchio_joint, turn


@register
class Revolute(JointType):
    """T = exp(X q) with X = (e; c x e): a turn about the unit axis e through c."""

    kind = "revolute"
    written: ClassVar = {"axis": (3,)}
    count = 1
    turns_about_axis = True
    urdf = "revolute"
    mjcf = "hinge"

    @classmethod
    def screws_of(cls, **written: Array) -> Array:
        return turn(written["axis"])

    @classmethod
    def fits(cls, X: Array) -> bool:
        w, v = X[:3, 0], X[3:, 0]
        return bool(X.shape[1] == 1 and w.any() and abs(w @ v) <= 1e-14 * np.linalg.norm(v))

    def pitch(self, column: int) -> float:
        return 0.0  # what the numbers have is round-off

    def own_problem(self) -> str | None:
        if not self.turns[0]:
            return "its screw does not rotate; a revolute joint needs (e; c x e)"
        if abs(self.X[:3, 0] @ self.X[3:, 0]) > ORTHONORMAL * max(1.0, float(np.abs(self.X[3:]).max())):
            return "its screw moves along its axis; a revolute joint needs (e; c x e)"
        return None

    def pinocchio(self, pin: Any) -> Any:
        return pinocchio_joint(pin, "Revolute", self.X[:3, 0])
