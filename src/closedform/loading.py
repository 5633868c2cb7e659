"""Robots loaded from a name, a file, a text or a parsed tree."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import IO, Any

from numpy.typing import ArrayLike

from .checks import small_number
from .description.read import read_robot
from .robot import Robot

Source = str | os.PathLike[str] | bytes | IO[str] | IO[bytes] | Any
"""What a robot is loaded from; Any stands for the trees of the XML libraries."""


def load(
    source: Source,
    *,
    floating_base: bool = False,
    gravity: ArrayLike | None = None,
    snap: float = 0.0,
    locked: Mapping[str, ArrayLike] | Sequence[str] = (),
) -> Robot:
    """Return the robot of a catalogue name, a URDF file, an MJCF file or a .toml file of `Robot.save`.

    The source may also be the text of such a file, its bytes, an open file, or a tree that lxml or
    xml.etree has parsed; what they include or refer to is found from the working folder (or from the
    folder of the open file). `floating_base` adds a free joint under the root link. `gravity` replaces
    the one given there (default (0, 0, -9.81)). Figures are taken as they are written; `snap=1e-5`
    rounds rotations within 1e-5 of a quarter turn to exact ones, whatever the robot comes from, for
    cleaner equations and cheaper code. `locked` joints stay where they are, as in `Robot.locked`.

    >>> import closedform as cf
    >>> cf.load("iiwa14").nv
    7
    >>> cf.load("iiwa14", locked={"joint3": 0.4}).nv
    6
    >>> pendulum = cf.load('''
    ...   <robot name="pendulum"><link name="base"/><link name="rod"><inertial><origin xyz="0 0 -1"/>
    ...     <mass value="2"/><inertia ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"/></inertial></link>
    ...   <joint name="pivot" type="continuous"><parent link="base"/><child link="rod"/>
    ...     <axis xyz="0 1 0"/></joint></robot>''')
    >>> pendulum.mass_matrix([0.3]).item()
    2.0
    """
    description = read_robot(source, small_number("snap", snap, 0.1))
    robot = Robot.from_description(description, floating_base=floating_base, gravity=gravity)
    return robot.locked(locked)
