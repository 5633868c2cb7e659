"""Payloads: the mass a robot carries, from a log with it and a model without it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...arrays import Array
from ...checks import flag, instance, known_name
from ...description.description import Inertial
from ...model.inertia import NAMES, inertial_from_phi
from ..logs.log import Log
from ..logs.reading import read_log
from ..logs.samples import Samples
from ..logs.signals import Filters, condition_signals, noise_correlation
from ..regression.design import Rows, Span, filtered_rows, nothing_left, spans
from ..regression.least_squares import (
    LAGS,
    ExcitationError,
    Moments,
    residual_squares,
    solve,
    standard_errors,
    undetermined,
)
from ..regression.split import UNUSED
from .consistent import Prior, consistent, is_physical
from .doubt import POOR
from .result import Errors, Identification


@dataclass(frozen=True)
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

    def __str__(self) -> str:
        rows = [f"doubt: {doubt}" for doubt in self.doubts]
        rows += [
            f"payload of {self.body!r}: {self.phi[9]:.4g} kg (standard error {self.standard_errors[9]:.2g})"
        ]
        rows += [
            f"{name:<4}{value:>12.4g}{error:>12.2g}"
            for name, value, error in zip(NAMES, self.phi, self.standard_errors, strict=True)
        ]
        rows.append(
            f"torque error {100 * self.errors.total:.2f} % ({100 * self.unloaded.total:.2f} % without it)"
        )
        return "\n".join(rows)


def identify_payload(
    empty: Identification, log: Log | Any, *, body: str | None = None, physical: bool = False, **reading: Any
) -> Payload:
    """Return the payload that explains a log, given the identification of the robot without it.

    The torque that the model does not explain is linear in the payload's ten parameters,
    tau - tau_model = Y_body(q, qd, qdd) phi_payload, with the columns of the carrying body (the
    last one by default). `physical` asks for parameters that a rigid body can have (needs cvxpy).
    """
    instance("identify_payload: empty", empty, Identification, "what identify returns")
    flag("identify_payload: physical", physical)
    robot = empty.robot
    names = robot.body_names
    body = names[-1] if body is None else known_name("body that carries the payload", body, names)
    columns = slice(10 * names.index(body), 10 * names.index(body) + 10)
    log = read_log(log, robot, **reading)
    filters = empty.filters_of(log)
    moments = Moments([np.arange(10)] * robot.nv, 10)
    for span in spans(log, filters):
        samples = log.samples(span.start, span.stop)
        moments.add(_rows(empty, columns, samples, span, filters))
    if not moments.fitted:
        raise nothing_left(log, filters)
    triangles = moments.triangles(moments.fitted)
    fit = solve(triangles, moments.active, 10)
    labels = tuple(f"{name} of the payload" for name in NAMES)
    lost, condition = undetermined(fit.R, labels)
    if lost:
        raise ExcitationError(lost, condition)
    phi = fit.values
    if physical:
        phi, _ = consistent(_loose(phi), np.eye(10), fit.R, labels)
    power = moments.powers(moments.fitted)
    errors, unloaded = (
        Errors.of(residual_squares(triangles, moments.active, each), power, fit.rows)
        for each in (phi, np.zeros(10))
    )
    return Payload(
        body, phi, standard_errors(fit, moments, noise_correlation(filters, LAGS)), errors, unloaded
    )


def _rows(empty: Identification, columns: slice, samples: Samples, span: Span, filters: Filters) -> Rows:
    """Return the rows of one segment: the carrying body's columns, what the model explains being given."""
    robot, design = empty.robot, empty.design
    if not filters.settle_in(samples.time):
        return Rows.none([10] * robot.nv)
    signals = condition_signals(samples, filters)
    time, W, tau, given = design.rows(signals, filters)
    model = given + np.stack([w @ empty.values[a] for w, a in zip(W, design.active, strict=True)], axis=1)
    states = [np.ascontiguousarray(x[:: filters.first]) for x in (signals.q, signals.qd, signals.qdd)]
    loads = filtered_rows(robot.regressor, states, [columns] * robot.nv, filters)
    label = np.where(signals.valid[:: filters.first][:: filters.second], 0, UNUSED)
    inside = (time >= span.first) & (time < span.last)
    return Rows(time[inside], tuple(w[inside] for w in loads), tau[inside], model[inside], label[inside])


def _loose(phi: Array) -> Prior:
    """Return a prior around a sphere of the mass found, wide enough not to be felt."""
    mass, length = max(float(phi[9]), 0.01), 0.1
    inertia = 0.4 * mass * length**2
    values = np.array([inertia, 0, 0, inertia, 0, inertia, 0, 0, 0, mass])
    scales = 100 * np.array([mass * length**2] * 6 + [mass * length] * 3 + [mass])
    return Prior(values, scales, np.array([mass]), np.array([length]))
