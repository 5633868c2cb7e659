"""How well the loops are closed along the motion, and how far it is from singular postures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ...arrays import Array
from ...forms.tree import Tree
from ...loops.numbers import ClosureNumbers
from ..curves import add_curve, panels, powers_of_ten
from ..figure import Figure, figure, thinned
from ..section import Section
from .mechanism_study import MechanismStudy

SMALLEST = 1e-18
"""Residuals below this are drawn as this, on a logarithmic axis."""


@dataclass(frozen=True)
class ClosureFacts:
    """Residuals (n,) along the motion, and the smallest singular values of both kinds (n,).

    `dependent` is that of the loop matrix over the dependent velocities, rows and columns of unit length: if
    it vanishes, the independent joints do not determine the others. `driven` is that of the velocities of
    the actuated joints per independent velocity, columns of unit length, None if these are the independent
    joints or nobody drives some degrees of freedom.
    """

    t: Array
    residual: Array
    dependent: Array
    driven: Array | None

    @property
    def worst(self) -> float:
        """The largest residual."""
        return float(self.residual.max())

    @property
    def nearest(self) -> float:
        """The smallest singular value of the dependent velocities."""
        return float(self.dependent.min())


def gather(study: MechanismStudy) -> ClosureFacts:
    """Return residuals and singular values along the motion."""
    robot, model = study.robot, study.robot.model
    keep = thinned(study.states.t)
    x = study.all_joints[keep]
    numbers = ClosureNumbers(Tree.of(model.tree), model.closures)
    blocks = np.array([numbers.rows(each)[np.ix_(list(model.rows), list(model.dv))] for each in x])
    driven = None
    if not model.direct and not model.undriven:
        given = study.states.q[keep] if model.explicit else x
        driven = _smallest(np.asarray(robot.actuation_matrix(given)))
    return ClosureFacts(study.states.t[keep], robot.closure_residual(x), _smallest(blocks), driven)


def _smallest(matrices: Array) -> Array:
    """Return the smallest singular values of matrices with rows, then columns, of unit length."""
    for axis in (2, 1):
        norms = np.linalg.norm(matrices, axis=axis, keepdims=True)
        matrices = matrices / np.where(norms > 0, norms, 1.0)
    return np.asarray(np.linalg.svd(matrices, compute_uv=False)[:, -1])


def draw(facts: ClosureFacts) -> Mapping[str, Figure]:
    """Return the residual and the singular values over time."""
    residual = panels(["residual [m, or 2 sin(angle / 2)]"])
    add_curve(residual, facts.t, np.maximum(facts.residual, SMALLEST), "residual", 0)
    powers_of_ten(residual)
    singular = panels(["smallest singular value"])
    add_curve(singular, facts.t, facts.dependent, "dependent joints", 0)
    if facts.driven is not None:
        add_curve(singular, facts.t, facts.driven, "actuated joints", 1)
    singular.update_yaxes(rangemode="tozero")
    return {
        "residual": figure(residual, "Closure error over time", 300),
        "singular": figure(singular, "Distance from singular postures", 300),
    }


SECTION = Section("mechanism_closure", "Closure and singularities", gather, draw)
