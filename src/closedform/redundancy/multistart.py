"""Many starts, one answer: approach, optimise, classify and keep the best, for batches."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Array
from ..checks import LARGEST
from ..errors import ClosedFormError
from ..model.state import random_state
from .approach import QUIET, approach
from .batch import Batch, Indices
from .bounds import Bounds
from .classify import ISOLATED, NONE, SIGNS, is_sought, kinds
from .conditions import Conditions
from .criteria import ANY
from .newton import optimise
from .points import TASK_MET, curvatures
from .result import (
    EXCLUDED,
    NOT_A_NUMBER,
    NOT_SMOOTH,
    OBSTRUCTED,
    OUT_OF_REACH,
    SOLVED,
    UNFINISHED,
    WRONG_KIND,
)
from .seeds import SIZE, Seeds

NEAR = 1e-2
"""Newton's method takes over from damped least squares at this |e|."""

ITERATIONS = 25
"""Most Newton steps from one start."""

SINGULAR = 1e-7
"""Relative pivot of J below which the criterion cannot be trusted to have a gradient."""

ROUND = 4
"""Starts that unsolved targets are given first; every further round doubles the number of starts."""

ENOUGH_STARTS = 96
"""Starts before a target counts as out of reach; one that only the limits exclude, or that was met without
an optimum, is given the whole table."""

CHUNK = 8192
"""Starts worked on together: their arrays stay in the processor's cache."""


@dataclass
class Answers(Batch):
    """The best found so far for each target."""

    q: Array
    value: Array
    task_error: Array
    stationarity: Array
    held: Array
    kind: Indices
    status: Indices
    iterations: Indices

    @classmethod
    def none(cls, count: int, n: int) -> Answers:
        """Return answers that anything improves on."""
        nan, zero = np.full(count, np.nan), np.zeros(count, dtype=np.intp)
        return cls(
            q=np.full((count, n), np.nan),
            value=nan,
            task_error=np.full(count, np.inf),
            stationarity=nan.copy(),
            held=np.zeros((count, n)),
            kind=zero,
            status=zero + UNFINISHED,
            iterations=zero.copy(),
        )


