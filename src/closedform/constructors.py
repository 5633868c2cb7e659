"""How a robot is made from figures: a description, a modified Denavit-Hartenberg table, or screws."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from numpy.typing import ArrayLike

from .description.description import DEFAULT_GRAVITY, Description, Inertial, Limits
from .description.mdh import read_mdh
from .description.screws import read_screws
from .methods import RobotForms
from .model import build_model


class Constructors(RobotForms):
    """The ways to make a robot; `closedform.load` takes names and files."""

    @classmethod
    def from_description(
        cls, description: Description, *, floating_base: bool = False, gravity: ArrayLike | None = None
    ) -> Self:
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
    ) -> Self:
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
    ) -> Self:
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
