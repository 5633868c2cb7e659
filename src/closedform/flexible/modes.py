"""Bending modes of a link that is clamped at its hub and carries inertia at its tip."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, overload

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Array
from ..checks import choice, not_negative, number, real_array, whole_number
from ..errors import ArgumentError
from ..guests import in_kind


@dataclass(frozen=True)
class Tip:
    """The inertia that a link's end carries: mass M_L, inertia J_L and first moment MD.

    `moment` is mass times distance ahead of the end, along the link [kg m]. The default is a
    free end. A rigid body has M_L J_L >= MD^2.
    """

    mass: float = 0.0
    inertia: float = 0.0
    moment: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "mass", not_negative("tip: mass", self.mass))
        object.__setattr__(self, "inertia", not_negative("tip: inertia", self.inertia))
        object.__setattr__(self, "moment", number("tip: moment", self.moment))
        if self.moment**2 > self.mass * self.inertia * (1 + 1e-12):
            raise ArgumentError(
                f"tip: moment {self.moment:g} is beyond that of a body of mass {self.mass:g} and inertia "
                f"{self.inertia:g}; MD^2 is at most M_L J_L"
            )

    @property
    def matrix(self) -> Array:
        """The inertia matrix over (deflection, slope) of the end."""
        return np.array([[self.mass, self.moment], [self.moment, self.inertia]])


class Shape(Protocol):
    """A deflection along the link."""

    def __call__(self, x: Array, derivative: int) -> Array:
        """Return the derivative of that order by x, from 0 to 3."""


@dataclass(frozen=True, eq=False)
class Mode:
    """One bending mode: angular frequency, shape, and what the shape is at the tip and on average.

    `beta` [1/m] is (omega^2 rho / EI)^(1/4); for a non-uniform link, of its mean density and
    rigidity. `tip` and `tip_slope` are phi_e and phi'_e; `v` and `w` the deformation moments of
    order zero and one, (24d) and (24e) of [DeLucaSiciliano1991].
    """

    beta: float
    omega: float
    tip: float
    tip_slope: float
    v: float
    w: float
    shape: Shape
    length: float

    @property
    def frequency(self) -> float:
        """Natural frequency in Hz."""
        return self.omega / (2 * np.pi)

    @in_kind
    def __call__(self, x: ArrayLike, derivative: int = 0) -> Array:
        """Return the shape phi(x), or its derivative by x of order 1 to 3, for x along the link."""
        x = real_array("mode: x", x)
        if not ((x >= 0) & (x <= self.length)).all():
            raise ArgumentError(f"mode: x reaches {x.min():g} to {x.max():g}; the link {self.length:g} m")
        return self.shape(x, whole_number("mode: derivative", derivative, 0, 3))


STACKED = ("beta", "omega", "frequency", "tip", "tip_slope", "v", "w")
"""Numbers of a mode."""


@dataclass(frozen=True, eq=False)
class Modes(Sequence[Mode]):
    """The modes of a link in order of frequency, with their cross moments.

    `z` and `k` are the matrices (24f) and (24g) of [DeLucaSiciliano1991], the latter with
    second derivatives, as elastic energy has them: z_jk = int rho phi_j phi_k and
    k_jk = int EI phi_j'' phi_k''. Modes are normalised to z_jj plus the tip's share = m, so
    that z_jk plus the tip's share = 0 for j != k and k = m diag(omega^2); [DeLucaSiciliano1991, Eqs.
    (27), (30), (31)] say so without all of the tip's share.
    """

    modes: tuple[Mode, ...]
    tip: Tip
    z: Array
    k: Array

    def __len__(self) -> int:
        return len(self.modes)

    @overload
    def __getitem__(self, index: int) -> Mode: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Mode, ...]: ...
    def __getitem__(self, index: int | slice) -> Mode | tuple[Mode, ...]:
        return self.modes[index]

    def stacked(self, name: str) -> Array:
        """Return an attribute of all modes as an array."""
        choice("modes: attribute", name, STACKED)
        return np.array([getattr(mode, name) for mode in self.modes])

    @in_kind
    def shapes(self, x: ArrayLike, derivative: int = 0) -> Array:
        """Return all shapes at x, as an array x.shape + (modes,).

        The deflection is their sum, each times its coordinate [DeLucaSiciliano1991, Eq. (17)].
        """
        return np.stack([mode(x, derivative) for mode in self.modes], axis=-1)
