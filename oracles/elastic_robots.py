"""Elastic-joint robots for tests, and derivatives along their motion by automatic differentiation."""

from __future__ import annotations

import casadi as ca
import numpy as np

import closedform as cf
from closedform.elastic import ElasticJointRobot, Friction
from closedform.elastic.plant import forward_dynamics

LINK = Friction(viscous=0.7, coulomb=1.5, width=0.3)
MOTOR = Friction(viscous=0.02, coulomb=0.03, width=5.0)


def two_links(**options) -> ElasticJointRobot:
    """Return the planar arm on geared springs that differ from joint to joint."""
    given = {"stiffness": [0.4, 0.25], "motor_inertia": [2e-4, 1e-4], "gear_ratio": [0.02, 0.04]}
    return ElasticJointRobot(cf.load("2r"), **{**given, **options})


def random_motion(robot: ElasticJointRobot, seed: int = 0, batch: int = 6):
    """Return link motions to the fourth derivative."""
    rng = np.random.default_rng(seed)
    return tuple(rng.uniform(-1.5, 1.5, (batch, robot.nv)) for _ in range(5))


def derivatives_along_motion(robot: ElasticJointRobot, state, u, stiffness=(), count: int = 4):
    """Return q, q', ..., the `count`-th, of the plant under constant u, by differentiating its rate.

    With a variable stiffness (K, K', K'') the spring's own motion is followed to K''. Since u must not
    enter before the last derivative, holding it constant is no restriction.
    """
    n = robot.nv
    symbols = [ca.SX.sym(name, n) for name in ("q", "qd", "theta", "thetad")]
    spring = [ca.SX.sym(name, n) for name in ("K", "K1", "K2")] if stiffness else []
    torque = ca.SX.sym("u", n)
    qdd, thetadd = forward_dynamics(robot.plant(spring[:1]), *symbols, torque)
    x = ca.vertcat(*symbols, *spring[:2])
    rate = ca.vertcat(symbols[1], qdd, symbols[3], thetadd, *spring[1:])
    chain = [symbols[0]]
    for _ in range(count):
        chain.append(ca.jtimes(chain[-1], x, rate))
    f = ca.Function("f", [*symbols, torque, *spring], chain)
    rows = [np.array(f(*row)).reshape(len(chain), n) for row in zip(*state, u, *stiffness, strict=True)]
    return [np.stack([row[k] for row in rows]) for k in range(len(chain))]
