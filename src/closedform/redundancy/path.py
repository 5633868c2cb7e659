"""Following a path of targets: predictor and corrector over windows of poses, solved as batches."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arrays import Array
from ..chart import chart
from ..checks import sized_array, whole_number
from ..display import card, span_table
from ..errors import ArgumentError
from ..guests import in_kind, in_words, kind_of, to_host
from ..lazy import cached_property
from ..robot import Robot
from .approach import QUIET
from .classify import KIND_NAMES, NOTHING, is_sought, kinds
from .conditions import Conditions
from .multistart import Multistart
from .newton import CLOSE
from .path_rates import joint_motion, read_rates
from .points import FLAT, Points, curvatures, step
from .problem import MOST_STARTS, prepared, read_path
from .result import SOLVED
from .target_gradient import attached

WIDEST = 128
"""Most poses in a window."""

CORRECTIONS = 6
"""Newton steps that a predicted pose may take."""

JUMP = 0.2
"""Change of a joint from pose to pose, in radians or metres, from which continuity is checked."""

BRIDGE = 40
"""Targets put between two poses to distinguish a long step from a jump."""

WEAK = 0.02
"""Curvature below this share of the path's median counts as near an algorithmic singularity."""


@dataclass(frozen=True, repr=False)
class Path:
    """Joint angles along a path of targets; the path axis comes first.

    `jumps` are the poses before which the joints had to jump, as no continuous motion of optima
    leads there. `curvature` is the smallest |eigenvalue| of the Hessian along the self-motion; where it
    vanishes the conditions (11) are singular although J is regular: an algorithmic singularity. It is
    NaN if limits leave no self-motion, and at poses not met. `regularity` is the smallest pivot of J
    relative to the largest. `qd` and `qdd` are the joint rates, if those of the targets were given: those
    of the branch and the held joints at each pose, one-sided where a limit is met or left.
    """

    q: Array
    converged: NDArray[np.bool_]
    kind: NDArray[Any]
    task_error: Array
    stationarity: Array
    value: Array
    held: NDArray[np.bool_]
    curvature: Array
    regularity: Array
    jumps: tuple[int, ...]
    qd: Array | None = None
    qdd: Array | None = None

    @in_words
    def __repr__(self) -> str:
        jumps = f", {len(self.jumps)} jump(s)" if self.jumps else ""
        return f"<Path: {int(self.converged.sum())} of {len(self.q)} poses solved{jumps}>"

    @in_words
    def _repr_html_(self) -> str:
        """Return what a notebook shows: the joints and the criterion along the path."""
        poses, names = np.arange(len(self.q)), [f"q{k}" for k in range(1, self.q.shape[-1] + 1)]
        joints = chart(poses, self.q, names, "pose", "q")
        value = chart(poses, self.value[:, None], ["criterion"], "pose", "value")
        return card("Path", repr(self)[len("<Path: ") : -1], joints, value, span_table(names, self.q))

    @cached_property
    @in_kind
    def algorithmic_singularities(self) -> tuple[int, ...]:
        """Poses next to an algorithmic singularity: curvature that all but vanishes, or jumps."""
        bend = self.curvature
        usual = np.nanmedian(bend) if np.isfinite(bend).any() else 0.0
        weak = np.flatnonzero(bend < WEAK * usual)
        return tuple(sorted({*weak.tolist(), *self.jumps}))

    @property
    @in_kind
    def largest_step(self) -> float:
        """Largest change of a joint from one pose to the next that converged."""
        return float(np.abs(np.diff(self.q[self.converged], axis=0)).max(initial=0.0))

    @np.errstate(**QUIET)
    def timed(
        self, conditions: Conditions, target: Array, velocity: Array | None, acceleration: Array | None
    ) -> Path:
        """Return the path with its joint rates, NaN at poses not met; itself without rates of the targets."""
        if velocity is None:
            return self
        points = Points.at(conditions, self.q, target, self.held.astype(float))
        qd, qdd = joint_motion(conditions, points, target, velocity, acceleration)
        lost = ~self.converged[:, None]
        return replace(
            self,
            qd=np.where(lost, np.nan, qd),
            qdd=None if qdd is None else np.where(lost, np.nan, qdd),
        )


