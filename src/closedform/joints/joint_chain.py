"""Joints in a row, with nothing between them but links without mass."""

from __future__ import annotations

import numpy as np

from ..arrays import Array
from .joint import JointType


class JointChain(JointType):
    """T = T_1(q_1) T_2(q_2) ...: a model has the `parts`, each with a body, instead of the whole.

    A path that is not a group of motions (a cam) is none of these: its screws change along it.
    """

    @property
    def parts(self) -> tuple[JointType, ...]:
        raise NotImplementedError(f"{type(self).__name__} needs `parts`, the joints that it is made of")

    @property
    def simple_parts(self) -> tuple[JointType, ...]:
        inner = (part.simple_parts for part in self.parts)
        return tuple(part for each in inner for part in each)

    def problem(self) -> str | None:
        # at home the screws of its parts may depend on each other, as those of the angles z, y, z do
        return self.shape_problem() or self.own_problem()

    def own_problem(self) -> str | None:
        dofs = sum(part.nv for part in self.parts)
        if dofs != self.nv:
            return f"its parts have {dofs} dof(s); a joint of kind {self.kind} has {self.nv}"
        problems = ((k, part.problem()) for k, part in enumerate(self.parts, start=1))
        return next((f"part {k} of it: {problem}" for k, problem in problems if problem), None)

    def motion(self, q: Array) -> Array:
        T, first = np.eye(4), 0
        for part in self.parts:
            T = T @ part.motion(q[first : first + part.nq])
            first += part.nq
        return T
