"""Robots loaded from a name, a file, a text or a parsed tree."""
# ruff: noqa: PLC0415

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import IO, TYPE_CHECKING, Any, Literal, overload

from numpy.typing import ArrayLike

from .checks import small_number
from .description.read import read_robot
from .errors import ArgumentError, shown
from .robot import Robot

if TYPE_CHECKING:
    from .loops import ClosedRobot

Source = str | os.PathLike[str] | bytes | IO[str] | IO[bytes] | Any
"""What a robot is loaded from; Any stands for the trees of the XML libraries."""


@overload
def load(
    source: Source,
    *,
    floating_base: bool = ...,
    gravity: ArrayLike | None = ...,
    snap: float = ...,
    locked: Mapping[str, ArrayLike] | Sequence[str] = ...,
    loops: Literal[False],
    constraints: str | os.PathLike[str] | None = ...,
) -> Robot: ...


@overload
def load(
    source: Source,
    *,
    floating_base: bool = ...,
    gravity: ArrayLike | None = ...,
    snap: float = ...,
    locked: Mapping[str, ArrayLike] | Sequence[str] = ...,
    loops: Literal[True],
    constraints: str | os.PathLike[str] | None = ...,
) -> ClosedRobot: ...


@overload
def load(
    source: Source,
    *,
    floating_base: bool = ...,
    gravity: ArrayLike | None = ...,
    snap: float = ...,
    locked: Mapping[str, ArrayLike] | Sequence[str] = ...,
    loops: None = ...,
    constraints: str | os.PathLike[str] | None = ...,
) -> Robot | Any: ...


def load(
    source: Source,
    *,
    floating_base: bool = False,
    gravity: ArrayLike | None = None,
    snap: float = 0.0,
    locked: Mapping[str, ArrayLike] | Sequence[str] = (),
    loops: bool | None = None,
    constraints: str | os.PathLike[str] | None = None,
) -> Robot | ClosedRobot:
    """Return the robot of a catalogue name, a URDF file, an MJCF file or a .toml file of `Robot.save`.

    The source may also be the text of such a file, its bytes, an open file, or a tree that lxml or
    xml.etree has parsed; what they include or refer to is found from the working folder (or from the
    folder of the open file). `floating_base` adds a free joint under the root link. `gravity` replaces
    the one given there (default (0, 0, -9.81)). Figures are taken as they are written; `snap=1e-5`
    rounds rotations within 1e-5 of a quarter turn to exact ones, whatever the robot comes from, for
    cleaner equations and cheaper code. `locked` joints stay where they are, as in `Robot.locked`.

    A robot whose file closes loops is a `ClosedRobot`: MJCF with <equality>, URDF with <loop>, a .toml
    file with loops, or a URDF with a list of `constraints`, such as the robot.yaml of the
    example-parallel-robots collection. `loops=False` gives its tree, in which all joints move freely;
    with `loops=True` a file without loops is an error.

    >>> import closedform as cf
    >>> cf.load("iiwa14").nv
    7
    >>> cf.load("iiwa14", locked={"joint3": 0.4}).nv
    6
    >>> cf.load("four_bar").nv, cf.load("four_bar", loops=False).nv
    (1, 3)
    >>> pendulum = cf.load('''
    ...   <robot name="pendulum"><link name="base"/><link name="rod"><inertial><origin xyz="0 0 -1"/>
    ...     <mass value="2"/><inertia ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"/></inertial></link>
    ...   <joint name="pivot" type="continuous"><parent link="base"/><child link="rod"/>
    ...     <axis xyz="0 1 0"/></joint></robot>''')
    >>> pendulum.mass_matrix([0.3]).item()
    2.0
    """
    if loops is not None and not isinstance(loops, bool):
        raise ArgumentError(f"loops is {shown(loops)}; expected None, True or False")
    description = read_robot(source, small_number("snap", snap, 0.1), constraints)
    if loops and description.mechanism is None:
        raise ArgumentError(
            f"loops=True, but {description.source or description.name} closes no loops; leave loops out, or "
            "close them with Robot.with_loops"
        )
    if description.mechanism is not None and loops is not False:
        from .loops.reading import closed_robot

        return closed_robot(description, floating_base=floating_base, gravity=gravity, locked=locked)
    robot = Robot.from_description(description, floating_base=floating_base, gravity=gravity)
    return robot.locked(locked)
