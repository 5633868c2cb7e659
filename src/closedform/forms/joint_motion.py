"""The motion of a joint as an expression of its coordinates, and the map from its velocities to q'."""

from __future__ import annotations

import casadi as ca
import numpy as np
from casadi import SX

from ..arrays import Array
from ..joints import JointType
from ..rotations import ROUNDING
from .algebra import Turn, constant, matrix_of, rotation_of_quaternion, skew


def joint_rotation(joint: JointType, q: SX) -> Turn | SX | None:
    """Return the rotation of a joint at its own coordinates; None if it never turns."""
    if joint.quaternion is not None:
        return rotation_of_quaternion(q[joint.quaternion])
    rotating = np.flatnonzero(joint.turns)
    if len(rotating) == 0:
        return None
    column = int(rotating[0])
    return axis_rotation(joint.X[:3, column], q[column])


def joint_translation(joint: JointType, q: SX) -> SX | None:
    """Return the translation of a joint about whose origin it turns; None if it never translates."""
    return constant(joint.shifts) @ q if joint.shifts.any() else None


def axis_rotation(e: Array, angle: SX) -> Turn | SX:
    """Return exp(angle e~) for a unit axis [MuellerKumar2021, Eq. (7)]."""
    c, s = ca.cos(angle), ca.sin(angle)
    k = int(np.argmax(np.abs(e)))
    if np.sort(np.abs(e))[1] <= ROUNDING:  # e[k] is 1 for tilts up to 1e-8
        return Turn(k, c, s if e[k] > 0 else -s)
    outer = np.outer(e, e)
    generator = np.array([[0, -e[2], e[1]], [e[2], 0, -e[0]], [-e[1], e[0], 0]])
    return c * constant(np.eye(3) - outer) + s * constant(generator) + constant(outer)


def pose_about_centre(joint: JointType, q: SX) -> tuple[SX, SX]:
    """Return R and p of exp(X q) in the frame in which the joint is given [MuellerKumar2021, Eq. (6)]."""
    turn = joint_rotation(joint, q)
    R = SX.eye(3) if turn is None else matrix_of(turn)
    shift = constant(joint.shifts) @ q
    column, c = joint.rotation_column, constant(joint.centre)
    if column is not None:
        shift = shift - constant(np.cross(joint.centre, joint.X[:3, column])) * q[column]
    return R, c - R @ c + shift


def joint_velocity_map(joint: JointType, q: SX) -> SX:
    """Return the nq x nv matrix E with q' = E(q) v: velocities of translations are seen in the body."""
    turn = joint_rotation(joint, q)
    turning, sliding = np.flatnonzero(joint.turns).tolist(), np.flatnonzero(~joint.turns).tolist()
    E = SX(joint.nq, joint.nv)
    rows = sliding
    if joint.quaternion is None:
        E[turning, turning] = SX.eye(len(turning))
    else:
        E[joint.quaternion, turning] = quaternion_map(q[joint.quaternion])
        rows = np.delete(np.arange(joint.nq), joint.quaternion).tolist()
    if turn is None:
        E[rows, sliding] = SX.eye(len(sliding))
    elif sliding:
        back = np.linalg.pinv(joint.shifts[:, rows])
        E[rows, sliding] = constant(back) @ matrix_of(turn) @ constant(joint.X[3:, sliding])
    return E


def quaternion_map(q: SX) -> SX:
    """Return the map from a body angular velocity to the rate of a quaternion (x, y, z, w)."""
    u, s = q[:3], q[3]
    return 0.5 * ca.vertcat(s * SX.eye(3) + skew(u), -u.T)
