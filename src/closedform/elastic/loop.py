"""A plant under a law in continuous time, as one system."""

from __future__ import annotations

from functools import lru_cache

import casadi as ca
from casadi import SX

from ..checks import instance
from ..integration import System
from .catalogue import STATE
from .control import Control, require_control
from .plant import state_rate
from .robot import ElasticJointRobot


def closed_loop(control: Control, plant: ElasticJointRobot | None = None) -> System:
    """Return a plant under a law in continuous time: inputs are the rows of the reference.

    The gains, row by row, are its parameters, so that other poles need no other machine code.
    The plant is the model of the law unless another is given.
    """
    require_control("closed_loop", control)
    if plant is not None:
        instance("closed_loop: plant", plant, ElasticJointRobot)
    return _closed_loop(control, plant)


@lru_cache(maxsize=32)
def _closed_loop(control: Control, plant: ElasticJointRobot | None) -> System:
    robot = control.robot if plant is None else plant
    n, rows = robot.nv, control.rows
    state = [SX.sym(name, n) for name in STATE]
    reference, gains = SX.sym("r", rows * n), SX.sym("k", control.feedbacks * n)
    stacked = (ca.reshape(each, n, -1).T for each in (reference, gains))
    its = robot.plant([reference[(rows - 3) * n : (rows - 2) * n]] if robot.variable else [])
    u = control.expression(control.seen(state, its.K), *stacked)
    name = f"{type(control).__name__.lower()}_of_{robot.robot.name}"
    return System(name, ca.vertcat(*state), state_rate(its, state, u), reference, gains)