def follow(
    robot: Robot,
    targets: ArrayLike,
    task: Any = "pose",
    criterion: Any = "manipulability",
    q0: ArrayLike | None = None,
    *,
    kind: str | None = None,
    limits: Any = True,
    starts: int = 16,
    velocity: ArrayLike | None = None,
    acceleration: ArrayLike | None = None,
) -> Path:
    """Return the continuous motion of optima along targets (t, ...), each met exactly.

    The first pose is solved as `solve` does, from `q0` or from `starts` starts. A window of poses is
    predicted by extrapolation and corrected by Newton's method as one batch; the part that stays on
    the branch (same kind, same held joints, no jump) is kept. If a limit is met or left, or the
    branch ends, the next pose is found as the first one was.

    Of a timed path, `velocity` and `acceleration` are those of the targets at each pose: the rows of the
    task (t, m), or twists (omega; v) in base axes and their time derivatives (t, 6) if the task turns. The
    path then has qd and qdd, exactly: they follow from the conditions, not from differences.

    Arrays may be of any kind, as those of `solve`; q has gradients by `targets` if PyTorch asks for them.

    >>> import numpy as np, closedform as cf
    >>> line = np.linspace([0.446, 0.0915], [0.446, -0.0085], 200)
    >>> path = cf.redundancy.follow(cf.load("chang3r"), line, task="xy", q0=np.deg2rad([-40, 141, 78]))
    >>> bool(path.converged.all()), path.jumps
    (True, ())
    >>> down = np.tile([0.0, -0.1], (200, 1))
    >>> timed = cf.redundancy.follow(cf.load("chang3r"), line, "xy", q0=path.q[0], velocity=down)
    >>> bool(np.allclose(timed.qd, np.gradient(path.q, 1.0 / 199, axis=0), atol=1e-3))
    True
    """
    arrays = kind_of("follow", targets, q0, limits, velocity, acceleration)
    if arrays is None or not arrays.followed(targets):
        return _follow(robot, targets, task, criterion, q0, kind, limits, starts, velocity, acceleration)
    loose = arrays.detached(targets)
    path: Path = _follow(robot, loose, task, criterion, q0, kind, limits, starts, velocity, acceleration)
    search = prepared(robot, task, criterion, kind, to_host(arrays, "follow", limits))
    q = attached(arrays, "follow", robot, search.conditions, targets, path.q, path.held, path.converged)
    return replace(path, q=q)


@in_kind
def _follow(
    robot: Robot,
    targets: ArrayLike,
    task: Any,
    criterion: Any,
    q0: ArrayLike | None,
    kind: str | None,
    limits: Any,
    starts: int,
    velocity: ArrayLike | None,
    acceleration: ArrayLike | None,
) -> Path:
    """Return the path of NumPy's arrays."""
    search = prepared(robot, task, criterion, kind, limits)
    if search.plain:
        raise ArgumentError(
            f"follow: {robot.name!r} is not redundant for this task; solve each pose with q0 of the last"
        )
    starts = whole_number("follow: starts", starts, 1, MOST_STARTS)
    c = search.conditions
    start = None if q0 is None else sized_array("follow: q0", q0, (c.n,))[None]
    x = read_path("follow", c, targets, 1)
    xd, xdd = (
        read_rates(c, name, given, len(x))
        for name, given in (("velocity", velocity), ("acceleration", acceleration))
    )
    if xdd is not None and xd is None:
        raise ArgumentError("follow: acceleration is given without velocity; give both")
    if xd is not None and robot.nq != robot.nv:
        raise ArgumentError(
            f"follow: {robot.name!r} has joints of several dofs; rates are for joints of one dof each"
        )
    return _Follower(search, x).run(start, starts).timed(c, x, xd, xdd)


