"""An exciting motion, what it uses of its limits, and the file a robot can play."""

from __future__ import annotations

import csv
import io
import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

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
from ..regression.friction import FrictionTerms
from .bounds import Bounds
from .controllers import ros_trajectory, urscript
from .expected import ExpectedErrors, expected_errors


@dataclass(frozen=True, repr=False)
class Excitation:
    """An exciting motion: one period of a Fourier series that starts and ends at rest.

    `start` is the random motion within the same limits, `bounds`, from which it was found.
    """

    base: BaseParameters
    bounds: Bounds
    trajectory: Harmonic
    start: Harmonic

    @property
    def notes(self) -> tuple[str, ...]:
        """What the search left out of account: pairs of bodies whose spheres always overlap."""
        clearances = self.bounds.clearances
        return () if clearances is None else tuple(f"not looked at: {each}" for each in clearances.ignored)

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

    def used(self) -> dict[str, Array]:
        """Return the part of each limit that is used, per joint; ranges count from their middles.

        What has no limit is NaN.
        """
        table = self.table()
        middle, half = (
            (self.bounds.upper + self.bounds.lower) / 2,
            (self.bounds.upper - self.bounds.lower) / 2,
        )
        reach = np.maximum(np.abs(table["lowest"][0] - middle), np.abs(table["highest"][0] - middle))
        parts = {"range": reach / half}
        for name in ("velocity", "acceleration", "torque"):
            used, limit = table[name]
            parts[name] = np.where(np.isfinite(limit), used / limit, np.nan)
        return parts

    def gaps(self) -> dict[str, float]:
        """Return the least gap in metres over the motion, by the pair that it is between, nearest first."""
        clearances = self.bounds.clearances
        if clearances is None:
            return {}
        least = clearances.distances(self._states[0]).min(axis=0)
        found: dict[str, float] = {}
        for k in np.argsort(least, kind="stable"):
            found.setdefault(str(clearances.gaps[k]), float(least[k]))
        return found

    def expected_errors(
        self,
        torque_noise: ArrayLike = 1.0,
        rate: float = 1000.0,
        *,
        friction: FrictionTerms | None = FrictionTerms(),  # noqa: B008 (frozen)
        rotors: bool = True,
    ) -> ExpectedErrors:
        """Return the standard errors that one period of the motion would lead to, before the robot moves.

        `torque_noise` is the standard deviation of white noise of the torques, one number or one per joint,
        of samples at `rate` Hz. Friction and rotors are identified together with the base parameters, and
        make their errors larger.

        >>> import closedform as cf
        >>> found = cf.excitation(cf.load("2r"), period=4.0, velocity=3.0, starts=1, iterations=20)
        >>> [name for name in found.expected_errors(0.1).names if name.startswith("fv")]
        ['fv1', 'fv2']
        """
        return expected_errors(self.base, self.trajectory, torque_noise, rate, friction, rotors)

    def ros_trajectory(self, rate: float = 100.0) -> str:
        """Return the motion as the YAML of a ROS 2 message trajectory_msgs/msg/JointTrajectory.

        YAML reads JSON too: a point per line. The robot must be in the first posture before.
        """
        return ros_trajectory(self.robot.joint_names, self.trajectory, self._instants(rate))

    def urscript(self, rate: float = 500.0, lookahead: float = 0.1, gain: float = 300.0) -> str:
        """Return the motion as a URScript program: a movej to its start, then servoj at `rate` Hz.

        500 Hz is the rate of an e-Series controller, 125 Hz that of a CB3. `lookahead` (0.03 to 0.2 s) and
        `gain` (100 to 2000) are those of servoj.
        """
        return urscript(self.robot, self.trajectory, self._instants(rate), float(rate), lookahead, gain)

    def _instants(self, rate: float) -> Array:
        """Return the times of samples at a rate, from 0 to the end of the motion."""
        samples = number("excitation: rate", rate) * self.trajectory.duration
        if not 1 <= samples <= MOST_SAMPLES:
            raise ArgumentError(
                f"excitation: rate is {shown(rate)}; expected samples per second, 1 to {MOST_SAMPLES} in all"
            )
        return np.asarray(np.arange(int(samples + 1e-9) + 1) / float(rate))

    def csv(self, rate: float = 1000.0) -> str:
        """Return time, positions, velocities and accelerations at `rate` Hz as CSV, units in brackets."""
        t = self._instants(rate)
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

    def write_ros_trajectory(self, path: str | os.PathLike[str], rate: float = 100.0) -> Path:
        """Write the ROS 2 message, whole or not at all, and return the path."""
        return write_files({file_path("excitation: path", path): self.ros_trajectory(rate)})[0]

    def write_urscript(self, path: str | os.PathLike[str], rate: float = 500.0) -> Path:
        """Write the URScript program, whole or not at all, and return the path."""
        return write_files({file_path("excitation: path", path): self.urscript(rate)})[0]
