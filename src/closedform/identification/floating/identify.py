"""From a log of a legged robot to its parameters: the steps in order."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Unpack

import numpy as np

from ...arrays import Array
from ...checks import choice, flag, function
from ...errors import ArgumentError
from ...robot import Robot
from ..base.result import BaseParameters
from ..logs.cutoff import chosen_cutoff
from ..logs.errors import LogError
from ..logs.options import ReadingOptions
from ..logs.plausibility import ROWS, check_motion
from ..logs.signals import Filters, sampling_rate
from ..logs.transmission import Axis
from ..regression.design import Design, independent
from ..regression.friction import FrictionTerms, Term
from ..regression.least_squares import ExcitationError, Fit, fit_folds, solve, standard_errors
from ..regression.least_squares import undetermined as undetermined_names
from ..regression.moments import LAGS, Moments
from ..regression.split import FOLDS, HELD_OUT, Split
from ..workflow.doubt import prediction_doubts
from ..workflow.inertias import beliefs, identified_tree, inertias
from ..workflow.known_inertias import KnownInertias
from ..workflow.prediction import cross_validation, torque_errors
from .equations import Block, Window, blocks, moments_of
from .friction import MODELS, best_model, model_terms, union
from .log import FloatingLog, check_floating, read_floating_log
from .noise import updated_variances
from .result import FloatingIdentification
from .total_mass import mass_position, mass_prior

Progress = Callable[[float, str], None]
"""Called with the fraction of the work done, and what is next."""

ROUNDS = 4
"""Fits, between which the scatter of base rows and joints is estimated."""

GROUPS = (slice(0, 3), slice(3, 6))
"""Base rows that have one scatter: moments, and forces."""

REMEDY = (
    "record a motion in which every leg swings and the base moves and turns along all axes, or say "
    'undetermined="prior" to keep what the description says'
)


def identify_floating(
    robot: Robot,
    log: Any,
    *,
    contacts: Mapping[str, Any] | Sequence[str] | None = None,
    flat: Sequence[str] = (),
    twist: str = "body",
    wrench_axes: str = "foot",
    rows: str = "all",
    total_mass: float | tuple[float, float] | None = None,
    cutoff: float | None = None,
    friction: FrictionTerms | str | None = "auto",
    rotors: bool = True,
    hold_out: float | str | None = None,
    undetermined: str = "error",
    physical: bool | None = None,
    progress: Progress | None = None,
    **reading: Unpack[ReadingOptions],
) -> FloatingIdentification:
    """Return the parameters of a legged robot that explain a log of its motion, with standard errors.

    Y_b(q, qd, qdd) beta + drives = (0, tau) + J_m^T W + J_c^T f with measured wrenches W and unknown forces
    f of standing feet. What is not measured is projected out: Z^T J_c^T = 0 for a basis Z of the null
    space of J_c [Mistry2009]. With wrenches of all feet the six rows of the base alone determine the base
    parameters [Ayusawa2014].

    - `log`, `contacts`, `flat`, `twist`, `wrench_axes`: those of `read_floating_log`, with its options.
    - `rows`: "all" dofs (projected where contact forces are unknown), or those of the "base" alone, which
      need measured wrenches and no joint torques, and show no friction.
    - `total_mass`: the known mass in kg, or (mass, standard deviation); by default it is identified.
    - `cutoff`, `friction`, `rotors`, `hold_out`, `undetermined`, `physical`, `progress`: as of `identify`;
      `friction="auto"` chooses among none, viscous and Coulomb friction.

    The scatter of base moments, base forces and every joint is estimated from the residuals, and weighs
    the equations. Errors of the result are those of the weighted equations.

    >>> import closedform as cf
    >>> robot = cf.load("2r")
    >>> identify_floating(robot, {})
    Traceback (most recent call last):
    ...
    closedform.errors.ArgumentError: identify_floating: robot '2r' has no floating base; load it with \
