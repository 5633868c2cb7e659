"""An exciting motion, what it uses of its limits, and the file a robot can play."""

from __future__ import annotations

import csv
import io
import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ...arrays import Array
from ...chart import chart
from ...checks import MOST_SAMPLES, file_path, instance, number, whole_number
from ...display import card, html_table
from ...errors import ArgumentError, shown
from ...files import write_files
from ...lazy import cached_property
from ...robot import Robot
from ...trajectory import Harmonic
from ..base.result import BaseParameters
from ..joints import turning_joints
from .bounds import Bounds


@dataclass(frozen=True, repr=False)
class Excitation:
    """An exciting motion: one period of a Fourier series that starts and ends at rest.

    `start` is the random motion within the same limits, `bounds`, from which it was found.
    """

    base: BaseParameters
    bounds: Bounds
    trajectory: Harmonic
    start: Harmonic

    def __repr__(self) -> str:
        return (
            f"<Excitation of {self.robot.name!r}: {self.trajectory.duration:g} s, "
            f"condition number {self.condition:.3g} for {self.count} base parameters>"
        )

    def _repr_html_(self) -> str:
        """Return what a notebook shows: the motion, and what it uses of the limits."""
        t = np.linspace(0.0, self.trajectory.duration, 121)
        names = self.robot.joint_names
        picture = chart(t, self.trajectory(t), names, "t [s]", "q")
        used = self.table()
        header = ["joint", *(part for name in used for part in (name, "limit"))]
        columns = [np.broadcast_to(each, len(names)) for pair in used.values() for each in pair]
        table = html_table(header, list(zip(names, *columns, strict=True)))
        return card("Excitation", repr(self)[len("<Excitation ") : -1], picture, table)

    @property
    def robot(self) -> Robot:
        """The robot that is to be excited."""
        return self.base.robot

    @property
    def count(self) -> int:
        """Number of base parameters."""
        return self.base.count

    @cached_property
    def condition(self) -> float:
        """The condition number of the reduced regressor stacked over the motion."""
        return float(np.linalg.cond(self.stacked(self.trajectory)))

    @cached_property
    def start_condition(self) -> float:
        """The condition number of the random motion that the search started from."""
        return float(np.linalg.cond(self.stacked(self.start)))

    def stacked(self, motion: Harmonic, samples: int = 1000) -> Array:
        """Return the reduced regressor over one period of a motion, (samples nv, count)."""
        instance("excitation: motion", motion, Harmonic)
        samples = whole_number("excitation: samples", samples, 1, MOST_SAMPLES // self.robot.nv)
        t = np.arange(samples) * motion.duration / samples
        Y = self.base.regressor(*motion.derivatives(t, 2))
        return np.asarray(Y).reshape(-1, self.count)

    @cached_property
    def torque(self) -> Array:
        """Largest torque per joint with the robot's present parameters; NaN without inertias."""
        if not self.robot.model.has_inertia:
            return np.full(self.robot.nv, np.nan)
        return np.asarray(np.abs(self.robot.inverse_dynamics(*self._states)).max(axis=0))

    @cached_property
    def _states(self) -> tuple[Array, ...]:
        """Positions, velocities and accelerations at many instants of the period."""
        t = np.linspace(0.0, self.trajectory.duration, 4001)
        return tuple(self.trajectory.derivatives(t, 2))

    def table(self) -> dict[str, tuple[Array, Array]]:
        """Return (largest magnitude used, limit) per quantity, arrays over the joints."""
        q, qd, qdd = self._states
        return {
            "lowest": (q.min(axis=0), self.bounds.lower),
            "highest": (q.max(axis=0), self.bounds.upper),
            "velocity": (np.abs(qd).max(axis=0), self.bounds.velocity),
            "acceleration": (np.abs(qdd).max(axis=0), self.bounds.acceleration),
            "torque": (self.torque, self.bounds.torque),
        }

    def csv(self, rate: float = 1000.0) -> str:
        """Return time, positions, velocities and accelerations at `rate` Hz as CSV, units in brackets."""
        samples = number("excitation: rate", rate) * self.trajectory.duration
        if not 1 <= samples <= MOST_SAMPLES:
            raise ArgumentError(
                f"excitation: rate is {shown(rate)}; expected samples per second, 1 to {MOST_SAMPLES} in all"
            )
        t = np.arange(int(samples) + 1) / float(rate)
        states = self.trajectory.derivatives(t, 2)
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        names = self.robot.joint_names
        turning = turning_joints("excitation", self.robot)
        units = ["rad" if turns else "m" for turns in turning.values()]
        kinds = (("position", ""), ("velocity", "/s"), ("acceleration", "/s^2"))
        header = [
            f"{name}_{kind} [{unit}{per}]"
            for kind, per in kinds
            for name, unit in zip(names, units, strict=True)
        ]
        writer.writerow(["time [s]", *header])
        writer.writerows([f"{value:.12g}" for value in row] for row in np.column_stack([t, *states]))
        return text.getvalue()

    def write_csv(self, path: str | os.PathLike[str], rate: float = 1000.0) -> Path:
        """Write the motion as CSV, whole or not at all, and return the path."""
        return write_files({file_path("excitation: path", path): self.csv(rate)})[0]
