"""The doors of a robot to closed loops and contacts; the rooms behind them are entered when called."""
# ruff: noqa: PLC0415

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from numpy.typing import ArrayLike

from .description.contact import Contact
from .description.loop import Closure

if TYPE_CHECKING:
    from .contacts import ContactRobot
    from .loops import ClosedRobot


class RobotLooping:
    """Methods that close the loops of a robot, and hold it on the ground."""

    def with_loops(
        self,
        loops: Sequence[Closure],
        independent: Sequence[str] | None = None,
        actuated: Sequence[str] | None = None,
        near: ArrayLike | None = None,
    ) -> ClosedRobot:
        """Return the robot with closed loops, in minimal coordinates: the same methods, fewer coordinates.

        `loops` are `cf.Loop`s, cut joints between two frames, and `cf.JointCoupling`s. `independent` are the
        joints whose coordinates describe the mechanism; by default they are found by rank, the actuated
        ones if they do, else those nearest to the base. `actuated` are the joints that carry torque, any set
        (default: the independent ones); if there are more of them than degrees of freedom, inverse dynamics
        gives the torques of least norm, and if nobody drives some of these, `generalized_force` takes its
        place. `near` (nq,) are coordinates of all joints in which the loops are
        nearly closed: they choose the assembly mode. Redundant loops, as those of a planar mechanism in
        space, are found by rank.

        >>> import numpy as np, closedform as cf
        >>> rod = cf.Inertial.of(1.0, (0.5, 0, 0), (0, 0, 0, 0.1, 0, 0.1))
        >>> rows = [(0, 0, 0, 0, 0), (0, 0, 1.0, 0, 0), (0, 0, 2.2, 0, 0)]
        >>> bars = cf.Robot.from_mdh(rows, parents=[-1, 0, -1], inertials=[rod] * 3)
        >>> bars = bars.with_frame("coupler", "link2", (2, 0, 0)).with_frame("rocker", "link3", (1.5, 0, 0))
        >>> four_bar = bars.with_loops([cf.Loop("coupler", "rocker", "hinge")], near=[1.0, -0.6, 1.4])
        >>> four_bar.joint_names, four_bar.nv
        (('joint1',), 1)
        >>> q_all = four_bar.assemble([[1.0], [1.1]])
        >>> bool((four_bar.closure_residual(q_all) < 1e-14).all())
        True
        >>> four_bar.inverse_dynamics([1.0], [0.5], [0.0]).shape
        (1,)
        """
        from .loops.robot import with_loops

        return with_loops(self, loops, independent, actuated, near)  # type: ignore[arg-type]  # a robot

    def with_contacts(
        self,
        contacts: Sequence[Contact],
        actuated: Sequence[str] | None = None,
        restitution: float = 0.0,
    ) -> ContactRobot:
        """Return the robot held on the ground or a surface: constrained dynamics, impacts, contact forces.

        `contacts` are `cf.Contact`s, frames and how they are held. `actuated` are the joints that carry
        torque (default: all but a floating base), `restitution` is the part of their velocity with which
        contacts rebound at an impact. Contacts that depend on each other, as the four corners of a foot, are
        found by rank.

        >>> import closedform as cf
        >>> arm = cf.load("puma560")
        >>> held = arm.with_contacts([cf.Contact(arm.frame_names[-1], "surface")])
        >>> held.row_names, held.rank
        (('link6[0]',), 1)
        >>> q, qd, _ = arm.random_state(0)
        >>> after, impulses = held.impact(q, qd)
        >>> bool(abs(held.contact_jacobian(q) @ after).max() < 1e-12)
        True
        """
        from .contacts import with_contacts

        return with_contacts(self, contacts, actuated, restitution)  # type: ignore[arg-type]  # a robot
