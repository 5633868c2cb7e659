"""Arrays of MuJoCo, whose model tells their order."""

from __future__ import annotations

from typing import Any

from ..errors import ArgumentError, shown
from ..robot import Robot
from .convention import Convention
from .joint_order import Place
from .states import States

CONVENTION = Convention(scalar_first=True, angular_at_rest=False, balls=True)

SIZES = ((7, 6), (4, 3), (1, 1), (1, 1))
"""Coordinates and velocities of MuJoCo's joints, in the order of mjtJoint: free, ball, slide, hinge."""

REMEDY = "load both from one file; robot.locked leaves joints out"


class MuJoCo(States):
    """Converts MuJoCo's arrays to those of a robot; methods that start with `to_` go back.

    `model` is a `mujoco.MjModel` with joints of the same names; a free joint may have any name. MuJoCo's
    qpos of a free joint is position and quaternion w, x, y, z, its qvel the linear velocity in the axes of
    the world and the angular velocity in those of the body. Forces (`qfrc_bias`, `qfrc_inverse`,
    `qfrc_applied`) go by `tau`, the full inertia matrix by `matrix`, and `jacp` over `jacr` of `mj_jac` by
    `jacobian`, which gives `robot.jacobian(q, frame, reference="world_aligned")`. All methods take our q.
    A bias force is that of no acceleration, which `qdd` of zeros is not here if the base floats and moves.

    >>> import mujoco
    >>> import numpy as np
    >>> import closedform as cf
    >>> text = '''<mujoco><worldbody><body><freejoint name="base"/><geom size="0.1" pos="0.1 0.2 0"/>
    ...     <body><joint name="hinge" axis="1 0 0"/><geom size="0.1" pos="0 0 0.3"/></body>
    ...     </body></worldbody></mujoco>'''
    >>> robot, model = cf.load(text), mujoco.MjModel.from_xml_string(text)
    >>> there, data = cf.convert.MuJoCo(robot, model), mujoco.MjData(model)
    >>> q, qd, _ = robot.random_state(0)
    >>> data.qpos, data.qvel = there.to_q(q), there.to_v(qd, q)
    >>> mujoco.mj_forward(model, data)
    >>> qdd = there.qdd(data.qacc, q, qd)
    >>> bool(abs(robot.forward_dynamics(q, qd, np.zeros(7)) - qdd).max() < 1e-9)
    True
    """

    def __init__(self, robot: Robot, model: Any) -> None:
        super().__init__(robot, _places(model), CONVENTION, REMEDY)
        self.model = model


def _places(model: Any) -> dict[str, Place]:
    """Return the places of the model's joints by name, or by number as the reader of MJCF names them."""
    try:
        found = {}
        for number in range(int(model.njnt)):
            nq, nv = SIZES[int(model.jnt_type[number])]
            q, v = int(model.jnt_qposadr[number]), int(model.jnt_dofadr[number])
            name = str(model.joint(number).name) or f"joint#{number}"
            found[name] = Place(number, slice(q, q + nq), slice(v, v + nv))
        return found
    except (AttributeError, TypeError, ValueError, LookupError) as error:
        raise ArgumentError(f"MuJoCo: model is {shown(model)} ({error}); expected a mujoco.MjModel") from None
