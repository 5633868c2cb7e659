"""Inertias of all bodies from the base parameters, physically consistent ones if wanted, and their robot."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...arrays import Array
from ...errors import ClosedFormError, shown
from ...model import Body
from ...model.inertia import parts_from_phi, second_moments
from ...robot import Robot
from ..regression.design import Design
from ..regression.least_squares import Fit

MARGIN = 1e-6
"""Least eigenvalue of a pseudo-inertia, relative to the body's own scales."""

NONNEGATIVE = ("Ia", "fv", "fc", "fp")
"""Drive parameters that no passive mechanism has below zero."""


@dataclass(frozen=True)
class Prior:
    """What is believed of phi before the log: values, their standard deviations, and the scales of bodies."""

    values: Array
    scales: Array
    mass: Array
    length: Array

    @classmethod
    def of(cls, robot: Robot) -> Prior:
        """Return the described inertias, or spheres of one kilogram if there are none.

        Scales are those of the body: its mass m, m l and m l^2, with l its radius of gyration.
        """
        phi = robot.phi.reshape(-1, 10).copy()
        if not robot.model.has_inertia:
            phi[:] = [0.02, 0, 0, 0.02, 0, 0.02, 0, 0, 0, 1]
        mass = np.maximum(phi[:, 9], 0.05 * phi[:, 9].max())
        trace = phi[:, [0, 3, 5]].sum(axis=1) / 2
        length = np.clip(np.sqrt(np.maximum(trace, 0) / mass), 0.05, None)
        scales = np.empty_like(phi)
        scales[:, :6], scales[:, 6:9], scales[:, 9] = (
            (mass * length**2)[:, None],
            (mass * length)[:, None],
            mass,
        )
        return cls(phi.ravel(), scales.ravel(), mass, length)


def nearest(prior: Prior, B: Array, beta: Array) -> Array:
    """Return the phi nearest to the prior that has the base parameters beta = B phi exactly."""
    S = prior.scales
    BS = B * S
    step = np.linalg.lstsq(BS, beta - B @ prior.values, rcond=None)[0]
    return np.asarray(prior.values + S * step)


def consistent(prior: Prior, B: Array, R: Array, names: tuple[str, ...]) -> tuple[Array, Array]:
    """Return phi and the drive parameters of the best fit among physically consistent ones.

    min |T (B phi, theta) - z|^2 + |(phi - prior) / scales|^2 subject to the pseudo-inertia
    [tr(I)/2 1 - I, m c; m c^T, m] of every body being positive definite [WensingKimSlotine2018] and
    friction dissipating; T and z are the triangular factor of the weighted rows. The solver sees
    the distance from the unconstrained solution, so that it does not round it away.
    """
    try:
        with warnings.catch_warnings():  # about solvers that are not used
            warnings.simplefilter("ignore")
            import cvxpy  # noqa: PLC0415 (an extra, slow to import)
    except ImportError:
        raise ClosedFormError(
            "physically consistent inertias need cvxpy; install the extra closedform[identification]"
        ) from None
    cp: Any = cvxpy  # its stubs lack what it exports
    width = R.shape[1] - 1
    count = len(B)
    T, z = R[:width, :width], R[:width, width]
    columns = np.linalg.norm(T[:, count:], axis=0)
    scale = 1 / np.where(columns > 0, columns, 1.0)
    u, w = cp.Variable(len(prior.values)), cp.Variable(width - count)
    A = np.concatenate([T[:, :count] @ (B * prior.scales), T[:, count:] * scale], axis=1)
    free = np.linalg.lstsq(A, z - T[:, :count] @ (B @ prior.values), rcond=None)[0]
    constraints = []
    for i in range(len(prior.mass)):
        own = slice(10 * i, 10 * i + 10)
        P = _pseudo_inertia(cp, prior.values[own], prior.scales[own], u[own], prior.mass[i], prior.length[i])
        constraints.append(P >> MARGIN * np.eye(4))
    dissipative = [k for k, name in enumerate(names[count:]) if name.startswith(NONNEGATIVE)]
    if dissipative:
        constraints.append(w[dissipative] >= 0)
    fit = cp.sum_squares(A @ (cp.hstack([u, w]) - free)) + cp.sum_squares(u)
    problem = cp.Problem(cp.Minimize(fit), constraints)
    try:
        with warnings.catch_warnings():  # what the solver thinks of its answer is in the status
            warnings.simplefilter("ignore")
            problem.solve(solver=cp.CLARABEL)
        status = str(problem.status)
    except (cp.error.SolverError, cp.error.DCPError, ArithmeticError, ValueError) as error:
        status = shown(str(error))
    if status not in ("optimal", "optimal_inaccurate") or u.value is None or not np.isfinite(u.value).all():
        raise ClosedFormError(
            f"no physically consistent inertias found (solver: {status}); the log contradicts the "
            "geometry, or its units are wrong: look at the fit without physical=True"
        )
    drive = np.zeros(0) if w.value is None else w.value * scale
    return np.asarray(prior.values + prior.scales * u.value), np.asarray(drive)


