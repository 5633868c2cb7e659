"""The minimum set of inertial parameters of a robot: those the equations of motion can tell apart."""
# ruff: noqa: PLC0415 (SymPy and SciPy are imported where they are used: they take half a second)

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ...arrays import Array
from ...checks import flag, instance, known_name
from ...errors import ArgumentError
from ...loops import ClosedRobot
from ...model.idle import refuse_still
from ...robot import Robot
from .attainable import unfelt_parameters
from .closed_loops import closed_base_parameters
from .regrouping import Regrouping, eliminate
from .result import BaseParameters, decided_on
from .scale import scaled_model
from .transfer import SIZE, Entries, parameter_name, transfer_matrix

METHODS = ("closed", "numeric")
"""In closed form, or by the rank of sampled regressors."""

CLEAN = 1e-11
"""Size of coefficients (in units of the robot) that are round-off: of sums, or of right angles in a file."""


def base_parameters(
    robot: Robot | ClosedRobot, method: str = "closed", *, symbolic: bool = False
) -> BaseParameters:
    """Return the minimum set of inertial parameters that determine the equations of motion.

    Parameters without effect are dropped and others regrouped [GautierKhalil1990], by the recursion
    on the joints of `closedform.identification.base.attainable`: it holds for trees, any axes and floating
    bases, needs no inertias, and takes the direction of gravity from the robot. With
    `method="numeric"` the rank of regressors sampled at random states decides instead. Joints coupled
    to others (mimics) regroup more than the closed form knows: the rest is found numerically and
    named in `completion`. So is what loops regroup of a robot `with_loops`: the closed form is that of its
    tree, and `regressor` that of its actuated joints.

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
    if isinstance(robot, ClosedRobot):
        return _of_loops(robot, method, symbolic)
    instance("base_parameters: robot", robot, Robot)
    refuse_still(robot.model, "base_parameters")
    known_name("method of base_parameters", method, METHODS)
    flag("base_parameters: symbolic", symbolic)
    if method == "numeric":
        if symbolic:
            raise ArgumentError("base_parameters: symbolic needs method='closed'; numbers have no letters")
        return _numeric(robot)
    return _closed(robot, symbolic)


def _of_loops(closed: ClosedRobot, method: str, symbolic: bool) -> BaseParameters:
    known_name("method of base_parameters", method, METHODS)
    if flag("base_parameters: symbolic", symbolic):
        raise ArgumentError("base_parameters: loops are completed by numbers, which have no letters")
    units = np.tile(scaled_model(closed.model.tree)[1], len(closed.model.bodies))
    if method == "closed":
        return closed_base_parameters(closed, _closed(closed.tree, False), units)
    every = tuple(range(len(units)))
    none = BaseParameters(closed.tree, "numeric", every, np.eye(len(units)), len(units))
    found = closed_base_parameters(closed, none, units)
    return replace(found, completion=(), closed_count=_closed(closed.tree, False).count)


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
