"""Directions of gravity that would explain a log better: along each axis, or tilted, by Gauss and Newton."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ...arrays import Array
from ..base.numeric import regressor_at
from ..base.result import BaseParameters
from ..joints import on_tree
from ..regression.least_squares import ridge_solution
from .zero_offsets import RIDGE, ROUNDS, Rows

MOST_BODIES = 40
"""Bodies of a robot beyond which its expressions would take longer than the fit."""

LARGEST = 0.5
"""Largest step of a direction, in rad."""

SMALLEST = 0.02
"""Tilt in rad that is worth a word: a degree, and what zero offsets of joints may look like."""


@dataclass(frozen=True)
class Gravities:
    """The regressor of all parameters at some states, linear in gravity: `still` without, `along` each axis.

    Both have shape (states, joints, parameters); `along` (first axis: x, y, z) is what 1 m/s^2 adds.
    `described` is the robot's own gravity, or none of 9.81 m/s^2 if it is zero.
    """

    still: Array
    along: Array
    described: Array

    @classmethod
    def of(cls, base: BaseParameters, states: list[Array]) -> Gravities | None:
        """Return the regressors at states; None of large robots, and out of reach of a mechanism."""
        mechanism = base.mechanism
        model = base.robot.model
        gravity, model = model.gravity, model.with_phi(np.zeros(model.phi.size))  # only the geometry matters
        if len(model.bodies) > MOST_BODIES:
            return None
        states = [base.postures(states[0]), *states[1:]]
        if not np.isfinite(states[0]).all():
            return None
        still, *along = (
            np.moveaxis(regressor_at(on_tree(mechanism, model.with_gravity(each)), states), 0, 1)
            for each in (np.zeros(3), *np.eye(3))
        )
        return cls(still, np.array(along) - still, gravity)

    @property
    def size(self) -> float:
        """The size of gravity in m/s^2."""
        return float(np.linalg.norm(self.described)) or 9.81

    def columns(self, direction: Array) -> Array:
        """Return the regressor with gravity along a direction."""
        return np.asarray(self.still + self.size * np.tensordot(direction, self.along, axes=1))

    def axes(self) -> Iterator[tuple[str, Array]]:
        """Yield the axes along which gravity is not described, in words and as directions."""
        for k, axis in enumerate("xyz"):
            for sign, word in ((1.0, "+"), (-1.0, "-")):
                direction = sign * np.eye(3)[k]
                if np.abs(direction - self.described / self.size).max() > 1e-3:
                    yield f"gravity along {word}{axis}", direction

    def tilted(self, rows: Rows, states: list[Array], tau: Array, start: Array) -> Array:
        """Return the direction of gravity with which tau = Y(g) phi fits best, from a start on.

        In each round Y(g) phi + sum_k e_k d(Y phi)/dg_k is solved for phi and a step e across g.
        """
        direction = start
        for _ in range(ROUNDS):
            A = rows(self.columns(direction), states, tau)
            flat = A.reshape(-1, A.shape[2])
            size = np.sqrt(np.sum(A[..., -1] ** 2, axis=0) / np.maximum(np.sum(tau**2, axis=0), 1e-300))
            G = flat.T @ flat
            phi = ridge_solution(G[:-1, :-1], G[:-1, -1], RIDGE)[: self.still.shape[2]]
            across: Array = np.linalg.svd(direction[None])[2][1:]
            effect = self.size * np.einsum("ek,ktjp,p->tje", across, self.along, phi)
            B = np.concatenate([flat[:, :-1], (effect * size[:, None]).reshape(-1, 2)], axis=1)
            step = across.T @ ridge_solution(B.T @ B, B.T @ flat[:, -1], RIDGE)[-2:]
            length = float(np.linalg.norm(step))
            direction = direction + step * min(1.0, LARGEST / max(length, 1e-300))
            direction = np.asarray(direction / np.linalg.norm(direction))
        return direction

    def words(self, direction: Array) -> str | None:
        """Return a direction in words, None if it is that of an axis or as it is described."""
        known = [self.described / self.size, *np.eye(3), *-np.eye(3)]
        if min(_angle(direction, each) for each in known if each.any()) < SMALLEST:
            return None
        x, y, z = self.size * direction
        tilt = np.degrees(_angle(direction, self.described / self.size)) if self.described.any() else 0.0
        far = f", {tilt:.2g} degrees from the described one" if tilt else ""
        return f"gravity=({x:.3g}, {y:.3g}, {z:.3g}){far}"


def _angle(one: Array, other: Array) -> float:
    """Return the angle between two directions."""
    return float(2 * np.arcsin(np.clip(0.5 * np.linalg.norm(one - other), 0.0, 1.0)))
