"""The door of a robot to its scenes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from ..model import Model
from ..shapes.robot_shapes import RobotShapes

if TYPE_CHECKING:
    from .scene import Scene


class RobotScenes(RobotShapes):
    """The method that shows a robot in 3D."""

    model: Model

    def scene(
        self,
        motion: Any = None,
        t: ArrayLike | None = None,
        *,
        tau: ArrayLike | None = None,
        ghost: ArrayLike | None = None,
        tool: str | None = None,
    ) -> Scene:
        """Return a moving picture in 3D of the robot along a motion: to turn, to play, to save as a page.

        `motion` is a trajectory, a motion of `simulate`, configurations (n, nq) with their times `t` (n,),
        one configuration, or None for home. `tau` (n, nv) are joint forces; a trajectory and a simulated
        motion have their own. `ghost` are configurations of a second, transparent robot, (n, nq) or (nq,):
        where it should be, where its motors are. `tool` is the frame whose path and manipulability are
        shown.

        >>> import closedform as cf
        >>> arm = cf.load("panda")
        >>> motion = cf.trajectory.polynomial(arm.neutral(), arm.random_state(0)[0], 2.0)
        >>> arm.scene(motion).save("panda.html")                         # doctest: +SKIP
        """
        from .robot_scene import robot_scene  # noqa: PLC0415 (templates take a while to import)

        self.model.require_numbers("scene")
        return robot_scene(self.model, self.shapes(), motion, t, tau, ghost, tool)
