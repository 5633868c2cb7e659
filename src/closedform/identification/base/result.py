"""Base parameters as a result: names, coefficients, reasons, steps, kernels and what they save."""
# ruff: noqa: PLC0415 (SymPy and SciPy are imported where they are used: they take half a second)

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from casadi import SX

from ...arrays import Array
from ...checks import flag, whole_number
from ...display import card, html_table
from ...errors import ClosedFormError
from ...forms import form
from ...kernels import Kernel, ProgramRecipe, compiled
from ...lazy import cached_property
from ...loops import ClosedRobot
from ...model import Model
from ...robot import Robot
from .regrouping import Regrouping
from .savings import Savings, base_program, input_savings, operation_savings
from .transfer import SIZE, Entries, parameter_name

if TYPE_CHECKING:
    from sympy import Expr, Symbol

    from .reasons import Reason
    from .table import Lists

LONGEST_SUM = 400
"""Characters of a regrouped parameter in a notebook's table."""

MOST_DIGITS = 1000
"""Digits of printed coefficients."""


@dataclass(frozen=True, eq=False)
class BaseParameters:
    """The base parameters of a robot: tau = regressor(q, qd, qdd) @ (matrix @ phi) + rotor inertias.

    `kept` are the indices in `robot.phi` of the parameters that stay, some of them regrouped with
    others; `matrix` (count, 10 bodies) gives the base parameters, base = matrix @ phi. `completion`
    names parameters that only the numerical method eliminated. If letters of the geometry were asked
    for, `coefficients` holds the entries of `matrix` as SymPy expressions, `geometry` the values of the
    letters, and `lettered` the `regrouping` in letters.
    """

    robot: Robot
    method: str
    kept: tuple[int, ...]
    matrix: Array = field(repr=False)
    closed_count: int
    completion: tuple[str, ...] = ()
    coefficients: Entries | None = field(default=None, repr=False)
    geometry: dict[Symbol, float] = field(default_factory=dict, repr=False)
    regrouping: Regrouping | None = field(default=None, repr=False)
    lettered: Regrouping | None = field(default=None, repr=False)

    @property
    def count(self) -> int:
        """Number of base parameters, numerically eliminated ones (`completion`) not counted."""
        return len(self.kept)

    @cached_property
    def no_effect(self) -> tuple[str, ...]:
        """Names of the parameters without effect on the dynamics, such as XX1."""
        return tuple(parameter_name(k) for k in np.flatnonzero(~self.matrix.any(axis=0)))

    @cached_property
    def eliminated(self) -> tuple[str, ...]:
        """Names of the parameters eliminated by regrouping them with others."""
        gone = set(np.flatnonzero(self.matrix.any(axis=0))) - set(self.kept)
        return tuple(parameter_name(k) for k in sorted(gone))

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the base parameters: XY2 if it stays alone, XXR2 if it is regrouped."""
        alone = np.count_nonzero(self.matrix, axis=1) == 1
        return tuple(parameter_name(k, "" if own else "R") for k, own in zip(self.kept, alone, strict=True))

    @cached_property
    def regrouped(self) -> dict[str, Expr]:
        """What regrouped parameters consist of, ZZR1 = ZZ1 + YY2 + ..., as SymPy expressions."""
        return self._combinations(15)

    def _combinations(self, digits: int) -> dict[str, Expr]:
        """Return what regrouped parameters consist of, with numbers of `digits` digits."""
        from .table import combination

        rows = self.matrix if self.coefficients is None else self.coefficients
        names = zip(self.names, rows, self.kept, strict=True)
        return {name: combination(row, digits) for name, row, k in names if name != parameter_name(k)}

    def steps(self, digits: int = 15) -> tuple[tuple[int, dict[str, Expr]], ...]:
        """Return the regroupings step by step, from the last body to the first, as the paper prints them.

        For each body, by its number: what its own parameters and those of its parent become when
        the parameters that its joint does not feel move to the parent. Numbers have `digits` digits.

        >>> import closedform as cf
        >>> from closedform.identification import base_parameters
        >>> dict(base_parameters(cf.load("puma560"), symbolic=True).steps())[6]
        {'XXR6': XX6 - YY6, 'XXR5': XX5 + YY6, 'ZZR5': YY6 + ZZ5, 'MYR5': MY5 + MZ6, 'MR5': M5 + M6}
        """
        from .table import combination

        digits = whole_number("base parameters: digits", digits, 1, MOST_DIGITS)
        if self.regrouping is None:
            raise ClosedFormError("base parameters: the numeric method has no steps; use method='closed'")
        return tuple(
            (k + 1, {parameter_name(index, "R"): combination(row, digits) for index, row in changed})
            for k, changed in (self.lettered or self.regrouping).steps()
        )

    @cached_property
    def reasons(self) -> dict[str, Reason]:
        """Why each parameter is kept, regrouped or without effect: the rule and the neighbours, by name.

        >>> import closedform as cf
        >>> from closedform.identification import base_parameters
        >>> reasons = base_parameters(cf.load("puma560"), symbolic=True).reasons
        >>> print(reasons["XX1"])
        XX1, no effect: link 1 turns about the axis of joint 1 only [GautierKhalil1990, section III-B, rule 3]
        >>> reasons["MZ4"].equation
        'MZ4 -> MY3 - XY3*d4 + 2*r4*(XX3 + ZZ3)'
        >>> reasons["MZ4"].rule
        'joint 4 turns about its axis and does not feel mass on it [GautierKhalil1990, Eq. (15)]'
        """
        from .reasons import reasons_of

        matrix = self.matrix if self.coefficients is None else self.coefficients
        regroupings = [each for each in (self.regrouping, self.lettered) if each is not None]
        names = dict(zip(self.kept, self.names, strict=True))
        return reasons_of(self._decided_on, names, matrix, regroupings, self.completion)

    @property
    def values(self) -> Array:
        """The values of the base parameters, matrix @ phi (count)."""
        if not self.robot.model.has_inertia:
            raise ClosedFormError(
                f"base parameters: robot {self.robot.name!r} has no inertias (geometry only), so its base "
                "parameters have no values; their names, matrix and regressor need none"
            )
        self.robot.model.require_numbers("base parameters: values")
        return np.asarray(self.matrix @ self.robot.phi)

    @cached_property
    def regressor(self) -> Kernel:
        """The compiled reduced regressor: called with q, qd, qdd it gives (..., nv, count).

        Its columns are those of `robot.regressor` at the parameters that stay.
        """
        symbols, Y = regressor_expression(self)
        doc = "Return Y with tau = Y @ base for the base parameters, without rotor inertias."
        inputs = list(zip(("q", "qd", "qdd"), symbols, strict=True))
        return compiled("base_regressor", inputs, [("Y", Y.shape, Y)], doc, f"robot {self.robot.name!r}")

    @property
    def mechanism(self) -> Robot | ClosedRobot:
        """The robot that moves: `robot`, or what closes it into loops."""
        return self.robot

    def postures(self, q: Array) -> Array:
        """Return what `regressor` takes for coordinates q of the mechanism."""
        return q

    def columns(self, q: Array, qd: Array, qdd: Array) -> Array:
        """Return the reduced regressor at coordinates q of the mechanism: (..., joints, count)."""
        return np.asarray(self.regressor(self.postures(q), qd, qdd))

    def kernel(self, name: str = "inverse_dynamics", order: int | None = None) -> Kernel:
        """Return a form with the base parameters as its last input, in place of numbers.

        For control and identification on the minimum parameters [GautierKhalil1990, section VI], of forms
        that these determine: joint forces, the mass matrix, their rates and derivatives. Rotor inertias stay
        the robot's.

        >>> import numpy as np, closedform as cf
        >>> from closedform.identification import base_parameters
        >>> robot = cf.load("2r")
        >>> base = base_parameters(robot)
        >>> state = robot.random_state(0)
        >>> bool(np.allclose(base.kernel()(*state, base.values), robot.inverse_dynamics(*state)))
        True
        """
        traced = base_program(self.robot.model, self.kept, name, order)
        doc = f"Return {name} of base parameters, the last input."
        return Kernel(ProgramRecipe(traced, doc, f"robot {self.robot.name!r}"), np.float64)

    @cached_property
    def rank(self) -> int:
        """The rank of regressors sampled at random states, which the count should equal."""
        from .numeric import null_space, sampled_regressor
        from .scale import scaled_model

        if self.method == "numeric" or self.completion:
            return self.count
        rows = sampled_regressor(scaled_model(self._decided_on)[0])
        return int(rows.shape[1] - null_space(rows).shape[1])

    @property
    def _decided_on(self) -> Model:
        return decided_on(self.robot.model, self.lettered is not None)

    @property
    def minimal(self) -> bool:
        """Whether the closed form alone reached the numeric rank (which is computed when asked for)."""
        return self.closed_count == self.rank

    def savings(
        self, name: str = "inverse_dynamics", order: int | None = None, *, inputs: bool = False
    ) -> Savings:
        """Return the operations of a form with the bodies' own inertias and with regrouped ones.

        With `inputs`, parameters are inputs: all of them (`robot.kernel(name, phi=True)`), and the base
        parameters alone (`kernel`).

        >>> import closedform as cf
        >>> from closedform.identification import base_parameters
        >>> print(base_parameters(cf.load("puma560")).savings())  # doctest: +ELLIPSIS
        inverse_dynamics: ... additions and multiplications, ... with regrouped inertias (...)
        """
        if flag("savings: inputs", inputs):
            return input_savings(self.robot.model, self.kept, name, order)
        return operation_savings(self.robot.model, name, order)

    @property
    def lists(self) -> Lists:
        """The lists of the paper, with numbers short enough to read."""
        from .reasons import KEPT
        from .table import DIGITS, Lists

        eliminated = [name for name in self.eliminated if name not in self.completion]
        gone = {
            "no effect": self.no_effect,
            "eliminated by regrouping": eliminated,
            "eliminated numerically, beyond the closed form": self.completion,
        }
        links: dict[int, list[str]] = {}
        for k, name in zip(self.kept, self.names, strict=True):
            links.setdefault(k // SIZE + 1, []).append(name)
        title = f"{self.robot.name}: {self.count} base parameters of {self.matrix.shape[1]}"
        why: dict[str, list[str]] = {}
        for name, reason in self.reasons.items():
            if reason.kind != KEPT:
                why.setdefault(reason.rule, []).append(name)
        return Lists(title, gone, self._combinations(DIGITS), links, why)

    def __str__(self) -> str:
        return str(self.lists)

    def _repr_html_(self) -> str:
        """Return what a notebook shows: the base parameters, what they consist of, and their values."""
        from .table import DIGITS

        model, sums = self.robot.model, self._combinations(DIGITS)
        known = model.has_inertia and not model.without_numbers
        values = self.values.tolist() if known else [None] * self.count
        rows = [
            (name, str(sums.get(name, "")), value) for name, value in zip(self.names, values, strict=True)
        ]
        facts = f"{self.count} base parameters of {self.matrix.shape[1]}, {self.method} method"
        return card(
            self.robot.name, facts, html_table(["parameter", "consists of", "value"], rows, LONGEST_SUM)
        )

    def latex(self) -> str:
        """Return the regroupings and the lists of parameters in LaTeX."""
        return self.lists.latex()


def decided_on(model: Model, symbolic: bool) -> Model:
    """Return the model whose numbers decide: letters of a table stand for numbers in general."""
    if symbolic and model.letters:
        return model.generic
    model.require_numbers("base_parameters")
    return model


def regressor_expression(base: BaseParameters) -> tuple[list[SX], SX]:
    """Return the symbols q, qd, qdd and the reduced regressor of them; inertias are not needed."""
    model = base.robot.model
    symbols, (Y,) = form("regressor").expression(model.with_phi(np.zeros(model.phi.size)))
    return symbols, Y[:, list(base.kept)]
