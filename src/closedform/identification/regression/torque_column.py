"""Torques that a user knows up to a factor: counterbalances, cables, springs of any shape."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...arrays import Array
from ...checks import function as checked_function
from ...checks import known_name, text
from ...errors import ArgumentError, shorten, shown
from ...loops import ClosedRobot
from ...robot import Robot

TAKEN = re.compile(r"(Ia|f[vcpsal]|of|k|dq|[XYZ]{2}|M[XYZ]|M)(m?\d+R?|:.+)")
"""Names that parameters of bodies and joints have."""


@dataclass(frozen=True)
class TorqueColumn:
    """A torque with an unknown factor: the drive of `joint` applies factor * function(q, qd, qdd).

    The function takes arrays (samples, joints) in the order of the robot and returns (samples,); without
    a joint it returns (samples, joints). The factor is identified under the column's `name`; `unit` is the
    factor's, for people.

    >>> import numpy as np
    >>> cable = TorqueColumn("cable", "joint2", lambda q, qd, qdd: np.tanh(5 * q[:, 1]), unit="N m")
    >>> cable.name, cable.unit
    ('cable', 'N m')
    """

    name: str
    joint: str | None
    function: Callable[[Array, Array, Array], Any]
    unit: str = ""

    def __post_init__(self) -> None:
        name = text("TorqueColumn: name", self.name)
        if not name.strip() or len(name) > 100:
            raise ArgumentError(f"TorqueColumn: name is {shown(name)}; expected some characters, at most 100")
        if TAKEN.fullmatch(name):
            raise ArgumentError(
                f"TorqueColumn: the name {name!r} is that of a parameter of a body or a joint; choose another"
            )
        text(f"column {name!r}: unit", self.unit)
        if self.joint is not None:
            text(f"column {name!r}: joint", self.joint)
        checked_function(f"column {name!r}: function", self.function, "q, qd and qdd", 3)

    def joints(self, robot: Robot | ClosedRobot) -> tuple[int, ...]:
        """Return the joints that the torque may act on, by their place."""
        if self.joint is None:
            return tuple(range(robot.nv))
        known_name(f"joint of column {self.name!r}", self.joint, robot.joint_names)
        return (robot.joint_names.index(self.joint),)

    def torques(self, robot: Robot | ClosedRobot, q: Array, qd: Array, qdd: Array) -> Array:
        """Return the torques (samples, joints) of a factor of one, checked."""
        where = self.joints(robot)
        shape = (len(q),) if self.joint is not None else (len(q), robot.nv)
        try:
            given = np.asarray(self.function(q.copy(), qd.copy(), qdd.copy()))
        except Exception as error:
            kind = type(error).__name__
            raise ArgumentError(
                f"column {self.name!r}: its function failed on arrays of shape {q.shape}: {kind}: "
                f"{shorten(str(error), 200)}"
            ) from error
        if given.shape != shape or given.dtype.kind not in "fiub":
            raise ArgumentError(
                f"column {self.name!r}: its function returned {given.dtype} of shape {given.shape} for "
                f"arrays of shape {q.shape}; expected real numbers of shape {shape}"
            )
        if not np.isfinite(given).all():
            row = int(np.flatnonzero(~np.isfinite(given).reshape(len(q), -1).all(axis=1))[0])
            raise ArgumentError(
                f"column {self.name!r}: its function is not finite at q = {shown(q[row].tolist())}"
            )
        found = np.zeros((len(q), robot.nv))
        found[:, where] = given.reshape(len(q), -1)
        return found


def checked_columns(caller: str, given: Any, robot: Robot | ClosedRobot) -> tuple[TorqueColumn, ...]:
    """Return torque columns of joints of the robot, no two of one name."""
    if isinstance(given, TorqueColumn):
        given = (given,)
    if not isinstance(given, Sequence) or any(not isinstance(each, TorqueColumn) for each in given):
        raise ArgumentError(f"{caller}: extra is {shown(given)}; expected a list of TorqueColumn")
    names = [column.name for column in given]
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise ArgumentError(f"{caller}: extra has two columns of the name {twice[0]!r}; name them apart")
    for column in given:
        column.joints(robot)
    return tuple(given)
