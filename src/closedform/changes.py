"""Robots made from a robot: with a payload, a frame, a tool, locked joints; each is a new robot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from .errors import ArgumentError, shown
from .model import Model, changes, joining

Values = ArrayLike | Mapping[str, float]
"""One number for all joints, one per velocity, or a mapping of joint names to numbers."""


class RobotChanges:
    """Methods that return a changed robot and leave this one as it is."""

    model: Model

    def with_payload(
        self,
        mass: float,
        com: ArrayLike = (0, 0, 0),
        inertia: ArrayLike | None = None,
        frame: str | None = None,
    ) -> Self:
        """Return the robot with a rigid body fixed to a frame (default: the last that moves).

        `com` is the centre of mass in the frame; `inertia` is taken about it in the frame's axes, as a
        3x3 matrix or xx, xy, xz, yy, yz, zz; without it the payload is a point mass.

        >>> import closedform as cf
        >>> arm = cf.load("iiwa14")
        >>> round(arm.with_payload(3.0, (0, 0, 0.1)).mass - arm.mass, 12)
        3.0
        """
        return self._of(changes.with_payload(self.model, mass, com, inertia, frame))

    def with_frame(self, name: str, parent: str | None = None, pose: ArrayLike = (0, 0, 0)) -> Self:
        """Return the robot with one more frame, which becomes the default of `pose` and `jacobian`.

        `pose` is the 4x4 pose in the `parent` frame (default: the last that moves), or a position.

        >>> import closedform as cf
        >>> arm = cf.load("2r").with_frame("pen", pose=(0.1, 0, 0))
        >>> arm.frame_names[-1]
        'pen'
        """
        return self._of(changes.with_frame(self.model, name, parent, pose))

    def locked(self, values: Mapping[str, ArrayLike] | Sequence[str]) -> Self:
        """Return the robot with joints held at coordinates, which are no longer part of q and qd.

        What a locked joint carries becomes part of the body before it, and joints that follow it are
        locked too. A ball joint takes a quaternion, a free one its seven coordinates. Joints in a list
        of names are locked at home.

        >>> import closedform as cf
        >>> arm = cf.load("panda")
        >>> arm.locked({arm.joint_names[-1]: 0.3}).nv
        6
        """
        return self._of(joining.locked(self.model, values))

    def attached(
        self,
        other: RobotChanges,
        frame: str | None = None,
        pose: ArrayLike | None = None,
        *,
        prefix: str | None = None,
    ) -> Self:
        """Return the robot that carries another on a frame (default: the last that moves): a hand on an arm.

        `pose` is that of the other's base in the frame (4x4), or its position. The joints of the other
        come after this robot's. A `prefix` keeps its names apart: by default the other's name, if both
        robots have a frame or joint of one name, and nothing if they do not.

        >>> import closedform as cf
        >>> both = cf.load("iiwa14").attached(cf.load("2r"), prefix="tool_")
        >>> both.nv, both.joint_names[-1]
        (9, 'tool_joint2')
        """
        if not isinstance(other, RobotChanges):
            raise ArgumentError(f"attached: other is {shown(other)}; expected a Robot")
        place = np.eye(4) if pose is None else pose
        return self._of(joining.attached(self.model, other.model, frame, place, prefix))

    def subtree(self, body: str) -> Self:
        """Return the part of the robot that a body carries, with the body itself as its base.

        >>> import closedform as cf
        >>> arm = cf.load("iiwa14")
        >>> arm.subtree(arm.body_names[2]).nv
        4
        """
        return self._of(joining.subtree(self.model, body))

    def with_base(self, pose: ArrayLike, name: str = "world") -> Self:
        """Return the robot mounted elsewhere: `pose` is that of its base in the new base frame, `name`.

        A position will do as well. Gravity stays as it is in the new frame, so an arm turned upside down
        hangs from the ceiling:

        >>> import numpy as np, closedform as cf
        >>> hanging = cf.load("2r").with_base(np.diag([1.0, -1.0, -1.0, 1.0]))
        >>> hanging.frame_names[0]
        'world'
        """
        return self._of(changes.with_base(self.model, pose, name))

    def with_joint_limits(
        self,
        lower: Values | None = None,
        upper: Values | None = None,
        velocity: Values | None = None,
        effort: Values | None = None,
    ) -> Self:
        """Return the robot with other joint limits: one for all, one per velocity, or by joint name.

        >>> import closedform as cf
        >>> cf.load("2r").with_joint_limits(upper={"joint1": 1.5}).upper_limits[0].item()
        1.5
        """
        limits = {"lower": lower, "upper": upper, "velocity": velocity, "effort": effort}
        return self._of(changes.with_limits(self.model, **limits))

    def with_armature(self, values: Values) -> Self:
        """Return the robot with other rotor inertias at its joints, as numbers of `with_joint_limits`.

        One number for all is that of joints that follow others too.

        >>> import closedform as cf
        >>> cf.load("2r").with_armature({"joint2": 0.1}).armature.tolist()
        [0.0, 0.1]
        """
        return self._of(changes.with_joint_property(self.model, "armature", values))

    def with_friction(self, values: Values) -> Self:
        """Return the robot with other Coulomb friction of its joints."""
        return self._of(changes.with_joint_property(self.model, "friction", values))

    def with_damping(self, values: Values) -> Self:
        """Return the robot with other viscous friction of its joints."""
        return self._of(changes.with_joint_property(self.model, "damping", values))

    def with_drive_offset(self, values: Values) -> Self:
        """Return the robot with other constant forces that its drives apply beside all others.

        Offsets, as identification finds them; of either sign, in N m or N. They count with
        `friction=True`, in simulations too.

        >>> import closedform as cf
        >>> arm = cf.load("2r").with_drive_offset({"joint2": -0.5})
        >>> arm.friction_torque([0.0, 0.0]).tolist()
        [0.0, -0.5]
        """
        return self._of(changes.with_joint_property(self.model, "drive_offset", values))

    def with_friction_curve(
        self,
        *,
        smooth_friction: Values | None = None,
        smooth_speed: Values | None = None,
        stribeck_friction: Values | None = None,
        stribeck_speed: Values | None = None,
        damping_asymmetry: Values | None = None,
        load_friction: Values | None = None,
    ) -> Self:
        """Return the robot with other friction beyond viscous and dry friction; what is not given stays.

        smooth_friction tanh(qd / smooth_speed), friction that peaks at low speed, with the value
        stribeck_friction at 0.71 stribeck_speed, and damping_asymmetry |qd| count with `friction=True`, in
        simulations too. Gears lose the part load_friction of the torques that they transmit to the links,
        which counts in `drive_torque` and in simulations; robots with loops leave it out.

        >>> import closedform as cf
        >>> arm = cf.load("2r").with_friction_curve(damping_asymmetry=[0.5, 0], load_friction=0.1)
        >>> arm.friction_torque([-2.0, 1.0]).tolist()
        [1.0, 0.0]
        """
        given = {name: values for name, values in locals().items() if name != "self" and values is not None}
        return self._of(changes.with_friction_curve(self.model, given))

    def with_springs(self, stiffness: Values, rest: Values | None = None) -> Self:
        """Return the robot with springs at its joints of one dof, which count with `springs=True`.

        `stiffness` in N m/rad or N/m and the coordinate `rest` at which a spring has no force are numbers
        as those of `with_joint_limits`; without a rest each keeps its own, at first zero.

        >>> import closedform as cf
        >>> arm = cf.load("2r").with_springs({"joint1": 40.0}, rest=0.2)
        >>> arm.spring_torque([0.3, 0.1]).round(12).tolist()
        [4.0, 0.0]
        """
        return self._of(changes.with_springs(self.model, stiffness, rest))

    def with_phi(self, phi: ArrayLike) -> Self:
        """Return the robot with other inertial parameters, ten per body; no mass may be negative.

        Parameters that no rigid body has (regrouped ones, a fit that is not physical) are taken as they
        are, with a warning.

        >>> import closedform as cf
        >>> arm = cf.load("2r")
        >>> arm.with_phi(2 * arm.phi).mass / arm.mass
        2.0
        """
        return self._of(changes.with_phi(self.model, phi))

    def with_geometry(self, geometry: ArrayLike) -> Self:
        """Return the robot with its joints elsewhere: rows x, y, z, roll, pitch, yaw, one per body.

        A row places the frame of a body in that of its parent at q = 0, as in `robot.geometry`.

        >>> import closedform as cf
        >>> arm = cf.load("2r")
        >>> longer = arm.geometry.copy()
        >>> longer[1, 0] += 0.2
        >>> float((arm.with_geometry(longer).pose([0.0, 0.0]) - arm.pose([0.0, 0.0]))[0, 3].round(9))
        0.2
        """
        return self._of(self.model.with_geometry(geometry))

    def with_letters(self, letters: Mapping[str, float]) -> Self:
        """Return the robot with numbers for letters of its table (`from_mdh`); others stay as they are.

        >>> import closedform as cf
        >>> arm = cf.Robot.from_mdh([(0, 0, 0, 0, 0), (0, 0, "L1", 0, 0)])
        >>> float(arm.with_letters({"L1": 0.4}).pose([0.0, 0.0])[0, 3])
        0.4
        """
        return self._of(changes.with_letters(self.model, letters))

    def with_gravity(self, gravity: ArrayLike) -> Self:
        """Return the robot in another field of gravity.

        >>> import closedform as cf
        >>> cf.load("2r").with_gravity((0, 0, -1.62)).gravity.tolist()
        [0.0, 0.0, -1.62]
        """
        return self._of(self.model.with_gravity(gravity))

    def _of(self, model: Model) -> Self:
        return type(self)(model)  # type: ignore[call-arg]  # every robot is made of a model
