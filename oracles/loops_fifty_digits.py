"""A 50-digit reference of mechanisms whose joints have one degree of freedom and whose loops are balls.

Dynamics of the tree are those of `fifty_digits`. Loops are closed by Newton's method, all velocities are
differences of closed postures, and the drive forces follow from virtual work, G^T tau: no row of a loop, no
embedding and no derivative of the library takes part.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .fifty_digits import (
    IDENTITY,
    STENCILS,
    STEP,
    ZERO,
    Reference,
    add,
    apply,
    exact,
    exponential,
    mp,
    multiply,
)


class ClosedReference:
    """Torques of the independent joints of a mechanism, and their time derivatives, along polynomials."""

    def __init__(self, closed: Any) -> None:
        model = closed.model
        self.tree, self.iv, self.dv = Reference(model.tree), list(model.iv), list(model.dv)
        frames = [(model.frame(loop.frame_a), model.frame(loop.frame_b)) for loop in model.closures]
        self.pairs = [tuple((frame.body, exact(frame.placement[:3, 3])) for frame in pair) for pair in frames]

    def gaps(self, x: Sequence[Any]) -> list[Any]:
        """Return the positions of frames B less those of frames A, in the base's axes."""
        poses: list[Any] = []
        for parent, constants, angle in zip(self.tree.parents, self.tree.constants, x, strict=True):
            placement, shift, w, v, *_ = constants
            R, p = poses[parent] if parent >= 0 else (IDENTITY, ZERO)
            for turned, moved in ((placement, shift), exponential(w, v, angle)):
                R, p = multiply(R, turned), add(p, apply(R, moved))
            poses.append((R, p))
        found = []
        for (a, at_a), (b, at_b) in self.pairs:
            ends = [
                add(poses[body][1], apply(poses[body][0], point)) for body, point in ((a, at_a), (b, at_b))
            ]
            found += [y - x for x, y in zip(*ends, strict=True)]
        return found

    def closed(self, q: Sequence[Any], near: Sequence[Any], slope: Any = None) -> list[Any]:
        """Return the closed posture with independent coordinates q, by Newton's method with one slope."""
        x = list(near)
        for place, value in zip(self.iv, q, strict=True):
            x[place] = value
        slope = self._slope(x) if slope is None else slope
        for _ in range(60):
            step = mp.lu_solve(slope, mp.matrix(self.gaps(x)))
            for place, value in zip(self.dv, step, strict=True):
                x[place] -= value
            if max(abs(each) for each in step) < mp.mpf(10) ** -105:
                return x
        raise ArithmeticError("no closed posture")

    def _slope(self, x: Sequence[Any]) -> Any:
        """Return the derivatives of the gaps by the dependent coordinates."""
        slope = mp.matrix(len(self.dv), len(self.dv))
        for k, place in enumerate(self.dv):
            ends = []
            for s in (1, -1):
                moved = list(x)
                moved[place] += s * STEP
                ends.append(self.gaps(moved))
            for i, (up, down) in enumerate(zip(*ends, strict=True)):
                slope[i, k] = (up - down) / (2 * STEP)
        return slope

    def torques(self, motion: Sequence[np.ndarray], near: np.ndarray, orders: int) -> list[np.ndarray]:
        """Return tau, tau', ... of independent joints that move as q + qd t + qdd t^2 / 2 + ..."""
        terms = [exact(each) for each in motion]
        start = self.closed(terms[0], exact(near))
        slope = self._slope(start)

        def place(t: Any) -> list[Any]:
            q = [
                sum(term[k] * t**j / mp.factorial(j) for j, term in enumerate(terms))
                for k in range(len(terms[0]))
            ]
            return self.closed(q, start, slope)

        def torque(t: Any) -> list[Any]:
            x = place(t)
            ahead, behind = place(t + STEP), place(t - STEP)
            v = [(a - b) / (2 * STEP) for a, b in zip(ahead, behind, strict=True)]
            vd = [(a - 2 * c + b) / STEP**2 for a, b, c in zip(ahead, behind, x, strict=True)]
            forces = self.tree.inverse_dynamics(x, v, vd)
            found = []
            for k, place_k in enumerate(self.iv):
                q = [x[i] for i in self.iv]
                ends = [
                    self.closed([y + s * STEP * (i == k) for i, y in enumerate(q)], x, slope) for s in (1, -1)
                ]
                column = [(a - b) / (2 * STEP) for a, b in zip(*ends, strict=True)]
                column[place_k] = mp.one
                found.append(sum(g * f for g, f in zip(column, forces, strict=True)))
            return found

        wide = mp.mpf(10) ** -10  # the error of torque itself is 1e-52
        rows = {s: torque(s * wide) for s in (-1, 0, 1)}
        found = []
        for order in range(orders + 1):
            weights = STENCILS[order]
            total = [
                sum(w * rows[s][k] for s, w in weights.items()) / wide**order for k in range(len(self.iv))
            ]
            found.append(np.array([float(each) for each in total]))
        return found
