"""A trajectory run through at another speed: uniform, or varying along the way."""

from __future__ import annotations

from math import factorial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Array
from ..checks import instance, positive, real_array
from ..errors import ArgumentError
from ..guests import Kind, in_kind, own
from .piecewise import PiecewisePolynomial
from .trajectory import Jump, Trajectory, at_most, require_trajectory, seconds

NODES, WEIGHTS = np.polynomial.legendre.leggauss(24)
NODES, WEIGHTS = (NODES + 1) / 2, WEIGHTS / 2


class Stretched(Trajectory):
    """The motion q(t / factor): derivative k is smaller by factor^k."""

    def __init__(self, base: Trajectory, factor: float) -> None:
        require_trajectory("stretch", base)
        self.base, self.factor = base, positive("stretch: factor", factor)
        seconds("stretch: the duration after stretching", base.duration * self.factor)
        self.duration, self.dofs, self.smoothness = base.duration * factor, base.dofs, base.smoothness

    def _rates(self, t: Any, orders: range, kind: Kind | None = None) -> list[Any]:
        inside = at_most(kind, t / self.factor, own(kind, np.array(self.base.duration)))
        values = self.base._rates(inside, orders, kind)
        return [value / self.factor**order for order, value in zip(orders, values, strict=True)]

    def _jump(self, order: int) -> Jump | None:
        jump = self.base._jump(order)
        return jump and Jump(jump.time * self.factor, jump.dof, jump.size / self.factor**order)


def stretch(trajectory: Trajectory, factor: float) -> Stretched:
    """Return the trajectory slowed down by a factor; its duration grows by that factor.

    >>> import closedform as cf
    >>> motion = cf.trajectory.stretch(cf.trajectory.polynomial(0.0, 1.0, duration=1.0), 2.0)
    >>> motion.duration, motion(1.0)
    (2.0, array([0.5]))
    """
    return Stretched(trajectory, factor)


