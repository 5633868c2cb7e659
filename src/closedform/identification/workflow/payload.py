"""Payloads: the mass a robot carries, from a log with it and the identification without it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Unpack

import numpy as np

from ...arrays import Array
from ...checks import flag, instance, known_name
from ...description.description import Inertial
from ...display import card, html_table
from ...errors import ArgumentError, ClosedFormError
from ...model.inertia import NAMES, inertial_from_phi
from ...robot import Robot
from ..logs.errors import LogError
from ..logs.log import Log
from ..logs.options import ReadingOptions
from ..logs.reading import read_log
from ..logs.rest import without_rest
from ..logs.signals import Filters, Signals, noise_correlation
from ..regression.design import Design, filtered_rows
from ..regression.moments import LAGS, Moments, gather
from ..regression.rows import Columns, Rows, nothing_left
from ..regression.split import Split
from .doubt import POOR
from .gains import DriveGains
from .inertias import consistent, is_physical
from .known_inertias import KnownInertias
from .listing import Column, Table
from .load_fit import LoadedLogs, LoadFit, masked
from .prediction import Errors
from .prior import Prior
from .result import Identification

REMEDY = (
    "record a motion that turns what is carried about several axes; a robot that moves in a plane does not "
    "feel all of it: identify the robot again with the payload, and compare the base parameters"
)

WORSE = 1.5
"""Torque error with the payload over that of the robot without, beyond which the log is doubted."""

ROUNDS = 2
"""Fits more, if friction depends on the load: about the load that the fit before found."""

UNITS = ("kg m^2",) * 6 + ("kg m",) * 3 + ("kg",)
"""Units of the ten parameters."""


@dataclass(frozen=True, repr=False)
class Payload:
    """The ten parameters of what a body carries, about that body's frame origin, and their covariance.

    The covariance counts the noise of both logs, and the uncertainty of drive gains if they were given with
    one. `errors` are torque errors of the log with the payload; `unloaded` are those of the model
    without it, on the same rows; `empty` is the torque error of the robot without it on its own log.
    """

    body: str
    phi: Array
    covariance: Array
    errors: Errors
    unloaded: Errors
    empty: float
    notes: tuple[str, ...] = ()

    @property
    def standard_errors(self) -> Array:
        """Standard errors of the ten parameters."""
        return np.asarray(np.sqrt(np.diag(self.covariance)))

    @property
    def inertial(self) -> Inertial:
        """Mass, centre of mass and inertia about it, in the axes of the body's frame."""
        return inertial_from_phi(self.phi)

    @property
    def physical(self) -> bool:
        """Whether a rigid body can have these inertias."""
        return bool(is_physical(self.phi).all())

    @property
    def mass(self) -> float:
        """Mass of the payload in kg."""
        return float(self.phi[9])

    @property
    def mass_error(self) -> float:
        """Standard error of the mass in kg."""
        return float(self.standard_errors[9])

    @property
    def com(self) -> Array:
        """Centre of mass of the payload in the body's frame, in m."""
        return np.asarray(self.phi[6:9] / self.phi[9])

    @property
    def com_errors(self) -> Array:
        """Standard errors of the centre of mass in m: d c = (d(m c) - c dm) / m."""
        D = np.column_stack([np.eye(3), -self.com]) / self.mass
        return np.asarray(np.sqrt(np.einsum("ij,jk,ik->i", D, self.covariance[6:, 6:], D)))

    @property
    def doubts(self) -> tuple[str, ...]:
        """What speaks against the payload: torques that it does not explain, or no mass at all."""
        found = []
        if self.errors.total > max(POOR, WORSE * self.empty):
            found.append(
                f"with the payload {100 * self.errors.total:.0f} % of all torques are not explained "
                f"(of the empty robot {100 * self.empty:.0f} %): another robot, body or gain?"
            )
        if self.mass < -2 * self.mass_error:
            found.append(
                "the mass comes out negative: are the logs swapped, or is the sign of efforts wrong?"
            )
        elif abs(self.mass) < 2 * self.mass_error:
            found.append("the mass is not distinguished from zero: a heavier load, or a longer log")
        return tuple(found)

    @property
    def tables(self) -> tuple[Table, Table]:
        """The payload in short, and its ten parameters, each with standard errors."""
        columns = (Column("value", ".4g"), Column("std. error", ".2g"))
        short = [("mass [kg]", (self.mass, self.mass_error))]
        if self.mass:
            short += [
                (f"centre {axis} [m]", (float(value), float(error)))
                for axis, value, error in zip("xyz", self.com, self.com_errors, strict=True)
            ]
        rows = zip(NAMES, UNITS, self.phi.tolist(), self.standard_errors.tolist(), strict=True)
        every = tuple((f"{name} [{unit}]", (value, error)) for name, unit, value, error in rows)
        return Table("payload", columns, tuple(short)), Table("parameter", columns, every)

    def __repr__(self) -> str:
        return f"<Payload of {self.body!r}: {self.mass:.4g} kg, torque error {100 * self.errors.total:.2f} %>"

    def _repr_html_(self) -> str:
        """Return what a notebook shows: mass, centre and the ten parameters with their standard errors."""
        tables = (html_table([t.heading, *(c.heading for c in t.columns)], t.cells()) for t in self.tables)
        notes = [*(f"doubt: {doubt}" for doubt in self.doubts), *(f"note: {note}" for note in self.notes)]
        return card("Payload", repr(self)[len("<Payload ") : -1], *tables, notes=notes)

    def __str__(self) -> str:
        short, every = self.tables
        lines = [
            *(f"doubt: {doubt}" for doubt in self.doubts),
            f"payload of {self.body!r}",
            *short.lines(16),
            "",
            *every.lines(16),
            "",
            f"torque error {100 * self.errors.total:.2f} % ({100 * self.unloaded.total:.2f} % without it)",
            *(f"note: {note}" for note in self.notes),
        ]
        return "\n".join(lines)