def _pseudo_inertia(cp: Any, values: Array, scales: Array, u: Any, m: float, length: float) -> Any:
    """Return the pseudo-inertia of a body in units of its mass and length, as an expression."""
    p = [(values[k] + scales[k] * u[k]) / m for k in range(10)]
    xx, xy, xz, yy, yz, zz = (x / length**2 for x in p[:6])
    mx, my, mz = (x / length for x in p[6:9])
    half = (xx + yy + zz) / 2
    return cp.bmat(
        [
            [half - xx, -xy, -xz, mx],
            [-xy, half - yy, -yz, my],
            [-xz, -yz, half - zz, mz],
            [mx, my, mz, p[9]],
        ]
    )


def is_physical(phi: Array) -> NDArray[np.bool_]:
    """Return which bodies have a positive definite pseudo-inertia."""
    fine = []
    for row in np.asarray(phi).reshape(-1, 10):
        m, ms, J = parts_from_phi(row)
        P = np.block([[second_moments(J), ms[:, None]], [ms, m]])
        fine.append(bool(np.linalg.eigvalsh(P)[0] > 0))
    return np.array(fine)


@dataclass(frozen=True)
class Inertias:
    """Values of the parameters, the phi of all bodies behind them, and what is to be said about them."""

    values: Array
    phi: Array
    doubts: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def inertias(design: Design, fit: Fit, physical: bool | None) -> Inertias:
    """Return the inertias nearest to the described ones, or physically consistent ones.

    `physical` is that of `identify`. If no rigid body has the inertias found, that is a note if they
    were asked for, and else a doubt.
    """
    prior, B = Prior.of(design.robot), design.base.matrix
    phi = nearest(prior, B, fit.values[: design.base.count])
    bodies = zip(design.robot.model.bodies, is_physical(phi), strict=True)
    wrong = [body.name for body, fine in bodies if not fine]
    if physical or (physical is None and wrong and find_spec("cvxpy") is not None):
        phi, drive = consistent(prior, B, fit.R, design.names)
        return Inertias(np.concatenate([B @ phi, drive]), phi)
    if not wrong:
        return Inertias(fit.values, phi)
    words = f"no rigid body has the inertias of {', '.join(wrong)}; "
    if physical is None:
        remedy = "install cvxpy, the extra closedform[identification], for consistent ones"
        return Inertias(fit.values, phi, doubts=(f"{words}{remedy}",))
    return Inertias(fit.values, phi, notes=(f"{words}physical=True finds consistent ones",))


def beliefs(design: Design) -> tuple[Array, Array]:
    """Return weak beliefs about the parameters: described base parameters, drives near zero; and scales."""
    prior = Prior.of(design.robot)
    B = design.base.matrix
    drives = design.width - design.base.count
    effort = np.abs(design.robot.effort_limits)
    size = float(np.median(effort[np.isfinite(effort) & (effort > 0)])) if np.isfinite(effort).any() else 10.0
    scales = np.concatenate([np.sqrt((B**2) @ prior.scales**2), np.full(drives, size)])
    return np.concatenate([B @ prior.values, np.zeros(drives)]), scales


def identified_robot(design: Design, found: Inertias) -> Robot:
    """Return the robot with identified inertias, and rotors, friction and offsets on its joints."""
    value = dict(zip(design.names, found.values, strict=True))
    numbers = {body.joint_name: k for k, body in enumerate(design.robot.model.independent)}

    def changed(body: Body) -> Body:
        k = 1 + numbers[body.joint_name]
        dry = value.get(f"fc{k}", 0.0) + value.get(f"fp{k}", 0.0)
        return replace(
            body,
            armature=max(0.0, float(value.get(f"Ia{k}", body.armature))),
            damping=max(0.0, float(value.get(f"fv{k}", 0.0))),
            friction=max(0.0, float(dry)),
            drive_offset=float(value.get(f"of{k}", 0.0)),
        )

    model = design.robot.model
    bodies = tuple(body if body.coupling is not None else changed(body) for body in model.bodies)
    return Robot(replace(model, bodies=bodies).with_phi(found.phi))
