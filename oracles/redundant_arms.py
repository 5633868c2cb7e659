"""Arms and paths that the tests of redundancy share, and routes to Zh that share no code with the library."""

from __future__ import annotations

import numpy as np

import closedform as cf

GUESS = np.deg2rad([-40.5006, 141.6408, 78.4169])
"""The paper's initial guess."""

VERTICES = np.array([[446.004, 91.5136], [446.004, -8.4864], [546.004, -8.4864], [546.004, 91.5136]]) / 1e3

PRINTED = np.array(
    [
        [-25.5116, 134.4894, 100.8165],
        [-13.4927, 135.1801, 101.6627],
        [-7.1232, 128.0020, 92.1837],
        [-17.0753, 127.4846, 91.4484],
    ]
)
"""Joint angles of the proposed method at the vertices, Tables I to III, in degrees."""


def square(per_side: int = 100) -> np.ndarray:
    """Return the paper's closed path, counterclockwise from the upper left vertex."""
    sides = [np.linspace(VERTICES[k], VERTICES[(k + 1) % 4], per_side + 1)[:-1] for k in range(4)]
    return np.concatenate([*sides, VERTICES[:1]])


def planar(n: int, length: float = 0.3) -> cf.Robot:
    """Return a planar arm of n equal links."""
    tool = np.eye(4)
    tool[0, 3] = length
    return cf.Robot.from_mdh(
        [(0, 0, length if k else 0, 0, 0) for k in range(n)], tool=tool, name=f"planar{n}"
    )


def spatial(n: int) -> cf.Robot:
    """Return a spatial arm of n joints, each across the one before, with offsets."""
    tool = np.eye(4)
    tool[2, 3] = 0.1
    rows = [
        (0, (-1) ** k * np.pi / 2 if k else 0, 0.05 * (k % 2), 0, 0.35 if k % 2 == 0 else 0) for k in range(n)
    ]
    return cf.Robot.from_mdh(rows, tool=tool, name=f"spatial{n}")


def volume(robot: cf.Robot, q: np.ndarray, rows: slice | list[int] = slice(None)) -> np.ndarray:
    """Return sqrt(det(J J^T)) from the singular values of the Jacobian in base axes."""
    return np.linalg.svd(task_jacobian(robot, q, rows), compute_uv=False).prod(axis=-1)


def task_jacobian(robot: cf.Robot, q: np.ndarray, rows: slice | list[int] = slice(None)) -> np.ndarray:
    """Return the rows of the Jacobian in base axes."""
    J, R = robot.jacobian(q), robot.pose(q)[..., :3, :3]
    return np.concatenate([R @ J[..., :3, :], R @ J[..., 3:, :]], axis=-2)[..., rows, :]


def gradient(function, q: np.ndarray, step: float = 1e-3) -> np.ndarray:
    """Return the gradient by central differences of sixth order (error about 1e-13 at this step)."""
    weights = ((1, 3 / 4), (2, -3 / 20), (3, 1 / 60))
    columns = []
    for k in range(q.shape[-1]):
        e = np.zeros(q.shape[-1])
        e[k] = step
        columns.append(sum(w * (function(q + j * e) - function(q - j * e)) for j, w in weights) / step)
    return np.stack(columns, axis=-1)


def null_space(J: np.ndarray) -> np.ndarray:
    """Return orthonormal rows that J maps to zero."""
    m = J.shape[-2]
    return np.linalg.svd(J, full_matrices=True)[2][..., m:, :]
