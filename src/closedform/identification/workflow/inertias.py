"""Inertias of all bodies from the base parameters, physically consistent ones if wanted, and their robot."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...arrays import Array
from ...errors import ClosedFormError
from ...loops import ClosedRobot
from ...model import Body, Model
from ...model.inertia import (
    inertia_from_second_moments,
    parts_from_phi,
    phi_from_parts,
    pseudo_inertia,
    second_moments,
)
from ...robot import Robot
from ...rotations import screw_motion
from ..joints import joint_bodies, limit_array
from ..regression.design import Design
from ..regression.friction import SHARP
from ..regression.least_squares import Fit
from .cone import GAP, Cone, InconsistentError, least_squares_inside
from .known_inertias import KnownInertias
from .prior import NONNEGATIVE, Prior

INSIDE = 1e-4
"""Least eigenvalue of a pseudo-inertia, relative to the body's own scales, from where the search starts."""


ROUGH = 10.0
"""How far above the least one sums of squares may be, in the rows' variance, if models are compared."""

CLEARLY = 25.0
"""Standard errors, of rows taken as independent, by which a loss must be negative to be believed."""


NO_BODIES = (
    "no bodies that can exist explain the log, and the robot has inertias that none has: have efforts, "
    "positions or gravity the wrong sign, or another unit?"
)
"""What is said if consistent inertias were searched in vain."""


def nearest(prior: Prior, B: Array, beta: Array) -> Array:
    """Return the phi nearest to the prior that has the base parameters beta = B phi exactly."""
    S = prior.scales
    BS = B * S
    step = np.linalg.lstsq(BS, beta - B @ prior.values, rcond=None)[0]
    return np.asarray(prior.values + S * step)


def consistent(
    prior: Prior,
    known: KnownInertias,
    B: Array,
    R: Array,
    names: Sequence[str],
    gap: float = GAP,
    shared: frozenset[str] = frozenset(),
) -> tuple[Array, Array]:
    """Return phi and the drive parameters of the best fit among physically consistent ones.

    min |T (B phi, theta) - z|^2 + |weight (phi - prior) / scales|^2 subject to the pseudo-inertia
    [tr(I)/2 1 - I, m c; m c^T, m] of every body being positive definite [WensingKimSlotine2018],
    friction dissipating (see `dissipating`), and to what is known; T and z are the triangular factor of the
    weighted rows. Parameters that are `shared` may have any sign (see `Design.shared`).
    """
    prior = possible(prior, known)
    width, count, size = R.shape[1] - 1, len(B), len(prior.values)
    T, z = R[:width, :width], R[:width, width]
    columns = np.linalg.norm(T[:, count:], axis=0)
    scales = np.concatenate([prior.scales, 1 / np.where(columns > 0, columns, 1.0)])
    unit = np.eye(len(scales))
    losses = size + np.flatnonzero(dissipating(R, names, shared)[count:])
    start = np.concatenate([prior.values / prior.scales, np.zeros(width - count)])
    start[losses] = 1.0
    G, h = known.inequalities()
    C, c = known.equalities()
    none = np.zeros((len(G) + len(C), width - count))
    cone = Cone(
        bodies=len(prior.mass),
        G=np.concatenate([np.column_stack([G * prior.scales, none[: len(G)]]), unit[losses]]),
        h=np.append(h, np.zeros(len(losses))),
        C=np.column_stack([C * prior.scales, none[len(G) :]]),
        c=c,
    )
    A = np.concatenate([T[:, :count] @ B, T[:, count:]], axis=1) * scales
    pull = prior.weight * unit[:size]
    x = least_squares_inside(np.concatenate([A, pull]), np.append(z, pull @ start), cone, start, gap)
    return x[:size] * prior.scales, x[size:] * scales[size:]


def dissipating(R: Array, names: Sequence[str], shared: frozenset[str] = frozenset()) -> NDArray[np.bool_]:
    """Return which parameters must not be negative: rotors, and friction unless rows clearly say otherwise.

    Friction that falls with speed, or efforts of the wrong sign, make some clearly negative: a doubt names
    the joint. Held at zero, inertias would have to explain what friction does. Those that are `shared` are
    differences, of any sign.
    """
    width = len(names)
    inverse = np.linalg.pinv(R[:width, :width])
    clearly = inverse @ R[:width, width] < -CLEARLY * np.linalg.norm(inverse, axis=1)
    held = [
        NONNEGATIVE.fullmatch(name) is not None
        and name not in shared
        and not (below and name.startswith("f"))
        for name, below in zip(names, clearly, strict=True)
    ]
    return np.array(held, dtype=bool)