floating_base=True
    """
    check_floating("identify_floating", robot)
    choice("identify_floating: rows", rows, ("all", "base"))
    choice("identify_floating: undetermined", undetermined, ("error", "prior"))
    flag("identify_floating: rotors", rotors)
    if physical is not None:
        flag("identify_floating: physical", physical)
    if not (friction is None or isinstance(friction, FrictionTerms)):
        choice("identify_floating: friction (or FrictionTerms, or None)", friction, ("auto",))
    if isinstance(friction, FrictionTerms) and "fl" in friction.kinds:
        raise ArgumentError("identify_floating: friction by load is not identified on a floating base")
    if progress is not None:
        function("identify_floating: progress", progress, "the fraction done and what is next", 2)
    tell: Progress = progress or (lambda done, what: None)
    tell(0.0, "reading the log")
    read = read_floating_log(
        log, robot, contacts=contacts, flat=flat, twist=twist, wrench_axes=wrench_axes, **reading
    )
    base_rows = rows == "base"
    if base_rows and (read.contacts or not read.wrenches):
        lacks = ", ".join(read.contacts) or "the feet"
        raise LogError(f'rows="base" needs measured wrenches of all feet; there are none of {lacks}')
    check_motion(read.joints)
    rate = sampling_rate(read.joints.time)
    filters = Filters(rate, chosen_cutoff("identify_floating", cutoff, read.joints.middle(ROWS), rate))
    time = read.joints.time
    split = Split(time[0], time[-1], hold_out, 0.5 / filters.cutoff, min(1.0, read.joints.duration / FOLDS))
    tell(0.1, "base parameters")
    axes = joint_axes(robot)
    base, dependent = independent(robot, axes)
    rotating = rotors and not base_rows
    models = (
        (MODELS if friction == "auto" else (friction,) if isinstance(friction, FrictionTerms) else ())
        if not base_rows
        else ()
    )
    drive = (
        *(term for term in rotor_terms(axes) if rotating and term not in dependent),
        *union(models, len(axes), dependent),
    )
    mass = mass_prior(base, total_mass)
    tell(0.3, "equations of motion")
    design = _design(robot, base, axes, drive)
    found = blocks(design, read, filters, base_rows)
    if not found:
        raise _nothing_left(read, filters)
    model = models[0] if len(models) == 1 else FrictionTerms(False, None, None, False)
    variances = np.ones(robot.nv)
    if len(models) > 1:
        tell(0.5, "choosing a friction model")
        prior = _prior(design, mass, undetermined == "prior", found, split)
        moments, _, variances = _fitted(found, variances, split, prior, ROUNDS, 0)
        model = best_model(design, moments, prior)
        wanted = set(model_terms(model, len(axes)))
        keep = [term for term in drive if term.kind == "Ia" or term in wanted]
        design, found = _narrowed(design, found, keep)
    tell(0.7, "least squares")
    prior = _prior(design, mass, undetermined == "prior", found, split)
    moments, fit, variances = _fitted(found, variances, split, prior, ROUNDS, LAGS)
    _check_determined(read, design, moments, fit, undetermined == "prior")
    tell(0.8, "inertias")
    exact = None if physical is False or isinstance(total_mass, tuple | list) else total_mass
    known = KnownInertias.of(robot.body_names, None, exact, None)
    solved = inertias(design, fit, known, physical)
    fitted = torque_errors(moments, moments.fitted, solved.values)
    notes = list(solved.notes)
    if solved.consistent:
        free = torque_errors(moments, moments.fitted, fit.values)
        notes.append(
            "inertias are made physically consistent, which raises the fitted error from "
            f"{100 * free.total:.3g} to {100 * fitted.total:.3g} % (cross validation does without)"
        )
    tell(0.9, "validation")
    errors = standard_errors(fit, moments, Window.of(filters).correlation(LAGS))
    left_out = cross_validation(moments, lambda folds: fit_folds(moments, folds, "ordinary", fit.prior))
    held = (HELD_OUT, 0) in moments.folds
    held_out = torque_errors(moments, [HELD_OUT], solved.values) if held else None
    doubts = prediction_doubts(
        ("equations",), {"left out in turn": left_out, "held out": held_out, "that were fitted": fitted}
    )
    position = mass_position(base)
    return FloatingIdentification(
        robot=Robot(identified_tree(design, solved)),
        design=design,
        friction=model,
        values=solved.values,
        standard_errors=errors,
        described=base.values if robot.model.has_inertia else np.zeros(0),
        total_mass=float(solved.phi[9::10].sum()),
        total_mass_error=None if position is None else float(errors[position]),
        scatter=np.sqrt(variances),
        condition=fit.condition,
        filters=filters,
        rows="base rows" if base_rows else _route(read),
        fitted=fitted,
        cross_validation=left_out,
        held_out=held_out,
        doubts=(*read.joints.doubts, *doubts),
        notes=(*read.joints.remarks, *notes),
    )


def joint_axes(robot: Robot) -> tuple[Axis, ...]:
    """Return the joints after the base as axes, numbered as their bodies' parameters are."""
    bodies = robot.model.independent
    return tuple(Axis(f"{k + 1}", np.eye(robot.nv)[body.iv]) for k, body in enumerate(bodies) if k)