class Paced(Trajectory):
    """The motion q(s(t)) along a trajectory q(s), with pace ds/dt = sqrt(z(s)).

    `squared` holds z > 0, a scalar spline over the duration of q(s). The instants follow from
    t(s) = int ds / sqrt(z) by Gauss quadrature; derivatives to any order are exact, by Taylor
    series through ds/dt = sqrt(z(s)).
    """

    def __init__(self, base: Trajectory, squared: PiecewisePolynomial) -> None:
        require_trajectory("Paced", base)
        instance("Paced: squared", squared, PiecewisePolynomial)
        if squared.dofs != 1 or squared.duration != base.duration or len(squared.breaks) != 1:
            raise ArgumentError(
                "Paced: squared should be one coordinate over the duration of the trajectory; "
                f"it has {squared.dofs} over {squared.duration:g} s instead of {base.duration:g} s"
            )
        if not squared.extremes()[0][0] > 0:
            raise ArgumentError("Paced: squared is not positive everywhere; the pace is its square root")
        self.base, self.squared = base, squared
        self.dofs = base.dofs
        # a pace that is C^k along s makes s(t), and so q, C^(k+1) in time
        self.smoothness = min(base.smoothness, squared.smoothness + 1)
        self.nodes = squared.breaks[0]
        spent = self._spent(self.nodes[:-1], self.nodes[1:])
        self.times = np.concatenate([[0.0], np.cumsum(spent)])
        self.duration = float(self.times[-1])

    def _spent(self, s0: Array, s1: Array) -> Array:
        """Return the time from s0 to s1, both within one piece."""
        s = s0[..., None] + (s1 - s0)[..., None] * NODES
        spent: Array = (s1 - s0) * (WEIGHTS / np.sqrt(self.squared(s)[..., 0])).sum(axis=-1)
        return spent

    @in_kind
    def progress(self, t: ArrayLike) -> Array:
        """Return s(t), at the ends outside the duration."""
        t = np.clip(real_array("Paced: t", t), 0.0, self.duration)
        i = np.searchsorted(self.times[1:-1], t, side="right")
        s0, s1, left = self.nodes[i], self.nodes[i + 1], t - self.times[i]
        s: Array = s0 + (s1 - s0) * left / (self.times[i + 1] - self.times[i])
        for _ in range(8):
            step = (self._spent(s0, s) - left) * np.sqrt(self.squared(s)[..., 0])
            s = np.minimum(np.maximum(s - step, s0), s1)
            if not (np.abs(step) > 1e-15 * self.nodes[-1]).any():
                break
        return s

    @in_kind
    def instants(self, s: ArrayLike) -> Array:
        """Return t(s), at the ends outside the path."""
        s = np.clip(real_array("Paced: s", s), 0.0, self.nodes[-1])
        i = np.searchsorted(self.nodes[1:-1], s, side="right")
        return self.times[i] + self._spent(self.nodes[i], s)

    def _rates(self, t: Any, orders: range, kind: Kind | None = None) -> list[Any]:
        if kind is None:
            return self._along(self.progress(t), orders)
        found = self._along(self.progress(kind.host("trajectory (paced)", t)), orders)
        return [kind.array(each) for each in found]

    def _along(self, s: Array, orders: range) -> list[Array]:
        """Return the time derivatives at the instant when the motion reaches s."""
        order = orders[-1]
        outer = [
            rate[..., 0] / factorial(k) for k, rate in enumerate(self.squared._rates(s, range(order + 1)))
        ]
        taylor = np.zeros((order + 1, *s.shape))  # coefficients of s(t + h) - s(t)
        for n in range(order):
            taylor[n + 1] = _root(_composed(outer, taylor, n), n)[n] / (n + 1)
        path = [rate / factorial(k) for k, rate in enumerate(self.base._rates(s, range(order + 1)))]
        motion = _composed(path, taylor[..., None], order)
        return [motion[k] * factorial(k) for k in orders]

    def _jump(self, order: int) -> Jump | None:
        if order == self.base.smoothness + 1:
            jump = self.base._jump(order)
            if jump is None:
                return None
            pace = np.sqrt(self.squared(jump.time)[0])
            return Jump(float(self.instants(np.asarray(jump.time))), jump.dof, float(jump.size * pace**order))
        inner = self.nodes[1:-1]
        after, before = (
            self._along(s, range(order, order + 1))[0] for s in (inner, np.nextafter(inner, 0.0))
        )
        sizes = after - before
        if not np.abs(sizes).max(initial=0.0) > 0:
            return None
        i, dof = np.unravel_index(int(np.argmax(np.abs(sizes))), sizes.shape)
        return Jump(float(self.times[i + 1]), int(dof), float(sizes[i, dof]))


def _composed(outer: list[Array], inner: Array, order: int) -> list[Array]:
    """Return the Taylor coefficients of f(s(t)) up to `order` from those of f and of s(t) - s(0)."""
    result = [outer[0], *[np.zeros(np.broadcast_shapes(outer[0].shape, inner.shape[1:]))] * order]
    power = [np.ones(inner.shape[1:]), *[np.zeros(inner.shape[1:])] * order]
    for m in range(1, order + 1):
        power = [_coefficient(power, inner, n) for n in range(order + 1)]
        result = [value + outer[m] * power[n] for n, value in enumerate(result)]
    return result


def _coefficient(a: list[Array], b: Array, n: int) -> Array:
    """Return Taylor coefficient n of a product."""
    total: Array = sum((a[i] * b[n - i] for i in range(n + 1)), start=np.zeros_like(b[0]))
    return total


def _root(z: list[Array], order: int) -> list[Array]:
    """Return the Taylor coefficients of the square root of z."""
    r = [np.sqrt(z[0])]
    for n in range(1, order + 1):
        crossed = sum((r[i] * r[n - i] for i in range(1, n)), start=np.zeros_like(z[0]))
        r.append((z[n] - crossed) / (2 * r[0]))
    return r