def possible(prior: Prior, known: KnownInertias) -> Prior:
    """Return the prior of bodies that can exist and agree with what is known."""
    scales = prior.scales.reshape(-1, 10)
    phi = known.symmetrised(prior.values).reshape(-1, 10) / scales
    for row in phi:
        w, V = np.linalg.eigh(pseudo_inertia(row))
        if w[0] < INSIDE:
            P = (V * np.maximum(w, INSIDE)) @ V.T
            row[:] = phi_from_parts(P[3, 3], P[:3, 3], inertia_from_second_moments(P[:3, :3]))
    phi = phi * scales
    return Prior.around(phi * (known.masses(phi[:, 9]) / phi[:, 9])[:, None], prior.weight)


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
    """Values of the parameters, the phi of all bodies behind them, and what is to be said about them.

    `trust` is that of consistent inertias in their prior. `doubts` says that there are none.
    """

    values: Array
    phi: Array
    consistent: bool = False
    notes: tuple[str, ...] = ()
    trust: float = 1.0
    doubts: tuple[str, ...] = ()


def inertias(
    design: Design,
    fit: Fit,
    known: KnownInertias,
    physical: bool | None,
    trust: Callable[[], float] = lambda: 1.0,
    go_on: bool = False,
) -> Inertias:
    """Return the inertias nearest to the described ones, or physically consistent ones.

    `physical` is that of `identify`; `trust` gives that of `Prior.of` if it is needed. If no rigid body has
    the inertias found, that is a note. It is a doubt if consistent ones were searched in vain, unless they
    were asked for: then it is an error, or still a doubt to `go_on`.
    """
    prior, B = Prior.of(design, fit.R), design.base.matrix
    phi = nearest(prior, B, fit.values[: design.base.count])
    bodies = zip(design.robot.model.bodies, is_physical(phi), strict=True)
    wrong = [body.name for body, fine in bodies if not fine]
    asked = bool(physical or known)
    if asked or (physical is None and wrong):
        try:
            return consistent_inertias(design, fit.R, known, trust())
        except InconsistentError:
            if asked and not go_on:
                raise
            return Inertias(fit.values, phi, doubts=(NO_BODIES,))
    if not wrong:
        return Inertias(fit.values, phi)
    note = f"no rigid body has the inertias of {', '.join(wrong)}; physical=True finds consistent ones"
    return Inertias(fit.values, phi, notes=(note,))


def consistent_inertias(
    design: Design, R: Array, known: KnownInertias, trust: float = 1.0, gap: float = GAP
) -> Inertias:
    """Return the physically consistent inertias that fit the rows behind the factor R best.

    `gap` is how far the sum of squares may be above the least one.
    """
    prior, B = Prior.of(design, R, trust), design.base.matrix
    phi, drive = consistent(prior, known, B, R, design.names, gap, design.shared)
    return Inertias(np.concatenate([B @ phi, drive]), phi, consistent=True, trust=trust)


def rough_values(design: Design, R: Array, known: KnownInertias) -> Array | None:
    """Return values of consistent inertias and drives that compare models; None if none were found."""
    try:
        return consistent_inertias(design, R, known, gap=ROUGH).values
    except ClosedFormError:
        return None


def beliefs(design: Design, R: Array) -> tuple[Array, Array]:
    """Return weak beliefs about the parameters: described base parameters, drives near zero; and scales."""
    prior = Prior.of(design, R)
    B = design.base.matrix
    drives = design.width - design.base.count
    effort = np.abs(limit_array(design.robot, "effort"))
    size = float(np.median(effort[np.isfinite(effort) & (effort > 0)])) if np.isfinite(effort).any() else 10.0
    scales = np.concatenate([np.sqrt((B**2) @ prior.scales**2), np.full(drives, size)])
    return np.concatenate([B @ prior.values, np.zeros(drives)]), scales


