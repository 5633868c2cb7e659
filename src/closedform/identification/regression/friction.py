"""Losses of the drives as columns of the regressor: rotors, viscous and dry friction, offsets."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ...arrays import Array
from ...checks import flag, number
from ...errors import ArgumentError, shown
from ..logs.signals import Signals
from ..logs.transmission import Axis, directions

KINDS = {
    "Ia": "rotor inertia",
    "fv": "viscous friction",
    "fc": "Coulomb friction",
    "fp": "presliding friction",
    "of": "offset",
}
"""Letters of the parameters of an axis, and what they stand for."""


@dataclass(frozen=True)
class FrictionTerms:
    """The friction terms of every axis: f = fv v + fc tanh(v / coulomb) + fp z + of, each part optional.

    `coulomb` is the speed over which dry friction changes sign (rad/s or m/s). z is the
    presliding state of Dahl's model, dz/dx = (1 - z sign(v)) / presliding [Dahl1968]: friction
    follows the displacement x after a reversal, within the length `presliding` (rad or m), and
    keeps its value at rest, where a function of speed would vanish. All parameters enter
    linearly.

    >>> FrictionTerms(coulomb=0.05).kinds
    ('fv', 'fc', 'of')
    """

    viscous: bool = True
    coulomb: float | None = 0.01
    presliding: float | None = None
    offset: bool = True

    def __post_init__(self) -> None:
        for name in ("coulomb", "presliding"):
            given = getattr(self, name)
            if given is None:
                continue
            value = number(f"friction: {name} (or None)", given)
            if not 1e-12 <= value <= 1e12:
                raise ArgumentError(
                    f"friction: {name} is {shown(given)}; expected a number from 1e-12 to 1e12, or None"
                )
            object.__setattr__(self, name, value)
        for name in ("viscous", "offset"):
            object.__setattr__(self, name, flag(f"friction: {name}", getattr(self, name)))

    @property
    def kinds(self) -> tuple[str, ...]:
        """Letters of the parameters that the model has."""
        has = {
            "fv": self.viscous,
            "fc": self.coulomb is not None,
            "fp": self.presliding is not None,
            "of": self.offset,
        }
        return tuple(kind for kind, there in has.items() if there)

    def __str__(self) -> str:
        parts = {
            "fv": "viscous",
            "fc": f"Coulomb over {self.coulomb or 0:g} rad/s",
            "fp": f"presliding over {self.presliding or 0:g} rad",
            "of": "offset",
        }
        return ", ".join(parts[kind] for kind in self.kinds) or "none"


NO_FRICTION = FrictionTerms(viscous=False, coulomb=None, presliding=None, offset=False)


@dataclass(frozen=True)
class Term:
    """One column before it is laid out on the joints: a function of the motion of one axis."""

    kind: str
    axis: int
    value: float | None = None

    def name(self, axes: tuple[Axis, ...]) -> str:
        """Return the name of the parameter, such as fv3, or fcm6 of a coupled motor."""
        return f"{self.kind}{axes[self.axis].label}"


def terms(axes: tuple[Axis, ...], friction: FrictionTerms, rotors: bool) -> tuple[Term, ...]:
    """Return the terms of a model, kind by kind; a coupled motor has no offset of its own."""
    widths = {"fc": friction.coulomb, "fp": friction.presliding}
    kinds = (*(("Ia",) if rotors else ()), *friction.kinds)
    return tuple(
        Term(kind, a, widths.get(kind))
        for kind in kinds
        for a, axis in enumerate(axes)
        if not (kind == "of" and axis.label.startswith("m"))
    )


def term_columns(wanted: tuple[Term, ...], axes: tuple[Axis, ...], signals: Signals) -> Iterator[Array]:
    """Yield the column of each term over the samples of a motion."""
    D = directions(axes)
    v, a, x = signals.qd @ D.T, signals.qdd @ D.T, signals.fine @ D.T
    states: dict[float, Array] = {}
    for term in wanted:
        if term.kind == "Ia":
            yield a[:, term.axis]
        elif term.kind == "fv":
            yield v[:, term.axis]
        elif term.kind == "of":
            yield np.ones(len(v))
        elif term.kind == "fc":
            yield np.tanh(v[:, term.axis] / float(term.value or 1.0))
        else:
            length = float(term.value or 0)
            if length not in states:
                states[length] = presliding(x, length)
            yield states[length][:, term.axis]


def presliding(x: Array, length: float) -> Array:
    """Return the state z of Dahl's friction along the displacement x (samples, axes), from z = 0.

    Between samples the direction is constant and dz/dx = (1 - z sign(dx)) / length integrates
    to z <- s + (z - s) exp(-|dx| / length), s = sign(dx) [Dahl1968]: it depends on the path
    only, not on its speed.

    >>> presliding(np.array([[0.0], [1.0], [1.0], [0.9], [-1.0]]), 0.1).round(3).T
    array([[ 0.   ,  1.   ,  1.   , -0.264, -1.   ]])
    """
    step = np.diff(x, axis=0, prepend=x[:1])
    decay = np.exp(-np.abs(step) / length)
    return _recurrence(decay, np.sign(step) * (1 - decay))


def _recurrence(a: Array, b: Array) -> Array:
    """Return z of z_k = a_k z_{k-1} + b_k, by doubling: log2(n) passes over whole arrays."""
    a, b, reach = a.copy(), b.copy(), 1
    while reach < len(a):
        b[reach:] += a[reach:] * b[:-reach]
        a[reach:] *= a[:-reach].copy()
        reach *= 2
    return b
