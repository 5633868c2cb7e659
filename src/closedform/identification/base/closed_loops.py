"""Base parameters of robots with closed loops: in closed form for the tree, completed by the loops.

Loops take motions away, so that parameters which the tree can tell apart become one. What the recursion
finds for the spanning tree stays grouped; the rest is the null space of the closed regressor at random
motions of the mechanism, by QR with column pivoting.
"""
# ruff: noqa: PLC0415 (SciPy is imported where it is used: it takes half a second)

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any

import casadi as ca
import numpy as np

from ...arrays import Array
from ...errors import ClosedFormError
from ...forms.form_catalogue import catalogue
from ...kernels import Kernel, compiled
from ...lazy import cached_property
from ...loops import ClosedRobot
from .result import BaseParameters
from .savings import Savings
from .transfer import SIZE


@dataclass(frozen=True, eq=False)
class LoopBaseParameters(BaseParameters):
    """The base parameters of a robot with loops: tau = regressor(q, qd, qdd) @ (matrix @ phi).

    `robot` is the spanning tree, `closed` the mechanism, `completion` names what only the loops eliminate,
    found numerically.
    """

    closed: ClosedRobot | None = field(default=None, repr=False)

    @cached_property
    def regressor(self) -> Kernel:
        """The compiled reduced regressor of the actuated joints: (..., actuated, count).

        If nobody drives some degrees of freedom, that of the generalised forces: (..., nv, count). q are the
        coordinates that kernels of `closed` take: of all joints if there is no formula.
        """
        closed = self.mechanism
        symbols, (Y,) = catalogue(closed.model)[regressor_name(closed)].expression(closed.model)
        Y = ca.densify(Y[:, list(self.kept)])
        inputs = [
            (name, each.shape[:1], each) for name, each in zip(("q", "qd", "qdd"), symbols, strict=True)
        ]
        doc = "Return Y with tau = Y @ base for the base parameters, without rotor inertias."
        return compiled("base_regressor", inputs, [("Y", Y.shape, Y)], doc, f"robot {closed.name!r}")

    @property
    def rank(self) -> int:
        """The rank of closed regressors sampled at random motions, which decided the count."""
        return self.count

    def kernel(self, name: str = "inverse_dynamics", order: int | None = None) -> Kernel:
        """Refuse: forms of robots with loops take all parameters as input, not the base parameters."""
        raise ClosedFormError(
            f"base parameters: {name} of a robot with loops does not take base parameters; use `regressor`, "
            "or closed.kernel(name, phi=True) with all parameters"
        )

    def savings(
        self, name: str = "inverse_dynamics", order: int | None = None, *, inputs: bool = False
    ) -> Savings:
        """Refuse: what regrouping saves is counted for trees."""
        raise ClosedFormError(
            "base parameters: savings are counted for robots without loops; take closed.tree"
        )

    @property
    def mechanism(self) -> ClosedRobot:
        """The robot with its loops."""
        assert self.closed is not None
        return self.closed

    def postures(self, q: Array) -> Array:
        """Return q, or the coordinates of all joints if no formula gives them; NaN where there are none."""
        return q if self.mechanism.model.explicit else self.mechanism.reached(q)

    def columns(self, q: Array, qd: Array, qdd: Array) -> Array:
        """Return the reduced regressor at coordinates of the independent joints; NaN where there are none."""
        with np.errstate(invalid="ignore"):
            return super().columns(q, qd, qdd)


def closed_base_parameters(closed: ClosedRobot, base: BaseParameters, units: Array) -> LoopBaseParameters:
    """Return base parameters of a mechanism from those of its tree, or from none for the numeric method."""
    from .numeric import null_space, reduction
    from .transfer import parameter_name

    kept = list(base.kept)
    W = sampled_closed_regressor(closed)[:, kept] * units[kept]
    stay, more = reduction(null_space(W), kept)
    more = units[kept][stay, None] * more / units[kept]
    left = [kept[i] for i in stay]
    known: dict[str, Any] = {each.name: getattr(base, each.name) for each in fields(base)}
    known |= {
        "kept": tuple(left),
        "matrix": more @ base.matrix,
        "completion": tuple(parameter_name(k) for i, k in enumerate(kept) if i not in stay),
        "coefficients": None,
    }
    return LoopBaseParameters(**known, closed=closed)


def sampled_closed_regressor(closed: ClosedRobot) -> Array:
    """Return rows of the closed regressor at random motions, at least three per inertial parameter."""
    from .numeric import ROWS_PER_COLUMN, SEED, regressor_at

    model = closed.model
    samples = 5 + ROWS_PER_COLUMN * SIZE * len(model.bodies) // model.nv
    q, qd, qdd = closed.random_state(SEED, batch=samples)
    here = q if model.explicit else closed.assemble(q)
    # torques of the actuated joints tell as much as generalised forces: the same combinations of parameters
    Y = regressor_at(model, (here, qd, qdd), "generalized_force_regressor")
    return Y.reshape(model.nv * samples, -1)


def regressor_name(closed: ClosedRobot) -> str:
    """Return the form that is linear in the parameters and known from torques: those of a log, say."""
    return "generalized_force_regressor" if closed.model.undriven else "regressor"
