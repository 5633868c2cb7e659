"""From a point near the task to the optimum: Newton's method on e = 0, Zh = 0, globalised, for batches."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..arrays import Array
from .approach import Bounds
from .conditions import Conditions
from .points import FLAT, Found, Points, curvatures, found_at, lengths, step

Mask = NDArray[np.bool_]
Indices = NDArray[np.intp]

SIGNS = {"maximum": 1.0, "minimum": -1.0, "stationary": 0.0}
"""What is sought; "stationary" takes whichever is nearest."""

RADIUS, WIDEST = 0.5, 1.5
"""First and largest trust radius (of the step's Euclidean length), in radians or metres."""

CLOSE = 1e-7
"""Error and Newton step from which one more step, taken unchecked, leaves only rounding."""

SMALLEST = 1e-9
"""Trust radius at which a sample is given up."""

SHORT = 1e-4
"""Trust radius below which a start that has not converged is stuck."""

NUDGE = 1e-3
"""How far a start is moved where the criterion is not differentiable."""

MOST_CHANGES = 40
"""Changes of the held joints before a sample is given up."""


def optimise(
    conditions: Conditions, q: Array, target: Array, bounds: Bounds, kind: str, *, iterations: int
) -> tuple[Found, Mask]:
    """Return the optima of a kind reached from points near the task, and which starts were stuck.

    Each iteration takes the step to the task and the Newton step along the self-motion, together
    no longer than a trust radius that follows the merit -+H + nu |e|. A joint that meets its limit
    is held there; it is let go where the criterion pulls it back inside. A start is stuck where only
    ever shorter steps improve, as at a kink of the criterion.
    """
    sign = SIGNS[kind]
    count = len(q)
    points = _start(conditions, bounds.clip(q), target, bounds)
    lanes, goal = np.arange(count), target
    radius, changes = np.full(count, RADIUS), np.zeros(count, dtype=np.intp)
    final = points.take(np.ones(count, dtype=bool))
    taken, reach = np.zeros(count, dtype=np.intp), radius.copy()
    for k in range(iterations + 1):
        along = step(points, sign)
        settled = _settled(points, along)
        finished = ~np.isfinite(points.gradient) | (radius < SMALLEST) | (changes > MOST_CHANGES)
        moved = np.zeros_like(finished)
        if sign:
            moved = _improve(points, bounds, sign, settled & ~finished, radius, changes)
        finished |= settled & ~moved
        if k == iterations:
            finished[:] = True
        if finished.any():
            final.put(lanes[finished], points.take(finished))
            taken[lanes[finished]], reach[lanes[finished]] = k, radius[finished]
            going = ~finished
            if not going.any():
                break
            points, lanes, goal, moved = points.take(going), lanes[going], goal[going], moved[going]
            radius, changes, along = radius[going], changes[going], along[going]
        if moved.any():
            there = Points.at(conditions, points.q[moved], goal[moved], points.held[moved])
            points.put(moved, there)
            along[moved] = step(there, sign)
        dq, cut = _within(points, along, radius)
        trial, held, stopped = _trial(conditions, points, dq, goal, bounds)
        changes += stopped
        there = Points.at(conditions, trial, goal, held)
        better = _better(points, there, sign) | stopped
        better &= np.isfinite(there.gradient) & np.isfinite(there.restore).all(axis=-1)
        if conditions.guards is not None:
            better &= (conditions.guards(trial) > 0).all(axis=-1)
        wider = np.where(cut, np.minimum(2 * radius, WIDEST), radius)
        radius = wider if better.all() else np.where(better, wider, 0.25 * lengths(dq))
        if better.all():
            points = there
        else:
            points.put(better, there.take(better))
    return found_at(polished(conditions, final, target, bounds), taken), reach < SHORT


def polished(conditions: Conditions, points: Points, target: Array, bounds: Bounds) -> Points:
    """Return points after one full Newton step, where that is tiny and keeps the limits."""
    dq = points.restore + step(points, 0.0)
    inside = (points.q + dq == bounds.clip(points.q + dq)).all(axis=-1)
    tiny = inside & (lengths(dq) < 1e3 * CLOSE)
    return Points.at(conditions, points.q + np.where(tiny[:, None], dq, 0.0), target, points.held)


def _start(conditions: Conditions, q: Array, target: Array, bounds: Bounds) -> Points:
    """Return the points at q, moved a little where the criterion has no gradient (at singularities)."""
    held = np.broadcast_to(bounds.locked, q.shape).copy()
    points = Points.at(conditions, q, target, held)
    rough = ~(np.isfinite(points.gradient) & np.isfinite(points.restore).all(axis=-1))
    if rough.any():
        aside = NUDGE * np.cos(np.arange(1.0, q.shape[-1] + 1))
        moved = bounds.clip(q[rough] + aside)
        points.put(rough, Points.at(conditions, moved, target[rough], held[rough]))
    return points


def _settled(points: Points, along: Array) -> Mask:
    """Return where one more Newton step ends at rounding."""
    length = np.maximum(points.restore_length, lengths(along))
    return np.asarray((points.task_error < CLOSE) & (length < CLOSE))


def _improve(
    points: Points, bounds: Bounds, sign: float, settled: Mask, radius: Array, changes: NDArray[np.intp]
) -> Mask:
    """Move settled points that are not optima of the kind sought, and return which were moved.

    A held joint that the criterion pulls inside is let go; from a saddle or the wrong extremum a
    step is taken along the worst curvature.
    """
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
    radius[moved] = RADIUS
    changes[moved] += 1
    return moved


def _pull(points: Points, bounds: Bounds, sign: float) -> Array:
    """Return how strongly the criterion pulls held joints inside (negative: pushes them out)."""
    return np.where(points.held > 0, sign * bounds.inwards(points.q) * points.rho, -np.inf)


def _within(points: Points, along: Array, radius: Array) -> tuple[Array, Mask]:
    """Return the sum of both steps within the trust radius, the task first, and where it was cut."""
    a, b = points.restore_length, lengths(along)
    first = radius / np.maximum(a, radius)
    room = np.sqrt(np.maximum(radius**2 - np.minimum(a, radius) ** 2, 0.0))
    second = room / np.maximum(np.maximum(b, room), 1e-300)
    return first[:, None] * points.restore + second[:, None] * along, (first < 1) | (second < 1)


def _trial(
    conditions: Conditions, points: Points, dq: Array, goal: Array, bounds: Bounds
) -> tuple[Array, Array, Mask]:
    """Return where steps lead, back on the task and within the limits, the joints held, and who stopped."""
    trial = _returned(conditions, points.q + dq, goal, points.held)
    held = points.held
    over = np.asarray(((trial > bounds.upper) | (trial < bounds.lower)).any(axis=-1))
    if over.any():
        held = held.copy()
        trial[over], held[over] = _stopped_at_limits(
            points.take(over), trial[over] - points.q[over], bounds, conditions.redundancy
        )
        trial[over] = bounds.clip(_returned(conditions, trial[over], goal[over], held[over]))
    return trial, held, over


def _returned(conditions: Conditions, q: Array, target: Array, held: Array) -> Array:
    """Return points brought back to the task by two undamped steps, so that steps may be long."""
    undamped = np.zeros(len(q))
    q = q + conditions.approach(q, target, undamped, held)[2]
    return np.asarray(q + conditions.approach(q, target, undamped, held)[2])


def _stopped_at_limits(points: Points, dq: Array, bounds: Bounds, redundancy: int) -> tuple[Array, Array]:
    """Return where steps beyond a limit end, and the joints held there.

    The first joint to meet its limit ends the step and is held; where as many are held as there
    are self-motions, it takes the place of the others (but for those locked).
    """
    q = points.q
    over = (q + dq > bounds.upper) | (q + dq < bounds.lower)
    edge = np.where(dq > 0, bounds.upper, bounds.lower)
    share = np.where(over, (edge - q) / np.where(over, dq, 1.0), np.inf)
    first = share.argmin(axis=-1)
    each = np.arange(len(q))
    ended = q + np.clip(share[each, first], 0.0, 1.0)[:, None] * dq
    ended[each, first] = edge[each, first]
    full = points.held.sum(axis=-1) >= redundancy
    held = np.where(full[:, None], bounds.locked, points.held)
    held[each, first] = 1.0
    return ended, held


def _better(here: Points, there: Points, sign: float) -> Mask:
    """Return where a step lowered the merit -+H + nu |e|, or halved the violation of the conditions."""
    before = here.task_error + here.stationarity / (1 + here.gradient)
    after = there.task_error + there.stationarity / (1 + there.gradient)
    if not sign:
        return np.asarray(after < before)
    nu = 2 * np.maximum(here.multiplier, there.multiplier)
    lost = nu * (there.task_error - here.task_error)
    return np.asarray((after <= 0.5 * before) | (lost < sign * (there.H - here.H)))