class _Follower:
    """The state of following one path."""

    def __init__(self, search: Multistart, x: Array, between: bool = False) -> None:
        self.search, self.x, self.between = search, x, between
        n, count = search.conditions.n, len(x)
        self.q = np.full((count, n), np.nan)
        self.held = np.zeros((count, n))
        self.ok = np.zeros(count, dtype=bool)
        self.jumps: list[int] = []
        self.since = 0
        """First pose of the smooth stretch that extrapolation may use."""

    @np.errstate(**QUIET)
    def run(self, start: Array | None, starts: int) -> Path:
        """Return the path from where `start` (1, n) leads, or the best of some starts."""
        first = self.search.best(self.x[:1], start, starts)
        self.q[0], self.held[0], self.ok[0] = first.q[0], first.held[0], first.status[0] == SOLVED
        k, width = 0, 8
        while k < len(self.x) - 1:
            width = min(width, len(self.x) - 1 - k)
            kept = self._window(k, width) if self.ok[k] else 0
            if kept == 0:
                self._single(k)
                kept, width = 1, 8
            else:
                width = 2 * width if kept == width else max(kept, 8)
            k, width = k + kept, min(width, WIDEST)
        return self._path()

    def _window(self, k: int, width: int) -> int:
        """Correct the predicted poses after k and return how many stay on the branch."""
        c, bounds = self.search.conditions, self.search.bounds
        goals = self.x[k + 1 : k + 1 + width]
        held = np.repeat(self.held[k][None], width, axis=0)
        points = Points.at(c, self._predicted(k, width), goals, held)
        for _ in range(CORRECTIONS):
            dq = points.restore + step(points, 0.0)
            length = np.abs(dq).max(axis=-1)
            dq *= np.minimum(1.0, 0.5 / np.maximum(length, 1e-300))[:, None]
            points = Points.at(c, points.q + dq, goals, held)
            if length.max() < CLOSE:
                break
        kind = kinds(points, curvatures(points)[0], bounds.inwards(points.q))
        good = points.satisfied(0.1) & (length < CLOSE) & is_sought(kind, self.search.kind)
        good &= bounds.contain(points.q) & c.clear(points.q)
        change = np.abs(np.diff(points.q, axis=0, prepend=self.q[k][None])).max(axis=-1)
        good &= change < JUMP
        kept = int(np.argmin(good)) if not good.all() else width
        self.q[k + 1 : k + 1 + kept] = points.q[:kept]
        self.held[k + 1 : k + 1 + kept] = held[:kept]
        self.ok[k + 1 : k + 1 + kept] = True
        return kept

    def _predicted(self, k: int, width: int) -> Array:
        """Return q after pose k, extrapolated by a parabola or line through the last poses."""
        behind = k - self.since
        ahead = np.arange(1, width + 1)[:, None]
        q = self.q
        if behind >= 2:
            stride = min(behind // 2, max(width // 2, 1))
            s = ahead / stride
            one, two = q[k] - q[k - stride], q[k - stride] - q[k - 2 * stride]
            return np.asarray(q[k] + s * one + 0.5 * s * (s + 1) * (one - two))
        if behind == 1:
            return np.asarray(q[k] + ahead * (q[k] - q[k - 1]))
        return np.repeat(q[k][None], width, axis=0)

    def _single(self, k: int) -> None:
        """Search for pose k + 1, and see whether the motion to it is continuous."""
        self.since = k + 1
        known = np.flatnonzero(self.ok[: k + 1])
        last = int(known[-1]) if known.size else None
        start = None if last is None else self.q[last][None]
        answer = self.search.best(self.x[k + 1 : k + 2], start, 4)
        self.q[k + 1], self.held[k + 1] = answer.q[0], answer.held[0]
        self.ok[k + 1] = answer.status[0] == SOLVED
        if last is not None and self.ok[k + 1] and np.abs(self.q[k + 1] - self.q[last]).max() >= JUMP:
            self._bridge(last, k + 1)

    def _bridge(self, last: int, k: int) -> None:
        """See whether targets in between lead from one pose to the next without a jump, else note it."""
        if self.between:
            self.jumps.append(k)
            return
        goals = self.search.conditions.task.between(self.x[last], self.x[k], BRIDGE)
        inner = _Follower(self.search, goals, between=True)
        inner.run(self.q[last][None], 1)
        if inner.jumps or not inner.ok.all() or np.abs(inner.q[0] - self.q[last]).max() >= JUMP:
            self.jumps.append(k)
        else:
            self.q[k], self.held[k] = inner.q[-1], inner.held[-1]

    def _path(self) -> Path:
        points = Points.at(self.search.conditions, self.q, self.x, self.held)
        bends, _ = curvatures(points)
        kind = kinds(points, bends, self.search.bounds.inwards(self.q))
        bends = np.abs(bends)
        idle = bends <= NOTHING * FLAT * (1 + points.gradient)[:, None]
        bends = np.where(idle, np.nan, bends)  # of joints that neither task nor criterion depend on
        none = ~self.ok | np.isnan(bends).all(axis=-1)
        curvature = np.where(none, np.nan, np.nanmin(np.where(none[:, None], 0.0, bends), axis=-1))
        return Path(
            q=self.q,
            converged=self.ok,
            kind=KIND_NAMES[np.where(self.ok, kind, 0)],
            task_error=points.task_error,
            stationarity=points.stationarity,
            value=points.H,
            held=self.held > 0,
            curvature=curvature,
            regularity=points.regularity,
            jumps=tuple(self.jumps),
        )
