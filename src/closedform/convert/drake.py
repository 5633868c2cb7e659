"""Arrays of Drake, whose plant tells their order."""

from __future__ import annotations

from typing import Any

from ..errors import ArgumentError, shown
from ..robot import Robot
from .convention import Convention
from .joint_order import Place
from .states import States

CONVENTION = Convention(scalar_first=True, quaternion_first=True, linear_first=False)

REMEDY = "load both from one file, with nothing else in the plant; robot.locked leaves joints out"


class Drake(States):
    """Converts Drake's arrays to those of a robot; methods that start with `to_` go back.

    `plant` is a finalized `MultibodyPlant` of this robot alone, with joints of the same names; the joint that
    lets the base float may have any name. Its q is the quaternion w, x, y, z, then the position; its v is the
    angular, then the linear velocity, both in the axes of the world. Forces of `CalcInverseDynamics` go by
    `tau`, `CalcMassMatrix` by `matrix`; `CalcJacobianSpatialVelocity` of a frame, measured and expressed in
    the world, goes by `jacobian` and gives `robot.jacobian(q, frame, reference="world_aligned")`. All
    methods take our q. Drake is not imported: whatever lists joints as a plant does will do.

    >>> import numpy as np
    >>> import closedform as cf
    >>> class Joint:                                   # as pydrake's joints answer
    ...     def __init__(self, *facts): self.facts = facts
    ...     def name(self): return self.facts[0]
    ...     def position_start(self): return self.facts[1]
    ...     def num_positions(self): return self.facts[2]
    ...     def velocity_start(self): return self.facts[3]
    ...     def num_velocities(self): return self.facts[4]
    >>> class Plant:
    ...     joints = (Joint("base", 0, 7, 0, 6), Joint("joint2", 7, 1, 6, 1), Joint("joint1", 8, 1, 7, 1))
    ...     def GetJointIndices(self): return range(3)
    ...     def get_joint(self, index): return self.joints[index]
    >>> robot = cf.load("2r", floating_base=True)
    >>> there = cf.convert.Drake(robot, Plant())
    >>> there.q([1, 0, 0, 0, 0.1, 0.2, 0.3, 0.5, 0.4]).tolist()
    [0.1, 0.2, 0.3, 0.0, 0.0, 0.0, 1.0, 0.4, 0.5]
    """

    def __init__(self, robot: Robot, plant: Any) -> None:
        super().__init__(robot, _places(plant), CONVENTION, REMEDY)
        self.plant = plant


def _places(plant: Any) -> dict[str, Place]:
    """Return the places of the plant's joints by name; joints without velocities are left out."""
    try:
        joints = [plant.get_joint(index) for index in plant.GetJointIndices()]
        found = {}
        for number, joint in enumerate(joints):
            q, v = int(joint.position_start()), int(joint.velocity_start())
            nq, nv = int(joint.num_positions()), int(joint.num_velocities())
            if nv:
                found[str(joint.name())] = Place(number, slice(q, q + nq), slice(v, v + nv))
        return found
    except (AttributeError, TypeError, ValueError, LookupError, RuntimeError) as error:
        raise ArgumentError(
            f"Drake: plant is {shown(plant)} ({error}); expected a finalized MultibodyPlant"
        ) from None
