"""The one algebra of time derivatives: truncated series, Leibniz' rule, and a change of observer.

Every quantity here has components in the frame of a body, and its derivatives are those of these
components: what the body itself sees. A joint's screws then are at rest, and no derivative of
a rotation ever appears. A neighbour across the joint, which turns with w and moves with u against the
body, sees D = d/dt + v~ instead of d/dt, where v~ of the twist v = (w; u) acts on a vector as w x, on a
wrench (n; f) as (w x n + u x f; w x f) and on second moments as v~ Y + Y v~^T.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from math import comb
from typing import TypeVar

import casadi as ca
from casadi import SX

from .algebra import cross, skew

T = TypeVar("T")

LONG = 4
"""Terms of a series beyond which a change of observer costs less by the series of the transformation."""


@dataclass(frozen=True)
class Series:
    """A quantity and its time derivatives: Y, Y', Y'', ..."""

    terms: tuple[SX, ...]

    @classmethod
    def of(cls, terms: Iterable[SX]) -> Series:
        """Return the series of a quantity and its derivatives."""
        return cls(tuple(terms))

    @classmethod
    def constant(cls, value: SX, order: int) -> Series:
        """Return the series of a constant, with derivatives up to `order`."""
        return cls((value, *[SX(*value.shape)] * order))

    def __len__(self) -> int:
        return len(self.terms)

    def __iter__(self) -> Iterator[SX]:
        return iter(self.terms)

    def __getitem__(self, k: int) -> SX:
        return self.terms[k]

    def __add__(self, other: Series) -> Series:
        """Return the sum, with as many derivatives as both have."""
        return Series(tuple(a + b for a, b in zip(self, other, strict=False)))

    @property
    def rate(self) -> Series:
        """The time derivative, one term shorter."""
        return Series(self.terms[1:])

    def to(self, order: int) -> Series:
        """Return the series with derivatives up to `order` only."""
        return Series(self.terms[: order + 1])

    def map(self, linear: Callable[[SX], SX]) -> Series:
        """Return the series of a linear function that does not change with time."""
        return Series(tuple(linear(each) for each in self))


def leibniz(
    product: Callable[[SX, T], SX],
    a: Sequence[SX] | Series,
    b: Sequence[T],
    k: int,
    *,
    start: SX | None = None,
    shared: bool = False,
) -> SX:
    """Return the k-th derivative of a bilinear product: sum over j of comb(k, j) a^(j) b^(k - j).

    The sum is added to `start`. If a is `shared` by several products, its multiples are formed once.
    """
    total = product(a[0], b[k]) if start is None else start + product(a[0], b[k])
    for j in range(1, k + 1):
        factor = comb(k, j)
        total = total + (product(factor * a[j], b[k - j]) if shared else factor * product(a[j], b[k - j]))
    return total


def bilinear(product: Callable[[SX, SX], SX], a: Series, b: Series, *, shared: bool = False) -> Series:
    """Return the series of a bilinear product, with as many derivatives as both factors have."""
    count = min(len(a), len(b))
    return Series.of(leibniz(product, a, b.terms, k, shared=shared) for k in range(count))


def applied(A: SX, x: SX) -> SX:
    """Return A x, the bilinear product of matrices and vectors."""
    return A @ x


@dataclass
class Deferred:
    """Y + sum over k of v_k~ left_k + right_k v_k~^T: terms of one v_k are added, then multiplied by it."""

    value: SX
    left: dict[int, SX] = field(default_factory=dict)
    right: dict[int, SX] = field(default_factory=dict)

    def plus(self, Y: Sequence[SX], k: int, *, two_sided: bool = False) -> Deferred:
        """Return this sum with the k-th derivative of v~ Y (and of Y v~^T) added, by Leibniz' rule."""
        entry = Deferred(self.value, dict(self.left), dict(self.right))
        for side in (entry.left, entry.right) if two_sided else (entry.left,):
            for j in range(k + 1):
                factor = comb(k, j)
                term = Y[k - j] if factor == 1 else factor * Y[k - j]
                side[j] = side[j] + term if j in side else term
        return entry

    def evaluated(self, twists: Series) -> SX:
        """Return the sum."""
        total = self.value
        for k, Y in self.left.items():
            total = total + twists[k] @ Y
        for k, Y in self.right.items():
            total = total + Y @ twists[k].T
        return total


