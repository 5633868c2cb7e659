"""Logs of a robot on a floating base: joints, base pose and twist, contacts and measured wrenches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from ...arrays import Array
from ...checks import choice, instance, known_name
from ...errors import ArgumentError, shown
from ...joints.free import Free
from ...robot import Robot
from ..logs.clock import even_time, in_order, scaled_time
from ..logs.columns import choose
from ..logs.errors import LogError, LogTable
from ..logs.log import Log
from ..logs.options import ReadingOptions
from ..logs.reading import read_log
from ..logs.signals import zero_phase
from ..logs.tables import read_table
from .columns import contacts_of, entries, frames_of, pose, split_states
from .pose import TWISTS, body_motion, body_twist, continuous, filtered_rotations

AXES = ("foot", "world")
"""Axes of measured wrenches: those of the foot's frame, or of the world; both about the frame's origin."""

AGREES, WORSE = 0.1, 3.0
"""Least relative difference of a twist from that of the poses, and over that in other axes, to be refused."""

SLOW = 5.0
"""Hz up to which they are compared."""


@dataclass(frozen=True)
class FloatingLog:
    """A recorded motion of a robot on a floating base.

    `joints` is the log of its joints; all other arrays have its rows. `twist` is a body twist (omega; v), or
    None; `wrenches` (rows, 6) are (moment; force) that the ground applies, in `axes`; `contacts` say when
    other feet stand, flat ones (`flat`) without turning.
    """

    robot: Robot
    joints: Log
    position: Array
    quaternion: Array
    twist: Array | None
    contacts: Mapping[str, NDArray[np.bool_]]
    wrenches: Mapping[str, Array]
    flat: frozenset[str]
    axes: str

    def __len__(self) -> int:
        return len(self.joints)


def check_floating(caller: str, robot: Robot) -> None:
    """Refuse a robot that is not a free base with one-dof joints."""
    instance(f"{caller}: robot", robot, Robot)
    bodies = robot.model.independent
    if not isinstance(bodies[0].joint, Free):
        raise ArgumentError(
            f"{caller}: robot {robot.name!r} has no floating base; load it with floating_base=True"
        )
    wide = [body.joint_name for body in bodies[1:] if body.joint.nv != 1]
    if wide or len(bodies) == 1:
        raise ArgumentError(
            f"{caller}: robot {robot.name!r} must have a floating base and joints of one dof each"
            + (f"; joint {wide[0]!r} has more" if wide else "; it has no joints")
        )


def read_floating_log(
    source: Any,
    robot: Robot,
    *,
    contacts: Mapping[str, Any] | Sequence[str] | None = None,
    flat: Sequence[str] = (),
    twist: str = "body",
    wrench_axes: str = "foot",
    **reading: Unpack[ReadingOptions],
) -> FloatingLog:
    """Return the log of a legged robot in a file or in arrays, joined with its base and contacts.

    Joints are read as by `read_log`, with its options. Other columns are arrays of these names, or one
    column per entry (`base_position_x`, `wrench_lf_foot_mz`, ...):

    - `base_position` (3) and `base_quaternion` (x, y, z, w) of the base frame in the world;
    - `base_twist` (omega; v), if there: `twist` says its axes, "body", "world", or "mixed" (omega in
      body axes and v in world axes, as MuJoCo has it); checked against the poses;
    - `contact_<frame>`: 0 or 1, whether a foot stands. `contacts` replaces them: frames that always stand,
      or a mapping of frames to booleans per row, names of columns or functions of time. A foot is a point
      unless `flat` names it;
    - `wrench_<frame>` (moment; force), or `force_<frame>` alone, that the ground applies to a foot, at the
      frame's origin in the axes `wrench_axes`, "foot" or "world".

    Coordinates and velocities may also come whole: `q` (rows, nq) and `qd` (rows, nv).

    >>> import numpy as np, closedform as cf
    >>> robot = cf.load("quadruped")
    >>> t = np.arange(500) / 250
    >>> q = np.tile(robot.neutral(), (500, 1))
    >>> q[:, 7:] += 0.1 * np.sin(t)[:, None]
    >>> log = read_floating_log({"t": t, "q": q, "tau": 0 * q[:, 7:]}, robot, contacts=["fl_foot"])
    >>> log.joints.joints[0], log.contacts["fl_foot"].all()
    ('fl_haa', np.True_)
    """
    check_floating("read_floating_log", robot)
    if isinstance(source, FloatingLog):
        return source
    choice("twist", twist, TWISTS)
    choice("wrench_axes", wrench_axes, AXES)
    if isinstance(flat, str) or not isinstance(flat, Sequence):
        raise ArgumentError(f"flat is {shown(flat)}; expected a list of frames")
    for frame in flat:
        known_name("flat frame", frame, robot.frame_names)
    base = robot.joint_names[0]
    legs = robot.locked({base: robot.neutral()[:7]})
    table = split_states(read_table(source, topic=reading.get("topic"), joints=legs.joint_names), robot)
    columns, units = reading.get("columns"), reading.get("units")
    chosen, _ = choose(table, legs.joint_names, columns, units)
    joints = read_log(table, legs, **reading)
    absent = [name for name in legs.joint_names if name not in joints.joints]
    if absent:
        raise LogError(
            f"{joints.source}: no columns of joint(s) {', '.join(absent)}: a log of another robot?"
        )
    rate = reading.get("rate")
    count = len(chosen["position"].values[0])
    if isinstance(rate, int | float):
        stamps = even_time(rate, count)
    else:
        stamps = scaled_time(chosen["time"].values[0], np.array(chosen["time"].scale))
    stands = contacts_of(table, contacts, robot, stamps)
    wrenches = _wrenches(table, robot)
    if stands is None and not wrenches:
        raise LogError(
            f"{joints.source}: nothing says which feet stand; add columns contact_<frame> or "
            "wrench_<frame>, or say contacts= (an empty list if the robot flies)"
        )
    position, quaternion = pose(table)
    recorded = entries(table, "base_twist")
    columns_of = {"base_position": position, "base_quaternion": quaternion, **wrenches}
    columns_of |= {} if recorded is None else {"base_twist": recorded}
    for name, values in columns_of.items():
        if len(values) != count:
            raise LogError(f"{joints.source}: {name} has {len(values)} rows; expected {count}")
        if not np.isfinite(values).all():
            row = int(np.flatnonzero(~np.isfinite(values).all(axis=1))[0])
            raise LogError(f"{joints.source}: {name} is not finite in row {row + 1}; leave such rows out")
    rows = _rows(stamps, joints.time)
    log = FloatingLog(
        robot,
        joints,
        position[rows],
        continuous(quaternion[rows]),
        None if recorded is None else body_twist(recorded[rows], quaternion[rows], twist),
        {frame: when[rows] for frame, when in (stands or {}).items() if frame not in wrenches},
        {frame: values[rows] for frame, values in wrenches.items()},
        frozenset(flat),
        wrench_axes,
    )
    _check_twist(log, recorded if recorded is None else recorded[rows], twist)
    return log


def _wrenches(table: LogTable, robot: Robot) -> dict[str, Array]:
    """Return the measured wrenches by frame; forces alone have no moment at the frame's origin."""
    found = {}
    for frame in frames_of(table, "wrench", robot):
        values = entries(table, "wrench", frame)
        if values is not None:
            found[frame] = values
    for frame in frames_of(table, "force", robot):
        values = entries(table, "force", frame)
        if frame in found:
            raise LogError(f"both wrench_{frame} and force_{frame} are in the log; keep one of them")
        if values is not None:
            found[frame] = np.concatenate([np.zeros((len(values), 3)), values], axis=1)
    return found


