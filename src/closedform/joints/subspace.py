"""Joints of translations and at most one turn: cylindrical, planar, Cartesian, Schoenflies."""

from __future__ import annotations

import numpy as np

from ..arrays import Array
from .joint import JointType
from .registry import register
from .screws import plane


@register
class Subspace(JointType):
    """T = exp(X_t q_t) exp(X_r q_r): the turn, if any, maps the span of the translations to itself."""

    kind = "subspace"

    @classmethod
    def fits(cls, X: Array) -> bool:
        several = X.shape[1] > 1 and not (X.shape[1] in (3, 6) and np.linalg.matrix_rank(X[:3]) == 3)
        return bool(several)  # whether they are a subspace that the motion keeps, `problem` says

    @property
    def urdf(self) -> str | None:
        given = self.nv == 3 and self.turns[2]
        return "planar" if given and np.array_equal(self.X, plane(self.X[:3, 2])) else None
