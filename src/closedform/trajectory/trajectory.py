"""What every trajectory is: coordinates as a function of time, with exact derivatives of any order."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Array
from ..chart import chart
from ..checks import (
    LARGEST,
    batch_array,
    finite,
    finite_array,
    flag,
    not_negative,
    one_each,
    real_array,
    whole_number,
)
from ..display import card, html_table
from ..errors import ArgumentError, shown
from ..guests import Kind, kind_of, own

SHORTEST, LONGEST = 1e-9, 1e9
"""Seconds of a motion: within these its powers, which polynomials take, stay far from overflow."""

HIGHEST_ORDER = 100
"""Highest derivative that may be asked for."""

NAMES = ("position", "velocity", "acceleration", "jerk", "snap")


def derivative_name(order: int) -> str:
    """Return what a derivative is called, such as "derivative 3 (jerk)"."""
    return f"derivative {order} ({NAMES[order]})" if order < len(NAMES) else f"derivative {order}"


class Jump(NamedTuple):
    """A derivative that jumps: where, in which coordinate (counted from 0), by how much."""

    time: float
    dof: int
    size: float


class Trajectory(ABC):
    """A motion q(t) of `dofs` coordinates over 0 <= t <= `duration` seconds.

    Called with instants of any shape it returns the derivative of the asked order, with one more
    axis for the coordinates. Before the start and after the end the motion holds still at its end
    values, so derivatives are zero there. A NaN instant gives NaN in its own sample.

    >>> import closedform as cf
    >>> motion = cf.trajectory.polynomial([0.0, 1.0], [1.0, -1.0], duration=2.0)
    >>> motion(1.0)
    array([0.5, 0. ])
    >>> q, qd, qdd = motion.derivatives([0.0, 0.5, 1.0], 2)
    >>> qd.shape
    (3, 2)
    """

    duration: float
    """Seconds from start to end."""
    dofs: int
    """Number of coordinates."""
    smoothness: float
    """The highest derivative that is continuous over the duration; `math.inf` when all are."""

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self._facts}>"

    @property
    def _facts(self) -> str:
        smooth = "all derivatives" if math.isinf(self.smoothness) else f"{self.smoothness:g} derivative(s)"
        return f"{self.duration:g} s, {self.dofs} coordinate(s), {smooth} continuous"

    def _repr_html_(self) -> str:
        """Return what a notebook shows: coordinates and velocities over time, start and end."""
        t = np.linspace(0.0, self.duration, 121)
        q, qd = (np.asarray(each) for each in self.derivatives(t, 1))
        names = [f"q{k}" for k in range(1, self.dofs + 1)]
        table = html_table(["", "start", "end"], list(zip(names, q[0], q[-1], strict=True)))
        charts = [chart(t, q, names, "t [s]", "q"), chart(t, qd, names, "t [s]", "qd")]
        return card(type(self).__name__, self._facts, *charts, table)

    @abstractmethod
    def _rates(self, t: Any, orders: range, kind: Kind | None = None) -> list[Any]:
        """Return the derivatives of these orders at instants within the duration, in the kind of t."""

    def _jump(self, order: int) -> Jump | None:
        """Return the largest jump of a derivative, None if it has none."""
        return None

    def __call__(self, t: ArrayLike, order: int = 0) -> Array:
        """Return the derivative of that order at the instants t: shape t.shape + (dofs,)."""
        order = whole_number("trajectory: order", order, 0, HIGHEST_ORDER)
        return self._evaluate(t, range(order, order + 1))[0]

    def derivatives(self, t: ArrayLike, order: int) -> tuple[Array, ...]:
        """Return (q, qd, ..., the derivative of that order) at the instants t."""
        order = whole_number("trajectory: order", order, 0, HIGHEST_ORDER)
        return tuple(self._evaluate(t, range(order + 1)))

    def _evaluate(self, given: ArrayLike, orders: range) -> list[Array]:
        if orders[-1] - 1 > self.smoothness:
            self.check_order(orders[-1])
        kind = kind_of("trajectory", given)
        if kind is not None:
            return self._evaluate_in(kind, given, orders)
        t = real_array("trajectory: t", given)
        try:
            with np.errstate(over="raise", divide="raise", invalid="raise"):
                values = self._rates(np.clip(t, 0.0, self.duration), orders)
        except FloatingPointError:
            raise ArgumentError(
                f"trajectory: {derivative_name(orders[-1])} is beyond double precision somewhere; "
                "ask for a lower order, or plan the motion in other units"
            ) from None
        still, lost = (t < 0.0) | (t > self.duration), np.isnan(t)
        if still.any() or lost.any():
            for order, value in zip(orders, values, strict=True):
                if order:
                    value[still] = 0.0
                value[lost] = np.nan
        return values

    def _evaluate_in(self, kind: Kind, t: Any, orders: range) -> list[Any]:
        """Return derivatives at instants of another kind; their gradients by t are the next derivatives."""
        xp, T = kind.xp, self.duration
        start, end = own(kind, np.zeros(())), own(kind, np.array(T))
        before, after = (t < 0.0)[..., None], (t > T)[..., None]
        inside = xp.where(before[..., 0], start, xp.where(after[..., 0], end, t))
        values = self._rates(inside, orders, kind)
        lost = xp.where(xp.isnan(t), t, start)[..., None]
        return [
            (value if not order else xp.where(before | after, start, value)) + lost
            for order, value in zip(orders, values, strict=True)
        ]

    def check_order(self, order: int, *, continuous: bool = False) -> None:
        """Refuse an order whose derivative does not exist everywhere (or, if asked, is not continuous).

        At a jump of derivative k, derivative k + 1 would be an impulse, which is not a number.
        """
        order = whole_number("trajectory: order", order, 0, HIGHEST_ORDER)
        first = order if flag("check_order: continuous", continuous) else order - 1
        if first <= self.smoothness:
            return
        jumping = int(self.smoothness) + 1
        jump = self._jump(jumping)
        if jump is None:
            return
        wanted = f"{derivative_name(order)} is {'not continuous' if continuous else 'an impulse there'}"
        raise ArgumentError(
            f"trajectory is not smooth enough: {derivative_name(jumping)} of coordinate {jump.dof} (from 0) "
            f"jumps by {jump.size:.6g} at t = {jump.time:.6g} s, so {wanted}; use a smoother trajectory, "
            "such as a polynomial or spline of higher degree or a profile with a snap limit"
        )

    def check_start(self, *state: ArrayLike, tolerance: float = 1e-9) -> None:
        """Refuse a start state (q, qd, ...) that is off the trajectory by more than the tolerance."""
        tolerance = not_negative("start state: tolerance", tolerance)
        for order, (given, wanted) in enumerate(
            zip(state, self.derivatives(0.0, max(len(state) - 1, 0)), strict=False)
        ):
            value = batch_array(f"start state: {derivative_name(order)}", given, self.dofs)
            off = np.abs(np.clip(value, -LARGEST, LARGEST) - wanted)
            if not (off <= tolerance * np.maximum(1.0, np.abs(wanted))).all():
                dof = int(np.argmax(np.where(np.isnan(off), np.inf, off).reshape(-1, self.dofs).max(axis=0)))
                furthest = off.reshape(-1, self.dofs)[:, dof].max()
                raise ArgumentError(
                    f"start state is off the trajectory: {derivative_name(order)} of coordinate {dof} "
                    f"(from 0) differs by {furthest:.6g} from the trajectory's {wanted[dof]:.6g}; "
                    "start on the trajectory, or plan it from this state"
                )


def at_most(kind: Kind | None, x: Any, most: Any) -> Any:
    """Return the smaller of both; where they are equal, x has the whole gradient."""
    return np.minimum(x, most) if kind is None else kind.xp.where(x > most, most, x)


def require_trajectory(name: str, given: Any, joints: Sequence[str] | None = None) -> None:
    """Refuse what is not a trajectory, or one that does not have a coordinate for each of the joints."""
    if not isinstance(given, Trajectory):
        raise ArgumentError(f"{name}: trajectory is {shown(given)}; expected one of closedform.trajectory")
    if joints is not None and given.dofs != len(joints):
        raise ArgumentError(
            f"{name}: trajectory of {given.dofs} coordinates; expected {len(joints)} ({', '.join(joints)})"
        )


def coordinates(name: str, given: Any, dofs: int | None = None) -> Array:
    """Return finite coordinates as a vector; one number is one coordinate, or the same for all `dofs`."""
    if dofs is not None:
        return finite(name, one_each(name, given, dofs))
    array = np.atleast_1d(finite_array(name, given))
    if array.ndim != 1 or array.size == 0:
        raise ArgumentError(f"{name} has shape {array.shape}; expected a vector")
    return array


def rates_at(name: str, given: Any, most: int, dofs: int) -> list[Array]:
    """Return the derivatives 1 to `most` at an end, zero if they are not given."""
    if not isinstance(given, tuple | list | np.ndarray) or (isinstance(given, np.ndarray) and not given.ndim):
        raise ArgumentError(f"{name} is {shown(given)}; expected (qd, qdd, ...)")
    if len(given) > most:
        raise ArgumentError(
            f"{name}: {len(given)} derivatives given; this degree takes at most {most}, up to "
            f"{derivative_name(most)}; choose a higher degree"
        )
    rates = [coordinates(f"{name}[{i}]", rate, dofs) for i, rate in enumerate(given)]
    return [*rates, *[np.zeros(dofs)] * (most - len(rates))]


def limits(name: str, given: Any, dofs: int) -> Array:
    """Return positive limits, one per coordinate; one number holds for all, inf means no limit."""
    array = one_each(f"{name} limit", given, dofs)
    bad = np.flatnonzero(~(array >= 1 / LARGEST))
    if bad.size:
        raise ArgumentError(
            f"{name} limit {array[bad[0]]:g} of coordinate {bad[0]} (from 0) cannot be met; "
            "expected a positive number, or inf for no limit"
        )
    return array


def seconds(name: str, given: Any) -> float:
    """Return a positive time that a motion can take."""
    array = real_array(name, given)
    if array.shape != () or not SHORTEST <= array <= LONGEST:
        raise ArgumentError(
            f"{name} is {shown(given)}; expected a positive number of seconds, {SHORTEST:g} to {LONGEST:g}"
        )
    return float(array)


def instants(name: str, given: ArrayLike) -> Array:
    """Return at least two finite, strictly increasing instants."""
    t = real_array(name, given)
    if t.ndim != 1 or t.size < 2:
        raise ArgumentError(f"{name} has shape {t.shape}; expected a vector of at least two instants")
    bad = np.flatnonzero(np.diff(finite(name, t)) <= 0)
    if bad.size:
        i = int(bad[0])
        kind = "repeats" if t[i] == t[i + 1] else "decreases"
        raise ArgumentError(
            f"{name} {kind} at entry {i + 1} (from 0): {t[i + 1]:.9g} s after {t[i]:.9g} s; "
            "expected strictly increasing instants: sort them, and drop repeated ones"
        )
    if np.diff(t).min() < SHORTEST or t[-1] - t[0] > LONGEST:
        raise ArgumentError(
            f"{name} has steps from {np.diff(t).min():.3g} s over {t[-1] - t[0]:.3g} s in all; expected "
            f"steps of at least {SHORTEST:g} s and at most {LONGEST:g} s in all: give seconds"
        )
    return t
