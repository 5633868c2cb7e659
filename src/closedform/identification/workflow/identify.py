"""From a log to a robot: the steps of an identification in order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from typing import Any, Unpack

import numpy as np

from ...checks import choice, flag, function, number
from ...errors import ArgumentError
from ...loops import ClosedRobot
from ...robot import Robot
from ..joints import any_robot
from ..logs.importance import Importances, importances
from ..logs.options import ReadingOptions
from ..logs.plausibility import ROWS
from ..logs.sources import log_sources
from ..regression.design import Design, independent
from ..regression.friction import NO_FRICTION, FrictionTerms
from ..regression.joint_zeros import identified_zeros, named_joints
from ..regression.least_squares import METHODS
from ..regression.loop_axes import passive_axes
from ..regression.moments import Moments
from ..regression.passive_joints import passive_notes
from ..regression.payload_columns import robot_fit, with_payloads, without_payloads
from ..regression.payload_states import Payloads, payload_states
from ..regression.rows import Columns
from ..regression.selection import best_friction
from ..regression.settling import settled
from ..regression.split import HELD_OUT, HoldOut, held_out_logs
from ..regression.torque_column import TorqueColumn, checked_columns
from .alignment import aligned
from .diagnosis import Diagnosis
from .doubt import explained, prediction_doubts, price_doubt, price_note, sign_doubts
from .evidence import Evidence
from .fitting import chosen_method, fitted_logs
from .inertias import identified_robot, inertias, places, rough_values
from .known_inertias import KnownInertias
from .log_results import log_doubts, odd_logs
from .opening import Opening
from .prediction import cross_validation, left_out_errors, torque_errors
from .progress import Progress, forward, part
from .recordings import KEPT, Recordings
from .result import Identification
from .runners import runner_of
from .trust import best_trust, left_out_consistent
from .uncertainty import posture_notes

LONGEST_LAG = 1.0
"""Seconds; efforts that come later are of another motion."""

REMEDIES = {
    "zero_offsets": "calibrate the joints' zeros first, and give those as offset=",
    "payloads": "identify the robot with and without the payload, and compare the results",
}
"""What to do about options that are not for robots with loops."""

FRICTIONLESS = (
    "the log shows no friction and no offsets: rows left out are not predicted clearly better with them, so "
    "that there are none in the result (friction=FrictionTerms() identifies them all the same)"
)
"""What is said if friction was looked for in vain."""

ON_ERROR = ("raise", "skip")
"""What becomes of one of several logs that cannot be used."""


def identify(
    robot: Robot | ClosedRobot,
    log: Any,
    *,
    cutoff: float | None = None,
    lag: float | None = None,
    friction: FrictionTerms | str | None = "auto",
    rotors: bool = True,
    passive_friction: bool | Sequence[str] = False,
    springs: bool | Sequence[str] = False,
    extra: Sequence[TorqueColumn] = (),
    zero_offsets: bool | Sequence[str] = False,
    method: str = "auto",
    hold_out: HoldOut = None,
    mask: Importances = None,
    weights: Importances = None,
    locked: Mapping[str, float] | Sequence[str] | str = (),
    undetermined: str = "error",
    physical: bool | None = None,
    mass_bounds: Mapping[str, Sequence[float]] | None = None,
    total_mass: float | None = None,
    symmetric: Mapping[str, str] | None = None,
    plausible: bool = True,
    diagnose: bool = False,
    progress: Progress | None = None,
    payloads: Payloads = None,
    on_error: str = "raise",
    client: Any = "current",
    **reading: Unpack[ReadingOptions],
) -> Identification:
    """Return the parameters of a robot that explain logs of its motion, with their standard errors.

    tau = Y_b(q, qd, qdd) beta + friction and rotors, linear in the base parameters beta
    [GautierKhalil1990] and the parameters of the drives; columns and torques pass the same filters.

    A robot with loops is described by its actuated joints: theirs are the torques, rotors, friction and
    springs. Joints without drives have those of the description.

    - `log`: a `Log`, or what `read_log` takes, with its options (`units`, `columns`, `reduction`, ...);
      or several: a list of these, a folder, or a pattern such as "runs/*.csv". In a list a pair
      (log, options) has options of its own.
    - `cutoff`: of the torque filter in Hz; by default seven times the bandwidth of the motion and at least
      15 Hz, or less if the noise of positions would bias the accelerations, or if positions move in ways that
      efforts do not follow; see `band` of the result.
    - `lag`: seconds by which efforts were recorded later than positions; by default the lag that
      predicts rows left out best, if it takes a tenth off their error; see `lag` of the result.
    - `friction`: `FrictionTerms`, None, or "auto", the model that cross validation within the fitted
      rows prefers. `rotors`: whether rotor inertias are identified.
    - `passive_friction`: joints without drives in loops, by name or True for all, whose friction is
      identified too, as fv:elbow1. True leaves out those whose friction is that of other joints.
    - `springs`: joints with linear springs, by name or True for all; stiffness k and rest are identified.
      `extra`: `TorqueColumn`s, other torques that are known up to a factor.
    - `zero_offsets`: joints, by name or True for all, whose zeros may be off: dq is what is to be added
      to the logged coordinate. True leaves out those that no torque shows.
    - `method`: least squares with joints weighted alike ("ordinary"), by their scatter in that fit
      ("weighted"), or by that of the last of many fits ("reweighted"); or "iv", instrumental variables,
      which the noise of positions does not bias. "auto" is "weighted" unless that noise may matter and
      "iv" predicts rows left out better.
    - `hold_out`: None, "half" (the second) or the seconds of alternating blocks of each log, not fitted
      but predicted; or whole logs: a list of names or indices, {"files": 3}, {"files": 0.2}, or
      "files", a fifth of them. See `held_out` and `logs` of the result.
    - `mask`: which efforts count: booleans (rows,) or (rows, joints) of the log as read (as long as its
      `time`), or a mapping of joints to booleans (rows,). `weights`: how much their squared residuals count,
      numbers of these shapes, or a mapping of joints to numbers. A list of one (or None) for each of several
      logs. Errors are those of the rows that count.
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
    - `diagnose`: try what would explain the log better even if it fits, and go on with a log that is
      implausible or leaves parameters open: see `diagnosis` and `doubts` of the result.
    - `progress`: called with the fraction of the work done and what is next.
    - `payloads`: what the robot carries in which logs, as a mapping of logs to names or
      `PayloadState`s, or a list of one (or None) for each log; see `payloads` of the result.
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
    given = any_robot("identify: robot", robot)
    if isinstance(robot, ClosedRobot):
        _refuse_of_loops({"zero_offsets": zero_offsets, "payloads": payloads})
    choice("identify: undetermined", undetermined, ("error", "prior"))
    choice("identify: method", method, ("auto", *METHODS))
    for name, option in (("rotors", rotors), ("plausible", plausible), ("diagnose", diagnose)):
        flag(f"identify: {name}", option)
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
    tell = forward(progress)
    sources = log_sources(log, reading)
    counting = importances(mask, weights, len(sources))
    sources = [replace(each, importance=own) for each, own in zip(sources, counting, strict=True)]
    alone, skip = len(sources) == 1, on_error == "skip" and len(sources) > 1
    names = [source.name for source in sources]
    held_out_logs(hold_out, names)  # refused before the work
    states = payload_states(payloads, names)
    runner = runner_of(client, len(sources))
    keep = sum(source.size for source in sources) <= KEPT * runner.workers
    what = "reading the log" if alone else f"reading {len(sources)} logs"
    tell(0.0, what)
    recordings = Recordings(
        sources,
        Opening(robot, locked, cutoff, plausible, alone, keep, skip, _checked_lag(lag), diagnose),
        runner,
        part(tell, 0.0, 0.2, what),
    )
    recordings.plan(hold_out, states)
    robot, axes, main = recordings.robot, recordings.axes, recordings.main
    known = KnownInertias.of(robot.body_names, mass_bounds, total_mass, symmetric)
    tell(0.2, "base parameters")
    base, dependent = independent(robot, axes)
    passive, notes = passive_axes(base, axes, passive_friction)
    axes = (*axes, *passive)
    sprung = named_joints("identify: springs", springs, robot)
    extra = checked_columns("identify", extra, robot)
    zeros, more = identified_zeros(base, zero_offsets)
    notes += (*more, *passive_notes(robot, axes))

    def gathered(columns: Columns) -> Moments:
        told = part(tell, 0.25, 0.5, "choosing a friction model")
        return without_payloads(recordings.sample().gather(columns, told, lags=0)[0], columns)

    def design_of(model: FrictionTerms) -> Design:
        return Design.of(robot, base, axes, model, rotors, dependent, sprung, extra, zeros)

    def designed() -> tuple[FrictionTerms, Design]:
        """Return the friction model, given or chosen, and the design with it."""
        model, values = friction or NO_FRICTION, dict[str, float]()
        if isinstance(model, str):
            tell(0.25, "choosing a friction model")
            plain = design_of(FrictionTerms(coulomb=None))
            model, values = best_friction(
                plain,
                main.log.middle(ROWS),
                gathered,
                recordings.too_few,
                None if physical is False else partial(rough_values, known=known),
            )
        design = design_of(model)
        return model, settled(design, values, gathered) if design.curved else design

    alignment = aligned(
        recordings, designed, lambda: tell(0.5, "the lag of efforts"), lag is None, cutoff is None
    )
    main, model, design = alignment.main, alignment.model, alignment.design
    notes += alignment.notes
    if friction == "auto" and model == NO_FRICTION:
        notes += (FRICTIONLESS,)
    filters = main.filters
    diagnosis = Diagnosis(base, main.log, filters)
    tell(0.55, "least squares")
    method, more = chosen_method(method, design, recordings)
    notes += more
    prior = "always" if undetermined == "prior" else "needed" if diagnose else "never"
    told = part(tell, 0.55, 0.75, "least squares"), part(tell, 0.75, 0.8, "outliers")
    fitting = fitted_logs(design, recordings, main, method, prior, told)
    whole, moments, shares = fitting.fit, fitting.moments, fitting.shares
    notes += fitting.notes
    fit = robot_fit(whole, design.width)
    tell(0.8, "inertias")

    left_out_with = cache(partial(left_out_consistent, design, fitting, known))
    found = inertias(design, fit, known, physical, lambda: best_trust(left_out_with), diagnose)
    every = with_payloads(whole, found.values)
    fitted = torque_errors(moments, moments.fitted, every)
    tell(0.9, "validation")
    covariance = fitting.covariance(recordings.noise_correlation())
    own = covariance[: design.width, : design.width]
    deviations = np.sqrt(np.diag(covariance))
    errors = deviations[: design.width]
    notes += posture_notes(design, found.values, own, main.log.middle(ROWS))
    left_out = free = cross_validation(moments, fitting.fit_of)
    held = (HELD_OUT, 0) in moments.folds
    held_out = torque_errors(moments, [HELD_OUT], every) if held else None
    if found.consistent:
        squares = left_out_with(found.trust)
        left_out = None if squares is None else left_out_errors(moments, squares)
        any_held_out = torque_errors(moments, [HELD_OUT], whole.values) if held else None
        notes += price_note((left_out, free), (held_out, any_held_out))
    doubts = [*found.doubts, *price_doubt(fitted, free)]
    doubts += prediction_doubts(
        robot.joint_names, {"left out in turn": left_out, "held out": held_out, "that were fitted": fitted}
    )
    doubts += fitting.unseen
    wrong_signs, small = sign_doubts(design, fit.values, errors, diagnosis.speeds)
    doubts += wrong_signs
    notes += small
    logs = () if alone else recordings.results(shares, every)
    odd = odd_logs(logs)
    doubts += [*recordings.drowned(), *log_doubts(logs)]
    contradicted = recordings.mass_doubts(design, part(tell, 0.9, 1.0, "validation"))
    if odd:  # what is wrong shows in the log that fits worst
        worst_log = recordings.recording(odd[0].name)
        diagnosis = Diagnosis(base, worst_log.log, worst_log.filters)
    worst = max(each.total for each in (fitted, left_out, held_out) if each is not None)
    reasons = explained(doubts, worst, diagnosis, bool(wrong_signs))
    carried = recordings.identified_payloads(every[design.width :], deviations[design.width :])
    return Identification(
        robot=identified_robot(given, design, found),
        base=base,
        axes=axes,
        drive=design.drive,
        friction=model,
        values=found.values,
        covariance=own,
        known=design.known,
        scatter=fit.scatter,
        condition=fit.condition,
        filters=filters,
        method=method,
        fitted=fitted,
        cross_validation=left_out,
        held_out=held_out,
        diagnosis=diagnosis.account() if diagnose else (),
        doubts=(*recordings.doubts(), *contradicted, *(d for each in carried for d in each.doubts), *reasons),
        notes=(*recordings.notes(), *notes, *found.notes, *places(design, found.values)),
        described=base.values if robot.model.has_inertia else np.zeros(0),
        about=design.about,
        extra=design.extra,
        zeros=design.zeros,
        band=alignment.band,
        trace=recordings.trace(design, every, covariance, main),
        logs=logs,
        payloads=carried,
        evidence=Evidence.of_robot(design, fitting.weighed, fit, recordings.noise_correlation()),
    )


def _refuse_of_loops(options: Mapping[str, Any]) -> None:
    """Refuse options that robots with loops do not have yet."""
    for name, given in options.items():
        if given is not None and given is not False and not (isinstance(given, Sequence) and not given):
            raise ArgumentError(f"identify: {name} are not identified of robots with loops; {REMEDIES[name]}")


def _checked_lag(given: float | None) -> float:
    """Return the lag that is given, in seconds; zero if none is."""
    lag = 0.0 if given is None else number("identify: lag (or None)", given)
    if abs(lag) > LONGEST_LAG:
        raise ArgumentError(
            f"identify: lag is {lag:g}; expected seconds from -{LONGEST_LAG:g} to {LONGEST_LAG:g}"
        )
    return lag
