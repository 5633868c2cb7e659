"""The robot that users hold: a model with its closed forms as methods."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from numpy.typing import ArrayLike

from .arrays import Array
from .changes import RobotChanges
from .description.description import DEFAULT_GRAVITY, Description, Inertial, Limits
from .description.mdh import read_mdh
from .description.screws import read_screws
from .euler import RobotEuler
from .looping import RobotLooping
from .methods import RobotForms
from .model import build_model
from .model.listing import listing
from .moving import RobotMoving
from .pictures import RobotPictures
from .reaching import RobotReaching
from .saving import RobotFiles
from .scene.robot_scenes import RobotScenes
from .spheres import RobotSpheres
from .states import RobotStates


class Robot(
    RobotChanges,
    RobotStates,
    RobotEuler,
    RobotReaching,
    RobotMoving,
    RobotLooping,
    RobotFiles,
    RobotPictures,
    RobotScenes,
    RobotSpheres,
    RobotForms,
):
    """A robot and its equations of motion, M(q) qdd + C(q, qd) qd + g(q) = tau + J^T W.

    Every form is a method, which takes arrays with any leading batch shape and an optional `out`:

    >>> import closedform as cf
    >>> robot = cf.load("2r")
    >>> q, qd, qdd = robot.random_state(0, batch=(1000,))
    >>> robot.inverse_dynamics(q, qd, qdd).shape
    (1000, 2)
    >>> robot.mass_matrix(q[0]).shape
    (2, 2)
    """

    @classmethod
    def from_description(
        cls, description: Description, *, floating_base: bool = False, gravity: ArrayLike | None = None
    ) -> Robot:
        """Return the robot of a description; `floating_base` and `gravity` are those of `load`."""
        return cls(build_model(description, floating_base=floating_base, gravity=gravity))

    @classmethod
    def from_mdh(
        cls,
        rows: ArrayLike | Sequence[Sequence[float | str]],
        *,
        name: str = "robot",
        parents: Sequence[int] | None = None,
        joint_names: Sequence[str] | None = None,
        inertials: Sequence[Inertial | None] | None = None,
        armature: Sequence[float] | None = None,
        base: ArrayLike | None = None,
        tool: ArrayLike | None = None,
        gravity: tuple[float, float, float] = DEFAULT_GRAVITY,
        source: str = "modified DH table",
        citation: str = "",
        letters: Mapping[str, float] | None = None,
    ) -> Robot:
        """Return the robot of modified Denavit-Hartenberg rows (sigma, alpha, d, theta, r).

        Khalil's convention; `closedform.description.read_mdh` explains the options. Without inertials
        only kinematics works. Lengths and angles may be letters, which equations and base parameters
        keep; `letters` gives their numbers.

        >>> import closedform as cf
        >>> arm = cf.Robot.from_mdh([(0, 0, 0, 0, 0), (0, 0, 1.0, 0, 0)])
        >>> arm.jacobian([0.0, 0.0], "link2").shape
        (6, 2)
        >>> lettered = cf.Robot.from_mdh([(0, 0, 0, 0, 0), (0, 0, "L1", 0, 0)])
        >>> lettered.equations("pose").matrix[0, 3]
        L1*cos(q1)
        """
        return cls.from_description(
            read_mdh(
                rows,
                name=name,
                parents=parents,
                joint_names=joint_names,
                inertials=inertials,
                armature=armature,
                base=base,
                tool=tool,
                gravity=gravity,
                source=source,
                citation=citation,
                letters=letters,
            )
        )

    @classmethod
    def from_screws(
        cls,
        placements: Sequence[ArrayLike],
        screws: Sequence[ArrayLike],
        *,
        name: str = "robot",
        parents: Sequence[int] | None = None,
        spatial: bool = False,
        joint_names: Sequence[str] | None = None,
        body_names: Sequence[str] | None = None,
        inertials: Sequence[Inertial | None] | None = None,
        limits: Sequence[Limits] | None = None,
        armature: Sequence[float] | None = None,
        gravity: tuple[float, float, float] = DEFAULT_GRAVITY,
        source: str = "screws",
        citation: str = "",
    ) -> Robot:
        """Return the robot of home placements and joint screws (product of exponentials).

        `closedform.description.read_screws` explains the options.

        >>> import numpy as np, closedform as cf
        >>> helix = cf.Robot.from_screws([np.eye(4)], [(0, 0, 1, 0, 0, 0.01)])
        >>> bool(np.isclose(helix.pose([2 * np.pi])[2, 3], 0.02 * np.pi))
        True
        """
        return cls.from_description(
            read_screws(
                placements,
                screws,
                name=name,
                parents=parents,
                spatial=spatial,
                joint_names=joint_names,
                body_names=body_names,
                inertials=inertials,
                limits=limits,
                armature=armature,
                gravity=gravity,
                source=source,
                citation=citation,
            )
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.model,)

    def __repr__(self) -> str:
        bodies = len(self.model.bodies)
        return f"<Robot {self.name!r}: nq {self.nq}, nv {self.nv}, {bodies} moving bodies>"

    def __str__(self) -> str:
        """Return the joints with their places in q and qd, kinds and limits, and the names of the frames.

        >>> import closedform as cf
        >>> print(cf.load("scara"))
        scara: nq 4, nv 4, 4 moving bodies, 12.5 kg
        joint   kind       q  qd  lower   upper
        joint1  revolute   0  0   -1.833  1.833
        joint2  revolute   1  1   -2.618  2.618
        joint3  prismatic  2  2   0       0.21
        joint4  revolute   3  3   -6.283  6.283
        frames: base, link1, link2, link3, link4
        """
        return listing(self.model)

    @property
    def name(self) -> str:
        """Name of the robot."""
        return self.model.name

    @property
    def nq(self) -> int:
        """Number of coordinates."""
        return self.model.nq

    @property
    def nv(self) -> int:
        """Number of velocities (degrees of freedom)."""
        return self.model.nv

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Names of the joints that have coordinates of their own, in order."""
        return self.model.joint_names

    @property
    def body_names(self) -> tuple[str, ...]:
        """Names of the moving bodies, parents before children."""
        return tuple(body.name for body in self.model.bodies)

    @property
    def frame_names(self) -> tuple[str, ...]:
        """Names of the frames that `pose` and `jacobian` accept."""
        return self.model.frame_names

    @property
    def gravity(self) -> Array:
        """Acceleration of gravity in the base frame."""
        return self.model.gravity.copy()

    @property
    def phi(self) -> Array:
        """Inertial parameters XX XY XZ YY YZ ZZ MX MY MZ M of every body about its frame origin."""
        return self.model.phi

    @property
    def geometry(self) -> Array:
        """Where the joints are: x, y, z, roll, pitch, yaw of each body frame in its parent's (bodies, 6)."""
        return self.model.geometry

    @property
    def letters(self) -> dict[str, float | None]:
        """Letters of the table that the robot was made of, with their numbers; None for one without."""
        return dict(self.model.letters)

    @property
    def mass(self) -> float:
        """Mass of the moving bodies, or of the whole object if nothing moves."""
        return self.model.mass

    @property
    def base_phi(self) -> Array:
        """The ten inertial parameters of all that is fixed to the base; they move nothing."""
        return self.model.base_phi.copy()

    @property
    def lower_limits(self) -> Array:
        """Lower joint limits over the velocities, -inf if there is none."""
        return self.model.limit_array("lower")

    @property
    def upper_limits(self) -> Array:
        """Upper joint limits over the velocities, inf if there is none."""
        return self.model.limit_array("upper")

    @property
    def velocity_limits(self) -> Array:
        """Velocity limits, inf if there is none."""
        return self.model.limit_array("velocity")

    @property
    def effort_limits(self) -> Array:
        """Force and torque limits, inf if there is none."""
        return self.model.limit_array("effort")

    @property
    def damping(self) -> Array:
        """Viscous friction of the joints, over the velocities; part of a form only with `friction=True`."""
        return self.model.joint_array("damping")

    @property
    def friction(self) -> Array:
        """Dry friction of the joints, over the velocities; part of a form only with `friction=True`."""
        return self.model.joint_array("friction")

    @property
    def drive_offset(self) -> Array:
        """Constant forces of the drives, over the velocities; part of a form only with `friction=True`."""
        return self.model.joint_array("drive_offset")

    @property
    def load_friction(self) -> Array:
        """Part of the links' torques that gears lose; counts in `drive_torque` and simulations."""
        return self.model.joint_array("load_friction")

    @property
    def stiffness(self) -> Array:
        """Stiffness of the joints' springs, over the velocities; part of a form only with `springs=True`."""
        return self.model.joint_array("stiffness")

    @property
    def spring_rest(self) -> Array:
        """Coordinates at which the joints' springs have no force, over the velocities."""
        return self.model.joint_array("spring_rest")

    @property
    def armature(self) -> Array:
        """Rotor inertias seen at the joints; part of M and of inverse and forward dynamics."""
        return self.model.joint_array("armature")
