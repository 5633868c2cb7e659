"""What drives take as columns of the regressor: rotors, friction of many kinds, springs, offsets."""

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
    "fs": "Stribeck friction",
    "fa": "viscous friction that differs by direction",
    "fl": "friction in proportion to the load",
    "of": "offset",
    "k": "stiffness of a spring",
}
"""Letters of the parameters of an axis, and what they stand for."""

LINK_SIDE = ("k",)
"""Kinds whose torques act between the links, so that gears transmit them; friction is lost in the drives."""

SHARP = 0.01
"""Speed (rad/s or m/s) over which friction by load changes sign, unless presliding decides."""


@dataclass(frozen=True)
class FrictionTerms:
    """The friction terms of every axis, each optional and linear in its parameter.

    f = fv v + fc tanh(v / coulomb) + fp z + fs (v / stribeck) sqrt(2 e) exp(-(v / stribeck)^2)
    + fa |v| + fl |load| s + of.

    `coulomb` is the speed over which dry friction changes sign (rad/s or m/s). z is the
    presliding state of Dahl's model, dz/dx = (1 - z sign(v)) / presliding [Dahl1968]: friction
    follows the displacement x after a reversal, within the length `presliding` (rad or m), and
    keeps its value at rest, where a function of speed would vanish. `stribeck` is the speed around
    which friction is higher than at speed [ArmstrongDupontCanudas1994]; its peak, at 0.71 `stribeck`,
    is fs. `asymmetric` friction has the viscous value fv + fa forwards and fv - fa backwards; Coulomb
    values that differ by direction are fc and the offset. With `load`, gears lose a part fl of the
    torque that they transmit to the links, with s the presliding state or the sign of v
    [HamonGautierGarrec2011].

    >>> FrictionTerms(coulomb=0.05).kinds
    ('fv', 'fc', 'of')
    """

    viscous: bool = True
    coulomb: float | None = 0.01
    presliding: float | None = None
    offset: bool = True
    stribeck: float | None = None
    asymmetric: bool = False
    load: bool = False

    def __post_init__(self) -> None:
        for name in ("coulomb", "presliding", "stribeck"):
            given = getattr(self, name)
            if given is None:
                continue
            value = number(f"friction: {name} (or None)", given)
            if not 1e-12 <= value <= 1e12:
                raise ArgumentError(
                    f"friction: {name} is {shown(given)}; expected a number from 1e-12 to 1e12, or None"
                )
            object.__setattr__(self, name, value)
        for name in ("viscous", "offset", "asymmetric", "load"):
            object.__setattr__(self, name, flag(f"friction: {name}", getattr(self, name)))

    @property
    def kinds(self) -> tuple[str, ...]:
        """Letters of the parameters that the model has."""
        has = {
            "fv": self.viscous,
            "fc": self.coulomb is not None,
            "fp": self.presliding is not None,
            "fs": self.stribeck is not None,
            "fa": self.asymmetric,
            "fl": self.load,
            "of": self.offset,
        }
        return tuple(kind for kind, there in has.items() if there)

    def __str__(self) -> str:
        parts = {
            "fv": "viscous",
            "fc": f"Coulomb over {self.coulomb or 0:g} rad/s",
            "fp": f"presliding over {self.presliding or 0:g} rad",
            "fs": f"Stribeck around {self.stribeck or 0:g} rad/s",
            "fa": "asymmetric",
            "fl": "by load",
            "of": "offset",
        }
        return ", ".join(parts[kind] for kind in self.kinds) or "none"

    def term(self, kind: str, axis: int) -> Term:
        """Return the term of one kind on an axis."""
        if kind == "fl" and self.presliding is not None:
            return Term(kind, axis, self.presliding, path=True)
        widths = {
            "fc": self.coulomb,
            "fp": self.presliding,
            "fs": self.stribeck,
            "fl": SHARP,
        }
        return Term(kind, axis, widths.get(kind), path=kind == "fp")


NO_FRICTION = FrictionTerms(viscous=False, coulomb=None, presliding=None, offset=False)


@dataclass(frozen=True)
class Term:
    """One column before it is laid out on the joints: a function of the motion of one axis.

    `value` is the speed over which it changes, or with `path` the length.
    """

    kind: str
    axis: int
    value: float | None = None
    path: bool = False

    def name(self, axes: tuple[Axis, ...]) -> str:
        """Return the name of the parameter, such as fv3, or fcm6 of a coupled motor."""
        return f"{self.kind}{axes[self.axis].label}"


def terms(
    axes: tuple[Axis, ...], friction: FrictionTerms, rotors: bool, springs: tuple[int, ...] = ()
) -> tuple[Term, ...]:
    """Return the terms of a model, kind by kind; a coupled motor has no offset and no load of its own.

    `springs` are the joints with springs; they have offsets too, from which the rests of the springs follow.
    """
    found = []
    for kind in (*(("Ia",) if rotors else ()), *friction.kinds):
        found += [friction.term(kind, a) for a, axis in enumerate(axes) if axis.takes(kind)]
    if not friction.offset:
        found += [Term("of", a) for a in springs]
    return (*found, *(Term("k", a) for a in springs))


@dataclass(frozen=True)
class AxisMotion:
    """The motion of the axes (samples, axes): coordinates, speeds, accelerations, and `fine` coordinates."""

    q: Array
    v: Array
    a: Array
    fine: Array


def axis_motion(axes: tuple[Axis, ...], signals: Signals) -> AxisMotion:
    """Return the motion of axes that are directions of the joints."""
    D = directions(axes).T
    return AxisMotion(signals.q @ D, signals.qd @ D, signals.qdd @ D, signals.fine @ D)


def term_columns(wanted: tuple[Term, ...], motion: AxisMotion) -> Iterator[Array]:
    """Yield the column of each term over the samples of a motion; of friction by load only its sign s."""
    q, v, a, x = motion.q, motion.v, motion.a, motion.fine
    states: dict[float, Array] = {}
    for term in wanted:
        speed, width = v[:, term.axis], float(term.value or 1.0)
        if term.path:
            if width not in states:
                states[width] = presliding(x, width)
            yield states[width][:, term.axis]
        elif term.kind in ("fc", "fl"):
            yield np.tanh(speed / width)
        elif term.kind == "fs":
            yield stribeck_curve(speed / width)
        else:
            plain = {"Ia": a, "fv": v, "k": q}
            if term.kind in plain:
                yield plain[term.kind][:, term.axis]
            else:
                yield np.abs(speed) if term.kind == "fa" else np.ones(len(v))


def stribeck_curve(r: Array) -> Array:
    """Return sqrt(2 e) r exp(-r^2), which has the peaks 1 and -1 at r = 1/sqrt(2) and -1/sqrt(2)."""
    return np.asarray(np.sqrt(2 * np.e) * r * np.exp(-(r**2)))


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
