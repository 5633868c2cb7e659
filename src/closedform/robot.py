"""The robot that users hold: a model with its closed forms as methods."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .arrays import Array
from .changes import RobotChanges
from .checks import batch_array, common_batch, file_path, generator, shape, small_number, whole_number
from .description.description import DEFAULT_GRAVITY, Description, Inertial, Limits
from .description.mdh import read_mdh
from .description.read import read_robot
from .description.screws import read_screws
from .errors import ArgumentError, shown
from .files import write_files
from .methods import RobotForms
from .model import Model, build_model, integrate, random_state
from .model.mjcf_writing import mjcf_text
from .model.urdf_writing import urdf_text
from .model.writing import model_toml
from .reaching import RobotReaching

MAX_NUMBERS = 10**8
"""Numbers of one array of random states."""

MAX_RATES = 20
"""Time derivatives of q that random states have at most."""


class Robot(RobotChanges, RobotReaching, RobotForms):
    """A robot and its equations of motion, M(q) qdd + C(q, qd) qd + g(q) = tau + J^T W.

    Every method takes arrays with any leading batch shape and an optional `out`:

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
        rows: ArrayLike,
        *,
        name: str = "robot",
        parents: Sequence[int] | None = None,
        joint_names: Sequence[str] | None = None,
        inertials: Sequence[Inertial | None] | None = None,
        armature: Sequence[float] | None = None,
        tool: ArrayLike | None = None,
        gravity: tuple[float, float, float] = DEFAULT_GRAVITY,
        source: str = "modified DH table",
        citation: str = "",
    ) -> Robot:
        """Return the robot of modified Denavit-Hartenberg rows (sigma, alpha, d, theta, r).

        Khalil's convention; `closedform.description.read_mdh` explains the options. Without inertials
        only kinematics works.

        >>> import closedform as cf
        >>> arm = cf.Robot.from_mdh([(0, 0, 0, 0, 0), (0, 0, 1.0, 0, 0)])
        >>> arm.jacobian([0.0, 0.0], "link2").shape
        (6, 2)
        """
        return cls.from_description(
            read_mdh(
                rows,
                name=name,
                parents=parents,
                joint_names=joint_names,
                inertials=inertials,
                armature=armature,
                tool=tool,
                gravity=gravity,
                source=source,
                citation=citation,
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
        """Viscous friction of the joints; described, not part of the forms."""
        return self.model.joint_array("damping")

    @property
    def friction(self) -> Array:
        """Coulomb friction of the joints; described, not part of the forms."""
        return self.model.joint_array("friction")

    @property
    def armature(self) -> Array:
        """Rotor inertias seen at the joints; part of M and of inverse and forward dynamics."""
        return self.model.joint_array("armature")

    def neutral(self) -> Array:
        """Return the home coordinates: zeros, and unit quaternions."""
        return self.model.neutral()

    def random_state(
        self,
        rng: np.random.Generator | int | None = None,
        *,
        batch: int | tuple[int, ...] = (),
        order: int = 2,
    ) -> tuple[Array, ...]:
        """Return random (q, qd, qdd, ...) up to the `order`-th derivative, q within the joint limits."""
        order = whole_number("random_state: order", order, 0, MAX_RATES)
        size = shape("random_state: batch", batch)
        if math.prod(size) * max(1, self.nq) > MAX_NUMBERS:
            raise ArgumentError(f"random_state: batch {size} of {self.nq} exceeds {MAX_NUMBERS} numbers")
        return random_state(self.model, generator("random_state: rng", rng), size, order)

    def integrate(self, q: ArrayLike, step: ArrayLike) -> Array:
        """Return q moved by the body-fixed displacement `step` = qd dt (nv entries), on the manifold."""
        q, step = batch_array("integrate: q", q, self.nq), batch_array("integrate: step", step, self.nv)
        common_batch("integrate", q=q.shape[:-1], step=step.shape[:-1])
        return integrate(self.model, q, step)

    def with_phi(self, phi: ArrayLike) -> Robot:
        """Return the robot with other inertial parameters, ten per body; no mass may be negative."""
        model = self.model.with_phi(phi)
        for body in model.bodies:
            if body.phi[9] < 0:
                raise ArgumentError(f"with_phi: the mass of link {body.name!r} is {body.phi[9]:g}, negative")
        return type(self)(model)

    def with_gravity(self, gravity: ArrayLike) -> Robot:
        """Return the robot in another field of gravity."""
        return type(self)(self.model.with_gravity(gravity))

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the robot as a TOML file that `load` reads back, whole or not at all; return its path.

        It holds the moving bodies with their lumped inertias, frames, limits, friction and gravity,
        numbers with all their digits.

        >>> import os, tempfile, closedform as cf
        >>> path = cf.load("scara").save(os.path.join(tempfile.mkdtemp(), "arm.toml"))
        >>> cf.load(path)
        <Robot 'scara': nq 4, nv 4, 4 moving bodies>
        """
        return self._written(path, ".toml", model_toml)

    def to_urdf(self, path: str | os.PathLike[str]) -> Path:
        """Write the robot as a URDF file and return its path.

        Bodies have their lumped inertias; frames are links without any. Rotor inertias and gravity
        have no place in a URDF: a warning says so. Limits that the robot does not have are 1e9.

        >>> import os, tempfile, closedform as cf
        >>> path = cf.load("puma560").to_urdf(os.path.join(tempfile.mkdtemp(), "puma.urdf"))
        >>> cf.load(path).nv
        6
        """
        return self._written(path, ".urdf", urdf_text)

    def to_mjcf(self, path: str | os.PathLike[str]) -> Path:
        """Write the robot as an MJCF file (.xml) and return its path.

        >>> import os, tempfile, closedform as cf
        >>> cf.load("2r").to_mjcf(os.path.join(tempfile.mkdtemp(), "arm.xml")).name
        'arm.xml'
        """
        return self._written(path, ".xml", mjcf_text)

    def _written(self, path: str | os.PathLike[str], ending: str, text: Callable[[Model], str]) -> Path:
        target = file_path(f"path (ending in {ending})", path)
        if target.suffix.lower() != ending:
            raise ArgumentError(f"path is {shown(str(target))}; expected a path that ends in {ending}")
        return write_files({target: text(self.model)})[0]


def load(
    source: str | os.PathLike[str],
    *,
    floating_base: bool = False,
    gravity: ArrayLike | None = None,
    snap: float = 0.0,
) -> Robot:
    """Return the robot of a catalogue name, a URDF file, an MJCF file or a .toml file of `Robot.save`.

    `floating_base` adds a free joint under the root link. `gravity` replaces the one given there
    (default (0, 0, -9.81)). Figures are taken as they are written; `snap=1e-5` rounds rotations within
    1e-5 of a quarter turn to exact ones, whatever the robot comes from, for cleaner equations and
    cheaper code.

    >>> import closedform as cf
    >>> cf.load("iiwa14").nv
    7
    """
    description = read_robot(source, small_number("snap", snap, 0.1))
    return Robot.from_description(description, floating_base=floating_base, gravity=gravity)
