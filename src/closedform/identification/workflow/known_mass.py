"""Drive gains from a mass that is known: two logs, of which one is with it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from ...arrays import Array
from ...checks import instance, positive, sized_array
from ...errors import ArgumentError
from ...robot import Robot
from ..logs.cutoff import chosen_cutoff
from ..logs.errors import LogError
from ..logs.log import Log
from ..logs.options import ReadingOptions
from ..logs.plausibility import ROWS
from ..logs.reading import read_log
from ..logs.rest import without_rest
from ..logs.signals import Filters, sampling_rate
from ..logs.sources import log_sources
from ..regression.design import Design, independent
from ..regression.friction import FrictionTerms
from ..regression.moments import Moments
from ..regression.rows import Columns
from .evidence import Evidence
from .gains import DriveGains
from .identify import identify
from .load_fit import LoadedLogs, LoadFit, masked
from .payload import PayloadColumns, carrier, gathered, settled_fit

PLAIN = FrictionTerms(coulomb=0.05)
"""Friction while gains are unknown."""

REMEDY = (
    "record a motion in which every joint lifts or swings the mass, give its centre (com=), or take a "
    "heavier one"
)


def known_mass_gains(
    robot: Robot,
    empty: Any,
    loaded: Any,
    mass: float,
    *,
    com: Any = None,
    body: str | None = None,
    cutoff: float | None = None,
    friction: FrictionTerms | str | None = "auto",
    **reading: Unpack[ReadingOptions],
) -> DriveGains:
    """Return drive gains, with their covariance, from logs without and with a mass that is known.

    The efforts of joint j are e_j = (W_j x + Y_j phi) / g_j, phi = 0 without the load, and the mass among
    phi is known: it alone gives all gains a scale [GautierBriot2014]. Here x, phi and g are
    fitted to the efforts, which are what is noisy, so that the noise biases nothing; the start is
    their linear least squares. Inertias of the description are not used.

    - `empty`, `loaded`: what `read_log` takes, with its options, or lists of these: the mass may be
      fixed to the robot in another way in each log.
    - `mass` of the load in kg; `com`, its centre in the frame of the `body` that carries it (the last one by
      default), if that is known too.
    - `cutoff`, `friction`: as in `identify`.
    """
    instance("known_mass_gains: robot", robot, Robot, "a Robot without loops (drive_gains takes others)")
    mass = positive("known_mass_gains: mass", mass)
    centre = None if com is None else sized_array("known_mass_gains: com", com, (3,))
    logs = [
        [without_rest(read_log(each.source, robot, **each.options)) for each in log_sources(given, reading)]
        for given in (empty, loaded)
    ]
    gains = _check(robot, [*logs[0], *logs[1]])
    rough = _rough(robot, logs[0], logs[1], carrier(robot, body), cutoff)
    gains = gains / _fitted(rough, mass, centre, linear=True).values[rough.scales]
    # with gains of the right size friction and the filters are chosen, and drifts are told from the load
    scaled = [
        [replace(log, transmission=replace(log.transmission, gain=gains)) for log in each] for each in logs
    ]
    first = identify(robot, scaled[0], cutoff=cutoff, friction=friction, physical=False, plausible=False)
    every, fit = settled_fit(first, scaled[1], carrier(robot, body), lambda logs: _fitted(logs, mass, centre))
    notes = tuple(f"{log.source}: {note}" for each in logs for log in each for note in log.remarks)
    return replace(_gains(every, fit, gains), notes=notes)


def _check(robot: Robot, logs: Sequence[Log]) -> Array:
    """Return the gains with which logs were read, all the same, of motors that each move one joint."""
    if not logs:
        raise ArgumentError("known_mass_gains: no logs; give one without the mass and one with it")
    given = logs[0].transmission
    for log in logs:
        if log.joints != robot.joint_names:
            raise LogError(
                f"{log.source}: no columns of some joints of {robot.name!r}; lock them (Robot.locked)"
            )
        R = log.transmission.reduction
        if np.count_nonzero(R - np.diag(np.diag(R))):
            raise ArgumentError(
                "known_mass_gains: reduction couples motors; give logs of efforts on the joint side"
            )
        if not (np.array_equal(log.transmission.gain, given.gain) and np.array_equal(R, given.reduction)):
            raise ArgumentError(
                f"known_mass_gains: {log.source} was read with other gains or gears than the rest"
            )
    return given.gain


def _rough(
    robot: Robot, empty: Sequence[Log], loaded: Sequence[Log], body: str, cutoff: float | None
) -> LoadedLogs:
    """Return logs whose gains are unknown, with plain friction."""
    middle, rate = empty[0].middle(ROWS), sampling_rate(empty[0].time)
    cutoff = chosen_cutoff("known_mass_gains", cutoff, middle, rate)
    axes = empty[0].transmission.axes
    base, dependent = independent(robot, axes)
    design = Design.of(robot, base, axes, PLAIN, True, dependent)

    def gather(columns: Columns, log: Log) -> tuple[Moments, Array]:
        return gathered(columns, log, Filters(sampling_rate(log.time), cutoff))

    moments, correlation = zip(*(gather(design, log) for log in empty), strict=True)
    joined = Moments.joined(moments)
    none = [np.zeros(len(active)) for active in joined.active]
    columns = PayloadColumns(design, robot.body_names.index(body))
    with_mass, correlations = zip(*(gather(columns, log) for log in loaded), strict=True)
    evidence = Evidence.of(joined, none, correlation[0])
    return LoadedLogs(design, evidence, with_mass, correlations, np.zeros(design.width))


def _fitted(logs: LoadedLogs, mass: float, centre: Array | None, linear: bool = False) -> LoadFit:
    """Return the fit of logs whose loads have a known mass, from their linear least squares if asked for."""
    start, free = logs.start.copy(), masked(len(logs.start))
    for load in logs.loads:
        start[load.stop - 1], free[load.stop - 1] = mass, False
        if centre is not None:
            where = slice(load.start + 6, load.stop - 1)
            start[where], free[where] = mass * centre, False
    fits = [
        logs.fit(guess, free, None, REMEDY) for guess in (_starts(logs, start, free) if linear else [start])
    ]
    return min(fits, key=lambda each: float(np.log(each.scatter).sum()))


def _starts(logs: LoadedLogs, start: Array, free: NDArray[np.bool_]) -> list[Array]:
    """Return starts: the gains of the linear least squares of g_j e_j = W_j x + L_j phi, and their median."""
    rows = []
    for log, evidence in enumerate(logs.logs):
        for j, R in enumerate(evidence.factors):
            A = np.zeros((len(R), len(start)))
            A[:, logs.columns(log, j)] = R[:, :-1]
            A[:, logs.scales.start + j] = -R[:, -1]  # here the gain itself, 1 / s_j
            rows.append(A / max(float(np.linalg.norm(R[:, -1])), 1e-300))
    A = np.concatenate(rows)
    norms = np.maximum(np.linalg.norm(A, axis=0), 1e-300)[free]
    linear = start.copy()
    linear[free] = np.linalg.lstsq(A[:, free] / norms, -A[:, ~free] @ start[~free], rcond=1e-12)[0] / norms
    gains = linear[logs.scales]
    usual = float(np.median(np.abs(gains)))
    if not 0 < usual < np.inf:
        return [start]
    even = linear.copy()
    linear[logs.scales] = 1 / np.where(np.abs(gains) > 0.05 * usual, gains, usual)
    even[logs.scales] = 1 / usual
    return [linear, even]


def _gains(logs: LoadedLogs, fit: LoadFit, given: Array) -> DriveGains:
    """Return the gains behind the scales of efforts, with their covariance."""
    s = fit.values[logs.scales]
    values = given / s
    D = np.diag(values / s)
    powers = [[np.sum(R[:, -1] ** 2) / max(each.rows, 1) for R in each.factors] for each in logs.logs]
    explained = 1 - np.mean(fit.scatter**2, axis=0) / np.maximum(np.mean(powers, axis=0), 1e-300)
    covariance = D @ fit.covariance[logs.scales, logs.scales] @ D
    return DriveGains(logs.design.robot.joint_names, values, explained, covariance)
