"""Random serial robots with every special case, and the energies of their bodies by the definition."""

from __future__ import annotations

import numpy as np

import closedform as cf

Array = np.ndarray


def serial_robot(seed: int) -> cf.Robot:
    """Return a random chain of two to six revolute and prismatic joints, geometry only.

    Successive axes are parallel, perpendicular or oblique, with and without offsets (so that some
    coincide or intersect); gravity is along the first axis, across it, or neither.
    """
    rng = np.random.default_rng(seed)
    rows = []
    for _ in range(int(rng.integers(2, 7))):
        alpha = (0.0, np.pi / 2 * rng.choice([-1, 1]), rng.uniform(-3, 3))[rng.integers(3)]
        d, theta, r = rng.integers(2, size=3) * rng.uniform((-0.6, -3, -0.6), (0.6, 3, 0.6))
        rows.append((int(rng.random() < 0.4), alpha, d, theta, r))
    axis = np.array([0.0, -np.sin(rows[0][1]), np.cos(rows[0][1])])
    gravity = (-9.81 * axis, 9.81 * np.cross(axis, [1, 0, 0]), 5 * rng.normal(size=3))[rng.integers(3)]
    return cf.Robot.from_mdh(rows, gravity=tuple(gravity))


def energy_rows(robot: cf.Robot, samples: int, seed: int = 0) -> Array:
    """Return rows y with kinetic energy = y phi, and with change of potential energy = y phi.

    From the definition, 1/2 w J w + w x v . ms + 1/2 m v v and -g (R ms + m p), for chains of revolute
    and prismatic joints about z, in random states.
    """
    rng = np.random.default_rng(seed)
    bodies = robot.model.bodies
    R, p = np.broadcast_to(np.eye(3), (samples, 3, 3)), np.zeros((samples, 3))
    w, v = np.zeros((samples, 3)), np.zeros((samples, 3))
    kinetic, potential = [], []
    for body in bodies:
        q, qd = rng.uniform(-3, 3, samples), rng.normal(size=samples)
        c, s, one, zero = np.cos(q), np.sin(q), np.ones(samples), np.zeros(samples)
        turn = np.array([[c, -s, zero], [s, c, zero], [zero, zero, one]]).transpose(2, 0, 1)
        R0, offset = body.placement[:3, :3], body.placement[:3, 3] + zero[:, None]
        z = np.array([0.0, 0.0, 1.0])
        if body.joint.kind == "prismatic":
            turn, offset = np.broadcast_to(np.eye(3), turn.shape), offset + q[:, None] * R0[:, 2]
        T = R0 @ turn
        v = v + np.cross(w, offset)
        w, v = (np.einsum("nji,nj->ni", T, each) for each in (w, v))
        w, v = (w, v + np.outer(qd, z)) if body.joint.kind == "prismatic" else (w + np.outer(qd, z), v)
        p, R = p + np.einsum("nij,nj->ni", R, offset), R @ T
        x, y, z = w.T
        inertia = np.array([x * x / 2, x * y, x * z, y * y / 2, y * z, z * z / 2]).T
        kinetic.append(np.hstack([inertia, np.cross(v, w), (v**2).sum(1, keepdims=True) / 2]))
        g = robot.gravity
        potential.append(np.hstack([np.zeros((samples, 6)), -(g @ R), -(p @ g)[:, None]]))
    U = np.hstack(potential)
    return np.vstack([np.hstack(kinetic), U - U[0]])
