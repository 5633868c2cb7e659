"""Gamma: how velocities of the robot follow from rates of Euler angles, quaternions and the like."""

from __future__ import annotations

import casadi as ca
from casadi import SX

from .manifold import coordinate_rates
from .tree import Tree
from .velocity_coordinates import QUATERNION_RATES, VELOCITY_COORDINATES, Maps


def velocity_map(tree: Tree, q: SX, coordinates: str = QUATERNION_RATES) -> SX:
    """Return Gamma with qd = Gamma(q) u for other velocities u, such as rates of Euler angles.

    `coordinates` says what u is: "quaternion_rates", the rates of q itself; "euler_rpy", those of roll,
    pitch and yaw of URDF, or of any sequence such as "euler_zyz"; "world_aligned", angular velocity and
    rate of the position in axes at rest; "mujoco" or "pinocchio", what v is there. In u the equations of
    motion have M* = Gamma^T M Gamma, C* = Gamma^T (C Gamma + M Gamma'), g* = Gamma^T g and
    tau* = Gamma^T tau, and a derivative by Euler angles is that by q times Gamma
    [Garofalo2013, Eq. (33)]. Where Euler angles are singular, the column of the second angle is NaN.
    Returns (nv, nq) of quaternion rates, else (nv, nv).
    """
    return ca.diagcat(SX(0, 0), *(B for B, _ in _maps(tree, q, coordinates)))


def velocity_map_inverse(tree: Tree, q: SX, coordinates: str = QUATERNION_RATES) -> SX:
    """Return the map from qd to other velocities u, the left inverse of `velocity_map`.

    u = Gamma^+ qd, Gamma(q) of the paper's remark 7 [Garofalo2013, Eq. (33)]: there w is our qd and the
    rates of Euler angles are its q'. Of quaternion rates it is the matrix E with q' = E(q) qd, and
    Gamma E = 1; of the others it is the inverse. `coordinates` as in `velocity_map`. Returns (nq, nv) of
    quaternion rates, else (nv, nv).
    """
    return ca.diagcat(SX(0, 0), *(back for _, back in _maps(tree, q, coordinates)))


def velocity_map_dot(tree: Tree, q: SX, qd: SX, coordinates: str = QUATERNION_RATES) -> SX:
    """Return the time derivative of Gamma of `velocity_map`, as accelerations need it.

    qdd = Gamma u' + Gamma' u. The derivative along the motion qd. Returns the shape of `velocity_map`.
    """
    Gamma = velocity_map(tree, q, coordinates)
    along = ca.jtimes(ca.vec(Gamma), q, coordinate_rates(tree.model, q, qd))
    return ca.reshape(along, Gamma.shape)


def _maps(tree: Tree, q: SX, coordinates: str) -> list[Maps]:
    chosen = VELOCITY_COORDINATES[coordinates]
    found = []
    for body in tree.model.independent:
        found.append(chosen.maps(body.joint, q[body.iq : body.iq + body.joint.nq]))
    return found
