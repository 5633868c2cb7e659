"""The result of an identification: parameters with their errors, a robot, and how well it predicts."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, astuple, dataclass, field, replace
from typing import Any, Unpack

import numpy as np
from numpy.typing import ArrayLike

from ...arrays import Array
from ...checks import batch_array, common_batch, file_path, instance, known_name
from ...display import card, html_table
from ...errors import ArgumentError, ClosedFormError, shorten
from ...files import read_regular, write_files
from ...guests.doors import in_kind
from ...lazy import cached_property
from ...loops import ClosedRobot
from ...robot import Robot
from ..base.result import BaseParameters
from ..joints import driven_robot
from ..logs.cutoff import checked_cutoff
from ..logs.errors import LogError
from ..logs.log import Log
from ..logs.options import ReadingOptions
from ..logs.reading import read_log
from ..logs.signals import Filters, sampling_rate
from ..logs.transmission import Axis
from ..regression.design import Design
from ..regression.friction import FrictionTerms, Term
from ..regression.rows import nothing_left
from ..regression.split import Split
from ..regression.torque_column import TorqueColumn
from .evidence import Evidence
from .joint_payload import IdentifiedPayload
from .listing import Table, error_table, parameter_table
from .log_results import LogResult, log_table
from .prediction import Errors, Trace
from .rollout import Rollout, rollout
from .saving import ARRAYS, ERRORS, FORMAT, robot_toml, saved_fields
from .uncertainty import torque_uncertainty

LARGEST_FILE = 2**28
"""Bytes of a saved identification."""

FITS = {
    "ordinary": "ordinary least squares",
    "weighted": "weighted least squares",
    "reweighted": "reweighted least squares",
    "iv": "instrumental variables",
}
"""Methods in words."""


@dataclass(frozen=True)
class IdentifiedParameter:
    """One identified number."""

    name: str
    value: float
    standard_error: float
    described: float | None = None
    unit: str = ""

    @property
    def relative_error(self) -> float:
        """Standard error over the size of the value."""
        return self.standard_error / abs(self.value) if self.value else np.inf


@dataclass(frozen=True, repr=False)
class Identification:
    """What a log says about a robot.

    `robot` has the identified inertias, rotors (`armature`), friction (`damping`, `friction`) and offsets
    (`drive_offset`): `robot.drive_torque(q, qd, qdd)` is what its drives apply in a motion.
    `names`, `values` and `covariance` are the base parameters, then those of the drives.
    `fitted`, `held_out` and `cross_validation` are torque errors of the rows that were fitted, of
    those kept aside, and of fitted rows left out in turn (None of a log too short for that). `doubts`
    says what speaks against all this, and what would explain the log better; `notes` what was repaired.
    `diagnosis` has all that would help, the best first, if it was asked for.
    `logs` has the errors of each log, if there were several, and `payloads` what was carried in some.
    `evidence` is what payloads are weighed with. `band` is the frequency in Hz above which positions do not
    tell the efforts, None if there is none.
    """

    robot: Robot | ClosedRobot
    base: BaseParameters
    axes: tuple[Axis, ...]
    drive: tuple[Term, ...]
    friction: FrictionTerms
    values: Array
    covariance: Array
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
    diagnosis: tuple[str, ...] = ()
    logs: tuple[LogResult, ...] = ()
    evidence: Evidence | None = None
    payloads: tuple[IdentifiedPayload, ...] = ()
    about: Mapping[str, float] | None = None
    extra: tuple[TorqueColumn, ...] = ()
    zeros: tuple[int, ...] = ()
    band: float | None = None

    @cached_property
    def standard_errors(self) -> Array:
        """Standard errors of the values, the roots of the diagonal of `covariance`."""
        return np.asarray(np.sqrt(np.diag(self.covariance)))

    @property
    def lag(self) -> float:
        """Seconds by which efforts were recorded later than positions, taken out before the fit."""
        return self.filters.lag

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the parameters."""
        return self.design.names

    @cached_property
    def design(self) -> Design:
        """The columns that the values belong to."""
        robot = driven_robot(self.robot)
        return Design(robot, self.base, self.axes, self.drive, self.known, self.extra, self.zeros, self.about)

    @property
    def base_values(self) -> Array:
        """Values of the base parameters."""
        return self.values[: self.base.count]

    @property
    def parameters(self) -> tuple[IdentifiedParameter, ...]:
        """The parameters one by one, with what the description said of the base parameters."""
        units = {column.name: column.unit for column in self.extra}
        described = [*self.described.tolist(), *[None] * (len(self.values) - len(self.described))]
        return tuple(
            IdentifiedParameter(name, float(value), float(error), own, units.get(name, ""))
            for name, value, error, own in zip(
                self.names, self.values, self.standard_errors, described, strict=True
            )
        )

    def __getitem__(self, name: str) -> IdentifiedParameter:
        """Return the parameter of that name."""
        known_name("parameter", name, self.names)
        return next(parameter for parameter in self.parameters if parameter.name == name)

    def filters_of(self, log: Log, cutoff: float | None = None) -> Filters:
        """Return the filters of this result, or with another cutoff, for a log whose rate must allow that."""
        rate = sampling_rate(instance("filters_of: log", log, Log).time)
        delay = None if log.velocity is None else self.filters.delay
        filters = replace(self.filters, rate=rate, delay=delay)
        if cutoff is not None:
            return replace(filters, cutoff=checked_cutoff("predict", cutoff, rate))
        if self.filters.cutoff >= rate / 2:
            raise LogError(
                f"{log.source}: {rate:.4g} rows per second, too few for the cutoff of "
                f"{self.filters.cutoff:.4g} Hz that the model was identified with; identify it with a lower"
            )
        return filters

    def predict(
        self, log: Log | Any, *, cutoff: float | None = None, **reading: Unpack[ReadingOptions]
    ) -> Trace:
        """Return measured and predicted torques along a log, after filters with the cutoff of this result.

        Another `cutoff` in Hz compares results in one band. Torques above `band` are measured, not predicted.
        `uncertainty` of the trace are the standard errors that those of the parameters make.
        """
        log = read_log(log, self.robot, **reading)
        filters = self.filters_of(log, cutoff)
        split = Split(log.time[0], log.time[-1], None, 0.0)
        trace = Trace.of(self.design, self.values, self.covariance, log, filters, split)
        if self.band is not None and self.band < filters.cutoff:
            filters = replace(filters, cutoff=self.band)
            trace = trace.predicted_by(
                Trace.of(self.design, self.values, self.covariance, log, filters, split)
            )
        if not len(trace.time):
            raise nothing_left(log, filters)
        return trace

    @in_kind
    def uncertainty(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike) -> Array:
        """Return the standard errors of the torques at states that those of the parameters lead to.

        sqrt(w^T C w) with the covariance C and the row w of the regressor. Friction counts as in steady
        motion, so that at rest there is none. Noise, and what the model lacks, are not in it: compare with
        the torque errors of rows left out. Of robots with loops `predict` has it.
        """
        if isinstance(self.robot, ClosedRobot):
            raise ArgumentError(
                "uncertainty: of robots with loops it is known along a log, predict(log).uncertainty"
            )
        n = self.robot.nv
        states = {"q": q, "qd": qd, "qdd": qdd}
        given = {name: batch_array(f"uncertainty: {name}", x, n) for name, x in states.items()}
        common_batch("uncertainty", **{name: x.shape[:-1] for name, x in given.items()})
        rows = np.broadcast_arrays(*given.values())
        found = torque_uncertainty(
            self.design, self.values, self.covariance, *(x.reshape(-1, n) for x in rows)
        )
        return found.reshape(rows[0].shape)

    def validate(
        self, log: Log | Any, *, cutoff: float | None = None, **reading: Unpack[ReadingOptions]
    ) -> Errors:
        """Return the torque errors on another log; `cutoff` is that of `predict`."""
        return self.predict(log, cutoff=cutoff, **reading).errors

    def rollout(
        self, log: Log | Any, *, horizon: float = 0.5, starts: int = 20, **reading: Unpack[ReadingOptions]
    ) -> Rollout:
        """Return how far `robot` gets from a log if it is simulated from states of the log with its torques.

        That many `starts` are spread over the log; each motion lasts `horizon` seconds. Torque errors say how
        good a feedforward is; these say how good a simulation is, with friction, springs and offsets. They
        grow with the horizon, also by noise of the torques and of the state at the start: compare robots
        over the same one, and errors with how far the joints `moved`. Signals are those of the fit. `extra`
        torques have no place in simulations and act as they are along the log. Inertia and friction of a
        motor that turns several joints (`Iam6`) have none either and are left out: such joints may diverge.
        """
        log = read_log(log, self.robot, **reading)
        if isinstance(self.robot, ClosedRobot):
            raise ArgumentError(
                "rollout: robots with loops are not compared with logs by simulation; `validate` compares "
                "their torques, and robot.simulate(friction=True) runs them"
            )
        values = self.values[len(self.values) - len(self.extra) - len(self.zeros) :]
        extra = [(column, float(value)) for column, value in zip(self.extra, values, strict=False)]
        return rollout(self.robot, extra, log, self.filters_of(log), horizon, starts)

    @property
    def errors(self) -> dict[str, Errors]:
        """The torque errors by the rows they are of: fitted, left out (in turn), held out."""
        every = {"fitted": self.fitted, "left out": self.cross_validation, "held out": self.held_out}
        return {name: errors for name, errors in every.items() if errors is not None}

    @property
    def tables(self) -> tuple[Table, Table]:
        """The tables of this result: its parameters, and its torque errors by joint."""
        rows = [(p.name, (p.value, p.standard_error, p.described)) for p in self.parameters]
        return parameter_table(rows), error_table(self.design.robot.joint_names, self.errors)

    def __repr__(self) -> str:
        shown = ", ".join(f"{name} {100 * errors.total:.3g} %" for name, errors in self.errors.items())
        doubts = "".join(f"doubt: {doubt}; " for doubt in self.doubts)
        return f"<Identification of {self.robot.name!r}: {doubts}torque error {shown}>"

    def _repr_html_(self) -> str:
        """Return what a notebook shows: parameters and torque errors, doubts and notes."""
        every = (*self.tables, *([log_table(self.logs)] if self.logs else []))
        tables = (html_table([t.heading, *(c.heading for c in t.columns)], t.cells()) for t in every)
        notes = [*(f"doubt: {doubt}" for doubt in self.doubts), *(f"note: {note}" for note in self.notes)]
        return card(self.robot.name, "; ".join(self._facts), *tables, notes=notes)

    @property
    def _facts(self) -> tuple[str, str]:
        """How many parameters were identified, and how."""
        return (
            f"{len(self.values)} parameters, condition number {self.condition:.1f}",
            f"friction: {self.friction}; cutoff {self.filters.cutoff:.3g} Hz; {FITS[self.method]}",
        )

    def __str__(self) -> str:
        parameters, errors = self.tables
        count, how = self._facts
        lines = [
            *(f"doubt: {doubt}" for doubt in self.doubts),
            *(f"diagnosis: {line}" for line in self.diagnosis),
            f"{self.robot.name}: {count}",
            how,
            "",
            *parameters.lines(10),
            "",
            *(line for payload in self.payloads for line in (*str(payload).splitlines(), "")),
            *errors.lines(),
            *(["", *log_table(self.logs).lines(40)] if self.logs else []),
            *(f"note: {note}" for note in self.notes),
        ]
        return "\n".join(lines)

    def save_robot(self, path: str | os.PathLike[str]) -> None:
        """Write the identified robot as TOML that `closedform.load` reads."""
        self.robot.save(path)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write everything but the trace as JSON that `Identification.load` reads."""
        content = {
            "format": FORMAT,
            "robot": robot_toml(self.robot),
            "base_method": self.base.method,
            "names": self.names,
            **{name: getattr(self, name).tolist() for name in ARRAYS},
            "axes": [{**asdict(axis), "direction": axis.direction.tolist()} for axis in self.axes],
            "drive": [list(astuple(term)) for term in self.drive],
            "about": self.about,
            "extra": [column.name for column in self.extra],
            "zeros": self.zeros,
            "friction": asdict(self.friction),
            "condition": self.condition,
            "rate": self.filters.rate,
            "cutoff": self.filters.cutoff,
            "lag": self.filters.lag,
            "delay": self.filters.delay,
            "band": self.band,
            "method": self.method,
            "errors": {
                key: None if (errors := getattr(self, key)) is None else errors.table() for key in ERRORS
            },
            "notes": self.notes,
            "doubts": self.doubts,
            "diagnosis": self.diagnosis,
            "logs": [log.table() for log in self.logs],
            "evidence": None if self.evidence is None else self.evidence.table(),
            "payloads": [payload.table() for payload in self.payloads],
        }
        write_files({file_path("path", path): json.dumps(content, indent=1)})

    @classmethod
    def load(cls, path: str | os.PathLike[str], *, extra: Sequence[TorqueColumn] = ()) -> Identification:
        """Return a saved identification; `extra` columns are given again, as files hold no functions."""
        path = file_path("path", path)
        try:
            content = json.loads(read_regular(path, LARGEST_FILE))
            found = cls(**saved_fields(content, str(path), extra))
        except (ClosedFormError, LookupError, TypeError, AttributeError, ValueError, RecursionError) as error:
            raise ClosedFormError(
                f"{path}: not a saved identification ({shorten(str(error), 200)})"
            ) from None
        if found.names != tuple(content["names"]):
            raise ClosedFormError(f"{path}: its parameters are not those of its robot; identify again")
        return found
