"""Inertias of all bodies from the base parameters, and the robot that has them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from importlib.util import find_spec

import numpy as np

from ...arrays import Array
from ...model import Body
from ...robot import Robot
from ..regression.design import Design
from ..regression.least_squares import Fit
from .consistent import Prior, consistent, is_physical, nearest


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
    """Return the robot with identified inertias, rotors and friction on its joints."""
    value = dict(zip(design.names, found.values, strict=True))

    def changed(body: Body) -> Body:
        k = body.iv + 1
        dry = value.get(f"fc{k}", 0.0) + value.get(f"fp{k}", 0.0)
        return replace(
            body,
            armature=max(0.0, float(value.get(f"Ia{k}", body.armature))),
            damping=max(0.0, float(value.get(f"fv{k}", 0.0))),
            friction=max(0.0, float(dry)),
        )

    model = design.robot.model
    bodies = tuple(body if body.coupling is not None else changed(body) for body in model.bodies)
    return Robot(replace(model, bodies=bodies).with_phi(found.phi))