def across(seen: Sequence[Deferred], twists: Series, *, two_sided: bool = False) -> Series:
    """Return the derivatives that the neighbour across a joint sees, from those its body sees.

    The k-th is D^k Y with D = d/dt + v~; `twists` are the matrices v~ and their derivatives.
    """
    if len(seen) > LONG:
        return _transformed(Series.of(each.evaluated(twists) for each in seen), twists, two_sided)
    found = []
    entries = list(seen)
    while entries:
        values = [entry.evaluated(twists) for entry in entries[: max(1, len(entries) - 1)]]
        found.append(values[0])
        entries = [entry.plus(values, k, two_sided=two_sided) for k, entry in enumerate(entries[1:])]
    return Series.of(found)


def _transformed(seen: Series, twists: Series, two_sided: bool) -> Series:
    """Return T Y (or T Y T^T) with its derivatives, where T' = T v~ turns and moves with the joint."""
    T = [SX.eye(twists[0].size1())]
    for k in range(len(seen) - 1):
        T.append(leibniz(applied, T, twists.terms, k, shared=True))
    found = bilinear(applied, Series.of(T), seen, shared=True)
    return bilinear(lambda Y, T: Y @ T.T, found, Series.of(T)) if two_sided else found


def vector_across(vector: Series, w: Series) -> Series:
    """Return a vector as seen from across a joint that turns with w against the observer."""
    return across([Deferred(each) for each in vector], w.map(skew))


def vector_beyond(vector: Series, w: Series) -> Series:
    """Return a vector as the body that a joint carries sees it, from its parent's derivatives in body axes.

    The joint turns with w, whose derivatives are those that the body sees; its parent sees others.
    """
    turning = Series.of([*w.to(0), *vector_across(w.rate, w)])
    return vector_across(vector, turning.map(lambda each: -each))


def wrench_across(wrench: Series, twists: Series) -> Series:
    """Return wrenches (n; f) as seen from across a joint of `wrench_twists`."""
    return across([Deferred(each) for each in wrench], twists)


def wrench_twists(twists: Iterable[tuple[SX, SX]]) -> Series:
    """Return the matrices (w~ u~; 0 w~) of a twist (w, u) and its derivatives."""
    return Series.of(
        ca.vertcat(ca.horzcat(skew(w), skew(u)), ca.horzcat(SX(3, 3), skew(w))) for w, u in twists
    )


def twist_beyond(twist: Series, joint: Series) -> Series:
    """Return twists (w; v) as the body that a joint carries sees them; `vector_beyond` for twists."""
    return across([Deferred(each) for each in twist], _adjoint(_seen_before(joint).map(lambda each: -each)))


def wrench_beyond(wrench: Series, twist: Series) -> Series:
    """Return wrenches (n; f) as a body of that `twist` sees them; `vector_beyond` for wrenches."""
    back = ((-each[:3], -each[3:]) for each in _seen_before(twist))
    return across([Deferred(each) for each in wrench], wrench_twists(back))


def _seen_before(twist: Series) -> Series:
    """Return a twist with the derivatives that the observer sees against whom it moves."""
    return Series.of([*twist.to(0), *across([Deferred(each) for each in twist.rate], _adjoint(twist))])


def _adjoint(twist: Series) -> Series:
    """Return the matrices ad = (w~ 0; v~ w~) of twists (w; v)."""
    return wrench_twists((each[:3], each[3:]) for each in twist).map(lambda matrix: -matrix.T)


def at_rest_in_space(vector: SX, w: Series) -> Series:
    """Return the derivatives that a body of angular velocity w sees of a vector at rest: x' = -w x x."""
    found = [vector]
    for k in range(len(w)):
        found.append(-leibniz(cross, w, found, k))
    return Series.of(found)
