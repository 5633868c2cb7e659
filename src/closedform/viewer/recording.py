"""Motions to play: a trajectory, a log, or one made up for the robot, with torques computed and measured."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..arrays import Array
from ..errors import ArgumentError
from ..forms.friction import is_curved
from ..robot import Robot

if TYPE_CHECKING:
    from ..trajectory import Trajectory

MOST_ROWS = 5000
"""Rows of a recording; of a longer one every second, third, ... is kept."""

RATE = 100.0
"""Rows per second of a trajectory."""

DURATION = 6.0
"""Seconds of a motion that is made up."""


@dataclass(frozen=True)
class Recording:
    """Instants t (k,), postures q (k, nq), and torques (k, nv): computed, and measured if it is a log.

    Torques are None without inertias, and NaN where a log says nothing.
    """

    name: str
    t: Array
    q: Array
    computed: Array | None = None
    measured: Array | None = None

    @property
    def duration(self) -> float:
        """Seconds from the first row to the last."""
        return float(self.t[-1] - self.t[0])


def from_trajectory(robot: Robot, trajectory: Trajectory) -> Recording:
    """Return a trajectory of a robot as a recording.

    >>> import closedform as cf
    >>> move = cf.trajectory.polynomial([0, 0], [1, 2], duration=1.0)
    >>> from_trajectory(cf.load("2r"), move).q[-1].round(6).tolist()
    [1.0, 2.0]
    """
    from ..trajectory.trajectory import require_trajectory  # noqa: PLC0415 (a view without one is quicker)

    require_trajectory("view", trajectory)
    if robot.nq != robot.nv or trajectory.dofs != robot.nq:
        raise ArgumentError(
            f"view: trajectory has {trajectory.dofs} coordinates for joints of one degree of freedom; "
            f"{robot.name!r} has nq {robot.nq} and nv {robot.nv}"
        )
    t = np.linspace(0.0, trajectory.duration, _count(trajectory.duration))
    q, qd, qdd = trajectory.derivatives(t, 2)
    return Recording("trajectory", t, np.asarray(q), _torques(robot, q, qd, qdd))


def from_log(robot: Robot, log: Any, **reading: Any) -> Recording:
    """Return a log as a recording; `log` and the options are those of `identification.read_log`.

    Velocities and accelerations are those that `identify` finds: filtered without delay.
    """
    from ..identification.logs.cutoff import chosen_cutoff  # noqa: PLC0415 (takes a second to import)
    from ..identification.logs.reading import read_log  # noqa: PLC0415
    from ..identification.logs.signals import Filters, condition_signals, sampling_rate  # noqa: PLC0415

    read = read_log(log, robot, **reading)
    samples = read.samples()
    rate = sampling_rate(samples.time)
    signals = condition_signals(samples, Filters(rate, chosen_cutoff("view", None, samples, rate)))
    valid = np.flatnonzero(signals.valid)  # filters have no past at the ends of a log
    if not valid.size:
        raise read.too_few("too short to find velocities and accelerations; record for longer")
    start, stop = int(valid[0]), int(valid[-1]) + 1
    every = slice(start, stop, max(1, -(-(stop - start) // MOST_ROWS)))
    count = len(signals.time[every])
    q = np.tile(robot.neutral(), (count, 1))
    qd, qdd, measured = (np.full((count, robot.nv), fill) for fill in (0.0, 0.0, np.nan))
    names = robot.joint_names  # all of one dof, or the log would have been refused
    at = [names.index(joint) for joint in read.joints]
    q[:, at], qd[:, at], qdd[:, at] = signals.q[every], signals.qd[every], signals.qdd[every]
    measured[:, at] = signals.effort[every]
    t = signals.time[every] - signals.time[start]
    return Recording(read.source, t, q, _torques(robot, q, qd, qdd), measured)


def made_up(robot: Robot) -> Recording:
    """Return a motion that suits the robot: cosines of all joints, within their limits."""
    from ..report.motions import CosineMotion  # noqa: PLC0415 (takes a second to import)

    t = np.linspace(0.0, DURATION, _count(DURATION))
    states = CosineMotion(robot.model, DURATION).at(t)
    return Recording("a motion of all joints", t, states.q, _torques(robot, states.q, states.qd, states.qdd))


def _count(duration: float) -> int:
    return int(min(MOST_ROWS, max(2, round(duration * RATE) + 1)))


def _torques(robot: Robot, q: Array, qd: Array, qdd: Array) -> Array | None:
    """Return the torques of a motion, friction included if the robot has any."""
    if not robot.model.has_inertia:
        return None
    rubs = bool(robot.damping.any() or robot.friction.any() or robot.drive_offset.any())
    rubs = rubs or is_curved(robot.model)
    return np.asarray(robot.inverse_dynamics(q, qd, qdd, friction=rubs))


class Player:
    """The place in a recording: it advances while `playing`, and begins again at the end.

    >>> import numpy as np
    >>> player = Player(Recording("two", np.array([0.0, 1.0]), np.array([[0.0], [2.0]])))
    >>> player.playing = True
    >>> player.advance(0.25), player.q.tolist()
    (True, [0.5])
    """

    def __init__(self, recording: Recording, quaternions: tuple[int, ...] = ()) -> None:
        self.recording, self._quaternions = recording, quaternions
        self.time, self.speed, self.playing = 0.0, 1.0, False

    def advance(self, seconds: float) -> bool:
        """Go on by some seconds of the clock; return whether the posture has changed."""
        if not self.playing or self.recording.duration <= 0:
            return False
        self.time = (self.time + seconds * self.speed) % self.recording.duration
        return True

    def seek(self, time: float) -> None:
        """Go to an instant, counted from the start of the recording."""
        if np.isfinite(time):
            self.time = float(np.clip(time, 0.0, self.recording.duration))

    @property
    def q(self) -> Array:
        """The posture, between two rows of the recording; quaternions have length 1."""
        found = self._at(self.recording.q)
        for k in self._quaternions:
            part = slice(k, k + 4)
            found[part] /= max(float(np.linalg.norm(found[part])), 1e-300)
        return found

    @property
    def torques(self) -> tuple[Array | None, Array | None]:
        """Torques at this instant: computed, measured."""
        computed, measured = self.recording.computed, self.recording.measured
        return (
            None if computed is None else self._at(computed),
            None if measured is None else self._at(measured),
        )

    def _at(self, rows: Array) -> Array:
        t = self.recording.t
        now = t[0] + self.time
        k = int(np.clip(np.searchsorted(t, now, side="right") - 1, 0, len(t) - 2))
        part = (now - t[k]) / max(float(t[k + 1] - t[k]), 1e-300)
        found: Array = rows[k] + np.clip(part, 0.0, 1.0) * (rows[k + 1] - rows[k])
        return found