class Multistart:
    """The search for a robot's task, criterion and limits, ready for targets."""

    def __init__(self, conditions: Conditions, bounds: Bounds, kind: str) -> None:
        self.conditions, self.bounds, self.kind = conditions, bounds, kind
        self.seeds = Seeds(conditions, bounds)
        self.redundancy = max(conditions.redundancy - int(bounds.locked.sum()), 0)
        self.plain = self.redundancy == 0 or conditions.criterion is ANY
        if conditions.redundancy and conditions.criterion is not ANY:
            self._check_rows()

    def _check_rows(self) -> None:
        """Raise if some rows of the task cannot be moved independently by any joint."""
        c = self.conditions
        q = random_state(c.model, 0, (8,), 0)[0]
        target = np.broadcast_to(np.eye(4) if c.task.turns else np.zeros(c.task.m), (8, *c.task.target_shape))
        singular = np.linalg.svd(c.residual(q, target)[1], compute_uv=False)
        rank = int((singular > 1e-9 * singular.max()).sum(axis=-1).max())
        if rank < c.m:
            task = f"task ({', '.join(c.task.rows)}) of frame {c.task.frame!r}"
            raise ClosedFormError(
                f"{task}: only {rank} of its {c.m} rows can be moved independently by {c.model.name!r}; "
                "leave out rows that it cannot move (task='xy' for a planar arm), or name a frame further out"
            )

    @np.errstate(**QUIET)
    def best(self, targets: Array, q0: Array | None, starts: int) -> Answers:
        """Return the answers for targets (b, ...): what q0 (b, n) leads to, or the best of some starts."""
        starts = min(starts, SIZE)
        best = Answers.none(len(targets), self.conditions.n)
        finite = np.asarray((np.abs(targets) <= LARGEST).all(axis=tuple(range(1, targets.ndim))))
        if q0 is not None:
            finite &= (np.abs(q0) <= LARGEST).all(axis=-1)
            rows = np.flatnonzero(finite)
            for part in np.split(rows, range(CHUNK, len(rows), CHUNK)):
                self._try(best, targets, part, q0[part])
        best.status[~finite], best.task_error[~finite] = NOT_A_NUMBER, np.nan
        done = 0
        if q0 is None:
            self._try_table(best, targets, np.flatnonzero(finite), done, starts)
            done = starts
        for most, hopeless in ((ENOUGH_STARTS, NOT_A_NUMBER), (SIZE, OUT_OF_REACH)):
            while done < most:
                rows = np.flatnonzero(finite & (best.status != SOLVED) & (best.status != hopeless))
                if rows.size == 0:
                    break
                take = min(max(ROUND, done), most - done)
                self._try_table(best, targets, rows, done, take)
                done += take
            self._explain(best, targets)
        return best

    def _try_table(self, best: Answers, targets: Array, rows: Indices, skip: int, take: int) -> None:
        """Improve the answers of some targets from the next configurations of the table."""
        size = max(CHUNK // take, 1)
        for part in np.split(rows, range(size, len(rows), size)):
            near = self.seeds.nearest(targets[part], take, skip=skip)
            self._try(best, targets, np.repeat(part, take), near.reshape(-1, self.conditions.n))

    def _try(self, best: Answers, targets: Array, rows: Indices, starts: Array) -> None:
        """Improve the answers from further starts; `rows` are their targets."""
        found = self._reach(targets[rows], starts) if self.plain else self._optima(targets[rows], starts)
        solved = found.status == SOLVED
        sign = SIGNS[self.kind]
        worth = _nine_digits(np.where(np.isfinite(found.value), sign * found.value, 0.0))
        turn = -np.arange(len(rows))  # of equals, the first start counts
        rank = np.lexsort((turn, np.where(solved, worth, -found.task_error), solved))
        ordered = rank[np.argsort(rows[rank], kind="stable")]  # by target, the best last
        last = np.append(np.flatnonzero(np.diff(rows[ordered])), len(ordered) - 1)
        lanes = ordered[last] if len(ordered) else ordered
        mine = rows[lanes]
        open_still = best.status[mine] != SOLVED
        nearer = found.task_error[lanes] < best.task_error[mine]
        now = _nine_digits(np.where(np.isfinite(best.value[mine]), sign * best.value[mine], -np.inf))
        better = np.where(solved[lanes], open_still | (worth[lanes] > now), open_still & nearer)
        best.put(mine[better], found.take(lanes[better]))

    def _reach(self, targets: Array, starts: Array) -> Answers:
        """Return plain inverse kinematics: the task alone."""
        c = self.conditions
        q, left, taken = approach(c, starts, targets, self.bounds, near=1e-13, iterations=60, patience=8)
        found = Answers.none(len(q), c.n)
        found.q, found.iterations, found.task_error = q, taken, left
        met = left < TASK_MET
        found.status[met] = SOLVED
        found.kind[met] = ISOLATED
        found.stationarity[met] = 0.0
        return found

    def _optima(self, targets: Array, starts: Array) -> Answers:
        c = self.conditions
        q, left, taken = approach(c, starts, targets, self.bounds, near=NEAR, iterations=20, patience=4)
        found = Answers.none(len(q), c.n)
        found.q, found.task_error, found.iterations = q, left, taken
        near, clear = left < NEAR, c.clear(q)
        found.status[near & ~clear] = OBSTRUCTED
        near &= clear
        if not near.any():
            return found
        points, steps, stuck = optimise(
            c, q[near], targets[near], self.bounds, self.kind, iterations=ITERATIONS
        )
        kind = kinds(points, curvatures(points)[0], self.bounds.inwards(points.q))
        met = points.satisfied()
        status = np.where(met, np.where(is_sought(kind, self.kind), SOLVED, WRONG_KIND), UNFINISHED)
        smooth = np.isfinite(points.H) & np.isfinite(points.gradient) & (points.regularity > SINGULAR)
        status = np.where(smooth & ~(stuck & ~met), status, NOT_SMOOTH)
        kept = Answers(
            points.q,
            points.H,
            points.task_error,
            points.stationarity,
            points.held,
            np.where(met, kind, NONE),
            status,
            steps + taken[near],
        )
        found.put(near, kept)
        return found

    def _explain(self, best: Answers, targets: Array) -> None:
        """Bring unsolved answers as near to their targets as can be, and say why they are unsolved."""
        c = self.conditions
        settled = np.isin(best.status, (SOLVED, NOT_A_NUMBER, OBSTRUCTED, NOT_SMOOTH, OUT_OF_REACH))
        rows = np.flatnonzero(~settled & (best.task_error > TASK_MET))
        if rows.size == 0:
            return
        goals = targets[rows]
        starts = best.q[rows]
        q, left, _ = approach(c, starts, goals, self.bounds, near=1e-13, iterations=400, patience=40)
        best.q[rows], best.task_error[rows] = q, left
        best.status[rows] = NOT_SMOOTH
        far = left > 1e-6
        free = Bounds.none(c.n)
        beyond = np.full(len(rows), np.inf)
        for k in range(4):
            some = self.seeds.nearest(goals, 1, skip=k)[:, 0] if k else q
            reached = approach(c, some, goals, free, near=1e-8, iterations=60, patience=8)[1]
            beyond = np.minimum(beyond, reached)
        status = np.where(beyond < 1e-7, EXCLUDED, OUT_OF_REACH)
        best.status[rows[far]] = status[far]


def _nine_digits(x: Array) -> Array:
    """Return numbers rounded to about nine digits, so that round-off does not choose between equals."""
    mantissa, exponent = np.frexp(x)
    return np.ldexp(np.round(mantissa * 2**30) / 2**30, exponent)
