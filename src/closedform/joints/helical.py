"""The helical joint: a screw in its nut."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from ..arrays import Array
from .joint import JointType
from .registry import register
from .screws import pinocchio_joint


@register
class Helical(JointType):
    """T = exp(X q) with X = (e; c x e + h e): a turn about an axis that moves by h metres per radian."""

    kind = "helical"
    written: ClassVar = {"axis": (3,), "pitch": ()}
    count = 1

    @classmethod
    def screws_of(cls, **written: Array) -> Array:
        e = written["axis"]
        return np.concatenate([e, written["pitch"] * e])[:, None]

    @classmethod
    def fits(cls, X: Array) -> bool:
        w, v = X[:3, 0], X[3:, 0]
        return bool(X.shape[1] == 1 and abs(w @ v) > 1e-14 * np.linalg.norm(v))

    def own_problem(self) -> str | None:
        return None if self.turns[0] else "its screw does not rotate; a helical joint needs (e; c x e + h e)"

    def pinocchio(self, pin: Any) -> Any:
        return pinocchio_joint(pin, "Helical", self.X[:3, 0], self.pitch(0))
