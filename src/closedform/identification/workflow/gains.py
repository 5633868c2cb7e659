"""Drive gains: what one unit of logged effort is in newton metres, by the described inertias."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Unpack

import numpy as np

from ...arrays import Array
from ...checks import file_path, sized_array
from ...errors import ClosedFormError, shorten
from ...files import read_regular, write_files
from ...loops import ClosedRobot
from ...robot import Robot
from ..joints import any_robot, driven_robot
from ..logs.cutoff import chosen_cutoff
from ..logs.errors import LogError
from ..logs.log import Log
from ..logs.options import ReadingOptions
from ..logs.reading import read_log
from ..logs.signals import Filters, condition_signals, sampling_rate, thin, to_rows
from ..regression.passive_joints import reachable
from .listing import Column, Table

FORMAT = "closedform drive gains 1"

LARGEST_FILE = 2**24
"""Bytes of saved gains."""

ROWS = 200_000
"""Samples of a log that are used."""

FEWEST = 20
"""Rows below which no gain is estimated."""

CERTAIN = 0.5
"""Part of the efforts' squares that the described torques must explain for a gain to count."""

FARTHEST = 8.0
"""Factor by which described and logged torques may differ before units are doubted."""

LARGEST_TOOL = 100.0
"""Factor by which a tool that is not described may raise the torques of a joint of a wrist."""


