"""The minimum set of inertial parameters, and what regrouping them saves."""

from __future__ import annotations

from dataclasses import dataclass

from sympy import sstr

from ...identification.base.parameters import base_parameters
from ...identification.base.reasons import KEPT
from ...identification.base.result import BaseParameters
from ...identification.base.savings import Savings
from ...identification.base.table import DIGITS, combined
from ..section import Section
from .robot_study import Study

LISTED = 40
"""Most bodies whose regroupings are listed."""


@dataclass(frozen=True)
class BaseFacts:
    """The base parameters of a robot, and the operations they save in inverse dynamics.

    `reasons` are the parameters that are gone, each with what it acts as and why.
    """

    base: BaseParameters
    savings: Savings | None
    regrouped: tuple[tuple[str, str], ...]
    reasons: tuple[tuple[str, str, str], ...]

    @property
    def total(self) -> int:
        """Number of standard parameters."""
        return int(self.base.matrix.shape[1])


def gather(study: Study) -> BaseFacts | None:
    """Return the base parameters, in closed form."""
    model = study.robot.model
    if len(model.bodies) > LISTED:
        return None
    base = base_parameters(study.robot)
    savings = base.savings("inverse_dynamics") if model.has_inertia else None
    regrouped = tuple((name, sstr(each, full_prec=False)) for name, each in base.lists.regrouped.items())
    reasons = tuple(
        (each.name, sstr(combined(each.neighbours, DIGITS), full_prec=False), each.rule)
        for each in base.reasons.values()
        if each.kind != KEPT
    )
    return BaseFacts(base, savings, regrouped, reasons)


SECTION = Section("base", "Base parameters", gather)
