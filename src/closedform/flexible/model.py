"""The model of an arm: links, modes, payload, gravity, damping, and the constants of its equations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from casadi import SX
from numpy.typing import NDArray

from .link import FlexibleLink
from .modes import Modes
from .payload import Payload

KINDS = ("geometry", "gravity", "inertia", "stiffness", "damping")
"""Kinds of constants; the equations of motion are linear in the last three."""

LINEAR = KINDS[2:]

Make = Callable[[str, float, str], SX]
"""How a constant enters an expression, from its name, value and kind: as a number or a symbol."""


@dataclass(frozen=True)
class LinkConstants:
    """Constants of one link: l, phi_e, phi'_e, its hub, and (24) of [DeLucaSiciliano1991] with m d for d."""

    length: SX
    tips: list[SX]
    slopes: list[SX]
    mass: SX
    first_moment: SX
    inertia: SX
    v: list[SX]
    w: list[SX]
    z: list[list[SX]]
    k: list[SX]
    hub_mass: SX
    hub_inertia: SX


@dataclass(frozen=True)
class Constants:
    """Constants of an arm: those of its links, its payload, gravity and the damping of each coordinate.

    The payload's inertia and first moment are those about the tip. `named` has all by name.
    """

    links: list[LinkConstants]
    payload_mass: SX
    payload_inertia: SX
    payload_moment: tuple[SX, SX]
    gravity: tuple[SX, SX]
    damping: list[SX]
    named: dict[str, SX]


@dataclass(frozen=True)
class NamedConstant:
    """A constant by name, such as m1, z112 or phi21: its value, its kind and its symbol."""

    name: str
    value: float
    kind: str
    symbol: SX


@dataclass(frozen=True, eq=False)
class ArmModel:
    """What the equations of an arm are built from: links and their modes, payload, gravity, damping.

    `exact` keeps the products of deflections that the kinematics of [DeLucaSiciliano1991,
    Eqs. (1)-(7)] makes; otherwise the inertia matrix is of first order in them, as in the paper.
    """

    links: tuple[FlexibleLink, ...]
    modes: tuple[Modes, ...]
    payload: Payload
    gravity: tuple[float, float]
    damping: NDArray[np.float64]
    exact: bool = False
    name: str = "flexible_arm"

    @property
    def joints(self) -> int:
        """Number of joints, n."""
        return len(self.links)

    @property
    def size(self) -> int:
        """Number of coordinates, N."""
        return self.joints + sum(len(modes) for modes in self.modes)

    @property
    def parts(self) -> list[slice]:
        """Where the modes of each link are among the coordinates."""
        ends = np.cumsum([self.joints, *(len(modes) for modes in self.modes)])
        return [slice(int(a), int(b)) for a, b in pairwise(ends)]

    @property
    def coordinate_names(self) -> tuple[str, ...]:
        """Names of the coordinates: theta1, ..., then delta11, ... by link and mode."""
        angles = [f"theta{i + 1}" for i in range(self.joints)]
        return (*angles, *(f"delta{i + 1}{j + 1}" for i, m in enumerate(self.modes) for j in range(len(m))))

    def constants(self, make: Make) -> Constants:
        """Return the constants, each made by `make(name, value, kind)`."""
        named: dict[str, SX] = {}

        def made(name: str, value: float, kind: str) -> SX:
            named[name] = make(name, value, kind)
            return named[name]

        links = [
            _link(str(i + 1), link, modes, made)
            for i, (link, modes) in enumerate(zip(self.links, self.modes, strict=True))
        ]
        load = self.payload
        moments = zip(("mxp", "myp"), load.first_moment, strict=True)
        return Constants(
            links,
            made("mp", load.mass, "inertia"),
            made("Jp", load.tip_inertia, "inertia"),
            tuple(made(name, value, "inertia") if value else SX(0) for name, value in moments),  # type: ignore[arg-type]
            (made("gx", self.gravity[0], "gravity"), made("gy", self.gravity[1], "gravity")),
            [made(f"D{i + 1}", float(d), "damping") for i, d in enumerate(self.damping)],
            named,
        )

    def numbers(self) -> Constants:
        """Return the constants as numbers."""
        return self.constants(lambda name, value, kind: SX(value))

    def symbols(self, kinds: Sequence[str]) -> tuple[Constants, list[NamedConstant]]:
        """Return the constants with symbols for those of some kinds, and these in order.

        Constants that are zero are symbols as well, except for gravity along an axis that has none.
        """
        found: list[NamedConstant] = []

        def make(name: str, value: float, kind: str) -> SX:
            if kind not in kinds or (kind == "gravity" and not value):
                return SX(value)
            found.append(NamedConstant(name, value, kind, SX.sym(name)))
            return found[-1].symbol

        return self.constants(make), found


def _link(i: str, link: FlexibleLink, modes: Modes, make: Make) -> LinkConstants:
    count = range(len(modes))

    def each(letter: str, values: NDArray[np.float64], kind: str) -> list[SX]:
        return [make(f"{letter}{i}{j + 1}", float(values[j]), kind) for j in count]

    upper = {
        (j, k): make(f"z{i}{j + 1}{k + 1}", float(modes.z[j, k]), "inertia") for j in count for k in count[j:]
    }
    return LinkConstants(
        length=make(f"l{i}", link.length, "geometry"),
        tips=each("phi", modes.stacked("tip"), "geometry"),
        slopes=each("dphi", modes.stacked("tip_slope"), "geometry"),
        mass=make(f"m{i}", link.mass, "inertia"),
        first_moment=make(f"md{i}", link.first_moment, "inertia"),
        inertia=make(f"Jo{i}", link.inertia, "inertia"),
        v=each("v", modes.stacked("v"), "inertia"),
        w=each("w", modes.stacked("w"), "inertia"),
        z=[[upper[min(j, k), max(j, k)] for k in count] for j in count],
        k=each("k", np.diag(modes.k), "stiffness"),
        hub_mass=make(f"mh{i}", link.hub_mass, "inertia"),
        hub_inertia=make(f"Jh{i}", link.hub_inertia, "inertia"),
    )