def _rows(stamps: Array, time: Array) -> NDArray[np.intp]:
    """Return the recorded rows that a repaired log kept: those with the nearest stamps."""
    if len(stamps) == len(time):
        return np.arange(len(time))
    keep, _ = in_order(stamps, forgiving=True)
    if keep is not None:
        return np.flatnonzero(keep)[_rows(stamps[keep], time)]
    after = np.clip(np.searchsorted(stamps, time), 1, len(stamps) - 1)
    return np.asarray(after - (time - stamps[after - 1] < stamps[after] - time))


def _check_twist(log: FloatingLog, recorded: Array | None, axes: str) -> None:
    """Refuse twists that contradict the poses, and say in which axes they would not."""
    if recorded is None:
        return
    rate = 1 / float(np.median(np.diff(log.joints.time)))
    slow = min(SLOW, rate / 10)  # noise of poses, differentiated, would hide what they show
    poses = zero_phase(log.position, slow, rate), filtered_rotations(log.quaternion, slow, rate)
    shown_by_poses = body_motion(*poses, rate)[0]

    def misfit(candidate: str) -> float:
        given = zero_phase(body_twist(recorded, log.quaternion, candidate), slow, rate)
        sizes = [
            np.median(np.abs(given[:, part] - shown_by_poses[:, part]))
            / max(float(np.median(np.abs(given[:, part]))), 1e-3)
            for part in (slice(0, 3), slice(3, 6))
        ]
        return float(max(sizes))

    misfits = {each: misfit(each) for each in TWISTS}
    best = min(misfits, key=misfits.__getitem__)
    if misfits[axes] > max(AGREES, WORSE * misfits[best]):
        raise LogError(
            f"{log.joints.source}: base_twist contradicts the poses if it is in {axes} axes, but not in "
            f'{best} axes; say twist="{best}"'
        )
