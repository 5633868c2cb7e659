"""The minimum set of inertial parameters of a robot: those the equations of motion can tell apart."""
# ruff: noqa: PLC0415 (SymPy and SciPy are imported where they are used: they take half a second)

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np
from casadi import SX

from ...arrays import Array
from ...checks import flag, instance, known_name, whole_number
from ...errors import ArgumentError, ClosedFormError
from ...forms import form
from ...kernels import Kernel, compiled
from ...lazy import cached_property
from ...model import Model
from ...model.idle import refuse_still
from ...robot import Robot
from .attainable import unfelt_parameters
from .regrouping import Regrouping, eliminate
from .savings import Savings, operation_savings
from .scale import scaled_model
from .transfer import SIZE, Entries, parameter_name, transfer_matrix

if TYPE_CHECKING:
    from sympy import Expr, Symbol

    from .reasons import Reason
    from .table import Lists

METHODS = ("closed", "numeric")
"""In closed form, or by the rank of sampled regressors."""

MOST_DIGITS = 1000
"""Digits of printed coefficients."""

CLEAN = 1e-11
"""Size of coefficients (in units of the robot) that are round-off: of sums, or of right angles in a file."""


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

    @cached_property
    def rank(self) -> int:
        """The rank of regressors sampled at random states, which the count should equal."""
        if self.method == "numeric" or self.completion:
            return self.count
        return _numeric(type(self.robot)(self._decided_on)).count

    @property
    def _decided_on(self) -> Model:
        return decided_on(self.robot.model, self.lettered is not None)

    @property
    def minimal(self) -> bool:
        """Whether the closed form alone reached the numeric rank (which is computed when asked for)."""
        return self.closed_count == self.rank

    def savings(self, name: str = "inverse_dynamics", order: int | None = None) -> Savings:
        """Return the operations of a form with the bodies' own inertias and with regrouped ones.

        >>> import closedform as cf
        >>> from closedform.identification import base_parameters
        >>> print(base_parameters(cf.load("puma560")).savings())  # doctest: +ELLIPSIS
        inverse_dynamics: ... additions and multiplications, ... with regrouped inertias (...)
        """
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


def base_parameters(robot: Robot, method: str = "closed", *, symbolic: bool = False) -> BaseParameters:
    """Return the minimum set of inertial parameters that determine the equations of motion.

    Parameters without effect are dropped and others regrouped [GautierKhalil1990], by the recursion
    on the joints of `closedform.identification.base.attainable`: it holds for trees, any axes and floating
    bases, needs no inertias, and takes the direction of gravity from the robot. With
    `method="numeric"` the rank of regressors sampled at random states decides instead. Joints coupled
    to others (mimics) regroup more than the closed form knows: the rest is found numerically and
    named in `completion`.

    `symbolic` keeps lengths and angles of the geometry as letters in `regrouped`: those of the robot's
    table (`Robot.from_mdh`) if it has any, whatever their values, else d, r, alpha, theta. Bodies are
    counted from 1 along the tree; parameters are about the origins of the body frames, as in `robot.phi`.

    >>> import closedform as cf
    >>> from closedform.identification import base_parameters
    >>> base = base_parameters(cf.load("puma560"), symbolic=True)
    >>> base.count
    36
    >>> base.regrouped["XXR3"]
    2*MZ4*r4 + XX3 - YY3 + YY4 + (-d4**2 + r4**2)*(M4 + M5 + M6)
    """
    instance("base_parameters: robot", robot, Robot)
    refuse_still(robot.model, "base_parameters")
    known_name("method of base_parameters", method, METHODS)
    flag("base_parameters: symbolic", symbolic)
    if method == "numeric":
        if symbolic:
            raise ArgumentError("base_parameters: symbolic needs method='closed'; numbers have no letters")
        return _numeric(robot)
    return _closed(robot, symbolic)


def _closed(robot: Robot, symbolic: bool) -> BaseParameters:
    own = decided_on(robot.model, symbolic)
    model, factors = scaled_model(own)
    units = np.tile(factors, len(model.bodies))
    recursion = Regrouping(
        [body.parent for body in model.bodies],
        [transfer_matrix(body.placement) for body in own.bodies],
        [eliminate(basis, factors) for basis in unfelt_parameters(model)],
        np.eye(len(units)),
    )
    kept = [SIZE * k + row for k, gone in enumerate(recursion.eliminations) for row in gone.kept]
    matrix = _cleaned(recursion.matrix(), units, kept)
    base = BaseParameters(robot, "closed", tuple(kept), matrix, len(kept), regrouping=recursion)
    if symbolic:
        from .lettered import in_letters

        lettered, coefficients, matrix, values = in_letters(robot.model, recursion, matrix)
        base = replace(base, matrix=matrix, coefficients=coefficients, geometry=values, lettered=lettered)
    return _completed(base, units) if model.coupled else base


def _numeric(robot: Robot) -> BaseParameters:
    from .numeric import null_space, reduction, sampled_regressor

    robot.model.require_numbers("base_parameters")
    model, factors = scaled_model(robot.model)
    units = np.tile(factors, len(model.bodies))
    kept, matrix = reduction(null_space(sampled_regressor(model)), range(len(units)))
    closed_count = sum(SIZE - basis.shape[1] for basis in unfelt_parameters(model))
    matrix = units[kept, None] * matrix / units
    return BaseParameters(robot, "numeric", tuple(kept), matrix, closed_count)


def _completed(base: BaseParameters, units: Array) -> BaseParameters:
    """Return base parameters of the closed form reduced further, to the rank of sampled regressors."""
    from .numeric import null_space, reduction, sampled_regressor

    kept = list(base.kept)
    W = sampled_regressor(scaled_model(base.robot.model)[0])[:, kept]
    stay, more = reduction(null_space(W), kept)
    more = units[kept][stay, None] * more / units[kept]
    gone = [parameter_name(k) for i, k in enumerate(kept) if i not in stay]
    left = [kept[i] for i in stay]
    return replace(
        base,
        kept=tuple(left),
        matrix=_cleaned(more @ base.matrix, units, left),
        completion=tuple(gone),
        coefficients=None if base.coefficients is None else _product(more, base.coefficients),
    )


def _product(more: Array, coefficients: Entries) -> Entries:
    """Return more @ coefficients; most entries of `more` are zero."""
    from .geometry_symbols import exact

    return np.array([exact(row[row != 0]) @ coefficients[row != 0] for row in more])


def _cleaned(matrix: Array, units: Array, kept: Sequence[int]) -> Array:
    """Return the matrix with zeros for coefficients that are round-off."""
    size = np.abs(matrix) * units / units[list(kept), None]
    return np.where(size < CLEAN, 0.0, matrix) + 0.0
