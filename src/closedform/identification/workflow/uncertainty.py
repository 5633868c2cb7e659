"""How uncertain torques are at states that a log may not show, from the covariance of the parameters."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...arrays import Array
from ...loops import ClosedRobot
from ..joints import limit_array
from ..logs.signals import Samples
from ..logs.transmission import directions
from ..regression.design import Design, zero_gradients
from ..regression.friction import AxisMotion, Term, term_columns
from .prediction import quadratic_forms

STEADY = 1e-9
"""Speed (rad/s or m/s) over which friction with a memory changes sign in steady motion."""

BLOCK = 2_000
"""States whose columns are held at once: those of a humanoid are many."""

POSTURES = 500
"""Random postures that are looked at."""

LARGE = 0.1
"""Error of torques at rest over the torques, root mean squares, from which on it is told."""


def torque_uncertainty(
    design: Design, values: Array, covariance: Array, q: Array, qd: Array, qdd: Array
) -> Array:
    """Return the standard errors (states, joints) of the torques at states, by a covariance of the values."""
    found = np.empty(q.shape)
    for start in range(0, len(q), BLOCK):
        rows = slice(start, start + BLOCK)
        W = state_columns(design, values, q[rows], qd[rows], qdd[rows])
        found[rows] = np.sqrt(quadratic_forms(W, covariance))
    return found


def state_columns(design: Design, values: Array, q: Array, qd: Array, qdd: Array) -> Array:
    """Return the columns (states, joints, parameters) of states of a tree, each by itself.

    Friction with a memory is that of steady motion. Loads and zero offsets are about the `values`.
    """
    count, rest = design.base.count, design.base.count + len(design.drive)
    shift = np.zeros(design.robot.nv)
    shift[list(design.zeros)] = values[rest + len(design.extra) :]
    states = (q + shift, qd, qdd)
    W = np.zeros((len(q), design.robot.nv, design.width))
    W[..., :count] = design.base.columns(*states)
    D = directions(design.axes).T
    motion = AxisMotion(q @ D, qd @ D, qdd @ D, q @ D)
    columns = term_columns(tuple(map(_steady, design.drive)), motion)
    for k, (term, column) in enumerate(zip(design.drive, columns, strict=True), count):
        W[..., k] = column[:, None] * design.axes[term.axis].direction
    further = [column.torques(design.robot, q, qd, qdd) for column in design.extra]
    further += zero_gradients(design.base.columns, states, design.zeros, values[:count])
    for k, column in enumerate(further, rest):
        W[..., k] = column
    linked = [*range(count), *(count + k for k in design.transmitted), *range(rest, rest + len(design.extra))]
    load = np.abs(W[..., linked] @ values[linked])
    for k, term in enumerate(design.drive, count):
        if term.kind == "fl":
            W[..., k] *= load[:, [term.axis]]
    return W


def _steady(term: Term) -> Term:
    """Return a term as it is in steady motion, without a memory."""
    kind = "fc" if term.kind == "fp" else term.kind
    return replace(term, kind=kind, value=STEADY, path=False) if term.path else term


def posture_notes(design: Design, values: Array, covariance: Array, samples: Samples) -> tuple[str, ...]:
    """Return what is to be said of a log, by some samples, that leaves open what other postures weigh.

    Postures are spread over the limits of joints that turn, all the way round if they may, and over the
    coordinates in the log of those that slide. Errors of static torques are compared with these torques, or
    with those of the log if they are larger, as without gravity.
    """
    if isinstance(design.robot, ClosedRobot):
        return ()
    turns = np.array([body.joint.X[:3].any() for body in design.robot.model.independent])
    lower, upper = (limit_array(design.robot, name) for name in ("lower", "upper"))
    limited = upper - lower < 2 * np.pi
    low = np.where(limited, lower, -np.pi)
    high = np.where(limited, upper, np.pi)
    low = np.where(turns, low, samples.position.min(axis=0))
    high = np.where(turns, high, samples.position.max(axis=0))
    q = np.random.default_rng(0).uniform(low, high, (POSTURES, len(low)))
    still = np.zeros_like(q)
    W = state_columns(design, values, q, still, still)
    errors = quadratic_forms(W, covariance).mean(axis=0)
    torques = max(np.mean(x**2, axis=0).sum() for x in (W @ values, samples.effort))
    if not errors.sum() > LARGE**2 * torques:
        return ()
    part, worst = np.sqrt(errors.sum() / torques), int(np.argmax(errors))
    size = f"{np.sqrt(errors[worst]):.3g} {'N m' if turns[worst] else 'N'}"
    return (
        f"in postures that the log does not show, torques at rest are uncertain by {100 * part:.0f} % "
        f"({size} of {design.robot.joint_names[worst]}): let joints move through more of their ranges",
    )
