"""Joint velocities and accelerations along a path of optima: the conditions differentiated by time."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import casadi as ca
import numpy as np
from casadi import SX
from numpy.typing import ArrayLike

from ..arrays import Array
from ..checks import real_array
from ..errors import ArgumentError
from ..forms.kinematics import homogeneous
from ..kernels import Kernel, compiled
from .classify import NOTHING
from .conditions import Conditions
from .points import FLAT, Points


def read_rates(conditions: Conditions, name: str, given: ArrayLike | None, count: int) -> Array | None:
    """Return rates of `count` targets: twists (count, 6) if the task turns, else its rows (count, m)."""
    if given is None:
        return None
    task, rates = conditions.task, real_array(f"follow: {name}", given)
    width = 6 if task.turns else task.m
    if not task.turns and rates.shape == (count, 6):
        rates = rates[:, task.row_numbers]
    if rates.shape != (count, width):
        what = "a twist (omega; v) in base axes" if task.turns else f"the rows {', '.join(task.rows)}"
        raise ArgumentError(
            f"follow: {name} has shape {rates.shape}; expected ({count}, {width}): {what} for each target"
        )
    return rates


def joint_motion(
    conditions: Conditions, points: Points, target: Array, velocity: Array, acceleration: Array | None
) -> tuple[Array, Array | None]:
    """Return qd and qdd (t, n) at optima whose targets move; qdd only if accelerations are given.

    The conditions are e(q, x) = 0, and h + J^T lambda = 0 at the joints that are not held, with the
    multipliers lambda of [Chang1987, Eq. (6)] as further unknowns. Differentiated once and twice by time
    they are linear in the rates of q and lambda, with the same matrix (implicit function theorem).
    """
    linear = _Linear.at(conditions, points, target)
    rest = np.zeros_like(linear.multipliers)
    qd = linear.solve(*linear.first(np.zeros_like(points.q), rest, velocity))
    if acceleration is None:
        return qd, None
    multiplier_rates = linear.balance(linear.first(qd, rest, velocity)[0])
    twice = _second_rates(conditions)(
        points.q, linear.multipliers, target, qd, multiplier_rates, velocity, acceleration
    )
    return qd, linear.solve(*twice)


def target_jacobian(conditions: Conditions, q: Array, target: Array, held: Array) -> Array:
    """Return how solutions q (t, n) move with their targets, (t, n, k): rows of the task, or twists (6)."""
    units = np.eye(_width(conditions))
    columns = []
    if conditions.redundancy:
        points = Points.at(conditions, q, target, held)
        linear = _Linear.at(conditions, points, target)
        rest = np.zeros_like(linear.multipliers)
        for unit in units:
            columns.append(linear.solve(*linear.first(np.zeros_like(q), rest, np.tile(unit, (len(q), 1)))))
        return np.stack(columns, axis=-1)
    J = conditions.residual(q, target)[1] * (1.0 - held)[:, None]
    fine = np.isfinite(J).all(axis=(-1, -2), keepdims=True)
    plus = np.where(fine, np.linalg.pinv(np.where(fine, J, 0.0)), np.nan)
    none, rates = np.zeros((len(q), conditions.m)), _first_rates(conditions)
    for unit in units:
        e = rates(q, none, target, np.zeros_like(q), none, np.tile(unit, (len(q), 1)))[1]
        columns.append(-np.einsum("tnm,tm->tn", plus, e))
    return np.stack(columns, axis=-1)


@dataclass(frozen=True)
class _Linear:
    """The conditions linearised at points: the pseudoinverse (t, n, m) of J over the free joints, lambda."""

    conditions: Conditions
    points: Points
    target: Array
    plus: Array
    multipliers: Array

    @classmethod
    def at(cls, conditions: Conditions, points: Points, target: Array) -> _Linear:
        """Return the conditions linearised at points."""
        free = 1.0 - points.held
        J = conditions.residual(points.q, target)[1] * free[:, None]
        fine = np.isfinite(J).all(axis=(-1, -2), keepdims=True)
        plus = np.where(fine, np.linalg.pinv(np.where(fine, J, 0.0)), np.nan)
        h = conditions.value(points.q)[1]
        return cls(conditions, points, target, plus, -np.einsum("tnm,tn->tm", plus, free * h))

    def first(self, qd: Array, multiplier_rates: Array, velocity: Array) -> tuple[Array, Array]:
        """Return the time derivatives of h + J^T lambda and of e for given rates of q, lambda and x."""
        rates = _first_rates(self.conditions)
        g, e = rates(self.points.q, self.multipliers, self.target, qd, multiplier_rates, velocity)
        return g, e

    def balance(self, g: Array) -> Array:
        """Return the rates of lambda that bring J^T times them nearest to -g, over the free joints."""
        return np.asarray(-np.einsum("tnm,tn->tm", self.plus, (1.0 - self.points.held) * g))

    def solve(self, g: Array, e: Array) -> Array:
        """Return x with J x = -e and N (W x + g) = 0: the least motion y, then a self-motion N^T z.

        S z = -N (g + W y) with the curvature S = N W N^T. Along directions without any curvature (those of
        joints held, and of joints that nothing depends on) nothing moves.
        """
        y = -np.einsum("tnm,tm->tn", self.plus, e)
        still = np.zeros((len(y), _width(self.conditions)))
        g = g + self.first(y, np.zeros_like(self.multipliers), still)[0]
        S, N = self.points.S, self.points.N
        lam, V = np.linalg.eigh(np.nan_to_num(0.5 * (S + np.swapaxes(S, -1, -2))))
        idle = np.abs(lam) <= NOTHING * FLAT * (1 + self.points.gradient)[:, None]
        slope = np.einsum("tsr,tsn,tn->tr", V, N, g, optimize=True)
        along = np.where(idle, 0.0, -slope / np.where(idle, 1.0, lam))
        return np.asarray(y + np.einsum("trs,ts,trn->tn", V, along, N, optimize=True))


def _width(conditions: Conditions) -> int:
    """Return how many numbers the rate of a target has."""
    return 6 if conditions.task.turns else conditions.task.m


@lru_cache(maxsize=32)
def _first_rates(conditions: Conditions) -> Kernel:
    """Return (q, lambda, x, qd, lambdad, xd) -> d/dt of h + J^T lambda and of e."""
    inputs, tau, g, e = _along(conditions, 1)
    outputs = [("g", ca.jacobian(g, tau)), ("e", ca.jacobian(e, tau))]
    return _kernel("optimality_rates", inputs, tau, outputs)


@lru_cache(maxsize=32)
def _second_rates(conditions: Conditions) -> Kernel:
    """Return (q, lambda, x, qd, lambdad, xd, xdd) -> d2/dt2 of the same with qdd = 0 and lambdadd = 0."""
    inputs, tau, g, e = _along(conditions, 2)
    outputs = [(name, ca.jacobian(ca.jacobian(each, tau), tau)) for name, each in (("g", g), ("e", e))]
    return _kernel("optimality_second_rates", inputs, tau, outputs)


def _kernel(name: str, inputs: list[Any], tau: SX, outputs: list[tuple[str, SX]]) -> Kernel:
    """Return the kernel of derivatives at tau = 0."""
    now = ca.cse(ca.substitute([each for _, each in outputs], [tau], [SX(0)]))
    named = [(label, (each.numel(),), each) for (label, _), each in zip(outputs, now, strict=True)]
    return compiled(name, inputs, named, "Return rates of the conditions of an optimum.")


def _along(conditions: Conditions, order: int) -> tuple[list[Any], SX, SX, SX]:
    """Return named symbols, a time tau, and h + J^T lambda and e on the way that the rates begin.

    Targets move by xd tau + xdd tau^2 / 2, poses by R -> (1 + W tau + (W' + W W) tau^2 / 2) R with
    W = omega~, which is exact to second order.
    """
    q, target, e, J, h = conditions.expressions()
    tau, width = SX.sym("tau"), _width(conditions)
    lam, lamd = SX.sym("lam", e.numel()), SX.sym("lamd", e.numel())
    qd = SX.sym("qd", q.numel())
    rates = [SX.sym(name, width) for name in ("xd", "xdd")[:order]]
    xd, xdd = rates[0], rates[1] if order == 2 else SX(width, 1)
    if conditions.task.turns:
        W = ca.skew(xd[:3])
        turned = SX.eye(3) + tau * W + tau * tau / 2 * (ca.skew(xdd[:3]) + W @ W)
        place = target[:3, 3] + tau * xd[3:] + tau * tau / 2 * xdd[3:]
        moved = homogeneous(turned @ target[:3, :3], place)
    else:
        moved = target + tau * xd + tau * tau / 2 * xdd
    conditions_at = ca.Function("conditions", [q, lam, target], [h + J.T @ lam, e])
    g, e = conditions_at(q + tau * qd, lam + tau * lamd, moved)
    names = ("q", "lam", "target", "qd", "lamd", "xd", "xdd")
    return list(zip(names, [q, lam, target, qd, lamd, *rates], strict=False)), tau, g, e