def rotor_terms(axes: Sequence[Axis]) -> tuple[Term, ...]:
    """Return the rotor inertias of the joints."""
    return tuple(Term("Ia", a) for a in range(len(axes)))


def _design(robot: Robot, base: BaseParameters, axes: tuple[Axis, ...], drive: Sequence[Term]) -> Design:
    fitted = sum((axes[term.axis].direction for term in drive if term.kind == "Ia"), np.zeros(robot.nv))
    return Design(robot, base, axes, tuple(drive), np.where(fitted > 0, 0.0, robot.armature))


def _narrowed(design: Design, found: Sequence[Block], keep: Sequence[Term]) -> tuple[Design, list[Block]]:
    """Return design and rows with some of the drive terms."""
    count = design.base.count
    columns = [*range(count), *(count + design.drive.index(term) for term in keep), design.width]
    smaller = _design(design.base.robot, design.base, design.axes, keep)
    return smaller, [Block(block.time, block.Z, block.A[..., columns]) for block in found]


def _fitted(
    found: Sequence[Block],
    variances: Array,
    split: Split,
    prior: tuple[Array, Array] | None,
    rounds: int,
    lags: int,
) -> tuple[Moments, Fit, Array]:
    """Return moments and fit after the scatter of the rows has been estimated from the residuals."""
    width = found[0].A.shape[2] - 1
    fitted = [split.labels(block.time) >= 0 for block in found]
    bases = [block.Z[keep] for block, keep in zip(found, fitted, strict=True)]
    for _ in range(rounds):
        moments = moments_of(found, variances, split, 0)
        fit = solve(moments.triangles(moments.fitted), moments.active, width, "ordinary", prior)
        residuals = [block.residuals(fit.values)[keep] for block, keep in zip(found, fitted, strict=True)]
        variances = updated_variances(variances, bases, residuals, GROUPS)
    moments = moments_of(found, variances, split, lags)
    fit = solve(moments.triangles(moments.fitted), moments.active, width, "ordinary", prior)
    return moments, fit, variances


def _prior(
    design: Design,
    mass: tuple[int, float, float] | None,
    described: bool,
    found: Sequence[Block],
    split: Split,
) -> tuple[Array, Array] | None:
    """Return beliefs about the parameters: the described ones if wanted, and a known total mass."""
    if mass is None and not described:
        return None
    values, scales = np.zeros(design.width), np.full(design.width, np.inf)
    if described:
        moments = moments_of(found, np.ones(design.robot.nv), split, 0)
        fit = solve(moments.triangles(moments.fitted), moments.active, design.width, "ordinary")
        values, scales = beliefs(design, fit.R)
    if mass is not None:
        position, value, spread = mass
        values[position], scales[position] = value, spread
    return values, scales


def _check_determined(log: FloatingLog, design: Design, moments: Moments, fit: Fit, with_prior: bool) -> None:
    rows = moments.triangles(moments.fitted)[0].rows
    if rows < 2 * design.width:
        raise log.joints.too_few(
            f"{rows} equations of {design.width} parameters; record for longer, raise cutoff or hold out less"
        )
    names, condition = undetermined_names(fit.R, design.names)
    if names and not with_prior:
        raise ExcitationError(names, condition, REMEDY)


def _route(log: FloatingLog) -> str:
    if not log.contacts:
        return "all rows, measured wrenches"
    return "rows without contact forces" + (", some wrenches measured" if log.wrenches else "")


def _nothing_left(log: FloatingLog, filters: Filters) -> LogError:
    return log.joints.too_few(
        f"no rows are left; contacts must last for longer than the {1.6 / filters.cutoff:.3g} s over which "
        "filters blur a change and rows are averaged: raise cutoff, or record slower steps"
    )
