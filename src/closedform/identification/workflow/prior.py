"""What is believed of inertias before the log is looked at, or of their scales by a first look at it."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from ...arrays import Array
from ...loops import ClosedRobot
from ...model.inertia import inertia_from_second_moments, phi_from_parts
from ...robot import Robot
from ..regression.design import Design

LIGHTEST = 0.05
"""Mass of a body, relative to the heaviest one, that is the least to be believed in."""

GUESSED = 0.1
"""Weight of inertias that are only guessed from the geometry."""

UNEVEN = 4.0
"""Factor by which the mass per length of a rod may differ from the usual one."""

THICKNESS = 1 / 6
"""Thickness of a rod over its length, for bodies of which only the length is known."""

NONNEGATIVE = re.compile(r"(Ia|f[vcpl])(m?\d+|:.+)")
"""Drive parameters that no passive mechanism has below zero."""


@dataclass(frozen=True)
class Prior:
    """What is believed of phi before the log: values, scales of bodies, and their weight.

    A parameter is believed to be within its scale over the `weight` of its value.
    """

    values: Array
    scales: Array
    mass: Array
    length: Array
    weight: float = 1.0

    @classmethod
    def of(cls, design: Design, R: Array, trust: float = 1.0) -> Prior:
        """Return the described inertias; if there are none, rods along the links that explain rows R best.

        `trust` multiplies the usual weight.
        """
        if (design.robot.phi[9::10] > 0).any():
            return cls.around(design.robot.phi, trust)
        return cls.around(rods(design, R), GUESSED * trust)

    @classmethod
    def around(cls, phi: Array, weight: float = 1.0) -> Prior:
        """Return a prior with the scales of the bodies: mass m, m l and m l^2, l the radius of gyration."""
        phi = phi.reshape(-1, 10)
        mass = np.maximum(phi[:, 9], LIGHTEST * phi[:, 9].max())
        trace = phi[:, [0, 3, 5]].sum(axis=1) / 2
        length = np.clip(np.sqrt(np.maximum(trace, 0) / mass), 0.05, None)
        scales = np.empty_like(phi)
        scales[:, :6] = (mass * length**2)[:, None]
        scales[:, 6:9] = (mass * length)[:, None]
        scales[:, 9] = mass
        return cls(phi.ravel(), scales.ravel(), mass, length, weight)


def rods(design: Design, R: Array) -> Array:
    """Return phi of uniform rods along the links, of the masses that explain the rows behind R best.

    They minimise |T (B sum_i m_i rod_i, theta) - z|^2 with friction that dissipates, T and z the triangular
    factor of the rows: first with one mass per length, then each within `UNEVEN` of that.
    """
    shapes, lengths = _unit_rods(design.robot)
    even = _fitted(design, R, (shapes @ lengths)[:, None], np.zeros(1), np.full(1, np.inf))
    usual = lengths * (float(even[0]) if even[0] > 0 else 1 / float(lengths.max()))
    return np.asarray(shapes @ _fitted(design, R, shapes, usual / UNEVEN, usual * UNEVEN))


def _fitted(design: Design, R: Array, shapes: Array, lower: Array, upper: Array) -> Array:
    """Return the factors of some inertias, between bounds, with which the rows behind R are fitted best."""
    from scipy.optimize import lsq_linear  # noqa: PLC0415 (slow to import)

    width, count = design.width, design.base.count
    T, z = R[:width, :width], R[:width, width]
    A = np.concatenate([T[:, :count] @ (design.base.matrix @ shapes), T[:, count:]], axis=1)
    norms = np.linalg.norm(A, axis=0)
    scale = 1 / np.where(norms > 0, norms, 1.0)
    losses = [0.0 if NONNEGATIVE.fullmatch(name) else -np.inf for name in design.names[count:]]
    low, high = np.append(lower, losses), np.append(upper, np.full(len(losses), np.inf))
    return np.asarray(
        (lsq_linear(A * scale, z, (low / scale, high / scale), "bvls", max_iter=1000).x * scale)[
            : shapes.shape[1]
        ]
    )


def _unit_rods(robot: Robot | ClosedRobot) -> tuple[Array, Array]:
    """Return phi (10 bodies, bodies) of rods of one kilogram, and their lengths.

    Each reaches from its joint to what is farthest on the body, and has half the usual length at least.
    """
    bodies, frames = robot.model.bodies, robot.model.frames
    ends = []
    for i in range(len(bodies)):
        points = [b.placement[:3, 3] for b in bodies if b.parent == i]
        points += [frame.placement[:3, 3] for frame in frames if frame.body == i]
        ends.append(max(points, key=lambda p: float(p @ p), default=np.zeros(3)))
    lengths = np.linalg.norm(ends, axis=1)
    usual = float(np.median(lengths[lengths > 1e-6])) if (lengths > 1e-6).any() else 0.2
    lengths = np.maximum(lengths, 0.5 * usual)
    shapes = np.zeros((10 * len(bodies), len(bodies)))
    for i, (end, length) in enumerate(zip(ends, lengths, strict=True)):
        S = np.outer(end, end) / 3 + (THICKNESS * length) ** 2 * np.eye(3)
        shapes[10 * i : 10 * i + 10, i] = phi_from_parts(1.0, end / 2, inertia_from_second_moments(S))
    return shapes, lengths
