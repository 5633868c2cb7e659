"""Assembly: the coordinates of all joints from the independent ones, by Newton's method along a path.

From a closed posture the independent coordinates move to the wanted ones in steps. Each step predicts all
joints along v = G qd and corrects the dependent ones by Newton's method. A step is taken only if that
converges at once, corrects less than was predicted, and passes no singular posture, so that the assembly mode
stays; else it is halved. A formula knows no way: if it can take another mode beyond a singular posture, the
straight way from the closed posture is looked at.
"""

from __future__ import annotations

import casadi as ca
import numpy as np
from casadi import SX
from numpy.typing import NDArray

from ..arrays import Array
from ..forms.manifold import difference, moved
from ..forms.tree import Tree
from ..kernels import Kernel, compiled
from ..lazy import cached_property
from . import cut_joints
from .closed_tree import ClosedTree
from .linear import BlockSystem
from .model import ClosedModel
from .numbers import ClosureNumbers, tolerance
from .passages import touched

STEP = 0.5
"""Largest step of an independent coordinate that is tried, in rad or m."""

SMALLEST = 2.0**-12
"""Part of the way below which a step is not halved any more: the mechanism does not reach the posture."""

CORRECTIONS = 8
"""Newton steps after a prediction."""

LINES = 32
"""Random lines on which formulas are looked at once, whether they change the assembly mode anywhere."""

REACHES = (0.7, 1.3, 1.9)
"""How far these lines go, in half turns: two passages on one line are none."""

CHUNK = 2048
"""Ways that are looked at together."""


