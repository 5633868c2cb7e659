"""The numbers beside the picture: M, g, J, how near a singularity is, how hard the drives work."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Array
from ..model import Body
from ..robot import Robot


@dataclass(frozen=True)
class Load:
    """What holds one joint against gravity: `torque` in `unit` (N m or N), and the limit of its drive."""

    name: str
    torque: float
    limit: float
    unit: str

    @property
    def use(self) -> float | None:
        """Part of the limit that is used; None without a limit."""
        return abs(self.torque) / self.limit if 0 < self.limit < np.inf else None


@dataclass(frozen=True)
class Numbers:
    """What a posture comes to. `mass_matrix`, `center_of_mass` and `loads` are None without inertias.

    `jacobian` is that of the tool in its own frame, `singular_values` are the Jacobian's, largest first.
    """

    mass_matrix: Array | None
    loads: tuple[Load, ...] | None
    center_of_mass: Array | None
    jacobian: Array
    singular_values: Array
    position: Array

    @property
    def manipulability(self) -> float:
        """Product of the singular values: sqrt(det(J J^T)), or sqrt(det(J^T J)) with less than six joints."""
        return float(np.prod(self.singular_values))

    @property
    def condition(self) -> float:
        """Largest over smallest singular value; infinite at a singularity."""
        if not self.singular_values.size or self.singular_values[-1] == 0:
            return np.inf
        return float(self.singular_values[0] / self.singular_values[-1])


def numbers(robot: Robot, q: Array, frame: str) -> Numbers:
    """Return the numbers of a robot at a posture.

    >>> import closedform as cf
    >>> arm = cf.load("2r")
    >>> found = numbers(arm, arm.q(joint2=1.0), "link2")
    >>> found.mass_matrix.shape, found.jacobian.shape, len(found.loads)
    ((2, 2), (6, 2), 2)
    """
    J = np.asarray(robot.jacobian(q, frame))
    sizes: Array = np.zeros(0)
    if J.size and np.isfinite(J).all():
        sizes = np.asarray(np.linalg.svd(J, compute_uv=False), dtype=float)
    position = np.asarray(robot.pose(q, frame))[:3, 3]
    if not robot.model.has_inertia or not robot.nv:
        return Numbers(None, None, None, J, sizes, position)
    M, com = np.asarray(robot.mass_matrix(q)), np.asarray(robot.center_of_mass(q))
    g, limits = np.asarray(robot.gravity_torque(q)), robot.effort_limits
    loads = [
        Load(name, float(g[k]), float(limits[k]), unit)
        for body in robot.model.independent
        for k, name, unit in _efforts(body)
    ]
    return Numbers(M, tuple(loads), com, J, sizes, position)


def _efforts(body: Body) -> list[tuple[int, str, str]]:
    """Return place, name and unit of the torques of a joint that a drive may hold."""
    if body.joint.floats:
        return []
    entries = enumerate(body.joint.velocity_entries, start=body.iv)
    return [
        (k, f"{body.joint_name} {part}" if part else body.joint_name, "N m" if unit == "rad" else "N")
        for k, (part, unit) in entries
    ]
