"""Payloads: the mass a robot carries, from a log with it and a model without it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..description.description import Inertial
from ..errors import UnknownNameError
from ..model.inertia import NAMES, inertial_from_phi
from .consistent import Prior, consistent, is_physical
from .design import Rows
from .log import Log, read_log
from .regression import LAGS, ExcitationError, Moments, solve, standard_errors, undetermined
from .result import Errors, Identification
from .signals import Filters, condition_signals, noise_correlation, sampling_rate, to_rows
from .split import Split

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Payload:
    """The ten parameters of what a body carries, about that body's frame origin, with standard errors.

    `errors` are torque errors of the log with the payload; `unloaded` are those of the model
    without it, on the same rows.
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

    def __str__(self) -> str:
        rows = [
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
    robot = empty.robot
    names = robot.body_names
    body = names[-1] if body is None else body
    if body not in names:
        raise UnknownNameError("body that carries the payload", body, names)
    columns = slice(10 * names.index(body), 10 * names.index(body) + 10)
    log = read_log(log, robot, **reading)
    filters = Filters(sampling_rate(log.time), empty.filters.cutoff)
    split = Split(log.time[0], log.time[-1], None, 0.0)
    samples = log.samples()
    signals = condition_signals(samples, filters)
    time, W, tau, given = empty.design.rows(signals, filters)
    model = given + np.stack(
        [w @ empty.values[a] for w, a in zip(W, empty.design.active, strict=True)], axis=1
    )
    states = [np.ascontiguousarray(x[:: filters.first]) for x in (signals.q, signals.qd, signals.qdd)]
    Y = robot.regressor(*states)[:, :, columns]
    loads = tuple(to_rows(np.ascontiguousarray(Y[:, j]), filters) for j in range(robot.nv))
    inside = (time >= log.time[0] + filters.settling) & (time <= log.time[-1] - filters.settling)
    valid = inside & signals.valid[:: filters.first][:: filters.second]
    rows = Rows(
        time[valid], tuple(w[valid] for w in loads), tau[valid], model[valid], split.labels(time[valid])
    )
    moments = Moments([np.arange(10)] * robot.nv, 10)
    moments.add(rows)
    triangles = moments.triangles(moments.fitted)
    fit = solve(triangles, moments.active, 10)
    labels = tuple(f"{name} of the payload" for name in NAMES)
    lost, condition = undetermined(fit.R, labels)
    if lost:
        raise ExcitationError(lost, condition)
    phi = fit.values
    if physical:
        phi, _ = consistent(_loose(phi), np.eye(10), fit.R, labels)
    predicted = model[valid] + np.stack([w @ phi for w in rows.W], axis=1)
    return Payload(
        body,
        phi,
        standard_errors(fit, moments, noise_correlation(filters, LAGS)),
        _errors(rows.tau - predicted, rows.tau),
        _errors(rows.tau - model[valid], rows.tau),
    )


def _loose(phi: Array) -> Prior:
    """Return a prior around a sphere of the mass found, wide enough not to be felt."""
    mass, length = max(float(phi[9]), 0.01), 0.1
    inertia = 0.4 * mass * length**2
    values = np.array([inertia, 0, 0, inertia, 0, inertia, 0, 0, 0, mass])
    scales = 100 * np.array([mass * length**2] * 6 + [mass * length] * 3 + [mass])
    return Prior(values, scales, np.array([mass]), np.array([length]))


def _errors(residual: Array, torque: Array) -> Errors:
    return Errors.of(np.sum(residual**2, axis=0), np.sum(torque**2, axis=0), len(residual))