def identify_payload(
    empty: Identification,
    log: Log | Any,
    *,
    body: str | None = None,
    gains: DriveGains | None = None,
    physical: bool = False,
    **reading: Unpack[ReadingOptions],
) -> Payload:
    """Return the payload that explains a log, given the identification of the robot without it.

    Both logs are fitted together: tau = W x in the first, tau = W x + Y_body phi in the second, with the
    columns of the carrying body (the last one by default) and friction and offsets that may have
    changed. So the standard errors count what the first log left uncertain of the robot.

    - `gains`: drive gains with which both logs were read. Their uncertainty is counted; without them
      gains are taken as exact. A log that is yet to be read is read with them.
    - `physical`: whether the parameters must be those of a rigid body.

    >>> import numpy as np, closedform as cf
    >>> arm = cf.load("ur5")
    >>> t = np.arange(0, 20, 0.01)
    >>> w = np.outer(t, 0.6 * np.arange(1, 6))
    >>> a, b = np.random.default_rng(1).normal(size=(2, 5, 6)) / 2
    >>> q = np.sin(w) @ a + np.cos(w) @ b
    >>> qd, qdd = np.gradient(q, t, axis=0), np.gradient(np.gradient(q, t, axis=0), t, axis=0)
    >>> noise = np.random.default_rng(2).normal(size=(2, *q.shape)) / 10
    >>> tau = arm.inverse_dynamics(q, qd, qdd) + noise[0]
    >>> full = arm.with_payload(2.8, (0, 0, 0.1)).inverse_dynamics(q, qd, qdd) + noise[1]
    >>> empty = cf.identify(arm, {"t": t, "q": q, "tau": tau}, friction=None)
    >>> payload = cf.identify_payload(empty, {"t": t, "q": q, "tau": full})
    >>> bool(abs(payload.mass - 2.8) < 3 * payload.mass_error < 0.1)
    True
    """
    instance("identify_payload: empty", empty, Identification, "what identify returns")
    if not isinstance(empty.robot, Robot):
        raise ArgumentError(
            f"identify_payload: robot {empty.robot.name!r} has loops, of which payloads are not identified; "
            "identify it again with the payload, and compare the base parameters"
        )
    flag("identify_payload: physical", physical)
    body = carrier(empty.robot, body)
    log = without_rest(read_loaded(empty, log, gains, reading))
    notes = (
        log.remarks
        if gains
        else (
            *log.remarks,
            "drive gains are taken as exact; gains= counts their uncertainty",
        )
    )

    def fitted(both: LoadedLogs) -> LoadFit:
        if gains is None:
            return both.fit(both.start, masked(len(both.start), both.scales), None, REMEDY)
        return both.fit(both.start, masked(len(both.start)), _believed(both, gains), REMEDY)

    both, fit = settled_fit(empty, [log], body, fitted)
    (load,) = both.loads
    phi, covariance = fit.values[load], fit.covariance[load, load]
    if physical:
        # rows of the weighted distance from the fit: K (phi - fit) with K^T K the inverse covariance
        K = np.linalg.cholesky(np.linalg.inv(covariance)).T
        R = np.column_stack([K, K @ phi])
        phi, _ = consistent(_loose(phi), KnownInertias.of(["payload"]), np.eye(10), R, NAMES)
    x = fit.values.copy()
    x[load] = phi
    errors, unloaded = (_errors(both, each) for each in (x, both.start))
    return Payload(body, phi, covariance, errors, unloaded, empty.fitted.total, notes)


def _errors(both: LoadedLogs, x: Array) -> Errors:
    """Return the torque errors of the log with the load for some values of all parameters."""
    rows, moments = both.logs[1].rows, both.loaded[0]
    return Errors.of(both.scatter(x)[1] ** 2 * rows, moments.powers(moments.fitted), rows)


def carrier(robot: Robot, body: str | None) -> str:
    """Return the body that carries a load: the last one if none is named."""
    names = robot.body_names
    return names[-1] if body is None else known_name("body that carries the payload", body, names)


