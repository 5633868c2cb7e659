"""Joints in a row, with nothing between them but links without mass."""

from __future__ import annotations

import numpy as np

from ..arrays import Array
from .joint import JointType


class Composite(JointType):
    """T = T_1(q_1) T_2(q_2) ...: a model has the `parts`, each with a body, instead of the whole.

    A path that is not a group of motions (a cam) is none of these: its screws change along it.
    """

    def motion(self, q: Array) -> Array:
        T, first = np.eye(4), 0
        for part in self.parts:
            T = T @ part.motion(q[first : first + part.nq])
            first += part.nq
        return T
