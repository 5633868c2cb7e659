"""What a user knows of the inertias: bounds of masses, their sum, and the symmetry of bodies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...arrays import Array
from ...checks import known_name, not_negative, positive, sized_array
from ...errors import ArgumentError, listed, shown
from ...model.inertia import NAMES

AXES = ("x", "y", "z")
PLANES = {"yz": "x", "xz": "y", "xy": "z"}
"""Planes of symmetry by their axes, and the axis across each."""

INSIDE = 0.1
"""How far from its bounds a mass starts, relative to their distance."""


@dataclass(frozen=True)
class KnownInertias:
    """Knowledge about the bodies of a robot, linear in phi: masses between bounds, their sum, symmetries.

    `lower` and `upper` are the bounds of the masses, `total` the sum of the masses of all bodies that
    move, `symmetries` say of a body x, y or z (no turn about that axis changes its inertia) or xy, xz or yz
    (nor does the mirror), axes and planes of the body's frame.
    """

    bodies: tuple[str, ...]
    lower: Array
    upper: Array
    total: float | None = None
    symmetries: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        bodies: Sequence[str],
        mass_bounds: Mapping[str, Sequence[float]] | None = None,
        total_mass: float | None = None,
        symmetric: Mapping[str, str] | None = None,
    ) -> KnownInertias:
        """Return what is known of some bodies, which must not contradict itself."""
        names = tuple(bodies)
        lower, upper = np.zeros(len(names)), np.full(len(names), np.inf)
        for name, given in _mapping("mass_bounds", mass_bounds, "(lowest, highest) in kg").items():
            i = names.index(known_name("body of mass_bounds", name, names))
            lower[i], upper[i] = _bounds(f"mass_bounds of {name!r}", given)
        total = None if total_mass is None else positive("total_mass", total_mass)
        symmetries = {}
        for name, given in _mapping("symmetric", symmetric, "an axis or a plane such as xz").items():
            known_name("body of symmetric", name, names)
            word = "".join(sorted(given.lower())) if isinstance(given, str) else ""
            if word not in (*AXES, *PLANES):
                raise ArgumentError(
                    f"symmetric of {name!r} is {shown(given)}; expected x, y or z, an axis about which "
                    "it may turn unseen, or xy, xz or yz, a mirror"
                )
            symmetries[name] = word
        known = cls(names, lower, upper, total, symmetries)
        known._check_masses()
        return known

    def __bool__(self) -> bool:
        """Whether anything is known."""
        bounded = bool(self.lower.any() or np.isfinite(self.upper).any())
        return bounded or self.total is not None or bool(self.symmetries)

    def _check_masses(self) -> None:
        """Refuse masses that no bodies can have, with the fewest that contradict each other."""
        if self.total is None:
            return
        fixed = bool((self.lower == self.upper).all())
        if fixed and abs(self.lower.sum() - self.total) <= 1e-9 * self.total:
            return
        order = np.argsort(-self.lower)
        enough = np.flatnonzero(np.cumsum(self.lower[order]) >= self.total)
        if len(enough):
            least = order[: enough[0] + 1]
            more = self.lower[least].sum() - self.total
            rest = f"{more:.4g} kg too much" if more > 0 else "which leaves no mass for the others"
            words = [f"{self.bodies[i]} at least {self.lower[i]:.4g} kg" for i in sorted(least)]
            raise ArgumentError(
                f"masses contradict each other: mass_bounds make {listed(words, 5)}, total_mass is "
                f"{self.total:.4g} kg, {rest}; lower a bound, or raise total_mass"
            )
        if np.isfinite(self.upper).all() and self.upper.sum() <= self.total:
            less = self.total - self.upper.sum()
            words = [
                f"{name} at most {most:.4g} kg" for name, most in zip(self.bodies, self.upper, strict=True)
            ]
            raise ArgumentError(
                f"masses contradict each other: mass_bounds make {listed(words, 5)}, total_mass is "
                f"{self.total:.4g} kg, {less:.4g} kg more than all of them; raise a bound, or lower "
                "total_mass"
            )

    def masses(self, guess: Array) -> Array:
        """Return masses near a guess, inside of all bounds, with the sum that is known."""
        width = np.where(np.isfinite(self.upper), self.upper - self.lower, np.maximum(self.lower, guess))
        m = np.clip(guess, self.lower + INSIDE * width, np.maximum(self.upper - INSIDE * width, self.lower))
        m = np.where(self.lower == self.upper, self.lower, np.maximum(m, self.lower + INSIDE * width))
        if self.total is None:
            return np.asarray(m)
        rest = self.total - m.sum()
        if rest < 0:
            spare = m - self.lower
            return np.asarray(m + spare * rest / max(spare.sum(), 1e-300))
        open_ = np.isinf(self.upper)
        spare = m * open_ if open_.any() else self.upper - m
        return np.asarray(m + spare * rest / max(spare.sum(), 1e-300))

    def symmetrised(self, phi: Array) -> Array:
        """Return parameters with what the symmetries forbid left out: the mean over all turns and mirrors."""
        phi = phi.reshape(-1, 10).copy()
        for name, word in self.symmetries.items():
            row = phi[self.bodies.index(name)]
            row[_vanishing(word)] = 0.0
            if word in AXES:
                across = [_index(a + a) for a in AXES if a != word]
                row[across] = row[across].mean()
        return np.asarray(phi.ravel())

    def inequalities(self) -> tuple[Array, Array]:
        """Return G and h of G phi >= h: the bounds of masses."""
        G, h = [], []
        for i in np.flatnonzero(self.lower < self.upper).tolist():
            row = self._mass(i)
            for sign, bound in ((1.0, self.lower[i]), (-1.0, self.upper[i])):
                if np.isfinite(bound) and bound > 0:
                    G.append(sign * row)
                    h.append(sign * bound)
        return np.reshape(G, (-1, 10 * len(self.bodies))), np.array(h)

    def equalities(self) -> tuple[Array, Array]:
        """Return C and c of C phi = c: symmetries, masses known exactly, and their sum."""
        C, c = [], []
        for i in np.flatnonzero(self.lower == self.upper).tolist():
            C.append(self._mass(i))
            c.append(self.lower[i])
        if self.total is not None:
            C.append(np.tile(np.eye(10)[9], len(self.bodies)))
            c.append(self.total)
        for name, word in self.symmetries.items():
            first = 10 * self.bodies.index(name)
            for k in _vanishing(word):
                C.append(np.eye(10 * len(self.bodies))[first + k])
                c.append(0.0)
            if word in AXES:
                one, other = (first + _index(a + a) for a in AXES if a != word)
                row = np.zeros(10 * len(self.bodies))
                row[one], row[other] = 1.0, -1.0
                C.append(row)
                c.append(0.0)
        return np.reshape(C, (-1, 10 * len(self.bodies))), np.array(c)

    def _mass(self, body: int) -> Array:
        row = np.zeros(10 * len(self.bodies))
        row[10 * body + 9] = 1.0
        return row


def _index(axes: str) -> int:
    return NAMES.index(axes.upper())


def _vanishing(word: str) -> list[int]:
    """Return the parameters that a symmetry makes zero: those of an odd power of a mirrored coordinate."""
    mirrored = [PLANES[word]] if word in PLANES else [axis for axis in AXES if axis != word]
    names = [name.lower().lstrip("m") for name in NAMES[:9]]
    return [k for k, name in enumerate(names) if any(name.count(axis) % 2 for axis in mirrored)]


def _mapping(name: str, given: Any, what: str) -> Mapping[str, Any]:
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise ArgumentError(f"{name} is {shown(given)}; expected a mapping of bodies to {what}")
    return given


def _bounds(name: str, given: Any) -> tuple[float, float]:
    """Return a lower and an upper bound of a mass; one number is both."""
    if isinstance(given, int | float) and not isinstance(given, bool):
        mass = positive(name, given)
        return mass, mass
    low, high = sized_array(name, given, (2,))
    not_negative(f"{name}, the lowest,", low)
    if not low <= high or high <= 0:
        raise ArgumentError(f"{name} is {shown(given)}; expected (lowest, highest) in kg, the lowest first")
    return float(low), float(high)
