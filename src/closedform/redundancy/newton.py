"""From a point near the task to the optimum: Newton's method on e = 0, Zh = 0, globalised, for batches."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Array
from .approach import returned
from .batch import Batch, Indices, Mask
from .bounds import Bounds
from .classify import SIGNS
from .conditions import Conditions
from .points import FLAT, Points, curvatures, lengths, step

RADIUS, WIDEST = 0.5, 1.5
"""First and largest trust radius (of the step's Euclidean length), in radians or metres."""

CLOSE = 1e-7
"""Error and Newton step below which one more step, taken unchecked, leaves only round-off."""

SMALLEST = 1e-9
"""Trust radius below which a search is given up."""

SHORT = 1e-4
"""Trust radius below which a search that has not converged is stuck."""

NUDGE = 1e-3
"""How far a start is moved if the criterion is not differentiable there."""

MOST_CHANGES = 40
"""Changes of the held joints before a search is given up."""


@dataclass
class Searches(Batch):
    """Searches for optima under way: where each is, and what limits its next step.

    `sample` is the row of the target `goal`; `changes` counts how often the joints held were changed or a
    wrong extremum was left; `steps` are the iterations taken, known when a search has ended.
    """

    sample: Indices
    goal: Array
    points: Points
    radius: Array
    changes: Indices
    steps: Indices

    @classmethod
    def start(cls, conditions: Conditions, q: Array, goal: Array, bounds: Bounds) -> Searches:
        """Return searches that begin at q, moved a little if the criterion has no gradient there."""
        held = np.broadcast_to(bounds.locked, q.shape).copy()
        points = Points.at(conditions, q, goal, held)
        rough = ~points.smooth
        if rough.any():  # at singularities
            aside = NUDGE * np.cos(np.arange(1.0, q.shape[-1] + 1))
            moved = bounds.clip(q[rough] + aside)
            points.put(rough, Points.at(conditions, moved, goal[rough], held[rough]))
        count, none = len(q), np.zeros(len(q), dtype=np.intp)
        return cls(np.arange(count), goal, points, np.full(count, RADIUS), none, none.copy())

    @property
    def hopeless(self) -> Mask:
        """Which searches lead nowhere."""
        lost = ~np.isfinite(self.points.gradient) | (self.radius < SMALLEST)
        return np.asarray(lost | (self.changes > MOST_CHANGES))

    def settled(self, along: Array) -> Mask:
        """Return which searches end at round-off after one more Newton step."""
        length = np.maximum(self.points.restore_length, lengths(along))
        return np.asarray((self.points.task_error < CLOSE) & (length < CLOSE))


def optimise(
    conditions: Conditions, q: Array, target: Array, bounds: Bounds, kind: str, *, iterations: int
) -> tuple[Points, Indices, Mask]:
    """Return the optima of a kind reached from points near the task, the iterations, and which got stuck.

    Each iteration takes the step to the task and the Newton step along the self-motion, together
    no longer than a trust radius that follows the merit -+H + nu |e|. A joint that meets its limit
    is held there; it is let go if the criterion pulls it back inside. A search is stuck if only
    ever shorter steps improve, as at a kink of the criterion.
    """
    sign = SIGNS[kind]
    now = Searches.start(conditions, bounds.clip(q), target, bounds)
    ended = now.take(now.sample)
    for k in range(iterations + 1):
        along = step(now.points, sign)
        settled, finished = now.settled(along), now.hopeless
        moved = _improve(now, bounds, sign, settled & ~finished) if sign else np.zeros_like(finished)
        finished |= settled & ~moved
        if k == iterations:
            finished[:] = True
        if finished.any():
            done = now.take(finished)
            done.steps[:] = k
            ended.put(done.sample, done)
            if finished.all():
                break
            now, along, moved = now.take(~finished), along[~finished], moved[~finished]
        if moved.any():
            there = Points.at(conditions, now.points.q[moved], now.goal[moved], now.points.held[moved])
            now.points.put(moved, there)
            along[moved] = step(there, sign)
        _advance(conditions, now, along, bounds, sign)
    return polished(conditions, ended.points, target, bounds), ended.steps, ended.radius < SHORT


def _advance(conditions: Conditions, now: Searches, along: Array, bounds: Bounds, sign: float) -> None:
    """Take the steps that improve, within the trust radius, and change the radius."""
    dq, cut = _within(now.points, along, now.radius)
    trial, held, stopped = _trial(conditions, now, dq, bounds)
    now.changes += stopped
    there = Points.at(conditions, trial, now.goal, held)
    better = (_better(now.points, there, sign) | stopped) & there.smooth & conditions.clear(trial)
    wider = np.where(cut, np.minimum(2 * now.radius, WIDEST), now.radius)
    if better.all():
        now.points, now.radius = there, wider
    else:
        now.points.put(better, there.take(better))
        now.radius = np.where(better, wider, 0.25 * lengths(dq))


def polished(conditions: Conditions, points: Points, target: Array, bounds: Bounds) -> Points:
    """Return points after one full Newton step, if that is tiny and keeps the limits."""
    dq = points.restore + step(points, 0.0)
    tiny = bounds.contain(points.q + dq) & (lengths(dq) < 1e3 * CLOSE)
    return Points.at(conditions, points.q + np.where(tiny[:, None], dq, 0.0), target, points.held)


def _improve(now: Searches, bounds: Bounds, sign: float, settled: Mask) -> Mask:
    """Move settled searches that are not at optima of the kind sought, and return which were moved.

    A held joint that the criterion pulls inside is let go; from a saddle or the wrong extremum a
    step is taken along the worst curvature.
    """
    points = now.points
    moved = np.zeros(len(settled), dtype=bool)
    rows = np.flatnonzero(settled)
    if rows.size == 0:
        return moved
    pull = _pull(points, bounds, sign)[rows]
    worst = pull.argmax(axis=-1)
    inside = pull[np.arange(len(rows)), worst] > 1e-9 * np.maximum(1.0, points.gradient[rows])
    loose = rows[inside]
    points.held[loose, worst[inside]] = 0.0
    lam, V = curvatures(points.take(rows))
    bad = sign * lam
    bad = np.where(np.isnan(bad), -np.inf, bad)
    k = bad.argmax(axis=-1)
    wrong = ~inside & (bad.max(axis=-1, initial=-np.inf) > FLAT * (1 + points.gradient[rows]))
    there = rows[wrong]
    if there.size:
        v = np.einsum("br,bri->bi", V[wrong, :, k[wrong]], points.N[there])
        points.q[there] = bounds.clip(points.q[there] + 0.05 * v)
    moved[loose] = moved[there] = True
    now.radius[moved] = RADIUS
    now.changes[moved] += 1
    return moved


def _pull(points: Points, bounds: Bounds, sign: float) -> Array:
    """Return how strongly the criterion pulls held joints inside (negative: pushes them out)."""
    return np.where(points.held > 0, sign * bounds.inwards(points.q) * points.rho, -np.inf)


def _within(points: Points, along: Array, radius: Array) -> tuple[Array, Mask]:
    """Return the sum of both steps within the trust radius, the task first, and which were cut."""
    a, b = points.restore_length, lengths(along)
    first = radius / np.maximum(a, radius)
    room = np.sqrt(np.maximum(radius**2 - np.minimum(a, radius) ** 2, 0.0))
    second = room / np.maximum(np.maximum(b, room), 1e-300)
    return first[:, None] * points.restore + second[:, None] * along, (first < 1) | (second < 1)


def _trial(conditions: Conditions, now: Searches, dq: Array, bounds: Bounds) -> tuple[Array, Array, Mask]:
    """Return where steps lead, back on the task and within the limits, the joints held, and which stopped.

    A step beyond a limit ends where its first joint meets its limit, and that joint is held. If as many
    are held already as there are self-motions, it replaces them (but for those locked).
    """
    q, held = now.points.q, now.points.held
    trial = returned(conditions, q + dq, now.goal, held, 2)
    over = np.asarray(bounds.exceeded(trial).any(axis=-1))
    if over.any():
        first, trial[over] = bounds.first_met(q[over], trial[over])
        full = held[over].sum(axis=-1) >= conditions.redundancy
        kept = np.where(full[:, None], bounds.locked, held[over])
        kept[np.arange(len(first)), first] = 1.0
        held = held.copy()
        held[over] = kept
        trial[over] = bounds.clip(returned(conditions, trial[over], now.goal[over], kept, 2))
    return trial, held, over


def _better(here: Points, there: Points, sign: float) -> Mask:
    """Return where a step lowered the merit -+H + nu |e|, or halved the violation of the conditions."""
    before = here.task_error + here.stationarity / (1 + here.gradient)
    after = there.task_error + there.stationarity / (1 + there.gradient)
    if not sign:
        return np.asarray(after < before)
    nu = 2 * np.maximum(here.multiplier, there.multiplier)
    lost = nu * (there.task_error - here.task_error)
    return np.asarray((after <= 0.5 * before) | (lost < sign * (there.H - here.H)))
