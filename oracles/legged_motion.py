"""Motions of legged robots that keep their feet where they stand, with the forces that balance them.

The base follows a Fourier series; feet stand still, or swing one after the other along smooth arcs. Joint
angles meet the feet by Newton's method, rates and accelerations by differentiating that condition.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import closedform as cf
from closedform.rotations import quaternion_of

Array = NDArray[np.float64]


@dataclass(frozen=True)
class LeggedMotion:
    """A motion: time (n,), q, qd, qdd of the whole robot, joint torques, and by foot contact and force.

    Forces (n, 3) are those that the ground applies to the foot, in world axes, zero in the air.
    """

    robot: cf.Robot
    time: Array
    q: Array
    qd: Array
    qdd: Array
    torque: Array
    contact: dict[str, NDArray[np.bool_]]
    force: dict[str, Array]

    def log(
        self, torque_noise: float = 0.0, seed: int = 0, wrenches: bool = False, force_noise: float = 0.0
    ) -> dict[str, Any]:
        """Return the columns of a log, with noise relative to each joint's torques, and to the forces."""
        rng = np.random.default_rng(seed)
        spread = torque_noise * np.sqrt(np.mean(self.torque**2, axis=0))
        columns: dict[str, Any] = {
            "time": self.time,
            "q": self.q[:, 7:],
            "tau": self.torque + spread * rng.normal(size=self.torque.shape),
            "base_position": self.q[:, :3],
            "base_quaternion": self.q[:, 3:7],
        }
        for foot, touches in self.contact.items():
            if wrenches:
                spread = force_noise * np.sqrt(np.mean(self.force[foot] ** 2))
                noise = spread * rng.normal(size=self.force[foot].shape)
                columns[f"force_{foot}"] = self.force[foot] + noise
            else:
                columns[f"contact_{foot}"] = touches.astype(float)
        return columns


def legged_motion(
    robot: cf.Robot,
    feet: dict[str, tuple[int, ...]],
    stance: Array,
    duration: float = 20.0,
    rate: float = 250.0,
    seed: int = 0,
    swing: float = 0.6,
    viscous: float = 0.0,
    dry: float = 0.0,
) -> LeggedMotion:
    """Return a motion of a robot whose `feet` (frame: indices of its joints in qd) start in `stance`.

    Feet swing in turn for `swing` seconds each, with as long a rest between; 0 keeps all on the ground.
    """
    rng = np.random.default_rng(seed)
    t = np.arange(int(duration * rate)) / rate
    x, xd, xdd = _series(t, rng, np.array([0.2, 0.2, 0.25, 0.03, 0.025, 0.025]))
    n = robot.nv
    q, qd, qdd = np.tile(stance, (len(t), 1)), np.zeros((len(t), n)), np.zeros((len(t), n))
    # a rotation exp(x) about the stance: rates by the differential of the exponential map
    q[:, 3:7] = quaternion_of(x[:, :3])
    q[:, :3] = stance[:3] + x[:, 3:]
    R = _rotations(q[:, 3:7])
    w, wd = _body_rates(x[:, :3], xd[:, :3], xdd[:, :3])
    qd[:, :3], qdd[:, :3] = w, wd
    v = np.einsum("nji,nj->ni", R, xd[:, 3:])
    qd[:, 3:6] = v
    qdd[:, 3:6] = np.einsum("nji,nj->ni", R, xdd[:, 3:]) - np.cross(w, v)
    contact, goals = {}, {}
    for k, foot in enumerate(feet):
        start = robot.pose(stance, foot)[:3, 3]
        goals[foot], contact[foot] = _foot_path(t, start, k, len(feet), swing, rng)
    for foot, dofs in feet.items():
        _reach(robot, q, foot, dofs, goals[foot][0])
    for foot, dofs in feet.items():
        J = robot.jacobian(q, foot, reference="world_aligned")[:, 3:]
        own = np.linalg.inv(J[:, :, list(dofs)])
        rest = goals[foot][1] - np.einsum("nij,nj->ni", J[:, :, :6], qd[:, :6])
        qd[:, list(dofs)] = np.einsum("nij,nj->ni", own, rest)
    for foot, dofs in feet.items():
        J = robot.jacobian(q, foot, reference="world_aligned")[:, 3:]
        own = np.linalg.inv(J[:, :, list(dofs)])
        bias = robot.bias_acceleration(q, qd, foot, reference="world_aligned")[:, 3:]
        rest = goals[foot][2] - bias - np.einsum("nij,nj->ni", J[:, :, :6], qdd[:, :6])
        qdd[:, list(dofs)] = np.einsum("nij,nj->ni", own, rest)
    force, torque = _balance(robot, feet, contact, q, qd, qdd)
    torque = torque + viscous * qd[:, 6:] + dry * np.sign(qd[:, 6:])
    return LeggedMotion(robot, t, q, qd, qdd, torque, contact, force)