def read_loaded(
    empty: Identification, log: Log | Any, gains: DriveGains | None, reading: ReadingOptions
) -> Log:
    """Return the log with the load, read for the robot without it, with its gains if some are given."""
    if gains is None:
        return read_log(log, empty.robot, **reading)
    instance("identify_payload: gains", gains, DriveGains, "what drive_gains or known_mass_gains returns")
    if gains.joints != empty.robot.joint_names:
        raise ArgumentError(
            f"identify_payload: gains are those of {', '.join(gains.joints)}; expected one of each joint, "
            f"{', '.join(empty.robot.joint_names)}"
        )
    if gains.covariance is None or not np.isfinite(gains.covariance).all():
        raise ArgumentError(
            "identify_payload: gains have no standard errors; known_mass_gains estimates some"
        )
    options = reading if isinstance(log, Log) or "gain" in reading else {**reading, "gain": gains.values}
    found = read_log(log, empty.robot, **options)
    if not np.allclose(found.transmission.gain, gains.values, rtol=1e-6):
        raise ArgumentError(
            f"identify_payload: {found.source} was read with other gains; read both logs with gains="
        )
    return found


def settled_fit(
    empty: Identification, logs: Sequence[Log], body: str, fit: Callable[[LoadedLogs], LoadFit]
) -> tuple[LoadedLogs, LoadFit]:
    """Return logs with loads and their fit; if gears lose by load, the loads' own torques count there."""
    both = loaded_logs(empty, logs, body, [None] * len(logs))
    found = fit(both)
    for _ in range(ROUNDS if any(term.kind == "fl" for term in empty.design.drive) else 0):
        both = loaded_logs(empty, logs, body, [found.values[load] for load in both.loads])
        found = fit(both)
    return both, found


def loaded_logs(
    empty: Identification, logs: Sequence[Log], body: str, loads: Sequence[Array | None]
) -> LoadedLogs:
    """Return logs with loads beside that of the empty robot, reduced to what a fit of all needs."""
    robot, design = empty.robot, empty.design
    moments, correlations = [], []
    for log, phi in zip(logs, loads, strict=True):
        columns = PayloadColumns(design, robot.body_names.index(body), phi)
        if log.joints != robot.joint_names:
            raise LogError(
                f"{log.source}: joints {', '.join(log.joints)}, but the empty robot was identified with "
                f"{', '.join(robot.joint_names)}: a log of another robot?"
            )
        own, correlation = gathered(columns, log, empty.filters_of(log))
        moments.append(own)
        correlations.append(correlation)
    if empty.evidence is None:
        raise ClosedFormError(
            "the identification of the empty robot has no evidence: it has payloads of its own, or "
            "an older version saved it; identify the empty robot again"
        )
    return LoadedLogs(design, empty.evidence, moments, correlations, empty.values)


def gathered(columns: Columns, log: Log, filters: Filters) -> tuple[Moments, Array]:
    """Return the moments of all rows of a log, and the correlation of white noise after its filters."""
    moments = gather(columns, log, filters, Split(log.time[0], log.time[-1], None, 0.0, np.inf))
    if not moments.fitted:
        raise nothing_left(log, filters)
    return moments, noise_correlation(filters, LAGS)


class PayloadColumns(Columns):
    """The columns of the robot, then the ten of the body that carries the payload, which is about `phi`."""

    def __init__(self, design: Design, body: int, phi: Array | None = None) -> None:
        design = design if phi is None else design.burdened(body, phi)
        self.design, self.body = design, slice(10 * body, 10 * body + 10)
        load = design.width + np.arange(10)
        self.width = design.width + 10
        self.active = tuple(np.concatenate([active, load]) for active in design.active)

    def rows(self, signals: Signals, filters: Filters) -> Rows:
        """Return the rows of a motion."""
        robot = self.design.robot
        rows = self.design.rows(signals, filters)
        loads = filtered_rows(robot.regressor, signals, [self.body] * robot.nv, filters)
        W = tuple(np.concatenate(pair, axis=1) for pair in zip(rows.W, loads, strict=True))
        return replace(rows, W=W)


def _believed(both: LoadedLogs, gains: DriveGains) -> tuple[Array, Array]:
    """Return rows that say how well the gains are known: of scales of the efforts around one."""
    assert gains.covariance is not None
    relative = gains.covariance / np.outer(gains.values, gains.values)
    sizes, V = np.linalg.eigh(relative)
    K = np.zeros((len(relative), len(both.start)))
    K[:, both.scales] = V.T / np.sqrt(np.maximum(sizes, 1e-12))[:, None]
    return K, K[:, both.scales].sum(axis=1)


def _loose(phi: Array) -> Prior:
    """Return a prior around a sphere of the mass found, too weak to be felt."""
    mass, length = max(float(phi[9]), 0.01), 0.1
    inertia = 0.4 * mass * length**2
    return Prior.around(np.array([inertia, 0, 0, inertia, 0, inertia, 0, 0, 0, mass]), weight=0.01)
