"""The conditions of an optimum with their exact derivatives, compiled for batches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import casadi as ca
import numpy as np
from casadi import SX

from ..arrays import Array
from ..forms.elimination import Factors, Rotations
from ..forms.tree import Tree
from ..kernels import Kernel, ProgramRecipe, compiled, traced
from ..lazy import cached_property
from ..model import Model
from ..programs import Program
from .batch import Mask
from .criteria import Criterion
from .task import Task
from .twist import Twist

LEAST_DAMPING = 1e-14
"""Keeps the damped step defined at singular configurations."""


@dataclass(frozen=True, eq=False)
class Conditions:
    """Task, criterion and robot as kernels: e(q) = 0 and Zh = 0 [Chang1987, Eq. (11)].

    A joint may be held at its limit; the mask `held` (n numbers, 1 for a joint held) removes it from all
    motions. Written with D = diag(1 - held), N an orthonormal basis of the null space of J D and
    h = dH/dq, the conditions are e = 0 and N D h = 0, which is Zh = 0 for a Z with orthonormal rows.
    """

    model: Model
    task: Task
    criterion: Criterion

    @property
    def n(self) -> int:
        """Number of coordinates."""
        return self.model.nq

    @cached_property
    def m(self) -> int:
        """Number of conditions on them (rows of the task, and one per quaternion)."""
        return int(self._residual[0].size1())

    @property
    def redundancy(self) -> int:
        """Dimension n - m of the self-motion; 0 if the task leaves none."""
        return max(self.n - self.m, 0)

    @cached_property
    def _symbols(self) -> tuple[SX, SX, SX]:
        q, held = SX.sym("q", self.n), SX.sym("held", self.n)
        return q, SX.sym("target", *self.task.target_shape), held

    @cached_property
    def _residual(self) -> tuple[SX, SX, SX]:
        q, target, _ = self._symbols
        return self.task.residual(self.model, q, target)

    def expressions(self) -> tuple[SX, SX, SX, SX, SX]:
        """Return the symbols q and target, and e, J = de/dq and h = dH/dq."""
        q, target, _ = self._symbols
        e, J, _ = self._residual
        return q, target, e, J, ca.gradient(self._criterion[0], q)

    def rate_expressions(self) -> tuple[SX, SX, SX]:
        """Return the symbols q, the rows of the twist Jacobian, and h."""
        q, _, _ = self._symbols
        return q, self._residual[2], ca.gradient(self._criterion[0], q)

    @cached_property
    def residual(self) -> Kernel:
        """(q, target) -> e, J = de/dq."""
        q, target, _ = self._symbols
        e, J, _ = self._residual
        outputs = [("e", e), ("J", J)]
        return compiled(
            "task_residual", [("q", q), ("target", target)], condensed(outputs), "Return e and de/dq."
        )

    @cached_property
    def poses(self) -> Kernel:
        """(q) -> pose of the task's frame."""
        return self.task.poses(self.model)

    @cached_property
    def approach(self) -> Kernel:
        """(q, target, damping, held) -> |e|, J^T e, the damped least-squares step to the target, its length.

        -D J^T (J D J^T + mu I)^-1 e [Wampler1986] with mu = damping |e|^2, which fades away as the
        target is reached.
        """
        q, target, held = self._symbols
        damping = SX.sym("damping")
        e, J, _ = self._residual
        JD = J * ca.repmat((1 - held).T, self.m, 1)
        mu = damping * ca.dot(e, e) + LEAST_DAMPING
        if self.m <= self.n:
            step = -JD.T @ Factors(JD @ JD.T + mu * SX.eye(self.m)).solve(e)
        else:
            step = -Factors(JD.T @ JD + mu * SX.eye(self.n)).solve(JD.T @ e)
        inputs: list[Any] = [("q", q), ("target", target), ("damping", (), damping), ("held", held)]
        outputs = [("error", (), length(e)), ("slope", J.T @ e), ("step", step), ("length", (), length(step))]
        return compiled("task_approach", inputs, condensed(outputs), "Return |e|, J^T e and a damped step.")

    @cached_property
    def value(self) -> Kernel:
        """(q) -> H and h = dH/dq."""
        q, _, _ = self._symbols
        H, _ = self._criterion
        outputs = [("H", (), H), ("h", ca.gradient(H, q))]
        return compiled("criterion", [("q", q)], condensed(outputs), "Return the criterion and its gradient.")

    @cached_property
    def guards(self) -> Kernel | None:
        """(q) -> what must be positive for the criterion to make sense; None if nothing must."""
        q, _, _ = self._symbols
        _, guards = self._criterion
        if not guards:
            return None
        outputs = condensed([("guards", ca.vertcat(*guards))])
        return compiled("guards", [("q", q)], outputs, "Return what must be positive.")

    def clear(self, q: Array) -> Mask:
        """Return which rows of q the guards of the criterion let pass: all if it has none."""
        if self.guards is None:
            return np.ones(len(q), dtype=bool)
        return np.asarray((self.guards(q) > 0).all(axis=-1))

    @cached_property
    def _criterion(self) -> tuple[SX, list[SX]]:
        q, _, _ = self._symbols
        frame = self.model.frame(self.task.frame)
        twist = Twist(Tree.of(self.model), q, frame, self.task.rows, self._residual[2])
        return self.criterion.expressions(self.model, q, twist)

    @cached_property
    def optimality(self) -> Kernel:
        """(q, target, held) -> all that a Newton step and the second-order check need.

        |e|; H; rho = h + J^T lambda with the multipliers lambda of (6) in the least-squares sense: the
        gradient along the self-motion at the free joints, the limits' multipliers at the held ones;
        restore, the least-norm step to the task; N (r, n); the Hessian S = N D W D N^T of the
        Lagrangian along the self-motion, W = d rho / dq; slope = N D (rho + W restore); the lengths of
        D rho, restore, lambda and h; the pivots R_kk of J D = R^T Q1^T, one of which vanishes at a
        singularity.
        """
        doc = "Return the conditions of an optimum."
        return Kernel(ProgramRecipe(self.optimality_program, doc, "expressions"))

    @cached_property
    def optimality_program(self) -> Program:
        """The program of `optimality`."""
        q, target, held = self._symbols
        e, J, _ = self._residual
        H, _guards = self._criterion
        h = ca.gradient(H, q)
        free = 1 - held
        turns = Rotations(J * ca.repmat(free.T, self.m, 1))
        N = turns.null * ca.repmat(free.T, self.n - self.m, 1)
        multipliers = -turns.least_squares(free * h)
        restore = -free * turns.least_norm(e)
        rho = h + J.T @ multipliers
        S, across = curvature(N, h, J, multipliers, restore, q, target)
        slope = N @ rho + across
        r = self.n - self.m
        outputs = [
            ("error", (), length(e)),
            ("H", (), H),
            ("rho", (self.n,), rho),
            ("restore", (self.n,), restore),
            ("N", (r, self.n), N),
            ("S", (r, r), S),
            ("slope", (r,), slope),
            ("stationarity", (), length(free * rho)),
            ("restore_length", (), length(restore)),
            ("multiplier", (), length(multipliers)),
            ("gradient", (), length(h)),
            ("pivots", (self.m,), ca.vertcat(*(turns.R[k][k] for k in range(self.m)))),
        ]
        inputs = [("q", q), ("target", target), ("held", held)]
        return traced("optimality", inputs, condensed(outputs))


def curvature(N: SX, h: SX, J: SX, multipliers: SX, step: SX, q: SX, *others: SX) -> tuple[SX, SX]:
    """Return N W N^T and N W step, W = d(h + J^T multipliers)/dq with the multipliers held fixed.

    `others` are the symbols besides q that h and J depend on.
    """
    lam, v = SX.sym("lambda", *multipliers.shape), SX.sym("v", *q.shape)
    moved = ca.Function("moved", [q, *others, lam, v], [ca.jtimes(h + J.T @ lam, q, v)])
    WN = [moved(q, *others, multipliers, N[k, :].T) for k in range(N.size1())]
    return ca.vertcat(*((N @ each).T for each in WN)), ca.vertcat(*(ca.dot(each, step) for each in WN))


def length(x: SX) -> SX:
    """Return the Euclidean length."""
    return ca.sqrt(ca.dot(x, x))


def condensed(outputs: Sequence[Any]) -> list[Any]:
    """Return named expressions with shared parts computed once."""
    shared = ca.cse([each[-1] for each in outputs])
    return [(*each[:-1], expression) for each, expression in zip(outputs, shared, strict=True)]