def _series(t: Array, rng: np.random.Generator, size: Array) -> tuple[Array, Array, Array]:
    """Return a random Fourier series of six harmonics, up to 2.4 Hz, with its rates."""
    w = 2 * np.pi * np.array([0.3, 0.55, 0.9, 1.3, 1.8, 2.4])
    a, b = rng.normal(size=(2, len(w), len(size))) / np.sqrt(w)[:, None]
    s, c = np.sin(np.outer(t, w)), np.cos(np.outer(t, w))
    scale = size / np.abs(s @ a + c @ b).max(axis=0)
    return (
        scale * (s @ a + c @ b),
        scale * ((c * w) @ a - (s * w) @ b),
        -scale * ((s * w**2) @ a + (c * w**2) @ b),
    )


def _foot_path(
    t: Array, start: Array, index: int, count: int, swing: float, rng: np.random.Generator
) -> tuple[tuple[Array, Array, Array], NDArray[np.bool_]]:
    """Return where a foot is, its velocity and acceleration, and when it stands.

    A swing is a bump (4 s (1 - s))^4 over s from 0 to 1: it starts and ends with velocity and acceleration 0.
    """
    p, v, a = np.tile(start, (len(t), 1)), np.zeros((len(t), 3)), np.zeros((len(t), 3))
    standing = np.ones(len(t), dtype=bool)
    if swing <= 0:
        return (p, v, a), standing
    cycle = 2 * swing * count
    first = 2 * swing * index + swing / 2
    while first + swing < t[-1]:
        here = (t > first) & (t < first + swing)
        s = (t[here] - first) / swing
        u, ud, udd = 4 * s * (1 - s), (4 - 8 * s) / swing, -8.0 / swing**2
        bump = u**4
        rate = 4 * u**3 * ud
        curve = 12 * u**2 * ud**2 + 4 * u**3 * udd
        lift = np.array([rng.uniform(-0.05, 0.05), rng.uniform(-0.03, 0.03), rng.uniform(0.03, 0.06)])
        p[here] += np.outer(bump, lift)
        v[here] += np.outer(rate, lift)
        a[here] += np.outer(curve, lift)
        standing[here] = False
        first += cycle
    return (p, v, a), standing


def _reach(robot: cf.Robot, q: Array, foot: str, dofs: tuple[int, ...], goal: Array) -> None:
    """Bring a foot to its path by Newton's method over all instants, joints in place."""
    own = [dof + 1 for dof in dofs]  # a free joint has one coordinate more than velocities
    for _ in range(30):
        error = goal - robot.pose(q, foot)[:, :3, 3]
        if np.abs(error).max() < 1e-13:
            return
        J = robot.jacobian(q, foot, reference="world_aligned")[:, 3:, list(dofs)]
        q[:, own] += np.clip(np.linalg.solve(J, error[..., None])[..., 0], -0.3, 0.3)
    if np.abs(error).max() > 1e-10:
        raise ValueError(f"{foot} cannot follow its path: it misses it by {np.abs(error).max():.2g} m")


def _rotations(quaternion: Array) -> Array:
    x, y, z, w = quaternion.T
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), 2, 0)


def _body_rates(x: Array, xd: Array, xdd: Array) -> tuple[Array, Array]:
    """Return body angular velocity w = D(x) xd of exp(x), and its rate by complex steps along x + s xd."""
    h = 1e-30
    w = _differential(x, xd)
    wd = np.imag(_differential(x + 1j * h * xd, xd + 1j * h * xdd)) / h
    return np.real(w), wd


def _differential(x: Any, y: Any) -> Any:
    """Return y - (1 - cos a)/a^2 x x y + (a - sin a)/a^3 x x (x x y), a = |x|: the right Jacobian times y."""
    a2 = (x * x).sum(axis=1, keepdims=True)
    b = 1 / 2 - a2 / 24 + a2**2 / 720 - a2**3 / 40320 + a2**4 / 3628800
    c = 1 / 6 - a2 / 120 + a2**2 / 5040 - a2**3 / 362880 + a2**4 / 39916800
    once = np.cross(x, y)
    return y - b * once + c * np.cross(x, once)


