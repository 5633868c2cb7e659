"""Arrays of Isaac Gym, Isaac Sim and Isaac Lab: a root state of thirteen numbers, and joints by name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Array
from ..checks import batch_array, choice, common_batch, instance, sized_array
from ..errors import ArgumentError
from ..guests import in_kind
from ..robot import Robot
from .convention import ORIGIN, Convention
from .named import named_places
from .states import States

ORDERS = ("xyzw", "wxyz")
"""Orders of quaternions."""

REMEDY = "give the names of all joints, in the order of the simulator"


class IsaacState(NamedTuple):
    """What the simulator holds: the root (..., 13), or None if it is fixed, and the joints (..., joints)."""

    root_state: Array | None
    joint_pos: Array
    joint_vel: Array


class Isaac(States):
    """Converts states of Isaac Gym, Isaac Sim or Isaac Lab to those of a robot, and back.

    `joints` are the names in the simulator's order: `gym.get_asset_dof_names(asset)` (as in the file), or
    `articulation.joint_names` (breadth first). `quaternion` is "xyzw" in Isaac Gym and in Isaac Lab from
    3.0, "wxyz" in Isaac Lab before. The root state is position, quaternion, linear and angular velocity, all
    in the axes of the world. If its linear velocity is that of the centre of mass of the root link (Isaac
    Lab's `root_state_w`), `com` is that point in the axes of the link (`body_com_pos_b`); without, it is
    that of the link's origin (`root_link_state_w`).

    The inherited methods take root and joints in one array: q = (position, quaternion, joints), velocities
    and forces = (linear, angular, joints).

    >>> import numpy as np
    >>> import closedform as cf
    >>> robot = cf.load("2r", floating_base=True)
    >>> there = cf.convert.Isaac(robot, ["joint2", "joint1"], quaternion="wxyz")
    >>> root = [0, 0, 1, 1, 0, 0, 0, 0.1, 0, 0, 0, 0, 2]         # position, quaternion, v, omega
    >>> q, qd = there.state(root, [0.5, 0.4], [5, 4])
    >>> q.tolist()
    [0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.4, 0.5]
    >>> qd.tolist()
    [0.0, 0.0, 2.0, 0.1, 0.0, 0.0, 4.0, 5.0]
    """

    def __init__(
        self, robot: Robot, joints: Sequence[str], *, quaternion: str, com: ArrayLike | None = None
    ) -> None:
        instance("Isaac: robot", robot, Robot)
        scalar_first = choice("Isaac: quaternion", quaternion, ORDERS) == ORDERS[1]
        x, y, z = ORIGIN if com is None else sized_array("Isaac: com", com, (3,)).tolist()
        floating = tuple(body.joint_name for body in robot.model.bodies if body.joint.floats)
        if len(floating) > 1:
            raise ArgumentError(f"Isaac: the robot has {len(floating)} floating bodies; expected one root")
        places = named_places("Isaac", joints, floating)
        super().__init__(robot, places, Convention(scalar_first, point=(x, y, z)), REMEDY)

    @in_kind
    def state(
        self, root_state: ArrayLike | None, joint_pos: ArrayLike, joint_vel: ArrayLike
    ) -> tuple[Array, Array]:
        """Return our (q, qd) from the root's state (None if it is fixed) and the joints'."""
        count = self._nv - 6 * len(self._floating)
        q = batch_array("Isaac.state: joint_pos", joint_pos, count)
        v = batch_array("Isaac.state: joint_vel", joint_vel, count)
        if (root_state is not None) != bool(self._floating):
            expected = "(..., 13): the base floats" if self._floating else "None: the base is fixed"
            got = "None" if root_state is None else "an array"
            raise ArgumentError(f"Isaac.state: root_state is {got}; expected {expected}")
        size = 13 if self._floating else 0
        root = batch_array("Isaac.state: root_state", np.zeros(0) if root_state is None else root_state, size)
        batches = {"root_state": root, "joint_pos": q, "joint_vel": v}
        batch = common_batch("Isaac.state", **{name: each.shape[:-1] for name, each in batches.items()})
        root, q, v = (np.broadcast_to(each, (*batch, each.shape[-1])) for each in batches.values())
        ours = self.q(np.concatenate([root[..., :7], q], axis=-1))
        return ours, self.qd(np.concatenate([root[..., 7:], v], axis=-1), ours)

    @in_kind
    def to_state(self, q: ArrayLike, qd: ArrayLike) -> IsaacState:
        """Return the root's state (None if it is fixed) and the joints' from ours."""
        v = self.to_v(qd, q)
        p = np.broadcast_to(self.to_q(q), (*v.shape[:-1], self._nq))
        if not self._floating:
            return IsaacState(None, p.copy(), v)
        return IsaacState(np.concatenate([p[..., :7], v[..., :6]], axis=-1), p[..., 7:].copy(), v[..., 6:])