def identified_robot(given: Robot | ClosedRobot, design: Design, found: Inertias) -> Robot | ClosedRobot:
    """Return the robot with what was identified; one with loops in the coordinates of the one given."""
    tree = identified_tree(design, found)
    return Robot(tree) if isinstance(given, Robot) else ClosedRobot(replace(given.model, tree=tree))


def identified_tree(design: Design, found: Inertias) -> Model:
    """Return the tree with identified inertias, and rotors, friction, springs and offsets on its joints.

    Joints without drives are as described, but for friction that was identified.

    Dry friction of the robot changes sign at once: what rises over more than the speed `SHARP` is smooth
    friction, what rises over a presliding length is dry. The offset of a joint with a spring is in its rest.
    Joint zeros are those of the log.
    """
    value: dict[str, float] = dict(zip(design.names, found.values.tolist(), strict=True))
    labels = {body.joint_name: f"{k + 1}" for k, body in enumerate(joint_bodies(design.robot))}
    labels |= {axis.joint: axis.label for axis in design.axes if axis.joint is not None}
    term = {each.name(design.axes): each for each in design.drive}

    def changed(body: Body) -> Body:
        k = labels[body.joint_name]

        def width(kind: str) -> float:
            return (term[f"{kind}{k}"].value or 0.0) if f"{kind}{k}" in term else 0.0

        def of(kind: str) -> float:
            return value.get(f"{kind}{k}", 0.0)

        smooth = width("fc") > SHARP
        sprung = bool(of("k"))
        springs: dict[str, Any] = {"stiffness": of("k"), "spring_rest": -of("of") / of("k")} if sprung else {}
        return replace(
            body,
            armature=max(0.0, value.get(f"Ia{k}", body.armature)),
            damping=max(0.0, of("fv")),
            friction=max(0.0, of("fp") + (0.0 if smooth else of("fc"))),
            smooth_friction=of("fc") if smooth else 0.0,
            smooth_speed=width("fc") if smooth else 0.0,
            stribeck_friction=of("fs"),
            stribeck_speed=width("fs"),
            damping_asymmetry=of("fa"),
            load_friction=max(0.0, of("fl")),
            drive_offset=0.0 if sprung else of("of"),
            **springs,
        )

    shifts = {j: value[f"dq{j + 1}"] for j in design.zeros}
    model = with_zeros(design.base.robot.model, shifts)
    driven = [body.coupling is None and body.joint_name in labels for body in model.bodies]
    bodies = tuple(changed(body) if own else body for body, own in zip(model.bodies, driven, strict=True))
    return replace(model, bodies=bodies).with_phi(found.phi)


def with_zeros(model: Model, shifts: Mapping[int, float]) -> Model:
    """Return the model whose joints, by their place in qd, have moved by the shifts if q is zero."""

    def changed(body: Body) -> Body:
        shift = shifts.get(body.iv, 0.0) * body.ratio
        if not shift:
            return body
        return replace(body, placement=body.placement @ screw_motion(body.joint.X[:, 0] * shift), row=None)

    return replace(model, bodies=tuple(map(changed, model.bodies)))


def places(design: Design, values: Array) -> tuple[str, ...]:
    """Return notes about parameters that have no place in the robot, or not the same one."""
    found = []
    coupled = [name for name in design.names if re.fullmatch(r"(Ia|f[a-z])m\d+", name)]
    outside = [*coupled, *(column.name for column in design.extra)]
    if outside:
        found.append(
            f"a robot has no place for {', '.join(outside)}: `predict` counts them, `drive_torque` and "
            "simulations do not"
        )
    below = [
        name
        for name, value in zip(design.names, values, strict=True)
        if value < 0 and NONNEGATIVE.fullmatch(name) and name not in coupled and not name.startswith("fc")
    ]
    if below:
        found.append(f"negative {', '.join(below)} are zero in the robot")
    if isinstance(design.robot, ClosedRobot) and any(term.kind == "fl" for term in design.drive):
        found.append(
            "robots with loops leave friction by load (fl) out: `predict` counts it, `drive_torque` and "
            "simulations do not"
        )
    if any(term.kind == "fp" for term in design.drive):
        found.append("presliding friction (fp) is dry friction in the robot, without a memory of reversals")
    return tuple(found)
