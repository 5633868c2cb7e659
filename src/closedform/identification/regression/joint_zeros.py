"""Zero offsets of joints: which of them torques can tell apart from all other parameters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...arrays import Array
from ...checks import known_name
from ...errors import ArgumentError, shown
from ...loops import ClosedRobot
from ...robot import Robot
from ..base.result import BaseParameters
from .design import zero_gradients

CONFUSED = 1e-5
"""Part of a column, relative, that other columns do not explain, below which it cannot be told apart."""


def named_joints(caller: str, given: Any, robot: Robot | ClosedRobot) -> tuple[int, ...]:
    """Return joints by their place: all (True), none (False), or some by name."""
    if isinstance(given, bool | np.bool_):
        return tuple(range(robot.nv)) if given else ()
    names = [given] if isinstance(given, str) else given
    if not isinstance(names, Sequence) or any(not isinstance(name, str) for name in names):
        raise ArgumentError(f"{caller} is {shown(given)}; expected True, False or names of joints")
    for name in names:
        known_name(f"joint of {caller}", name, robot.joint_names)
    return tuple(sorted({robot.joint_names.index(name) for name in names}))


def shown_zeros(base: BaseParameters, joints: Sequence[int]) -> tuple[int, ...]:
    """Return the joints whose zero offsets torques show, at states and inertias of no special kind.

    The last link turns with its joint, whatever the joint's zero is, and a first joint that is vertical
    does not feel gravity: inertias or nothing at all change with their zeros.
    """
    robot = base.robot
    rng = np.random.default_rng(0)
    states = robot.random_state(rng, batch=8 + 8 * (base.count + 3 * robot.nv) // robot.nv)
    beta = rng.normal(size=base.count)
    A = base.regressor(*states).reshape(-1, base.count)
    own = [np.einsum("t,j->tj", states[2][:, j], unit).ravel() for j, unit in enumerate(np.eye(robot.nv))]
    constant = [np.tile(unit, len(states[0])) for unit in np.eye(robot.nv)]
    A = np.column_stack([A, *own, *constant])
    U, s, _ = np.linalg.svd(A / np.maximum(np.linalg.norm(A, axis=0), 1e-300), full_matrices=False)
    Q = U[:, s > 1e-9 * s[0]]
    scale = np.linalg.norm(A[:, : base.count] @ beta)
    found = []
    for j, gradient in zip(joints, zero_gradients(base.regressor, states, joints, beta), strict=True):
        column = gradient.ravel()
        rest = _without(Q, column)
        if np.linalg.norm(rest) > CONFUSED * max(float(np.linalg.norm(column)), 1e-3 * float(scale)):
            found.append(j)
            Q = np.column_stack([Q, rest / np.linalg.norm(rest)])
    return tuple(found)


def identified_zeros(
    base: BaseParameters, given: bool | Sequence[str]
) -> tuple[tuple[int, ...], tuple[str, ...]]:
    """Return the joints whose zero offsets are identified, and a note about others."""
    asked = named_joints("identify: zero_offsets", given, base.robot)
    found = shown_zeros(base, asked) if asked else ()
    lost = ", ".join(base.robot.joint_names[j] for j in asked if j not in found)
    if not lost:
        return found, ()
    if given is not True:
        raise ArgumentError(
            f"identify: no torque tells the zero offset of {lost} apart from inertias and offsets of drives; "
            "leave it out of zero_offsets"
        )
    return found, (f"no torque shows the zero offset of {lost}: it is taken as zero",)


def _without(Q: Array, column: Array) -> Array:
    """Return the part of a column that orthonormal columns do not explain."""
    for _ in range(2):  # twice is enough
        column = column - Q @ (Q.T @ column)
    return column
