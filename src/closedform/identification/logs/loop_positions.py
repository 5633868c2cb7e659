"""Positions of robots with loops: which joints a log has, and where the loops put the driven ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...arrays import Array
from ...errors import ArgumentError, listed
from ...loops import ClosedRobot
from ...robot import Robot
from ..joints import driven_robot
from .columns import joints_named, width_of
from .errors import LogError, LogTable
from .faults import FEW, MOST, saturated, unwrapped
from .transmission import Transmission

OPEN = 0.02
"""Root mean square (rad, or part of the mechanism's size) by which logged joints may be off their loops."""


@dataclass(frozen=True)
class Recorded:
    """Arrays of a log by quantity, factors to SI, and what was done to them."""

    arrays: Mapping[str, Any]
    scales: Mapping[str, Array]
    notes: tuple[str, ...]


@dataclass(frozen=True)
class LoopPositions:
    """The joints of a mechanism whose positions a log has, in the order of its columns.

    `closed` is the robot as given, `driven` the same with its actuated joints as coordinates.
    """

    closed: ClosedRobot
    driven: ClosedRobot
    joints: tuple[str, ...]

    @classmethod
    def of(cls, closed: ClosedRobot, table: LogTable, columns: Mapping[str, Any] | None) -> LoopPositions:
        """Return the joints that columns of a log name, or that their number means.

        Columns may be of the actuated joints, the independent ones, or these and others; without names they
        are of the independent joints, or of all.
        """
        driven = driven_robot(closed)
        assert isinstance(driven, ClosedRobot)
        actuated, every = closed.actuated_names, one_dof_joints(closed)
        own = closed.joint_names if set(closed.joint_names) <= set(every) else actuated
        given = (columns or {}).get("position")
        named = tuple(given) if isinstance(given, Mapping) else joints_named(table, "position", every)
        if given is not None and not isinstance(given, Mapping):
            named = ()
        if named:
            found = tuple(name for name in every if name in named)
            for whole in (actuated, driven.joint_names, own):
                if set(whole) <= set(found):
                    return cls(closed, driven, found if set(found) != set(whole) else whole)
            raise LogError(
                f"positions of {listed(list(found or named), 8)} do not determine the mechanism; expected "
                f"columns of all actuated joints ({listed(list(actuated), 8)})"
                + ("" if own == actuated else f" or of all independent ones ({listed(list(own), 8)})")
            )
        count = width_of(table, "position", given)
        for names in (own, actuated, every):
            if count in (len(names), 0):  # 0: the caller says that there are none
                return cls(closed, driven, names)
        raise LogError(
            f"{count} columns of position for a mechanism of {closed.nv} degrees of freedom and {len(every)} "
            f"joints; expected those of {listed(list(own), 8)}, or of all joints ({listed(list(every), 12)})"
        )

    def converted(
        self, recorded: Recorded, transmission: Transmission, name: str, missing: str
    ) -> tuple[Recorded, Transmission]:
        """Return what was recorded as positions and efforts of the driven joints.

        Rows whose positions cannot be assembled are left out if they are few, as `missing` says. Efforts of
        more motors than degrees of freedom become the forces A^T tau along the driven joints.
        """
        many = len(self.closed.model.av) > self.driven.nv
        direct = self.joints == self.driven.joint_names and not many
        arrays, scales, notes = dict(recorded.arrays), dict(recorded.scales), list(recorded.notes)
        if hasattr(arrays["position"], "compute"):
            if direct:
                return recorded, transmission
            raise LogError(f"{name}: lazy positions are not of the driven joints alone; compute them first")
        q = np.asarray(arrays["position"], dtype=float) * scales["position"]
        if direct:
            q = transmission.joint_positions(q)
            x = self.driven.reached(q)
        else:
            self._check_gears(transmission, name)
            turns = {
                body.joint_name: bool(body.joint.turns[0]) for body in self.closed.tree.model.independent
            }
            q = unwrapped(q, [turns[joint] for joint in self.joints])[0]
            x = self._motion.reached(np.ascontiguousarray(q[:, self._columns]))
            notes += self._compared(q, x, turns, name)
            arrays["position"] = np.ascontiguousarray(x[:, list(self.driven.model.iq)])
            scales["position"] = np.ones(1)
            if arrays.pop("velocity", None) is not None:
                notes.append("measured velocities are left out: columns are not of the driven joints alone")
        fine = np.isfinite(x).all(axis=1)
        lost = np.asarray(np.isfinite(q).all(axis=1) & ~fine)
        if lost.any():
            notes.append(self._lost(lost, q, name, missing))
            arrays = {quantity: values[~lost] for quantity, values in arrays.items()}
        if many:
            arrays, more = self._projected(arrays, scales["effort"] * transmission.gain, x[~lost])
            scales["effort"] = np.ones(1)
            transmission = Transmission.of(self.driven.nv)
            notes += more
        return Recorded(arrays, scales, tuple(notes)), transmission

    def _projected(self, arrays: dict[str, Any], gains: Array, x: Array) -> tuple[dict[str, Any], list[str]]:
        """Return arrays with efforts along the driven joints, without rows in which a motor is saturated."""
        driven, efforts = self.driven, np.asarray(arrays["effort"], dtype=float) * gains
        units = (np.broadcast_to(unit, (len(x), driven.nv)) for unit in np.eye(driven.nv))
        here = np.ascontiguousarray(x[:, list(driven.model.iq)]) if driven.model.explicit else x
        with np.errstate(invalid="ignore"):  # rows that are not finite stay so
            G = np.stack([driven.joint_velocities(here, u)[:, list(self.closed.model.av)] for u in units])
        arrays = {**arrays, "effort": np.einsum("ita,ta->ti", G, efforts)}
        names = self.closed.actuated_names
        notes = [
            f"{len(names)} motors move {driven.nv} degrees of freedom: efforts are projected on "
            f"{listed(list(driven.joint_names), 8)}, what motors do against each other is not compared"
        ]
        full = saturated(efforts, [True] * len(names)).any(axis=1)
        if full.any() and np.mean(full) <= MOST:
            arrays = {quantity: values[~full] for quantity, values in arrays.items()}
            notes.append(f"{np.count_nonzero(full)} row(s) in which a motor is saturated are left out")
        return arrays, notes

    def _check_gears(self, transmission: Transmission, name: str) -> None:
        """Refuse gears between motors and positions of other joints."""
        same = np.array_equal(transmission.reduction, np.eye(len(transmission.gain)))
        if transmission.motor_positions and not same:
            raise ArgumentError(
                f"{name}: reduction is of motors, but positions are of {listed(list(self.joints), 8)}; say "
                "motor_positions=False"
            )
        if len(self.closed.model.av) > self.driven.nv and not (same and not transmission.offset.any()):
            raise ArgumentError(
                f"{name}: reduction and offset are not for mechanisms with more motors than degrees of "
                "freedom; give positions and torques of the joints"
            )

    @property
    def _motion(self) -> ClosedRobot:
        """The mechanism in the coordinates that the log has."""
        return self.driven if set(self.driven.joint_names) <= set(self.joints) else self.closed

    @property
    def _columns(self) -> list[int]:
        """The columns of those coordinates."""
        return [self.joints.index(name) for name in self._motion.joint_names]

    def _compared(self, q: Array, x: Array, turning: Mapping[str, bool], name: str) -> list[str]:
        """Return a note how far logged joints are from where the loops put them; refuse them if it is far."""
        others = [joint for joint in self.joints if joint not in self._motion.joint_names]
        if not others:
            return []
        model = self.closed.model.tree
        size = self.closed.size
        there = {body.joint_name: body.iq for body in model.independent}
        said = []
        for joint in others:
            off = q[:, self.joints.index(joint)] - x[:, there[joint]]
            if turning[joint]:
                off = np.mod(off + np.pi, 2 * np.pi) - np.pi
            unit, scale = ("rad", 1.0) if turning[joint] else ("m", size)
            known = np.isfinite(off)
            rms = float(np.sqrt(np.mean(off[known] ** 2))) if known.any() else 0.0
            if rms > OPEN * scale:
                row = int(np.nanargmax(np.abs(off)))
                whole = x[row].copy()
                whole[[there[each] for each in others]] = q[row, [self.joints.index(each) for each in others]]
                residual = float(self.closed.closure_residual(whole))
                raise LogError(
                    f"{name}: positions of all joints do not close the loops: {joint!r} is {rms:.3g} {unit} "
                    f"(rms) from where they put it, {abs(off[row]):.3g} {unit} in row {row + 1}, where loops "
                    f"are open by {residual:.3g} (m, or 2 sin(angle / 2)); check its zero, sign and unit, "
                    "give with_loops(near=) of the assembly mode of the log, or leave its column out"
                )
            said.append(f"{joint} {rms:.2g} {unit}")
        return [
            f"the motion is that of {listed(list(self._motion.joint_names), 8)}; logged positions of other "
            f"joints differ from where the loops put them by (rms): {listed(said, 8)}"
        ]

    def _lost(self, lost: NDArray[np.bool_], q: Array, name: str, missing: str) -> str:
        """Return a note about rows that cannot be assembled, or refuse them."""
        motion = self._motion
        row = int(np.flatnonzero(lost)[0])
        here = q[row, self._columns]
        count = int(np.count_nonzero(lost))
        words = f"positions of {count} row(s) cannot be assembled; the first, row {row + 1}: "
        words += motion.why_open(here)
        if missing == "error" or (missing == "few" and count > FEW * len(lost)) or lost.all():
            if np.isfinite(motion.reached(np.radians(here))).all() and np.abs(here).max() > 2 * np.pi:
                words += '; are angles in degrees? Say units={"position": "deg"}'
            raise LogError(
                f"{name}: {words}; check zeros, signs and units of the positions, or the lengths of the "
                'robot (missing="drop" leaves such rows out)'
            )
        return f"{words}; they are left out"


def one_dof_joints(closed: ClosedRobot) -> tuple[str, ...]:
    """Return the joints of a mechanism that a log may have, in the order of the tree."""
    return tuple(body.joint_name for body in closed.tree.model.independent if body.joint.nv == 1)


def wanted_joints(robot: Robot | ClosedRobot) -> tuple[str, ...]:
    """Return the joints of which messages of a bag are read."""
    return one_dof_joints(robot) if isinstance(robot, ClosedRobot) else robot.joint_names


def torque_joints(robot: Robot | ClosedRobot) -> tuple[str, ...]:
    """Return the joints that have torques."""
    return robot.actuated_names if isinstance(robot, ClosedRobot) else robot.joint_names


def moving_joints(
    robot: Robot | ClosedRobot, columns: Mapping[str, Any] | None, quantity: str, table: LogTable
) -> tuple[str, ...]:
    """Return the joints that a file of one quantity has."""
    if isinstance(robot, ClosedRobot) and quantity == "position":
        return LoopPositions.of(robot, table, columns).joints
    return torque_joints(robot)
