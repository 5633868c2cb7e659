"""Inertial parameters that a law takes as numbers of its own: those of some bodies, or base parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from casadi import SX

from ..arrays import Array
from ..checks import known_name, number
from ..errors import ArgumentError, shown
from ..forms import Quantity
from ..forms.algebra import constant
from ..forms.tree import Tree
from ..model import Model
from ..model.inertia import NAMES, parameter_index

PARAMETERS = Quantity("phi", r"\varphi", "kg m^2, kg m, kg", "inertial parameters")
ESTIMATES = Quantity("phi", r"\hat\varphi", "kg m^2, kg m, kg", "inertial parameters, estimated")


@dataclass(frozen=True)
class Estimates:
    """Inertial parameters with numbers of their own: their places in `phi`, values, and all the others.

    `known` has the values of the parameters that are not among them, and zeros for those that are.
    """

    model: Model
    places: tuple[int, ...]
    values: Array
    known: Array

    @classmethod
    def of_bodies(cls, name: str, model: Model, given: Any = None) -> Estimates:
        """Return the ten parameters of each body of that name, or of all; the others are the model's."""
        known = [body.name for body in model.bodies]
        if isinstance(given, str) or not isinstance(given, Sequence | None):
            raise ArgumentError(f"{name} is {shown(given)}; expected a list of names of bodies")
        chosen = known if given is None else [known_name(f"body of {name}", each, known) for each in given]
        if not chosen or len(set(chosen)) < len(chosen):
            raise ArgumentError(f"{name} is {shown(given)}; expected different bodies, one at least")
        size = len(NAMES)
        rows = sorted(known.index(each) for each in chosen)
        places = [size * row + k for row in rows for k in range(size)]
        phi = np.array(model.phi)
        values, phi[places] = phi[places], 0.0
        return cls(model, tuple(places), values, phi)

    @classmethod
    def of_parameters(cls, name: str, model: Model, given: Any) -> Estimates:
        """Return parameters by name, such as base parameters: XX2, or XXR2 if it is regrouped.

        The others are zero: what has an effect is part of the base parameters.
        """
        if not isinstance(given, Mapping) or not given:
            raise ArgumentError(f"{name} is {shown(given)}; expected names and values of inertial parameters")
        places: dict[int, float] = {}
        for each, value in given.items():
            k = parameter_index(name, each, len(model.bodies))
            if k in places:
                raise ArgumentError(f"{name}: {each} is given twice")
            places[k] = number(f"{name}: {each}", value)
        return cls(model, tuple(places), np.array([*places.values()]), np.zeros(model.phi.size))

    def tree(self, values: SX) -> Tree:
        """Return the tree whose bodies have these numbers or symbols."""
        phi = constant(self.known)
        for k, place in enumerate(self.places):
            phi[place] = values[k]
        return Tree.of(self.model, phi=phi)
