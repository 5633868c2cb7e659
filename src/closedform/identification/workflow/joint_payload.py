"""Payloads identified together with the robot that carries them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...arrays import Array
from ...model.inertia import NAMES
from ..regression.least_squares import solve, standard_errors
from ..regression.moments import Moments
from ..regression.payload_columns import PayloadParameters

MASS = NAMES.index("M")


CERTAIN = 3.0
"""Standard errors by which a mass must be off, negative or not the one given, to be doubted."""

CONTRADICTS = 0.03
"""Part of a given mass by which the mass that the logs weigh may differ."""


@dataclass(frozen=True)
class IdentifiedPayload:
    """A payload identified together with the robot: parameters that torques can tell apart, and their errors.

    `values` are `matrix` @ phi of its ten parameters about the origin of the body's frame; `mass_given` is
    the mass that was known.
    """

    name: str
    body: str
    names: tuple[str, ...]
    values: Array
    standard_errors: Array
    matrix: Array
    mass_given: float | None = None

    @property
    def phi(self) -> Array:
        """The ten parameters about the origin of the body's frame; NaN for those that no torque shows."""
        phi = np.full(10, np.nan)
        for row, value in zip(self.matrix, self.values, strict=True):
            if np.count_nonzero(row) == 1:
                phi[int(np.flatnonzero(row)[0])] = value
        if self.mass_given is not None:
            phi[MASS] = self.mass_given
        return phi

    @property
    def mass(self) -> float:
        """The mass in kg; NaN if no torque shows it alone."""
        return float(self.phi[MASS])

    @property
    def mass_error(self) -> float:
        """The standard error of the mass; 0 if it was given."""
        if self.mass_given is not None:
            return 0.0
        rows = np.flatnonzero((self.matrix[:, MASS] == 1) & ((self.matrix != 0).sum(axis=1) == 1))
        return float(self.standard_errors[rows[0]]) if len(rows) else float("nan")

    @property
    def center(self) -> Array:
        """The centre of mass in the body's frame; NaN in directions that no torque shows."""
        return np.asarray(self.phi[6:9] / self.phi[MASS])

    @classmethod
    def of(cls, parameters: PayloadParameters, values: Array, errors: Array) -> IdentifiedPayload:
        """Return a payload of the values of its parameters and their standard errors."""
        state = parameters.state
        return cls(
            state.name, parameters.body, parameters.names, values, errors, parameters.matrix, state.mass
        )

    @property
    def doubts(self) -> tuple[str, ...]:
        """What speaks against the payload: a negative mass."""
        negative = self.mass < -CERTAIN * self.mass_error
        return (f"the mass of payload {self.name!r} comes out negative",) if negative else ()

    def table(self) -> dict[str, Any]:
        """Return all of it as lists, for a file."""
        arrays = {name: getattr(self, name).tolist() for name in ("values", "standard_errors", "matrix")}
        return {"name": self.name, "body": self.body, "names": self.names, "mass": self.mass_given, **arrays}

    @classmethod
    def from_table(cls, table: dict[str, Any]) -> IdentifiedPayload:
        """Return what `table` wrote."""
        values, errors, matrix = (np.array(table[name]) for name in ("values", "standard_errors", "matrix"))
        return cls(table["name"], table["body"], tuple(table["names"]), values, errors, matrix, table["mass"])

    def __str__(self) -> str:
        how = "given" if self.mass_given is not None else f"standard error {self.mass_error:.2g}"
        lines = [f"{self.name}, carried by {self.body!r}: {self.mass:.4g} kg ({how})"]
        rows = zip(self.names, self.values, self.standard_errors, strict=True)
        return "\n".join(
            [*lines, *(f"{name:<16}{value:>12.4g}{error:>12.2g}" for name, value, error in rows)]
        )


def mass_doubts(
    payloads: Sequence[PayloadParameters],
    gathered: Callable[[Sequence[PayloadParameters]], Moments],
    noise: Array,
) -> list[str]:
    """Return which masses that were given contradict what the logs weigh.

    `gathered` gives the moments of the logs with the columns of some payloads, here those with all masses
    free; it is called only if a mass was given.
    """
    if all(each.state.mass is None for each in payloads):
        return []
    free = [PayloadParameters(each.robot, replace(each.state, mass=None)) for each in payloads]
    moments = gathered(free)
    fit = solve(moments.triangles(moments.fitted), moments.active, moments.width)
    errors = standard_errors(fit, moments, noise)
    stop = moments.width - sum(each.width for each in free)
    found = []
    for each, own in zip(payloads, free, strict=True):
        start, stop = stop, stop + own.width
        weighed = IdentifiedPayload.of(own, fit.values[start:stop], errors[start:stop])
        given = each.state.mass
        if given is not None and abs(weighed.mass - given) > max(
            CERTAIN * weighed.mass_error, CONTRADICTS * given
        ):
            found.append(
                f"the logs weigh payload {own.state.name!r} at {weighed.mass:.4g} kg (standard error "
                f"{weighed.mass_error:.2g}), not at the {given:.4g} kg given: another mass, body or gain?"
            )
    return found
