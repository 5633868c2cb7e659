"""From a log to a robot: the steps of an identification in order."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Unpack

import numpy as np

from ...checks import choice, flag, function, instance
from ...errors import ArgumentError
from ...robot import Robot
from ..logs.options import ReadingOptions
from ..logs.plausibility import ROWS
from ..logs.sources import log_sources
from ..regression.design import Design, independent
from ..regression.friction import NO_FRICTION, FrictionTerms
from ..regression.least_squares import METHODS, ExcitationError, Fit, solve, standard_errors
from ..regression.least_squares import undetermined as undetermined_names
from ..regression.moments import Moments
from ..regression.selection import best_friction
from ..regression.split import HELD_OUT, HoldOut, held_out_logs
from .diagnosis import Diagnosis
from .doubt import explained, prediction_doubts, price_doubt, price_note, sign_doubts
from .evidence import Evidence
from .inertias import beliefs, consistent_inertias, identified_robot, inertias
from .known_inertias import KnownInertias
from .log_results import log_doubts, odd_logs
from .opening import Opening
from .prediction import Trace, cross_validation, torque_errors
from .recordings import KEPT, Recordings
from .result import Identification
from .runners import runner_of

Progress = Callable[[float, str], None]
"""Called with the fraction of the work done, and what is next."""

ON_ERROR = ("raise", "skip")
"""What becomes of one of several logs that cannot be used."""


def identify(
    robot: Robot,
    log: Any,
    *,
    cutoff: float | None = None,
    friction: FrictionTerms | str | None = "auto",
    rotors: bool = True,
    method: str = "reweighted",
    hold_out: HoldOut = None,
    locked: Mapping[str, float] | Sequence[str] | str = (),
    undetermined: str = "error",
    physical: bool | None = None,
    mass_bounds: Mapping[str, Sequence[float]] | None = None,
    total_mass: float | None = None,
    symmetric: Mapping[str, str] | None = None,
    plausible: bool = True,
    progress: Progress | None = None,
    on_error: str = "raise",
    client: Any = "current",
    **reading: Unpack[ReadingOptions],
) -> Identification:
    """Return the parameters of a robot that explain logs of its motion, with their standard errors.

    tau = Y_b(q, qd, qdd) beta + friction and rotors, linear in the base parameters beta
    [GautierKhalil1990] and the parameters of the drives; columns and torques pass the same filters.

    - `log`: a `Log`, or what `read_log` takes, with its options (`units`, `columns`, `reduction`, ...);
      or several: a list of these, a folder, or a pattern such as "runs/*.csv". In a list a pair
      (log, options) has options of its own.
    - `cutoff`: of the torque filter in Hz; by default ten times the bandwidth of the motion, or less
      if the noise of positions would drown the accelerations.
    - `friction`: `FrictionTerms`, None, or "auto", the model that cross validation within the fitted
      rows prefers. `rotors`: whether rotor inertias are identified.
    - `method`: "ordinary", "weighted" or "reweighted" least squares, by joint.
    - `hold_out`: None, "half" (the second) or the seconds of alternating blocks of each log, not fitted
      but predicted; or whole logs: a list of names or indices, {"files": 3}, {"files": 0.2}, or
      "files", a fifth of them. See `held_out` and `logs` of the result.
    - `locked`: joints that stay still, as a mapping to coordinates, a list (then at zero), or
      "absent": all that have no columns in the log.
    - `undetermined`: "error", or "prior" to keep described values of what the motion does not show.
    - `physical`: whether inertias are made physically consistent: always (True), never (False), or by
      default if those nearest to the described ones are not, or if something of the next line is given.
      Standard errors stay those of the fit without that constraint.
    - `mass_bounds`: masses known of bodies, {"link3": (1, 5)} in kg (one number: exactly), `total_mass` their
      sum over all bodies that move, `symmetric` bodies that an axis or a plane of their frame divides
      evenly, {"link2": "xz"}.
    - `plausible`: whether units are checked against limits and common sense.
    - `progress`: called with the fraction of the work done and what is next.
    - `on_error`: what becomes of one of several logs that cannot be used: "raise", or "skip", which goes
      on with the others and notes what was skipped.
    - `client`: a `distributed.Client`, whose workers then read several logs and reduce them; the
      "current" one if there is one; or None for this process.

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
    if physical is False and any(each is not None for each in (mass_bounds, total_mass, symmetric)):
        raise ArgumentError(
            "identify: physical is False; mass_bounds, total_mass and symmetric need consistent inertias; "
            "leave physical out"
        )
    if not (friction is None or isinstance(friction, FrictionTerms)):
        choice("identify: friction (or FrictionTerms, or None)", friction, ("auto",))
    if progress is not None:
        function("identify: progress", progress, "the fraction done and what is next", 2)
    choice("identify: on_error", on_error, ON_ERROR)
    tell: Progress = progress or (lambda done, what: None)
    sources = log_sources(log, reading)
    alone, skip = len(sources) == 1, on_error == "skip" and len(sources) > 1
    held_out_logs(hold_out, [source.name for source in sources])  # refused before the work
    runner = runner_of(client, len(sources))
    keep = sum(source.size for source in sources) <= KEPT * runner.workers
    what = "reading the log" if alone else f"reading {len(sources)} logs"
    tell(0.0, what)
    recordings = Recordings(
        sources,
        Opening(robot, locked, cutoff, plausible, alone, keep, skip),
        runner,
        _part(tell, 0.0, 0.2, what),
    )
    recordings.plan(hold_out)
    robot, axes, main = recordings.robot, recordings.axes, recordings.main
    known = KnownInertias.of(robot.body_names, mass_bounds, total_mass, symmetric)
    filters = main.filters
    tell(0.2, "base parameters")
    base, dependent = independent(robot, axes)
    diagnosis = Diagnosis(base, main.log, filters)
    if isinstance(friction, str):
        what = "choosing a friction model"
        tell(0.25, what)
        plain = Design.of(robot, base, axes, FrictionTerms(coulomb=None), rotors, dependent)
        told = _part(tell, 0.25, 0.55, what)
        model = best_friction(
            plain,
            main.log.middle(ROWS),
            lambda columns: recordings.gather(columns, told, lags=0)[0],
            recordings.too_few,
        )
    else:
        model = friction or NO_FRICTION
    tell(0.55, "least squares")
    design = Design.of(robot, base, axes, model, rotors, dependent)
    moments, shares = recordings.gather(design, _part(tell, 0.55, 0.8, "least squares"))
    fit = _fit(design, recordings, moments, method, undetermined == "prior")
    tell(0.8, "inertias")
    found = inertias(design, fit, known, physical)
    notes: tuple[str, ...] = ()
    fitted = torque_errors(moments, moments.fitted, found.values)
    tell(0.9, "validation")
    errors = standard_errors(fit, moments, recordings.noise_correlation())
    left_out = free = cross_validation(moments, method, fit.prior)
    held = (HELD_OUT, 0) in moments.folds
    held_out = torque_errors(moments, [HELD_OUT], found.values) if held else None
    if found.consistent:
        left_out = cross_validation(
            moments, method, fit.prior, lambda part: consistent_inertias(design, part, known).values
        )
        any_held_out = torque_errors(moments, [HELD_OUT], fit.values) if held else None
        notes += price_note((left_out, free), (held_out, any_held_out))
    doubts = prediction_doubts(
        robot.joint_names, {"left out in turn": left_out, "held out": held_out, "that were fitted": fitted}
    )
    doubts += sign_doubts(design, fit.values, errors, diagnosis.speeds)
    doubts += price_doubt(fitted, free)
    logs = () if alone else shares.results(found.values)
    odd = odd_logs(logs)
    doubts += [*recordings.drowned(), *log_doubts(logs)]
    if odd:  # what is wrong shows in the log that fits worst
        worst_log = recordings.recording(odd[0].name)
        diagnosis = Diagnosis(base, worst_log.log, worst_log.filters)
    worst = max(each.total for each in (fitted, left_out, held_out) if each is not None)
    reasons, hints = explained(doubts, worst, diagnosis)
    shown = recordings.shown(main)
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
        doubts=(*recordings.doubts(), *reasons),
        notes=(*recordings.notes(), *notes, *found.notes, *hints),
        described=base.values if robot.model.has_inertia else np.zeros(0),
        trace=Trace.joined([Trace.of(design, found.values, r.log, r.filters, r.split) for r in shown]),
        logs=logs,
        evidence=Evidence.of(
            moments, [fit.values[a] for a in moments.active], recordings.noise_correlation(), fit.prior
        ),
    )


def _part(tell: Progress, start: float, stop: float, what: str) -> Callable[[float], None]:
    """Return the progress of a part of the work, from `start` to `stop`."""
    return lambda done: tell(start + (stop - start) * done, what)


def _fit(design: Design, recordings: Recordings, moments: Moments, method: str, with_prior: bool) -> Fit:
    """Return the fit to the fitted rows, which must determine all parameters unless there is a prior."""
    triangles = moments.triangles(moments.fitted)
    rows = triangles[0].rows
    if rows * design.robot.nv < 2 * design.width:
        raise recordings.too_few(
            f"{rows} rows of {design.robot.nv} joints for {design.width} parameters; record for longer, "
            "raise cutoff, or hold out less (or longer blocks)"
        )
    fit = solve(triangles, moments.active, design.width, method)
    if with_prior:
        fit = solve(triangles, moments.active, design.width, method, beliefs(design, fit.R))
    names, condition = undetermined_names(fit.R, design.names)
    if names and not with_prior:
        raise ExcitationError(names, condition)
    return fit
