"""The result of an identification: parameters with their errors, a robot, and how well it predicts."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...arrays import Array
from ...checks import file_path, instance, known_name
from ...description.catalogue import read_toml
from ...errors import ClosedFormError, shorten
from ...files import write_files
from ...lazy import cached_property
from ...model.writing import model_toml
from ...robot import Robot
from ..base.parameters import BaseParameters, base_parameters
from ..logs.log import Log
from ..logs.reading import read_log
from ..logs.signals import Filters, sampling_rate
from ..logs.tables import LogError
from ..logs.transmission import Axis
from ..regression.design import Design, Rows, nothing_left
from ..regression.friction import FrictionTerms, Term
from ..regression.split import HELD_OUT, Split

FORMAT = "closedform identification 1"

LARGEST = 2**28
"""Bytes of a saved identification."""


@dataclass(frozen=True)
class Errors:
    """Torque errors of some rows: root mean squares per joint (N m or N), and relative to the torques."""

    rms: Array
    relative: Array
    total: float
    rows: int

    @classmethod
    def of(cls, squares: Array, powers: Array, rows: int) -> Errors:
        """Return the errors of residual and torque squares summed over rows."""
        relative = np.sqrt(squares / np.where(powers > 0, powers, np.inf))
        total = float(np.sqrt(squares.sum() / powers.sum())) if powers.any() else 0.0
        return cls(np.sqrt(squares / max(rows, 1)), relative, total, rows)

    def table(self) -> dict[str, Any]:
        """Return the errors as lists, for a file."""
        return {
            "rms": self.rms.tolist(),
            "relative": self.relative.tolist(),
            "total": self.total,
            "rows": self.rows,
        }


@dataclass(frozen=True)
class IdentifiedParameter:
    """One identified number."""

    name: str
    value: float
    standard_error: float
    described: float | None = None

    @property
    def relative_error(self) -> float:
        """Standard error over the size of the value."""
        return self.standard_error / abs(self.value) if self.value else np.inf


@dataclass(frozen=True)
class Trace:
    """Measured and predicted torques at the rows of a log, and which rows were held out."""

    time: Array
    measured: Array
    predicted: Array
    held_out: NDArray[np.bool_]


@dataclass(frozen=True, repr=False)
class Identification:
    """What a log says about a robot.

    `robot` has the identified inertias, rotors (`armature`) and friction (`damping`, `friction`);
    `names`, `values` and `standard_errors` are the base parameters, then those of the drives.
    `fitted`, `held_out` and `cross_validation` are torque errors of the rows that were fitted, of
    those kept aside, and of fitted rows left out in turn (None of a log too short for that). `doubts`
    says what speaks against all this, and what would explain the log better; `notes` what was repaired.
    """

    robot: Robot
    base: BaseParameters
    axes: tuple[Axis, ...]
    drive: tuple[Term, ...]
    friction: FrictionTerms
    values: Array
    standard_errors: Array
    known: Array
    scatter: Array
    condition: float
    filters: Filters
    method: str
    fitted: Errors
    cross_validation: Errors | None
    held_out: Errors | None = None
    notes: tuple[str, ...] = ()
    described: Array = field(default_factory=lambda: np.zeros(0))
    trace: Trace | None = None
    doubts: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the parameters."""
        return self.design.names

    @cached_property
    def design(self) -> Design:
        """The columns that the values belong to."""
        return Design(self.robot, self.base, self.axes, self.drive, self.known)

    @property
    def base_values(self) -> Array:
        """Values of the base parameters."""
        return self.values[: self.base.count]

    @property
    def parameters(self) -> tuple[IdentifiedParameter, ...]:
        """The parameters one by one, with what the description said of the base parameters."""
        described = [*self.described.tolist(), *[None] * (len(self.values) - len(self.described))]
        return tuple(
            IdentifiedParameter(name, float(value), float(error), told)
            for name, value, error, told in zip(
                self.names, self.values, self.standard_errors, described, strict=True
            )
        )

    def __getitem__(self, name: str) -> IdentifiedParameter:
        """Return the parameter of that name."""
        known_name("parameter", name, self.names)
        return next(parameter for parameter in self.parameters if parameter.name == name)

    def filters_of(self, log: Log) -> Filters:
        """Return the filters of this result for another log, whose rate must allow its cutoff."""
        rate = sampling_rate(instance("filters_of: log", log, Log).time)
        if self.filters.cutoff >= rate / 2:
            raise LogError(
                f"{log.source}: {rate:.4g} rows per second, too few for the cutoff of "
                f"{self.filters.cutoff:.4g} Hz that the model was identified with; identify it with a lower"
            )
        return Filters(rate, self.filters.cutoff)

    def predict(self, log: Log | Any, **reading: Any) -> Trace:
        """Return measured and predicted torques along a log, both after the filters of this result."""
        log = read_log(log, self.robot, **reading)
        filters = self.filters_of(log)
        split = Split(log.time[0], log.time[-1], None, 0.0)
        traces = [
            traced(rows, self.design, self.values) for rows in self.design.segments(log, filters, split)
        ]
        trace = joined(traces)
        if not len(trace.time):
            raise nothing_left(log, filters)
        return trace

    def validate(self, log: Log | Any, **reading: Any) -> Errors:
        """Return the torque errors on another log."""
        trace = self.predict(log, **reading)
        residual = trace.measured - trace.predicted
        return Errors.of(np.sum(residual**2, axis=0), np.sum(trace.measured**2, axis=0), len(residual))

    def __repr__(self) -> str:
        errors = {"fitted": self.fitted, "left out": self.cross_validation, "held out": self.held_out}
        shown = ", ".join(f"{name} {100 * e.total:.3g} %" for name, e in errors.items() if e is not None)
        doubts = "".join(f"doubt: {doubt}; " for doubt in self.doubts)
        return f"<Identification of {self.robot.name!r}: {doubts}torque error {shown}>"

    def __str__(self) -> str:
        from .listing import listing  # noqa: PLC0415 (which needs this class)

        return listing(self)

    def save_robot(self, path: str | os.PathLike[str]) -> None:
        """Write the identified robot as TOML that `closedform.load` reads."""
        self.robot.save(path)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write everything but the trace as JSON that `Identification.load` reads."""
        content = {
            "format": FORMAT,
            "robot": model_toml(self.robot.model),
            "base_method": self.base.method,
            "names": self.names,
            "values": self.values.tolist(),
            "standard_errors": self.standard_errors.tolist(),
            "described": self.described.tolist(),
            "axes": [{"label": axis.label, "direction": axis.direction.tolist()} for axis in self.axes],
            "drive": [[term.kind, term.axis, term.value] for term in self.drive],
            "friction": self.friction.table(),
            "known": self.known.tolist(),
            "scatter": self.scatter.tolist(),
            "condition": self.condition,
            "rate": self.filters.rate,
            "cutoff": self.filters.cutoff,
            "method": self.method,
            "errors": {
                key: None if errors is None else errors.table()
                for key, errors in (
                    ("fitted", self.fitted),
                    ("cross_validation", self.cross_validation),
                    ("held_out", self.held_out),
                )
            },
            "notes": self.notes,
            "doubts": self.doubts,
        }
        write_files({file_path("path", path): json.dumps(content, indent=1)})

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Identification:
        """Return a saved identification."""
        path = file_path("path", path)
        try:
            status = path.stat()
            if not stat.S_ISREG(status.st_mode) or status.st_size > LARGEST:
                raise ValueError(f"not a regular file of at most {LARGEST} bytes")
            content = json.loads(path.read_text(encoding="utf-8"))
            if content["format"] != FORMAT:
                raise ValueError(f"format is {content['format']!r}")
            robot = Robot.from_description(read_toml(content["robot"].encode(), str(path)))
            base = base_parameters(robot, method=content["base_method"])
            errors = {
                key: None
                if given is None
                else Errors(
                    np.array(given["rms"]), np.array(given["relative"]), given["total"], given["rows"]
                )
                for key, given in content["errors"].items()
            }
            fields: dict[str, Any] = dict(errors)
            for name in ("values", "standard_errors", "known", "scatter", "described"):
                fields[name] = np.array(content[name])
            found = cls(
                robot=robot,
                base=base,
                axes=tuple(Axis(axis["label"], np.array(axis["direction"])) for axis in content["axes"]),
                drive=tuple(Term(*term) for term in content["drive"]),
                friction=FrictionTerms(**content["friction"]),
                condition=content["condition"],
                filters=Filters(content["rate"], content["cutoff"]),
                method=content["method"],
                notes=tuple(content["notes"]),
                doubts=tuple(content.get("doubts", ())),
                **fields,
            )
        except (OSError, LookupError, TypeError, AttributeError, ValueError, RecursionError) as error:
            raise ClosedFormError(
                f"{path}: not a saved identification ({shorten(str(error), 200)})"
            ) from None
        if found.names != tuple(content["names"]):
            raise ClosedFormError(f"{path}: its parameters are not those of its robot; identify again")
        return found


def traced(rows: Rows, design: Design, values: Array) -> Trace:
    """Return the torques of rows, and what values of the parameters predict there."""
    used = rows.label >= HELD_OUT
    predicted = np.stack([W @ values[a] for W, a in zip(rows.W, design.active, strict=True)], axis=1)
    return Trace(
        rows.time[used], rows.tau[used], (predicted + rows.given)[used], rows.label[used] == HELD_OUT
    )


def joined(traces: Sequence[Trace]) -> Trace:
    """Return traces one after the other."""
    parts = zip(*((t.time, t.measured, t.predicted, t.held_out) for t in traces), strict=True)
    return Trace(*(np.concatenate(part) for part in parts))
