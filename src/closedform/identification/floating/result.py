"""The result of an identification on a floating base."""

from __future__ import annotations

import os
from dataclasses import dataclass

from ...arrays import Array
from ...checks import known_name
from ...display import card, html_table
from ...robot import Robot
from ..base.result import BaseParameters
from ..logs.signals import Filters
from ..regression.design import Design
from ..regression.friction import FrictionTerms
from ..workflow.listing import Column, Table, parameter_table
from ..workflow.prediction import Errors
from ..workflow.result import IdentifiedParameter


@dataclass(frozen=True, repr=False)
class FloatingIdentification:
    """What a log says about a legged robot.

    `robot` has the identified inertias, rotors, friction and offsets. `names`, `values` and `standard_errors`
    are the base parameters, then those of the drives. `total_mass` is that of `robot` in kg, with its
    standard error (None if it is no single base parameter). `scatter` (nv) is the noise of the equations
    by base moment, base force and joint, in N m or N, after the filters. `fitted`, `cross_validation` and
    `held_out` are relative errors of the equations in units of their scatter. `rows` says which equations
    were used. `doubts` says what speaks against all this, `notes` what was repaired.
    """

    robot: Robot
    design: Design
    friction: FrictionTerms
    values: Array
    standard_errors: Array
    described: Array
    total_mass: float
    total_mass_error: float | None
    scatter: Array
    condition: float
    filters: Filters
    rows: str
    fitted: Errors
    cross_validation: Errors | None
    held_out: Errors | None = None
    doubts: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def base(self) -> BaseParameters:
        """The base parameters of the robot."""
        return self.design.base

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the parameters; drives are numbered as their links, from 2."""
        return self.design.names

    @property
    def base_values(self) -> Array:
        """Values of the base parameters."""
        return self.values[: self.base.count]

    @property
    def parameters(self) -> tuple[IdentifiedParameter, ...]:
        """The parameters one by one, with what the description said of the base parameters."""
        described = [*self.described.tolist(), *[None] * (len(self.values) - len(self.described))]
        rows = zip(self.names, self.values.tolist(), self.standard_errors.tolist(), described, strict=True)
        return tuple(IdentifiedParameter(*row) for row in rows)

    def __getitem__(self, name: str) -> IdentifiedParameter:
        """Return the parameter of that name."""
        known_name("parameter", name, self.names)
        return self.parameters[self.names.index(name)]

    @property
    def errors(self) -> dict[str, Errors]:
        """The relative errors of the equations by the rows they are of."""
        every = {"fitted": self.fitted, "left out": self.cross_validation, "held out": self.held_out}
        return {name: errors for name, errors in every.items() if errors is not None}

    @property
    def tables(self) -> tuple[Table, Table]:
        """The tables of this result: its parameters, and the scatter of its equations."""
        rows = [(p.name, (p.value, p.standard_error, p.described)) for p in self.parameters]
        labels = ("base moment", "base force", *self.robot.joint_names[1:])
        scatter = (self.scatter[0], self.scatter[3], *self.scatter[6:])
        noise = tuple((label, (float(s),)) for label, s in zip(labels, scatter, strict=True))
        return parameter_table(rows), Table("equation", (Column("scatter [SI]", ".3g", width=14),), noise)

    @property
    def _facts(self) -> tuple[str, ...]:
        spread = "" if self.total_mass_error is None else f" +- {self.total_mass_error:.2g}"
        shown = ", ".join(f"{name} {100 * errors.total:.3g} %" for name, errors in self.errors.items())
        return (
            f"total mass {self.total_mass:.4g}{spread} kg",
            f"{len(self.values)} parameters, condition number {self.condition:.1f}",
            f"friction: {self.friction}; cutoff {self.filters.cutoff:.3g} Hz; {self.rows}",
            f"error of the equations: {shown}",
        )

    def __repr__(self) -> str:
        doubts = "".join(f"doubt: {doubt}; " for doubt in self.doubts)
        return f"<FloatingIdentification of {self.robot.name!r}: {doubts}{self._facts[0]}, {self._facts[3]}>"

    def __str__(self) -> str:
        parameters, noise = self.tables
        return "\n".join(
            [
                *(f"doubt: {doubt}" for doubt in self.doubts),
                f"{self.robot.name}: {self._facts[0]}",
                *self._facts[1:],
                "",
                *parameters.lines(10),
                "",
                *noise.lines(),
                *(f"note: {note}" for note in self.notes),
            ]
        )

    def _repr_html_(self) -> str:
        """Return what a notebook shows."""
        tables = (html_table([t.heading, *(c.heading for c in t.columns)], t.cells()) for t in self.tables)
        notes = [*(f"doubt: {doubt}" for doubt in self.doubts), *(f"note: {note}" for note in self.notes)]
        return card(self.robot.name, "; ".join(self._facts), *tables, notes=notes)

    def save_robot(self, path: str | os.PathLike[str]) -> None:
        """Write the identified robot as TOML that `closedform.load` reads."""
        self.robot.save(path)
