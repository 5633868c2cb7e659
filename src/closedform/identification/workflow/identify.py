"""From a log to a robot: the steps of an identification in order."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Unpack

import numpy as np

from ...checks import choice, flag, function, instance
from ...robot import Robot
from ..logs.cutoff import drowned
from ..logs.errors import LogError
from ..logs.log import Log
from ..logs.options import ReadingOptions
from ..logs.plausibility import ROWS, check_motion, check_plausible
from ..logs.reading import read_log
from ..logs.signals import noise_correlation, sampling_rate
from ..logs.velocities import chosen_filters
from ..regression.design import Design, independent
from ..regression.friction import NO_FRICTION, FrictionTerms
from ..regression.least_squares import METHODS, ExcitationError, Fit, solve, standard_errors
from ..regression.least_squares import undetermined as undetermined_names
from ..regression.moments import LAGS, Moments, gather
from ..regression.selection import best_friction
from ..regression.split import FOLDS, HELD_OUT, Split
from .diagnosis import Diagnosis
from .doubt import explained, prediction_doubts, price_doubt, sign_doubts
from .gains import check_gains
from .inertias import beliefs, identified_robot, inertias
from .locking import without_locked
from .prediction import Trace, cross_validation, torque_errors
from .result import Identification

Progress = Callable[[float, str], None]
"""Called with the fraction of the work done, and what is next."""

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
    **reading: Unpack[ReadingOptions],
) -> Identification:
    """Return the parameters of a robot that explain a log of its motion, with their standard errors.

    tau = Y_b(q, qd, qdd) beta + friction and rotors, linear in the base parameters beta
    [GautierKhalil1990] and the parameters of the drives; columns and torques pass the same filters.

    - `log`: a `Log`, or what `read_log` takes, with its options (`units`, `columns`, `reduction`, ...).
    - `cutoff`: of the torque filter in Hz; by default ten times the bandwidth of the motion, or less
      if the noise of positions would drown the accelerations.
    - `friction`: `FrictionTerms`, None, or "auto", the model that cross validation within the fitted
      rows prefers. `rotors`: whether rotor inertias are identified.
    - `method`: "ordinary", "weighted" or "reweighted" least squares, by joint.
    - `hold_out`: None, "half" (the second) or the seconds of alternating blocks, not fitted but
      predicted; see `held_out` of the result.
    - `locked`: joints that stay still, as a mapping to coordinates, a list (then at zero), or
      "absent": all that have no columns in the log.
    - `undetermined`: "error", or "prior" to keep described values of what the motion does not show.
    - `physical`: whether inertias are made physically consistent (which needs cvxpy): always (True),
      never (False), or by default if those nearest to the described ones are not and cvxpy is there.
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
    robot, log, notes = without_locked(robot, log, locked)
    if plausible:
        check_plausible(robot, log)
    check_motion(log)
    rate = sampling_rate(log.time)
    middle = log.middle(ROWS)
    chosen = chosen_filters("identify", cutoff, middle, rate)
    filters, notes = chosen.filters, (*notes, *chosen.notes)
    _check_length(log, filters.cutoff)
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
        model = best_friction(plain, log, middle, filters, split)
    else:
        model = friction or NO_FRICTION
    tell(0.5, "least squares")
    design = Design.of(robot, base, axes, model, rotors, dependent)
    moments = gather(design, log, filters, split)
    fit = _fit(design, log, moments, method, undetermined == "prior")
    tell(0.8, "inertias")
    found = inertias(design, fit, physical)
    fitted = torque_errors(moments, moments.fitted, found.values)
    if found.values is not fit.values:
        free = torque_errors(moments, moments.fitted, fit.values)
        notes += (
            "inertias are made physically consistent, which raises the fitted error from "
            f"{100 * free.total:.3g} to {100 * fitted.total:.3g} % (cross validation does without)",
        )
    tell(0.9, "validation")
    errors = standard_errors(fit, moments, noise_correlation(filters, LAGS))
    left_out = cross_validation(moments, method, fit.prior)
    held = (HELD_OUT, 0) in moments.folds
    held_out = torque_errors(moments, [HELD_OUT], found.values) if held else None
    doubts = prediction_doubts(
        robot.joint_names, {"left out in turn": left_out, "held out": held_out, "that were fitted": fitted}
    )
    doubts += sign_doubts(design, fit.values, errors, diagnosis.speeds)
    doubts += price_doubt(fitted, left_out)
    if cutoff is None and drowned(middle, rate):
        doubts.append(
            f"no motion stands out of the noise of the positions: the cutoff of {filters.cutoff:.3g} Hz is "
            "chosen by the noise alone, give cutoff= in Hz"
        )
    worst = max(each.total for each in (fitted, left_out, held_out) if each is not None)
    reasons, hints = explained(doubts, worst, diagnosis)
    # pictures of a lazy or very long log would cost another pass over it
    traced = not log.lazy and len(log) / filters.step <= TRACED
    return Identification(
        robot=identified_robot(design, found),
        base=base,
        axes=axes,
        drive=design.drive,
        friction=model,
        values=found.values,
        standard_errors=errors,
        known=design.known,
        scatter=fit.scatter,
        condition=fit.condition,
        filters=filters,
        method=method,
        fitted=fitted,
        cross_validation=left_out,
        held_out=held_out,
        doubts=(*found.doubts, *log.doubts, *reasons),
        notes=(*log.remarks, *notes, *found.notes, *hints),
        described=base.values if robot.model.has_inertia else np.zeros(0),
        trace=Trace.of(design, found.values, log, filters, split) if traced else None,
    )


def _check_length(log: Log, cutoff: float) -> None:
    """Refuse a log that is too short for the cutoff of its filters."""
    if log.duration < 20 / cutoff:
        raise LogError(
            f"{log.source}: {log.duration:.3g} s are too short for a cutoff of {cutoff:.3g} Hz; record for "
            "longer, or raise cutoff"
        )


def _fit(design: Design, log: Log, moments: Moments, method: str, with_prior: bool) -> Fit:
    """Return the fit to the fitted rows, which must determine all parameters unless there is a prior."""
    triangles = moments.triangles(moments.fitted)
    rows = triangles[0].rows
    if rows * design.robot.nv < 2 * design.width:
        raise log.too_few(
            f"{rows} rows of {design.robot.nv} joints for {design.width} parameters; record for longer, "
            "raise cutoff, or hold out less (or longer blocks)"
        )
    prior = beliefs(design) if with_prior else None
    fit = solve(triangles, moments.active, design.width, method, prior)
    names, condition = undetermined_names(fit.R, design.names)
    if names and not with_prior:
        raise ExcitationError(names, condition)
    return fit
