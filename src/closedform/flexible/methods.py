"""The forms of an arm as methods, kernels, equations and source code."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from ..arrays import Array
from ..checks import known_name, whole_number
from ..kernels import Kernel, compiled, traced
from ..kernels.kernel import precision
from ..programs import Program
from . import dynamics
from .catalogue import FORMS, ArmForm
from .model import ArmModel
from .source import arm_export
from .symbolic import arm_equations

MOST_STATIONS = 1000
"""Points per link that `points` compiles."""


class FormMethod:
    """Descriptor that compiles a form of an arm on first use."""

    def __init__(self, form: ArmForm) -> None:
        self.form = form
        self.__doc__ = form.doc

    def __get__(self, owner: ArmForms | None, kind: type | None = None) -> Any:
        if owner is None:
            return self
        method = owner.__dict__[self.form.name] = owner.kernel(self.form.name).fast
        return method


class ArmForms:
    """The closed forms of an arm; each is compiled when first used and broadcasts over batches."""

    def __init__(self, model: ArmModel, name: str) -> None:
        self.model, self.name = model, name
        self._kernels: dict[Any, Kernel] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (type(self), self.model, self.name)

    mass_matrix = FormMethod(FORMS["mass_matrix"])
    coriolis_torque = FormMethod(FORMS["coriolis_torque"])
    coriolis_matrix = FormMethod(FORMS["coriolis_matrix"])
    gravity_torque = FormMethod(FORMS["gravity_torque"])
    kinetic_energy = FormMethod(FORMS["kinetic_energy"])
    potential_energy = FormMethod(FORMS["potential_energy"])
    inverse_dynamics = FormMethod(FORMS["inverse_dynamics"])
    forward_dynamics = FormMethod(FORMS["forward_dynamics"])
    state_matrices = FormMethod(FORMS["state_matrices"])
    tip_position = FormMethod(FORMS["tip_position"])
    tip_angle = FormMethod(FORMS["tip_angle"])
    tip_jacobian = FormMethod(FORMS["tip_jacobian"])
    regressor = FormMethod(FORMS["regressor"])

    def program(self, name: str) -> Program:
        """Return a form as straight-line code."""
        form, inputs, outputs = self._expressions(name)
        return traced(form.name, inputs, outputs)

    def kernel(self, name: str, dtype: DTypeLike = np.float64) -> Kernel:
        """Return a compiled form itself, with its program, operation counts and `bind`."""
        key = (known_name("form of a flexible arm", name, tuple(FORMS)), precision(name, dtype).str)
        if key not in self._kernels:
            form, inputs, outputs = self._expressions(name)
            self._kernels[key] = compiled(form.name, inputs, outputs, form.doc, repr(self.name), dtype)
        return self._kernels[key]

    def _expressions(self, name: str) -> tuple[ArmForm, list[Any], list[Any]]:
        form = FORMS[known_name("form of a flexible arm", name, tuple(FORMS))]
        return form, *form.expressions(self.model)

    def points(self, q: ArrayLike, stations: int = 21) -> Array:
        """Return points (..., n stations, 2) along the bending arm, from joint to tip of each link."""
        count = whole_number("points: stations", stations, 2, MOST_STATIONS)
        key = ("points", count)
        if key not in self._kernels:
            symbol = ca.SX.sym("q", self.model.size)
            expression = dynamics.points(self.model, self.model.numbers(), symbol, count)
            doc = "Return points along the arm."
            self._kernels[key] = compiled(
                "points", [("q", symbol)], [("p", expression)], doc, repr(self.name)
            )
        return np.asarray(self._kernels[key](q))

    def equations(self, name: str, **options: Any) -> Any:
        """Return a form as SymPy expressions, with options as those of `Robot.equations`.

        `symbolic` keeps letters for constants: True for all, or some of "geometry" (l, phi,
        dphi: lengths, tips and tip slopes of modes), "inertia", "stiffness", "damping", "gravity".

        >>> import closedform as cf
        >>> arm = cf.FlexibleArm([cf.FlexibleLink(1.0, 0.5, 2.0, modes=1)], payload=(0.1, 0.0))
        >>> print(arm.equations("mass_matrix", symbolic=True))
        B[1,1] = Jh1 + Jo1 + Jp + l1**2*mp
        B[1,2] = B[2,1] = Jp*dphi11 + l1*mp*phi11 + w11
        B[2,2] = Jp*dphi11**2 + mp*phi11**2 + z111
        """
        return arm_equations(self.model, name, **options)

    def export(
        self, name: str, language: str, path: str | os.PathLike[str], *, precision: str = "double"
    ) -> tuple[Path, ...]:
        """Write a form as source code ("c", "cuda", "matlab", "numpy") and return the paths.

        >>> import tempfile, closedform as cf
        >>> arm = cf.FlexibleArm.deluca_siciliano()
        >>> [path.name for path in arm.export("mass_matrix", "numpy", tempfile.mkdtemp())]
        ['deluca_siciliano_mass_matrix.py']
        """
        return arm_export(self.model, self.name, self.program(name), language, path, precision)


def _restored(kind: type[ArmForms], model: ArmModel, name: str) -> ArmForms:
    """Return an arm from its model, without computing its modes again."""
    arm = kind.__new__(kind)
    ArmForms.__init__(arm, model, name)
    return arm
