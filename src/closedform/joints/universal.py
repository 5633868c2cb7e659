"""The universal joint (Cardan, Hooke): two axes that meet, each with an angle."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from ..arrays import Array
from ..rotations import ORTHONORMAL
from .joint import JointType
from .joint_chain import JointChain
from .registry import register
from .revolute import Revolute
from .screws import turn


@register
class Universal(JointChain):
    """T = exp(X_1 q_1) exp(X_2 q_2): the first axis is fixed in the parent, the second in the child.

    Its screws are not constant in the child, so that it is two revolute joints in a row.
    """

    kind = "universal"
    written: ClassVar = {"axes": (2, 3)}
    count = 2

    @classmethod
    def screws_of(cls, **written: Array) -> Array:
        return np.hstack([turn(e) for e in written["axes"]])

    @property
    def parts(self) -> tuple[JointType, ...]:
        return tuple(Revolute(self.X[:, [k]]) for k in range(2))

    def own_problem(self) -> str | None:
        if any(part.problem() for part in self.parts):
            return "a universal joint needs two turns about unit axes, (e; c x e) each"
        (w1, w2), (v1, v2) = self.X[:3].T, self.X[3:].T
        if np.abs(np.cross(w1, w2)).max() < ORTHONORMAL:
            return "its axes are parallel; a universal joint needs two axes that cross"
        if abs(w1 @ v2 + w2 @ v1) > ORTHONORMAL * max(1.0, float(np.abs(self.X[3:]).max())):
            return "its axes do not meet; use two revolute joints with a link between them"
        return None