class Assembler:
    """Finds the coordinates of all joints of a mechanism; compiled when first used."""

    def __init__(self, model: ClosedModel) -> None:
        self.model = model
        self.closed = ClosedTree(model, Tree.of(model.tree)).in_all_coordinates
        self.size = ClosureNumbers(self.closed.tree, model.closures).size

    @cached_property
    def _correct(self) -> Kernel:
        """Residuals at x, x after one Newton step of the dependent coordinates, and its length.

        The residual of all rows, `held`, that of the independent ones alone, and the determinants of the
        blocks of their derivatives, which vanish at singular postures.
        """
        tree, model = self.closed.tree, self.model
        x, step = SX.sym("x", tree.nq), SX.sym("step", len(model.dv))
        whole = SX(tree.nv, 1)
        whole[list(model.dv)] = step
        after = moved(model.tree, x, whole)
        c = ca.vertcat(*(cut_joints.residual(tree, after, each) for each in model.closures))[list(model.rows)]
        zero = SX.zeros(len(model.dv))
        J = ca.substitute(ca.jacobian(c, step), step, zero)
        c = ca.substitute(c, step, zero)
        system = BlockSystem(J)
        newton = -system.solve(c)
        residual = self.closed.residual(x)
        outputs = [
            ("residual", (), ca.sqrt(ca.dot(residual, residual))),
            ("held", (), ca.sqrt(ca.dot(c, c))),
            ("x_next", (tree.nq,), ca.densify(ca.substitute(after, step, ca.densify(newton)))),
            ("correction", (), ca.sqrt(ca.dot(newton, newton))),
            ("determinants", (len(system.blocks),), ca.densify(system.determinants)),
        ]
        return compiled("assembly_correction", [("x", (tree.nq,), x)], outputs)

    @cached_property
    def _predict(self) -> Kernel:
        """Postures x moved by G step along the independent velocities, and the length of that."""
        tree, model = self.closed.tree, self.model
        x, step = SX.sym("x", tree.nq), SX.sym("step", model.nv)
        v = self.closed.at(x).G @ step
        outputs = [
            ("x_next", (tree.nq,), ca.densify(moved(model.tree, x, v))),
            ("length", (), ca.sqrt(ca.dot(v, v))),
        ]
        return compiled("assembly_prediction", [("x", (tree.nq,), x), ("step", (model.nv,), step)], outputs)

    @cached_property
    def _way(self) -> Kernel:
        """The way from postures x to a goal, along the independent velocities."""
        tree, model = self.closed.tree, self.model
        x, goal = SX.sym("x", tree.nq), SX.sym("goal", tree.nq)
        way = difference(model.tree, x, goal)[list(model.iv)]
        inputs = [("x", (tree.nq,), x), ("goal", (tree.nq,), goal)]
        return compiled("assembly_way", inputs, [("way", (model.nv,), ca.densify(way))])

    @cached_property
    def _explicit(self) -> Kernel:
        """All coordinates from the independent ones, by formulas."""
        closed = ClosedTree(self.model, self.closed.tree)
        q = SX.sym("q", self.model.nq)
        x = ca.densify(closed.assembled(q))
        return compiled("assembly", [("q", (self.model.nq,), q)], [("x", (self.model.tree.nq,), x)])

    def residual(self, x: Array) -> Array:
        """Return how far loops are from closed, (...)."""
        with np.errstate(
            invalid="ignore", divide="ignore", over="ignore"
        ):  # a singular posture can be closed
            return np.asarray(self._correct(x)[0])

    def determinants(self, x: Array) -> Array:
        """Return the determinants of the loops' blocks at postures of all joints, (..., blocks)."""
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            return np.asarray(self._correct(x)[4])

    def block_names(self) -> list[str]:
        """Return the loops of each block, as messages name them."""
        x = SX.sym("x", self.closed.tree.nq)
        rows = [block[0] for block in self.closed.at(x).system.blocks]
        names = self.model.row_names
        return [", ".join(dict.fromkeys(names[k].rpartition("[")[0] for k in sorted(each))) for each in rows]

    def found(self, q: Array, near: Array | None) -> Array:
        """Return coordinates of all joints (..., n) from the independent ones, NaN where there are none."""
        if self.model.explicit and near is None:
            with np.errstate(invalid="ignore"):  # what cannot be reached is NaN
                x = np.asarray(self._explicit(q))
            if self._has_change_points:
                x[self._mode_changes(self.model.near[list(self.model.iq)], q)] = np.nan
            return x
        start = self.model.near if near is None else near
        batch = np.broadcast_shapes(q.shape[:-1], start.shape[:-1])
        goal = np.broadcast_to(q, (*batch, self.model.nq)).reshape(-1, self.model.nq)
        x = np.broadcast_to(start, (*batch, self.model.tree.nq)).reshape(-1, self.model.tree.nq).copy()
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            self._follow(x, goal)
        return x.reshape(*batch, -1)

    @cached_property
    def _has_change_points(self) -> bool:
        """Whether the formulas change the assembly mode somewhere: on lines in all directions."""
        start = self.model.near[list(self.model.iq)]
        rng = np.random.default_rng(0)
        ways = np.concatenate([np.eye(len(start)), -np.eye(len(start)), rng.normal(size=(LINES, len(start)))])
        turn = np.pi * ways / np.abs(ways).max(axis=1, keepdims=True)
        return any(bool(self._mode_changes(start, start + part * turn).any()) for part in REACHES)

    def _mode_changes(self, start: Array, goal: Array) -> NDArray[np.bool_]:
        """Return on which straight ways between independent coordinates the formulas change the mode."""
        flat = goal.reshape(-1, goal.shape[-1])
        found = np.zeros(len(flat), dtype=bool)
        for k in range(0, len(flat), CHUNK):
            part = flat[k : k + CHUNK]
            part = np.where(np.isfinite(part), part, start)

            def determinants(t: Array, part: Array = part) -> Array:
                with np.errstate(invalid="ignore"):
                    q = start + t[..., None] * (part - start)[:, None]
                    return self.determinants(np.asarray(self._explicit(q)))

            found[k : k + CHUNK] = touched(determinants, len(part))
        return found.reshape(goal.shape[:-1])

    def _follow(self, x: Array, goal: Array) -> None:
        """Move closed postures x (count, n) in place, until their independent coordinates are wanted ones."""
        iq = list(self.model.iq)
        whole = x.copy()
        whole[:, iq] = goal
        bad = np.asarray(~np.isfinite(whole).all(axis=1))
        way = np.where(bad[:, None], 0.0, self._way(x, whole))
        reach = np.abs(way).max(axis=1, initial=0.0)
        signs = np.sign(self.determinants(x))
        done, size = np.zeros(len(x)), np.minimum(1.0, STEP / np.maximum(reach, 1e-300))
        x[bad] = np.nan
        active = np.flatnonzero(~bad)
        while active.size:
            part = np.minimum(size[active], 1 - done[active])
            ahead, length = self._predict(x[active], part[:, None] * way[active])
            last = done[active] + part >= 1 - 1e-12
            ahead[np.ix_(last, iq)] = goal[active][last]
            fine = self._corrected(ahead, length, signs[active])
            x[active[fine]] = ahead[fine]
            done[active[fine]] = np.where(last[fine], 1.0, done[active[fine]] + part[fine])
            size[active[fine]] *= 2
            size[active[~fine]] = part[~fine] / 2
            lost = active[~fine][size[active[~fine]] < SMALLEST]
            x[lost] = np.nan
            done[lost] = 1.0
            size[active] = np.minimum(size[active], STEP / np.maximum(reach[active], 1e-300))
            active = active[done[active] < 1]

    def close(self, x: Array) -> None:
        """Close postures x (count, n) in place that are nearly closed, independent coordinates fixed.

        Quaternions are made of unit length.
        """
        for body in self.model.tree.independent:
            if body.joint.quaternion is not None:
                own = slice(body.iq, body.iq + body.joint.nq)
                turn = x[:, own][:, body.joint.quaternion]
                x[:, own][:, body.joint.quaternion] = turn / np.linalg.norm(turn, axis=1, keepdims=True)
        self._corrected(x, np.full(len(x), np.inf), np.zeros((len(x), 1)))

    def _corrected(self, x: Array, length: Array, signs: Array) -> NDArray[np.bool_]:
        """Close postures x in place, independent coordinates fixed; return which are, without a leap.

        A leap is a long correction, or a determinant of another sign than the one given.
        """
        total = np.zeros(len(x))
        open_ = np.arange(len(x))
        closed = np.zeros(len(x), dtype=bool)
        for _ in range(CORRECTIONS):
            gap, held, after, by, determinants = self._correct(x[open_])
            fine = (gap <= tolerance(self.size, self.model.slack)) & (held <= tolerance(self.size, 0.0))
            closed[open_[fine]] = True
            total[open_] += np.where(np.isfinite(by), by, np.inf)
            x[open_] = after  # one step more than needed: quadratic convergence ends at round-off
            passed = (determinants * signs[open_] < 0).any(axis=1)
            closed[open_[passed]] = False
            alive = ~fine & ~passed & np.isfinite(by) & (total[open_] <= 0.5 * length[open_] + 0.05)
            open_ = open_[alive]
            if not open_.size:
                break
        return closed & np.isfinite(x).all(axis=1)
