"""Payloads: the mass a robot carries, from a log with it and a model without it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Unpack

import numpy as np

from ...arrays import Array
from ...checks import flag, instance, known_name
from ...description.description import Inertial
from ...display import card, html_table
from ...model.inertia import NAMES, inertial_from_phi
from ..logs.log import Log
from ..logs.options import ReadingOptions
from ..logs.reading import read_log
from ..logs.signals import Filters, Signals, noise_correlation
from ..regression.design import filtered_rows
from ..regression.least_squares import ExcitationError, solve, standard_errors, undetermined
from ..regression.moments import LAGS, gather
from ..regression.rows import Columns, Rows, nothing_left
from ..regression.split import Split
from .doubt import POOR
from .inertias import consistent, is_physical
from .known_inertias import KnownInertias
from .prediction import Errors, torque_errors
from .prior import Prior
from .result import Identification

REMEDY = (
    "record a motion that turns what is carried about several axes; a robot that moves in a plane does not "
    "feel all of it: identify the robot again with the payload, and compare the base parameters"
)


@dataclass(frozen=True, repr=False)
class Payload:
    """The ten parameters of what a body carries, about that body's frame origin, with standard errors.

    `errors` are torque errors of the log with the payload; `unloaded` are those of the model
    without it, on the same rows. Standard errors take that model as exact.
    """

    body: str
    phi: Array
    standard_errors: Array
    errors: Errors
    unloaded: Errors

    @property
    def inertial(self) -> Inertial:
        """Mass, centre of mass and inertia about it, in the axes of the body's frame."""
        return inertial_from_phi(self.phi)

    @property
    def physical(self) -> bool:
        """Whether a rigid body can have these inertias."""
        return bool(is_physical(self.phi).all())

    @property
    def doubts(self) -> tuple[str, ...]:
        """What speaks against the payload: torques that it does not explain."""
        if self.errors.total <= POOR:
            return ()
        return (
            f"with the payload {100 * self.errors.total:.0f} % of all torques are not explained: another "
            "log, body or gain?",
        )

    @property
    def mass(self) -> float:
        """Mass of the payload in kg."""
        return float(self.phi[9])

    def __repr__(self) -> str:
        return f"<Payload of {self.body!r}: {self.mass:.4g} kg, torque error {100 * self.errors.total:.2f} %>"

    def _repr_html_(self) -> str:
        """Return what a notebook shows: the ten parameters with their standard errors."""
        rows = list(zip(NAMES, self.phi, self.standard_errors, strict=True))
        table = html_table(["parameter", "value", "std. error"], rows)
        return card("Payload", repr(self)[len("<Payload ") : -1], table, notes=self.doubts)

    def __str__(self) -> str:
        numbers = zip(NAMES, self.phi, self.standard_errors, strict=True)
        lines = [
            *(f"doubt: {doubt}" for doubt in self.doubts),
            f"payload of {self.body!r}: {self.phi[9]:.4g} kg (standard error {self.standard_errors[9]:.2g})",
            *(f"{name:<4}{value:>12.4g}{error:>12.2g}" for name, value, error in numbers),
            f"torque error {100 * self.errors.total:.2f} % ({100 * self.unloaded.total:.2f} % without it)",
        ]
        return "\n".join(lines)


def identify_payload(
    empty: Identification,
    log: Log | Any,
    *,
    body: str | None = None,
    physical: bool = False,
    **reading: Unpack[ReadingOptions],
) -> Payload:
    """Return the payload that explains a log, given the identification of the robot without it.

    The torque that the model does not explain is linear in the payload's ten parameters,
    tau - tau_model = Y_body(q, qd, qdd) phi_payload, with the columns of the carrying body (the
    last one by default). `physical` asks for parameters that a rigid body can have.
    """
    instance("identify_payload: empty", empty, Identification, "what identify returns")
    flag("identify_payload: physical", physical)
    robot = empty.robot
    names = robot.body_names
    body = names[-1] if body is None else known_name("body that carries the payload", body, names)
    log = read_log(log, robot, **reading)
    filters = empty.filters_of(log)
    one_fold = Split(log.time[0], log.time[-1], None, 0.0, np.inf)
    moments = gather(_PayloadColumns(empty, names.index(body)), log, filters, one_fold)
    if not moments.fitted:
        raise nothing_left(log, filters)
    fit = solve(moments.triangles(moments.fitted), moments.active, 10)
    labels = tuple(f"{name} of the payload" for name in NAMES)
    lost, condition = undetermined(fit.R, labels)
    if lost:
        raise ExcitationError(lost, condition, REMEDY)
    phi = fit.values
    if physical:
        phi, _ = consistent(_loose(phi), KnownInertias.of(["payload"]), np.eye(10), fit.R, labels)
    errors, unloaded = (torque_errors(moments, moments.fitted, each) for each in (phi, np.zeros(10)))
    return Payload(
        body, phi, standard_errors(fit, moments, noise_correlation(filters, LAGS)), errors, unloaded
    )


class _PayloadColumns(Columns):
    """The ten columns of the body that carries the payload; what the model explains is given."""

    def __init__(self, empty: Identification, body: int) -> None:
        self.empty, self.body = empty, slice(10 * body, 10 * body + 10)
        self.width, self.active = 10, (np.arange(10),) * empty.robot.nv

    def rows(self, signals: Signals, filters: Filters) -> Rows:
        """Return the rows of a motion."""
        design, robot = self.empty.design, self.empty.robot
        rows = design.rows(signals, filters)
        loads = filtered_rows(robot.regressor, signals, [self.body] * robot.nv, filters)
        return replace(rows, W=tuple(loads), given=design.predicted(rows, self.empty.values))


def _loose(phi: Array) -> Prior:
    """Return a prior around a sphere of the mass found, too weak to be felt."""
    mass, length = max(float(phi[9]), 0.01), 0.1
    inertia = 0.4 * mass * length**2
    return Prior.around(np.array([inertia, 0, 0, inertia, 0, inertia, 0, 0, 0, mass]), weight=0.01)
