"""The closure of a mechanism as numbers: residuals, rows and steps at one posture, without compiling."""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca
import numpy as np

from ..arrays import Array
from ..description.loop import Closure
from ..forms.manifold import moved
from ..forms.tree import Tree
from ..lazy import cached_property
from . import cut_joints

CLOSED = 1e-11
"""Residual, per metre of the mechanism's size, below which its loops are closed."""

LOOSE = 1e-6
"""Residual, per metre, that redundant rows may keep: the digits of a file rarely satisfy them exactly."""

RANK = 1e-9
"""Singular value, relative to the largest of rows of unit length, that counts as zero."""

SLOW = 20
"""Steps in a row that hardly shorten a residual, after which it is given up."""

STEEP = 1e6
"""Slope of a residual that only a turn by half a turn has, from which no step leads away."""


def tolerance(size: float, slack: float) -> float:
    """Return the residual up to which loops are closed: more if redundant rows keep a slack.

    One more step of Newton's method closes the independent rows to round-off.
    """
    return CLOSED * size + 100 * slack


class ClosureNumbers:
    """Residual and rows of some closures of a tree, all of them, at coordinates of all joints."""

    def __init__(self, tree: Tree, closures: Sequence[Closure]) -> None:
        self.tree, self.closures, self.slack = tree, tuple(closures), 0.0
        self.counts = [cut_joints.row_count(each) for each in closures]
        x, step = ca.SX.sym("x", tree.nq), ca.SX.sym("step", tree.nv)
        after = moved(tree.model, x, step)
        c = ca.vertcat(*(cut_joints.residual(tree, after, each) for each in closures))
        B = ca.vertcat(*(cut_joints.rates(tree, x, [], each)[0] for each in closures))
        J = ca.substitute(ca.jacobian(c, step), step, ca.SX.zeros(tree.nv))
        c = ca.substitute(c, step, ca.SX.zeros(tree.nv))
        self._residual = ca.Function("residual", [x], [ca.densify(c)])
        self._slope = ca.Function("slope", [x], [ca.densify(J)])
        self._rows = ca.Function("rows", [x], [ca.densify(B)])
        self._moved = ca.Function("moved", [x, step], [after])

    @cached_property
    def size(self) -> float:
        """A length of the mechanism: how far its bodies and frames are from their parents, at least 1 mm."""
        model = self.tree.model
        placements = [body.placement for body in model.bodies] + [frame.placement for frame in model.frames]
        return max([1e-3, *(float(np.linalg.norm(T[:3, 3])) for T in placements)])

    @property
    def tolerance(self) -> float:
        """The residual up to which loops are closed."""
        return tolerance(self.size, self.slack)

    def residual(self, x: Array) -> Array:
        """Return what vanishes if all loops are closed."""
        return np.array(self._residual(x)).ravel()

    def rows(self, x: Array) -> Array:
        """Return the rows B of B v = 0 at a closed posture."""
        return np.array(self._rows(x))

    def moved(self, x: Array, step: Array) -> Array:
        """Return coordinates moved along velocities."""
        return np.array(self._moved(x, step)).ravel()

    def rank(self, x: Array) -> int:
        """Return how many rows are independent at a closed posture."""
        B = self.rows(x)
        norms = np.linalg.norm(B, axis=1, keepdims=True)
        s = np.linalg.svd(B / np.where(norms > RANK, norms, 1.0), compute_uv=False)
        least = max(RANK, 100 * self.slack / self.size)
        return int(np.sum(s > least * max(1.0, s[0]))) if s.size else 0

    def closed(self, x: Array, held: Sequence[int] = ()) -> tuple[Array, float]:
        """Return the closed posture nearest to x, and the residual that remains: damped Gauss-Newton.

        Velocities `held` stay as they are.
        """
        free = np.setdiff1d(np.arange(self.tree.nv), np.asarray(held, dtype=int))
        c, damping, rng = self.residual(x), 1e-6, np.random.default_rng(0)
        error, slow = float(np.linalg.norm(c)), 0
        for _ in range(100):
            if error <= 0.01 * CLOSED * self.size or slow > SLOW:
                break
            J = np.array(self._slope(x))[:, free]
            U, s, V = np.linalg.svd(J, full_matrices=False)
            if s[:1] > STEEP:
                step = np.zeros(self.tree.nv)
                step[free] = rng.uniform(-0.3, 0.3, size=len(free))
                x = self.moved(x, step)
                c = self.residual(x)
                error = float(np.linalg.norm(c))
                continue
            keep = s > RANK * max(s[0], 1e-300)
            step = np.zeros(self.tree.nv)
            step[free] = -(V[keep].T * (s[keep] / (s[keep] ** 2 + damping * error))) @ (U[:, keep].T @ c)
            step *= min(1.0, 0.5 / max(np.abs(step).max(), 1e-300))
            after = self.moved(x, step)
            then = float(np.linalg.norm(self.residual(after)))
            slow = slow + 1 if then > 0.99 * error else 0
            if then < error:
                x, c, damping = after, self.residual(after), max(damping / 10, 1e-12)
                stalled = then > 0.999 * error and error <= self.tolerance
                error = then
                if stalled:
                    break
            elif error <= self.tolerance or damping > 1e8:
                break
            else:
                damping *= 10
        return x, error

    def worst(self, x: Array) -> tuple[Closure, float]:
        """Return the closure with the largest residual at x, and that residual."""
        parts = np.split(self.residual(x), np.cumsum(self.counts)[:-1])
        sizes = [float(np.linalg.norm(part)) for part in parts]
        k = int(np.argmax(sizes))
        return self.closures[k], sizes[k]
