"""A flexible link: a beam that bends in the plane, behind a hub."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arrays import Array
from ..checks import LARGEST, choice, function, not_negative, positive, real_array, whole_number
from ..errors import ArgumentError, shown
from ..lazy import cached_property

Profile = float | Callable[[Array], Array]
"""A property along the beam: a number, or a function of the abscissa from 0 to the length."""

MOST_MODES = 100
"""Modes per link. Shorter waves than this are no longer those of a slender beam."""

MOST_ELEMENTS = 1000
"""Finite elements per link: dense matrices of twice as many rows."""

ELEMENTS = 8
"""Finite elements per mode of a non-uniform link; the highest frequency is then right to 1e-5."""

POINTS = 5
"""Gauss points per finite element."""


@dataclass(frozen=True)
class FlexibleLink:
    """A beam of given length [m], linear density [kg/m] and flexural rigidity EI [N m^2].

    `hub_mass` [kg] and `hub_inertia` [kg m^2] sit at its joint and turn with its base. `modes`
    assumed modes describe its bending. Density and rigidity may be functions of the abscissa
    (arrays in, arrays out); such a link, or one that is given a number of `elements`, has the
    modes of a finite-element beam instead of the exact ones.

    >>> import closedform as cf
    >>> link = cf.FlexibleLink(0.5, 0.2, 1.0, hub_inertia=0.1, modes=2)
    >>> round(link.mass, 12), round(link.inertia, 6)
    (0.1, 0.008333)
    >>> tapered = cf.FlexibleLink(0.5, lambda x: 0.3 - 0.2 * x, lambda x: (1.2 - x) ** 3)
    >>> tapered.uniform
    False
    """

    length: float
    density: Profile
    rigidity: Profile
    hub_mass: float = 0.0
    hub_inertia: float = 0.0
    modes: int = 2
    elements: int | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "length", positive("link: length", self.length))
        for name in ("density", "rigidity"):
            given = getattr(self, name)
            if callable(given):
                function(f"link: {name}", given, "an array of abscissas")
            else:
                object.__setattr__(self, name, positive(f"link: {name}", given))
        for name in ("hub_mass", "hub_inertia"):
            object.__setattr__(self, name, not_negative(f"link: {name}", getattr(self, name)))
        object.__setattr__(self, "modes", whole_number("link: modes", self.modes, 1))
        if self.modes > MOST_MODES:
            raise ArgumentError(
                f"link: {shown(self.modes)} modes cannot be resolved; give at most {MOST_MODES}, or fewer: "
                "such short waves are not bending of a slender beam"
            )
        if self.elements is not None:
            elements = whole_number("link: elements", self.elements, 1, MOST_ELEMENTS)
            if self.modes > elements:
                raise ArgumentError(
                    f"link: {self.modes} modes cannot be resolved by {elements} finite element(s); "
                    f"give at least {self.modes}, better {ELEMENTS * self.modes}"
                )
        for name in ("density", "rigidity"):
            self.along(name)  # refuses a profile that is not positive

    @property
    def uniform(self) -> bool:
        """Whether the modes are the exact ones of a beam of constant density and rigidity."""
        return self.elements is None and not callable(self.density) and not callable(self.rigidity)

    @cached_property
    def stations(self) -> tuple[Array, Array]:
        """Gauss points (element, point) along the link and their weights [m]."""
        count = 1 if self.uniform else self.elements or max(40, ELEMENTS * self.modes)
        points, weights = np.polynomial.legendre.leggauss(POINTS)
        h = self.length / count
        x = h * (np.arange(count)[:, None] + (points + 1) / 2)
        return x, np.broadcast_to(h * weights / 2, x.shape)

    def along(self, name: str) -> Array:
        """Return density or rigidity at the stations."""
        x, _ = self.stations
        given: Any = getattr(self, choice("link: property", name, ("density", "rigidity")))
        what = f"link: the value of {name}"
        try:
            values = np.broadcast_to(real_array(what, given(x) if callable(given) else given), x.shape)
        except (TypeError, ValueError) as error:
            raise ArgumentError(f"link: {name} is not a function of abscissas ({error})") from error
        if not ((values > 0) & (values <= LARGEST)).all():
            raise ArgumentError(f"link: {name} is {values.min():g} somewhere; expected positive numbers")
        return values

    def moment(self, power: int) -> float:
        """Return the integral of density times x^power, (24a)-(24c) of [DeLucaSiciliano1991]."""
        power = whole_number("link: power", power, 0, 100)
        x, weights = self.stations
        return float((self.along("density") * x**power * weights).sum())

    @cached_property
    def mass(self) -> float:
        """Mass m of the beam, without its hub."""
        return self.moment(0)

    @cached_property
    def first_moment(self) -> float:
        """Mass times distance m d of the centre of mass from the joint."""
        return self.moment(1)

    @cached_property
    def inertia(self) -> float:
        """Moment of inertia J_o of the straight beam about the joint."""
        return self.moment(2)
