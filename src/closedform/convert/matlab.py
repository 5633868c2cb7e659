"""Arrays of MATLAB's rigidBodyTree, in the order of its bodies."""

from __future__ import annotations

from collections.abc import Sequence

from ..checks import instance
from ..errors import ArgumentError
from ..robot import Robot
from .convention import Convention
from .named import named_places
from .states import States

CONVENTION = Convention(scalar_first=True, quaternion_first=True, linear_first=False)

REMEDY = "give the names of all joints that move, in the order of the tree's bodies"


class Matlab(States):
    """Converts arrays of a rigidBodyTree to those of a robot; methods that start with `to_` go back.

    `joints` are the names of its joints that are not fixed, in the order of `tree.Bodies`: what
    `homeConfiguration(tree).JointName` lists. A configuration of `DataFormat` "row" is an array as here; a
    matrix whose columns are configurations is transposed first. `geometricJacobian` has the angular rows
    first, in the axes of the base, and becomes `robot.jacobian(q, frame, reference="world_aligned")`. Robots
    with a floating base are refused: velocities of MATLAB's floating joints are not converted.

    >>> import numpy as np
    >>> import closedform as cf
    >>> robot = cf.load("2r")
    >>> there = cf.convert.Matlab(robot, ["joint2", "joint1"])     # a tree whose bodies have another order
    >>> there.q([0.5, 0.4]).tolist()
    [0.4, 0.5]
    """

    def __init__(self, robot: Robot, joints: Sequence[str]) -> None:
        bodies = instance("Matlab: robot", robot, Robot).model.bodies
        floating = [body.joint_name for body in bodies if body.joint.floats]
        if floating:
            raise ArgumentError(
                f"Matlab: joint {floating[0]!r} floats; expected joints of one degree of freedom: those "
                "of MATLAB's floating joints are not converted"
            )
        super().__init__(robot, named_places("Matlab", joints), CONVENTION, REMEDY)
