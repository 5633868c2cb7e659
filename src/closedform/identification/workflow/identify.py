"""From a log to a robot: the steps of an identification in order."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from importlib.util import find_spec
from typing import Any

import numpy as np

from ...arrays import Array
from ...checks import choice, flag, function, instance
from ...errors import ArgumentError, shown
from ...model import Body
from ...robot import Robot
from ..logs.cutoff import chosen_cutoff, drowned
from ..logs.log import Log, chosen_joints
from ..logs.plausibility import ROWS, check_motion, check_plausible
from ..logs.reading import read_log
from ..logs.samples import Samples
from ..logs.signals import Filters, noise_correlation, sampling_rate
from ..logs.tables import LogError
from ..logs.transmission import Axis, directions
from ..regression.design import Design, independent
from ..regression.friction import NO_FRICTION, FrictionTerms
from ..regression.gathering import gather
from ..regression.least_squares import (
    LAGS,
    METHODS,
    ExcitationError,
    Fit,
    Moments,
    residual_squares,
    solve,
    standard_errors,
)
from ..regression.least_squares import undetermined as undetermined_names
from ..regression.selection import Search, candidates
from ..regression.split import FOLDS, HELD_OUT, Split
from .consistent import Prior, consistent, is_physical, nearest
from .diagnosis import Diagnosis
from .doubt import explained, prediction_doubts, price_doubt, sign_doubts
from .gains import check_gains
from .locking import lock
from .result import Errors, Identification, Trace, joined, traced

Progress = Callable[[float, str], None]
"""Hears the fraction of the work done, and what is next."""

TRACED = 200_000
"""Rows of which measured and predicted torques are kept for pictures."""


def identify(
    robot: Robot,
    log: Any,
    *,
    cutoff: float | None = None,
    friction: FrictionTerms | str | None = "auto",
    rotors: bool = True,
    method: str = "reweighted",
    hold_out: float | str | None = None,
    locked: Mapping[str, float] | Sequence[str] | str = (),
    undetermined: str = "error",
    physical: bool | None = None,
    plausible: bool = True,
    progress: Progress | None = None,
    **reading: Any,
) -> Identification:
    """Return the parameters of a robot that explain a log of its motion, with their standard errors.

    tau = Y_b(q, qd, qdd) beta + friction and rotors, linear in the base parameters beta
    [GautierKhalil1990] and the parameters of the drives; columns and torques pass the same filters.

    - `log`: a `Log`, or what `read_log` takes, with its options (`units`, `columns`, `reduction`, ...).
    - `cutoff`: of the torque filter in Hz; by default ten times the bandwidth of the motion, or less
      where the noise of positions would drown the accelerations.
    - `friction`: `FrictionTerms`, None, or "auto", the model that cross validation within the fitted
      rows prefers. `rotors`: whether rotor inertias are identified.
    - `method`: "ordinary", "weighted" or "reweighted" least squares, by joint.
    - `hold_out`: None, "half" (the second) or the seconds of alternating blocks, not fitted but
      predicted; see `held_out` of the result.
    - `locked`: joints that stay still, as a mapping to coordinates, a list (then at zero), or
      "absent": all that have no columns in the log.
    - `undetermined`: "error", or "prior" to keep described values where the motion says nothing.
    - `physical`: whether inertias are made physically consistent (which needs cvxpy): always, never
      (False), or by default where those nearest to the described ones are not and cvxpy is there.
      Standard errors stay those of the fit without that constraint.
    - `plausible`: whether units are checked against limits and common sense.
    - `progress`: called with the fraction of the work done and what is next.

    >>> import numpy as np, closedform as cf
    >>> from closedform.identification import FrictionTerms, identify
    >>> arm = cf.load("2r")
    >>> t = np.arange(0, 20, 0.002)
    >>> q = np.stack([np.sin(t) + np.sin(2.7 * t), np.cos(1.3 * t) - np.sin(3.1 * t)], axis=1)
    >>> qd, qdd = np.gradient(q, t, axis=0), np.gradient(np.gradient(q, t, axis=0), t, axis=0)
    >>> tau = arm.inverse_dynamics(q, qd, qdd) + 0.5 * qd
    >>> result = identify(arm, {"t": t, "q": q, "tau": tau}, friction=FrictionTerms(coulomb=None))
    >>> bool(result.fitted.total < 1e-3), round(result["fv1"].value, 3)
    (True, 0.5)
    """
    instance("identify: robot", robot, Robot)
    choice("identify: undetermined", undetermined, ("error", "prior"))
    choice("identify: method", method, METHODS)
    for name, given in (("rotors", rotors), ("plausible", plausible)):
        flag(f"identify: {name}", given)
    if physical is not None:
        flag("identify: physical", physical)
    if not (friction is None or isinstance(friction, FrictionTerms)):
        choice("identify: friction (or FrictionTerms, or None)", friction, ("auto",))
    if progress is not None:
        function("identify: progress", progress, "the fraction done and what is next", 2)
    tell: Progress = progress or (lambda done, what: None)
    tell(0.0, "reading the log")
    log = read_log(log, robot, **reading)
    robot, log, notes = _with_locks(robot, log, locked)
    if plausible:
        check_plausible(robot, log)
    check_motion(log)
    rate = sampling_rate(log.time)
    middle = log.middle(ROWS)
    filters = Filters(rate, _cutoff(cutoff, rate, log, middle))
    split = Split(log.time[0], log.time[-1], hold_out, 0.5 / filters.cutoff, min(1.0, log.duration / FOLDS))
    tell(0.1, "base parameters")
    axes = log.transmission.axes
    base, dependent = independent(robot, axes)
    diagnosis = Diagnosis(base, log, filters)
    if plausible:
        check_gains(robot, log, filters.cutoff, diagnosis.causes)
    if isinstance(friction, str):
        tell(0.2, "choosing a friction model")
        plain = Design.of(robot, base, axes, FrictionTerms(coulomb=None), rotors, dependent)
        every = Design(
            robot, base, axes, (*plain.drive, *candidates(len(axes), _slowest(middle, axes))), plain.known
        )
        search = Search(every, gather(every, log, filters, split, lags=0))
        if len(search.folds) < 2:
            raise log.too_few(
                "too few rows to choose a friction model by; record for longer, or give friction="
            )
        model, _ = search.best()
    else:
        model = friction or NO_FRICTION
    tell(0.5, "least squares")
    design = Design.of(robot, base, axes, model, rotors, dependent)
    moments = gather(design, log, filters, split)
    fit = _fit(design, log, moments, method, undetermined == "prior")
    tell(0.8, "inertias")
    values, phi, more = _inertias(design, fit, physical)
    free, fitted = (_fitted(moments, each) for each in (fit.values, values))
    if values is not fit.values:
        more += (
            "inertias are made physically consistent, which raises the fitted error from "
            f"{100 * free.total:.3g} to {100 * fitted.total:.3g} % (cross validation does without)",
        )
    tell(0.9, "validation")
    errors = standard_errors(fit, moments, noise_correlation(filters, LAGS))
    cross_validation = _cross_validation(design, moments, method, fit.prior)
    held_out = _held_out(moments, values)
    doubts = prediction_doubts(
        robot.joint_names,
        {"left out in turn": cross_validation, "held out": held_out, "that were fitted": fitted},
    )
    doubts += sign_doubts(design, fit.values, errors, diagnosis.speeds)
    doubts += price_doubt(fitted, cross_validation)
    if cutoff is None and drowned(middle, rate):
        doubts.append(
            f"no motion stands out of the noise of the positions: the cutoff of {filters.cutoff:.3g} Hz is "
            "chosen by the noise alone, give cutoff= in Hz"
        )
    worst = max(each.total for each in (fitted, cross_validation, held_out) if each is not None)
    reasons, hints = explained(doubts, worst, diagnosis)
    return Identification(
        robot=_identified(robot, design, values, phi),
        base=base,
        axes=axes,
        drive=design.drive,
        friction=model,
        values=values,
        standard_errors=errors,
        known=design.known,
        scatter=fit.scatter,
        condition=fit.condition,
        filters=filters,
        method=method,
        fitted=fitted,
        cross_validation=cross_validation,
        held_out=held_out,
        doubts=(*log.doubts, *reasons),
        notes=(*log.remarks, *notes, *more, *hints),
        described=base.values if robot.model.has_inertia else np.zeros(0),
        trace=_trace(design, log, filters, split, values),
    )


def _with_locks(
    robot: Robot, log: Log, locked: Mapping[str, float] | Sequence[str] | str
) -> tuple[Robot, Log, tuple[str, ...]]:
    """Return robot and log of the joints that move."""
    absent = [name for name in robot.joint_names if name not in log.joints]
    if isinstance(locked, str) and locked == "absent":
        locked = absent
    elif isinstance(locked, str):
        raise ArgumentError(f'identify: locked is {shown(locked)}; expected joints, or "absent"')
    elif not isinstance(locked, Mapping | Sequence):
        raise ArgumentError(
            f"identify: locked is {shown(locked)}; expected joints, or a mapping to coordinates"
        )
    wrong = [name for name in locked if not isinstance(name, str)]
    if wrong:
        raise ArgumentError(f"identify: locked has {shown(wrong[0])}; expected names of joints")
    angles = dict(locked) if isinstance(locked, Mapping) else dict.fromkeys(locked, 0.0)
    foreign = [name for name in log.joints if name not in robot.joint_names]
    if foreign:
        raise LogError(
            f"{log.source}: read for another robot, with joint(s) {', '.join(foreign)}; read it again"
        )
    missing = [name for name in absent if name not in angles]
    if missing:
        raise LogError(
            f"{log.source}: no columns of joint(s) {', '.join(missing)}: a log of another robot? If they "
            'stay still, say locked={joint: coordinate} or locked="absent" (all of them at zero)'
        )
    if not angles:
        return robot, log, ()
    smaller = lock(robot, angles)
    note = f"locked joint(s): {', '.join(f'{name} at {angle:.4g}' for name, angle in angles.items())}"
    return smaller, chosen_joints(log, smaller.joint_names), (note,)


def _cutoff(given: float | None, rate: float, log: Log, middle: Samples) -> float:
    cutoff = chosen_cutoff("identify", given, middle, rate)
    if log.duration < 20 / cutoff:
        raise LogError(
            f"{log.source}: {log.duration:.3g} s are too short for a cutoff of {cutoff:.3g} Hz; record for "
            "longer, or raise cutoff"
        )
    return cutoff


def _slowest(samples: Samples, axes: tuple[Axis, ...]) -> float:
    """Return the speed that every axis exceeds in a hundredth of the time."""
    speed = np.gradient(samples.position, samples.time, axis=0) @ directions(axes).T
    return float(np.percentile(np.abs(speed), 99, axis=0).min())


def _prior_columns(design: Design) -> tuple[Array, Array]:
    """Return weak beliefs about the values: described base parameters, and drives near zero."""
    prior = Prior.of(design.robot)
    B = design.base.matrix
    drives = design.width - design.base.count
    effort = np.abs(design.robot.effort_limits)
    size = float(np.median(effort[np.isfinite(effort) & (effort > 0)])) if np.isfinite(effort).any() else 10.0
    scales = np.concatenate([np.sqrt((B**2) @ prior.scales**2), np.full(drives, size)])
    return np.concatenate([B @ prior.values, np.zeros(drives)]), scales


def _fit(design: Design, log: Log, moments: Moments, method: str, with_prior: bool) -> Fit:
    triangles = moments.triangles(moments.fitted)
    rows = triangles[0].rows
    if rows * design.robot.nv < 2 * design.width:
        raise log.too_few(
            f"{rows} rows of {design.robot.nv} joints for {design.width} parameters; record for longer, "
            "raise cutoff, or hold out less (or longer blocks)"
        )
    prior = _prior_columns(design) if with_prior else None
    fit = solve(triangles, moments.active, design.width, method, prior)
    names, condition = undetermined_names(fit.R, design.names)
    if names and not with_prior:
        raise ExcitationError(names, condition)
    return fit


def _inertias(design: Design, fit: Fit, wanted: bool | None) -> tuple[Array, Array, tuple[str, ...]]:
    """Return the values, the full phi behind them, and notes about it."""
    prior, B = Prior.of(design.robot), design.base.matrix
    phi = nearest(prior, B, fit.values[: design.base.count])
    wrong = [
        body.name for body, fine in zip(design.robot.model.bodies, is_physical(phi), strict=True) if not fine
    ]
    installed = find_spec("cvxpy") is not None
    if wanted or (wanted is None and wrong and installed):
        phi, drive = consistent(prior, B, fit.R, design.names)
        return np.concatenate([B @ phi, drive]), phi, ()
    remedy = "physical=True finds consistent ones" + ("" if installed else ", once cvxpy is installed")
    note = f"no rigid body has the inertias of {', '.join(wrong)}; {remedy}"
    return fit.values, phi, (note,) if wrong else ()


def _identified(robot: Robot, design: Design, values: Array, phi: Array) -> Robot:
    """Return the robot with identified inertias, rotors and friction on its joints."""
    found = dict(zip(design.names, values, strict=True))

    def changed(body: Body) -> Body:
        k = body.iv + 1
        dry = found.get(f"fc{k}", 0.0) + found.get(f"fp{k}", 0.0)
        return replace(
            body,
            armature=max(0.0, float(found.get(f"Ia{k}", body.armature))),
            damping=max(0.0, float(found.get(f"fv{k}", 0.0))),
            friction=max(0.0, float(dry)),
        )

    bodies = tuple(body if body.coupling is not None else changed(body) for body in robot.model.bodies)
    return Robot(replace(robot.model, bodies=bodies).with_phi(phi))


def _cross_validation(
    design: Design, moments: Moments, method: str, prior: tuple[Array, Array] | None
) -> Errors | None:
    """Return the errors of fitted rows, each predicted by a fit to the other folds; None of one fold."""
    folds = moments.fitted
    if len(folds) < 2:
        return None
    squares = np.zeros(design.robot.nv)
    for fold in folds:
        rest = moments.triangles([other for other in folds if other != fold])
        fit = solve(rest, moments.active, design.width, method, prior)
        squares += residual_squares(moments.triangles([fold]), moments.active, fit.values)
    rows = sum(moments.folds[fold, 0].rows for fold in folds)
    return Errors.of(squares, moments.powers(folds), rows)


def _fitted(moments: Moments, values: Array) -> Errors:
    """Return the errors of the fitted rows with some values of the parameters."""
    triangles, powers = moments.triangles(moments.fitted), moments.powers(moments.fitted)
    return Errors.of(residual_squares(triangles, moments.active, values), powers, triangles[0].rows)


def _held_out(moments: Moments, values: Array) -> Errors | None:
    triangles = moments.triangles([HELD_OUT])
    if not triangles[0].rows:
        return None
    squares = residual_squares(triangles, moments.active, values)
    return Errors.of(squares, moments.powers([HELD_OUT]), triangles[0].rows)


def _trace(design: Design, log: Log, filters: Filters, split: Split, values: Array) -> Trace | None:
    """Return torques over time for pictures; none of a lazy log, which would be read once more."""
    if log.lazy or len(log) / (filters.first * filters.second) > TRACED:
        return None
    return joined([traced(rows, design, values) for rows in design.segments(log, filters, split)])