def _balance(
    robot: cf.Robot,
    feet: dict[str, tuple[int, ...]],
    contact: dict[str, NDArray[np.bool_]],
    q: Array,
    qd: Array,
    qdd: Array,
) -> tuple[dict[str, Array], Array]:
    """Return the least forces on standing feet that hold the base up, and the joint torques they leave."""
    total = robot.inverse_dynamics(q, qd, qdd)
    J = np.stack(
        [
            robot.jacobian(q, foot, reference="world_aligned")[:, 3:] * contact[foot][:, None, None]
            for foot in feet
        ],
        axis=1,
    ).reshape(len(q), -1, robot.nv)
    f = np.einsum("nij,nj->ni", np.linalg.pinv(np.swapaxes(J[:, :, :6], 1, 2), rcond=1e-9), total[:, :6])
    rest = total - np.einsum("nij,ni->nj", J, f)
    if np.abs(rest[:, :6]).max() > 1e-9 * np.abs(total).max():
        raise ValueError("the standing feet cannot hold the base")
    return {foot: f[:, 3 * k : 3 * k + 3] for k, foot in enumerate(feet)}, rest[:, 6:]


QUADRUPED = {
    f"{leg}_foot": (6 + 3 * k, 7 + 3 * k, 8 + 3 * k) for k, leg in enumerate(("fl", "fr", "hl", "hr"))
}
"""The feet of the catalogue's quadruped, and the joints of their legs."""


def quadruped_motion(duration: float = 20.0, rate: float = 250.0, **options: Any) -> LeggedMotion:
    """Return a motion of the catalogue's quadruped that shows all its base parameters."""
    robot = cf.load("quadruped")
    stance = robot.neutral()
    stance[7:] = [0.0, 0.7, -1.4] * 4
    stance[2] = 0.25
    return legged_motion(robot, QUADRUPED, stance, duration, rate, **options)


SKATER = """<robot name="skater">
  <link name="body"><inertial><mass value="4"/><origin xyz="0.02 0.01 0.03"/>
    <inertia ixx="0.05" iyy="0.06" izz="0.04" ixy="0.002" ixz="-0.003" iyz="0.001"/></inertial></link>
  <link name="thigh"><inertial><mass value="1.5"/><origin xyz="0.01 0 -0.1"/>
    <inertia ixx="0.01" iyy="0.012" izz="0.003" ixy="0" ixz="0.001" iyz="0"/></inertial></link>
  <link name="shin"><inertial><mass value="0.8"/><origin xyz="0 0.01 -0.12"/>
    <inertia ixx="0.006" iyy="0.007" izz="0.002" ixy="0" ixz="0" iyz="0.0005"/></inertial></link>
  <link name="sole"/>
  <joint name="hip" type="continuous"><parent link="body"/><child link="thigh"/>
    <origin xyz="0 0.05 -0.1"/><axis xyz="1 0 0"/></joint>
  <joint name="knee" type="continuous"><parent link="thigh"/><child link="shin"/>
    <origin xyz="0 0 -0.25"/><axis xyz="0 1 0"/></joint>
  <joint name="ankle" type="fixed"><parent link="shin"/><child link="sole"/>
    <origin xyz="0.02 0 -0.25" rpy="0 0.2 0"/></joint>
</robot>"""
"""A body on one leg, whose flat foot any ground may hold: six numbers balance the base."""


def skater_log(seed: int = 0, duration: float = 20.0, rate: float = 200.0) -> tuple[cf.Robot, dict[str, Any]]:
    """Return the skater, and a log in which its foot moves freely, held by the wrench that the base needs.

    The equations of motion hold whether or not the ground moves.
    """
    robot = cf.load(SKATER, floating_base=True)
    t = np.arange(int(duration * rate)) / rate
    x, xd, xdd = _series(t, np.random.default_rng(seed), np.array([0.8, 0.7, 0.9, 0.1, 0.1, 0.1, 0.9, 0.8]))
    q = np.concatenate([x[:, 3:6], quaternion_of(x[:, :3]), x[:, 6:]], axis=1)
    w, wd = _body_rates(x[:, :3], xd[:, :3], xdd[:, :3])
    R = _rotations(q[:, 3:7])
    v = np.einsum("nji,nj->ni", R, xd[:, 3:6])
    a = np.einsum("nji,nj->ni", R, xdd[:, 3:6]) - np.cross(w, v)
    qd = np.concatenate([w, v, xd[:, 6:]], axis=1)
    qdd = np.concatenate([wd, a, xdd[:, 6:]], axis=1)
    total = robot.inverse_dynamics(q, qd, qdd)
    J = robot.jacobian(q, "sole")
    wrench = np.linalg.solve(np.swapaxes(J[:, :, :6], 1, 2), total[:, :6, None])[..., 0]
    torque = total[:, 6:] - np.einsum("nij,ni->nj", J[:, :, 6:], wrench)
    return robot, {"t": t, "q": q, "qd": qd, "tau": torque, "wrench_sole": wrench}
