"""The closed form of one arm, compiled, and what makes its branches solutions: polish, limits, order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import casadi as ca
import numpy as np
from casadi import SX

from ..arrays import Array
from ..forms.algebra import constant
from ..kernels import Kernel, compiled
from ..lazy import cached_property
from ..model import Model
from ..redundancy.approach import approach
from ..redundancy.batch import Mask
from ..redundancy.bounds import Bounds
from ..redundancy.conditions import Conditions
from ..redundancy.points import TASK_MET
from ..rotations import inverse
from .axes import Chain, chain_of
from .branches import branches_of
from .motion import Branches, Motion

NEAR, ROUND_OFF = 1e-3, 1e-14
"""Errors of a branch between which Newton steps improve it; farther away it is none."""

MET = 1e-12
"""Error of a solution, per metre of the arm and at least one."""

POLISHES = 16
"""Newton steps: none or one where axes meet to round-off, more where printed figures let them miss each other
or where branches merge, which makes the error fall to a quarter with each step."""

SAME = 1e-6
"""Branches whose coordinates differ by less are one: they merge at a singular pose."""

BRANCHES = 8
"""Candidates of every arm: two for each of three joints, or two for each of four roots."""

PAIRS = np.triu_indices(BRANCHES, 1)
"""Branches to compare with one another."""

WHOLE = np.array([1.0, 2.0, 3.0, 5.0, 7.0, 11.0])
"""Whole numbers, so that the sum of so many angles keeps its remainder by a full turn."""

EDGE = 1e-11
"""How far beyond a limit round-off may bring a coordinate, which is then put there."""

FARTHEST = 1e3
"""Angles (rad) up to which full turns follow the reference: beyond, they would cost the angle its digits."""


@dataclass
class Found:
    """Branches of poses (b, 8, nq), the nearest first and NaN if there are fewer, and the closest of all.

    `met` says which poses have a branch within the limits, `excluded` which have them only beyond.
    """

    branches: Array
    closest: Array
    met: Mask
    excluded: Mask


@dataclass(frozen=True, eq=False)
class ClosedForm:
    """The branches of a chain of six joints, as kernels."""

    chain: Chain
    branches: Branches

    @cached_property
    def _motion(self) -> tuple[SX, SX, Motion]:
        pose, reference, root = SX.sym("pose", 4, 4), SX.sym("reference", 6), SX.sym("root")
        G = pose @ constant(inverse(self.chain.home))
        return pose, reference, Motion(G[:3, :3], G[:3, 3], ca.vertsplit(reference), root)

    def expressions(self) -> tuple[list[Any], list[Any]]:
        """Return the inputs and the output q of `kernel`, named."""
        pose, reference, motion = self._motion
        q = ca.horzcat(*(ca.vertcat(*angles) for angles in self.branches.build(motion))).T
        inputs: list[Any] = [("pose", pose), ("reference", reference)]
        if self.branches.resolvent is not None:
            inputs.append(("root", (), motion.root))
        return inputs, [("q", q)]

    @cached_property
    def kernel(self) -> Kernel:
        """(pose, reference) -> q of all branches, or (pose, reference, root) -> those of a root."""
        return compiled("branches", *self.expressions(), "Return the coordinates of all branches.")

    @cached_property
    def resolvent(self) -> Kernel | None:
        """(pose) -> coefficients of the polynomial of `position.general`; None for arms without one."""
        if self.branches.resolvent is None:
            return None
        pose, _, motion = self._motion
        coefficients = self.branches.resolvent(motion)
        return compiled("resolvent", [("pose", pose)], [("coefficients", coefficients)])

    def _period(self, n: int) -> Array:
        """Return a full turn for each of n coordinates that turns, and 0 for the others."""
        period = np.zeros(n)
        for k, axis in zip(self.chain.coordinates, self.chain.axes, strict=True):
            period[k] = 2 * np.pi if axis.turns else 0.0
        return period

    def candidates(self, poses: Array, reference: Array) -> Array:
        """Return the coordinates (b, 8, 6) of all branches, solutions or as near as they come."""
        if self.resolvent is None:
            return np.asarray(self.kernel(poses, reference))
        roots = _angles(self.resolvent(poses))
        q = self.kernel(poses[:, None], reference[:, None], roots)
        return np.asarray(q.reshape(len(poses), BRANCHES, 6))

    def solutions(self, conditions: Conditions, bounds: Bounds, poses: Array, reference: Array) -> Found:
        """Return the branches within the limits, nearest to the reference (b, nq) first."""
        at = list(self.chain.coordinates)
        some = self.candidates(poses, reference[:, at])
        q = np.repeat(bounds.clip(reference)[:, None], BRANCHES, axis=1)  # joints beside the chain stay there
        q[..., at] = some
        q, error = _polished(conditions, q, poses)
        period = self._period(conditions.n)
        q = _unwind(q, reference, bounds, period)
        met = error < MET * max(1.0, self.chain.size)
        inside = np.asarray(((q >= bounds.lower - EDGE) & (q <= bounds.upper + EDGE)).all(axis=-1))
        q = bounds.clip(q)
        good = met & inside
        good &= ~_repeated(q[..., at], good, period[at])
        branches = _nearest_first(np.where(good[..., None], q, np.nan), reference)
        closest, some_met = branches[:, 0].copy(), np.asarray(good.any(axis=-1))
        lost = np.flatnonzero(~some_met)
        if lost.size:
            best = np.where(inside[lost], error[lost], error[lost] + 10).argmin(axis=-1)
            closest[lost], left, _ = approach(
                conditions, q[lost, best], poses[lost], bounds, near=1e-13, iterations=200, patience=20
            )
            reached = lost[left < TASK_MET]  # a branch at its limit, or about to merge with another
            branches[reached, 0], some_met[reached] = closest[reached], True
        return Found(branches, closest, some_met, np.asarray(~some_met & met.any(axis=-1)))


def closed_form(model: Model, frame: str) -> ClosedForm | None:
    """Return the closed form of the chain to a frame; None if its axes do not permit one."""
    chain = chain_of(model, model.frame(frame))
    branches = None if chain is None else branches_of(chain)
    return None if chain is None or branches is None else ClosedForm(chain, branches)


def _polished(conditions: Conditions, q: Array, poses: Array) -> tuple[Array, Array]:
    """Return branches (b, 8, nq) after Newton steps that lower their errors, and the errors |e|."""
    none = np.zeros(conditions.n)
    error, _, step, _ = conditions.approach(q, poses[:, None], 0.0, none)
    for _ in range(POLISHES):
        rough = (error > ROUND_OFF) & (error < NEAR)
        rows, which = np.nonzero(rough)
        if rows.size == 0:
            break
        trial = q[rows, which] + step[rows, which]
        less, _, further, _ = conditions.approach(trial, poses[rows], 0.0, none)
        better = less < 0.5 * error[rows, which]
        rows, which = rows[better], which[better]
        if rows.size == 0:
            break
        q[rows, which], step[rows, which] = trial[better], further[better]
        error[rows, which] = less[better]
    return q, error


def _nearest_first(branches: Array, reference: Array) -> Array:
    """Return branches (b, 8, nq) in the order of their distance to the reference, NaN last."""
    away = ((branches - reference[:, None]) ** 2).sum(axis=-1)
    order = np.argsort(away, axis=-1, kind="stable")  # NaN comes last
    return np.asarray(branches[np.arange(len(order))[:, None], order])


def _unwind(q: Array, reference: Array, bounds: Bounds, period: Array) -> Array:
    """Return coordinates shifted by full periods to where they are nearest to the reference within limits."""
    turn = 2 * np.pi
    near = np.clip(reference, -FARTHEST, FARTHEST)[:, None]
    q = q + period * np.round((near - q) / turn)
    q -= period * np.ceil(np.maximum(q - bounds.upper - EDGE, 0) / turn)
    q += period * np.ceil(np.maximum(bounds.lower - EDGE - q, 0) / turn)
    return q


def _repeated(q: Array, good: Mask, period: Array) -> Mask:
    """Return which branches (b, 8, 6) are the same as an earlier good one, full turns apart or not."""
    one, other = PAIRS
    mixed = q @ WHOLE  # differs by full turns if the branches do, and is cheap to compare
    gap = mixed[:, other] - mixed[:, one]
    gap -= 2 * np.pi * np.round(gap / (2 * np.pi))
    rows, pairs = np.nonzero((np.abs(gap) < SAME * WHOLE.sum()) & good[:, one] & good[:, other])
    apart = np.abs(q[rows, one[pairs]] - q[rows, other[pairs]])
    apart = np.minimum(apart, np.abs(apart - period))
    same = (apart < SAME).all(axis=-1)
    repeated = np.zeros(good.shape, dtype=bool)
    repeated[rows[same], other[pairs[same]]] = True
    return repeated


def _angles(coefficients: Array) -> Array:
    """Return the arguments (b, 4) of the roots of the polynomials of `position.general`."""
    size = np.abs(coefficients).max(axis=-1, keepdims=True)
    c = np.nan_to_num(coefficients / np.where(size > 0, size, 1.0))  # a pose beyond all measure has none
    C2, C1 = c[:, 0] + 1j * c[:, 1], c[:, 2] + 1j * c[:, 3]
    lead = np.where(np.abs(C2) > 1e-14, C2, 1e-14)
    companion = np.zeros((len(c), 4, 4), dtype=complex)
    companion[:, 1, 0] = companion[:, 2, 1] = companion[:, 3, 2] = 1
    for k, entry in enumerate((C2.conj(), C1.conj(), c[:, 4], C1)):
        companion[:, k, 3] = -entry / lead
    return np.angle(np.linalg.eigvals(companion))