@dataclass(frozen=True)
class DriveGains:
    """Gains of the drives (N m or N per logged unit), and how much of the efforts they explain.

    Of `drive_gains`, `explained` is the part of each joint's squared efforts, beyond friction and a
    constant, that the described inertias account for. A gain is NaN if that is less than `CERTAIN`, or if the
    log is too short to estimate it: `unknown` names those joints. Of `known_mass_gains` it is the part
    of all squared efforts that the fit explains, `covariance` is that of the gains, and `notes` say
    what was done to the logs.
    """

    joints: tuple[str, ...]
    values: Array
    explained: Array
    covariance: Array | None = None
    notes: tuple[str, ...] = ()

    @property
    def standard_errors(self) -> Array | None:
        """Standard errors of the gains, if they are known."""
        return None if self.covariance is None else np.sqrt(np.diag(self.covariance))

    @property
    def unknown(self) -> tuple[str, ...]:
        """Joints whose efforts the described inertias do not explain: they have no gain."""
        return tuple(name for name, gain in zip(self.joints, self.values, strict=True) if np.isnan(gain))

    @property
    def table(self) -> Table:
        """The gains by joint, with standard errors if they are known."""
        columns = [Column("gain", ".4g", none="unknown"), Column("explained", ".0f", 100.0, " %")]
        cells: list[tuple[float | None, ...]] = [
            (None if np.isnan(gain) else gain, part)
            for gain, part in zip(self.values.tolist(), self.explained.tolist(), strict=True)
        ]
        if self.standard_errors is not None:
            columns.insert(1, Column("std. error", ".2g"))
            errors = self.standard_errors.tolist()
            cells = [(gain, error, part) for (gain, part), error in zip(cells, errors, strict=True)]
        return Table("joint", tuple(columns), tuple(zip(self.joints, cells, strict=True)))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the gains as JSON that `DriveGains.load` reads."""
        content = {
            "format": FORMAT,
            "joints": self.joints,
            "values": self.values.tolist(),
            "explained": self.explained.tolist(),
            "covariance": None if self.covariance is None else self.covariance.tolist(),
            "notes": self.notes,
        }
        write_files({file_path("path", path): json.dumps(content, indent=1)})

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> DriveGains:
        """Return saved gains."""
        path = file_path("path", path)
        try:
            content = json.loads(read_regular(path, LARGEST_FILE))
            if content["format"] != FORMAT:
                raise ValueError(f"format is {content['format']!r}")
            joints, given = tuple(map(str, content["joints"])), content["covariance"]
            count = len(joints)
            values, explained = (
                sized_array(name, content[name], (count,)) for name in ("values", "explained")
            )
            covariance = None if given is None else sized_array("covariance", given, (count, count))
            notes = tuple(map(str, content.get("notes", ())))
        except (ClosedFormError, LookupError, TypeError, ValueError, RecursionError) as error:
            raise ClosedFormError(f"{path}: not saved drive gains ({shorten(str(error), 200)})") from None
        return cls(joints, values, explained, covariance, notes)

    def __str__(self) -> str:
        lines = self.table.lines()
        if self.unknown:
            lines.append(
                f"no gain of {', '.join(self.unknown)}: described inertias explain less than "
                f"{100 * CERTAIN:.0f} % of their efforts; move them more, or give their gains"
            )
        lines += [f"note: {note}" for note in self.notes]
        return "\n".join(lines)


def drive_gains(
    robot: Robot | ClosedRobot,
    log: Log | Any,
    *,
    cutoff: float | None = None,
    **reading: Unpack[ReadingOptions],
) -> DriveGains:
    """Return drive gains g for which g * effort fits the described inertias and friction best.

    Each joint's effort is fitted by (tau_described(q, qd, qdd) + fv qd + fc sign(qd) + of) / g: for
    logs of motor currents, of which the scale and even the sign are unknown, and robots whose
    inertias are known from drawings.

    >>> import numpy as np, closedform as cf
    >>> arm = cf.load("2r")
    >>> t = np.arange(0, 20, 0.002)
    >>> q = np.stack([np.sin(t) + np.sin(2.7 * t), np.cos(1.3 * t) - np.sin(3.1 * t)], axis=1)
    >>> qd, qdd = np.gradient(q, t, axis=0), np.gradient(np.gradient(q, t, axis=0), t, axis=0)
    >>> tau = arm.inverse_dynamics(q, qd, qdd)
    >>> drive_gains(arm, {"t": t, "q": q, "current": tau / [20.0, -5.0]}).values.round(2)
    array([20., -5.])
    """
    any_robot("drive_gains: robot", robot)
    if not robot.model.has_inertia:
        raise ClosedFormError(f"drive_gains: robot {robot.name!r} has no inertias to compare with")
    log = read_log(log, robot, **reading)
    robot = driven_robot(robot)
    if log.joints != robot.joint_names:
        raise LogError(
            "drive_gains: the log lacks joints of the robot; lock them first (closedform.identification.lock)"
        )
    samples = log.middle(ROWS)
    rate = sampling_rate(samples.time)
    filters = Filters(rate, chosen_cutoff("drive_gains", cutoff, samples, rate))
    s = condition_signals(samples, filters)
    counting = s.counting[:: filters.step]
    used = counting.any(axis=1)
    values, explained = np.full(robot.nv, np.nan), np.zeros(robot.nv)
    if np.count_nonzero(used) < FEWEST:
        return DriveGains(log.joints, values, explained)
    q = reachable(robot, s.q, s.time, s.valid)
    columns = (robot.inverse_dynamics(q, s.qd, s.qdd), s.effort, s.qd, np.tanh(s.qd / 0.05))
    rows = [to_rows(thin(x, filters), filters) for x in columns]
    for j in np.flatnonzero(counting.sum(axis=0) >= FEWEST):
        torque, effort, speed, sign = (x[counting[:, j], j] for x in rows)
        losses = np.column_stack([speed, sign, np.ones(len(speed))])
        without, own = _residual(losses, effort), _residual(losses, torque)
        slope = float(own @ without / max(float(own @ own), 1e-300))
        rest = without - slope * own
        whole = float(without @ without)
        explained[j] = 1 - float(rest @ rest) / whole if whole > 0 else 0.0
        if explained[j] >= CERTAIN:
            values[j] = 1 / slope
    return DriveGains(log.joints, values, explained)


def check_gains(
    robot: Robot | ClosedRobot, log: Log, cutoff: float, causes: Callable[[], Sequence[object]]
) -> tuple[str, ...]:
    """Refuse efforts whose scale or sign contradicts the described inertias, with causes that help.

    If most joints agree with the description, what others contradict is returned as doubts: a tool may be
    missing there, their efforts may have another sign or unit, or their inertias may be placeholders.
    """
    if not robot.model.has_inertia:
        return ()
    found = drive_gains(robot, log, cutoff=cutoff)
    gains = [(name, g) for name, g in zip(found.joints, found.values, strict=True) if not np.isnan(g)]
    wrong = [(name, gain) for name, gain in gains if not 1 / FARTHEST < gain < FARTHEST]
    if not wrong or len(wrong) < len(gains) / 2:
        return tuple(_doubt(name, gain) for name, gain in wrong)
    name, gain = wrong[0]
    others = f" ({len(wrong) - 1} other joint(s) are off too)" if wrong[1:] else ""
    raise LogError(
        f"{log.source}: the described inertias need {gain:.3g} times the logged effort of joint {name!r}"
        f"{others}: motor currents, another unit or sign? Say gain=[...] or reduction=[...] "
        "(closedform.identification.drive_gains estimates them), or plausible=False if the described "
        "inertias are wrong" + "".join(f"; {cause}" for cause in causes()[:2])
    )


def _doubt(name: str, gain: float) -> str:
    """Return the doubt about the efforts of one joint, if most other joints agree with the description."""
    if 1 / LARGEST_TOOL < gain < 1:
        return (
            f"the efforts of joint {name!r} are {1 / gain:.2g} times what the described inertias need, most "
            "other joints agree with them: does the robot carry a tool that is not described?"
        )
    return (
        f"the described inertias need {gain:.3g} times the logged effort of joint {name!r}, most other "
        "joints agree with them: has it another sign or unit (gain=[...]), or are its inertias wrong?"
    )


def _residual(columns: Array, target: Array) -> Array:
    return np.asarray(target - columns @ np.linalg.lstsq(columns, target, rcond=None)[0])
