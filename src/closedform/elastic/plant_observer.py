"""A copy of the plant as an observer: links and external torques of robots on soft springs."""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca
import numpy as np
from casadi import SX
from numpy.typing import ArrayLike

from ..arrays import Array
from ..guests import in_kind
from .momentum_observer import state_parts
from .observer import Observer, advanced
from .observer_forms import plant_observer_rate
from .plant import Plant
from .robot import ElasticJointRobot


class PlantObserver(Observer):
    """Links and external torques from a copy of the whole plant, corrected by the measured motor angles.

    The errors of all estimates, of d too, have the five `poles` given per joint, in every posture (the form
    `plant_observer_rate`): with an exact model there is no lag, and laws that need accelerations, such as
    `Decoupling`, can be closed over the estimates. The price is that the correction cancels the springs of
    the model. Where these are much faster than the poles, or faster than the sampling, small errors of M
    are enough to make it diverge: it is for soft joints, such as series elastic ones.

    >>> import numpy as np, closedform as cf
    >>> arm = cf.ElasticJointRobot(cf.load("2r"), 1e3, 0.1, 1.0)
    >>> observer = cf.elastic.PlantObserver(arm, [-60, -65, -70, -75, -80])
    >>> memory = observer.at_rest([0.4, -0.3])
    >>> u = arm.links.gravity_torque(memory[0])
    >>> estimate, memory = observer.step(memory, [0.4, -0.3], [0.4, -0.3], u)
    >>> bool(np.allclose(estimate[:2], memory[0])), bool(np.abs(estimate[8:]).max() < 1e-9)
    (True, True)
    """

    rows, name = 5, "plant_observer"

    def __init__(self, robot: ElasticJointRobot, poles: ArrayLike, rate: float = 1000.0) -> None:
        super().__init__(robot, rate, ("poles", poles, 5))

    @in_kind
    def begin(self, q: ArrayLike, qd: ArrayLike, theta: ArrayLike, thetad: ArrayLike) -> Array:
        """Return the memory of a robot that is in a known state, with no external torque."""
        q, qd, theta, thetad = state_parts("begin", self.robot, q, qd, theta, thetad)
        return np.stack([q, qd, theta, thetad, np.zeros_like(q)], axis=-2)

    def expression(
        self, plant: Plant, memory: Sequence[SX], theta: tuple[SX, SX], u: SX, gains: SX, h: SX
    ) -> tuple[Sequence[SX], Sequence[SX]]:
        """Return estimates and memory one sample later."""
        n = self.robot.nv

        def rate(x: SX, measured: SX) -> SX:
            return plant_observer_rate(plant, *[*ca.vertsplit(x, n), measured, u, gains])

        estimate = ca.vertsplit(advanced(rate, ca.vertcat(*memory), theta, h), n)
        return estimate, estimate
