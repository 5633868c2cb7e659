"""Self-motion: the curves of configurations that all meet one target."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Array
from ..chart import chart
from ..checks import finite_array, positive, whole_number
from ..display import card
from ..errors import ArgumentError
from ..guests import in_kind, in_words
from ..robot import Robot
from .approach import QUIET, approach, returned
from .conditions import Conditions
from .multistart import Multistart
from .points import TASK_MET, Points
from .problem import prepared, read_targets


@dataclass(frozen=True, repr=False)
class Curve:
    """A curve of self-motion: q (s, n) at arc length (s,), and the criterion along it.

    `closed` curves come back to their first point (joints without limits, after full turns);
    `ends` names what stopped the others at either end: a joint's limit, "singularity" or "length".
    """

    q: Array
    length: Array
    value: Array
    closed: bool
    ends: tuple[str, str]

    @in_words
    def __repr__(self) -> str:
        between = "closed" if self.closed else f"from {self.ends[0]} to {self.ends[1]}"
        return f"<Curve: {len(self.q)} configurations over {self.length[-1]:.3g}, {between}>"

    @in_words
    def _repr_html_(self) -> str:
        """Return what a notebook shows: the joints and the criterion along the curve."""
        names = [f"q{k}" for k in range(1, self.q.shape[-1] + 1)]
        joints = chart(self.length, self.q, names, "length along the curve", "q")
        value = chart(self.length, self.value[:, None], ["criterion"], "length along the curve", "value")
        return card("Self-motion", repr(self)[len("<Curve: ") : -1], joints, value)


MOST_STEPS = 1_000_000
"""Steps along one curve."""


@np.errstate(**QUIET)
@in_kind
def self_motion(
    robot: Robot,
    target: ArrayLike,
    task: Any = "pose",
    criterion: Any = "manipulability",
    q0: ArrayLike | None = None,
    *,
    limits: Any = True,
    step: float = 0.05,
    most: int = 2000,
) -> tuple[Curve, ...]:
    """Return the curves on which a robot with one redundant joint can move without moving its task.

    From each start, steps of length `step` are taken along the null space of J and brought back to
    the task, both ways, until the curve closes or a joint meets its limit. `q0` (n,) or (k, n) are
    the starts; without them a table of starts is tried and curves met twice are dropped.

    >>> import closedform as cf
    >>> curves = cf.redundancy.self_motion(cf.load("chang3r"), [0.446, 0.09], task="xy")
    >>> all(curve.closed for curve in curves)
    True
    """
    search = prepared(robot, task, criterion, None, limits)
    c = search.conditions
    if c.redundancy != 1 or search.plain:
        raise ArgumentError(
            f"self_motion: {robot.name!r} has {search.redundancy} degrees of self-motion; a curve needs "
            "one (choose more or fewer rows of the task)"
        )
    x, _, batch = read_targets(c, target, None)
    if batch:
        raise ArgumentError(f"self_motion: batch shape {batch}; expected one target")
    step, most = positive("step", step), whole_number("most", most, 1, MOST_STEPS)
    given = None if q0 is None else np.atleast_2d(finite_array("q0", q0))
    if given is not None and (given.ndim != 2 or given.shape[-1] != c.n):
        raise ArgumentError(f"q0 has shape {given.shape}; expected ({c.n},) or (starts, {c.n})")
    starts = search.seeds.q if given is None else given
    goals = np.repeat(x[:1], len(starts), axis=0)
    q, left, _ = approach(c, starts, goals, search.bounds, near=1e-13, iterations=60, patience=8)
    curves: list[Curve] = []
    tracer = _Tracer(search, x[0], step, most)
    for point in q[left < TASK_MET]:
        if not any(_meets(tracer, curve, point) for curve in curves):
            curves.append(tracer.curve(point))
    return tuple(curves)


class _Tracer:
    """Walks along one target's self-motion."""

    def __init__(self, search: Multistart, goal: Array, step: float, most: int) -> None:
        self.search, self.goal, self.step, self.most = search, goal[None], step, most
        model = search.conditions.model
        turning = np.zeros(model.nq, dtype=bool)
        for body in model.independent:
            if body.joint.nv == 1:
                turning[body.iq] = bool(np.all(body.joint.turns))
        self.turning = turning & ~np.isfinite(search.bounds.lower) & ~np.isfinite(search.bounds.upper)

    def apart(self, a: Array, b: Array) -> Array:
        """Return a - b, full turns of unlimited joints apart."""
        d = a - b
        return np.where(self.turning, (d + np.pi) % (2 * np.pi) - np.pi, d)

    def curve(self, q: Array) -> Curve:
        """Return the curve through q."""
        forth, closed, end = self._walk(q, 1.0)
        if closed:
            points, ends = [q, *forth], ("", "")
        else:
            back, _, begin = self._walk(q, -1.0)
            points, ends = [*back[::-1], q, *forth], (begin, end)
        whole = np.array(points)
        gaps = np.linalg.norm(np.diff(whole, axis=0), axis=-1)
        value = self.search.conditions.value(whole)[0]
        return Curve(whole, np.append(0.0, np.cumsum(gaps)), value, closed, ends)

    def _walk(self, start: Array, sense: float) -> tuple[list[Array], bool, str]:
        """Return the points from start in one sense, whether the curve closed, and what ended it."""
        c, bounds = self.search.conditions, self.search.bounds
        held = np.zeros((1, c.n))
        q = start[None]
        along = sense * Points.at(c, q, self.goal, held).N[0, 0]
        found: list[Array] = []
        for k in range(self.most):
            trial = returned(c, q + self.step * along, self.goal, held, 3)
            left, _ = c.residual(trial, self.goal)
            if not np.abs(left).max() < TASK_MET:
                return found, False, "singularity"
            if bounds.exceeded(trial).any():
                joint, last = self._at_limit(q, trial)
                return [*found, last], False, f"limit of {_joint_of(c, joint)}"
            N = Points.at(c, trial, self.goal, held).N[0, 0]
            along = N if N @ along > 0 else -N
            q = trial
            found.append(q[0])
            home = self.apart(start, q[0])
            if k > 2 and np.linalg.norm(home) < 1.01 * self.step and home @ along >= 0:
                found.append(q[0] + home)
                return found, True, ""
        return found, False, "length"

    def _at_limit(self, q: Array, trial: Array) -> tuple[int, Array]:
        """Return the first joint that a step takes beyond its limit, and the point where it meets it."""
        (joint,), point = self.search.bounds.first_met(q, trial)
        held = np.zeros_like(point)
        held[0, joint] = 1.0
        return int(joint), returned(self.search.conditions, point, self.goal, held, 3)[0]


def _meets(tracer: _Tracer, curve: Curve, q: Array) -> bool:
    """Return whether q is on a curve, within its steps."""
    return bool(np.linalg.norm(tracer.apart(curve.q, q), axis=-1).min() < tracer.step)


def _joint_of(conditions: Conditions, coordinate: int) -> str:
    return [body for body in conditions.model.independent if body.iq <= coordinate][-1].joint_name
