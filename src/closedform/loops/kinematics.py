"""Kinematics of a robot with loops, by its independent coordinates."""

from __future__ import annotations

from typing import Any

from casadi import SX

from ..forms import frame_motion, kinematics, mass_centre
from ..forms.reference import BODY
from ..forms.series import Series, applied, bilinear
from .closed_tree import ClosedTree


def joint_velocities(closed: ClosedTree, q: SX, qd: SX) -> SX:
    """Return the velocities v = G qd of all joints from the independent ones.

    G follows from the loops, B_d G_d = -B_i [JainEmbedding2012]. Returns (all velocities).
    """
    return closed.at(q).G @ qd


def joint_accelerations(closed: ClosedTree, q: SX, qd: SX, qdd: SX) -> SX:
    """Return the accelerations v' = G qdd + G' qd of all joints. Returns (all velocities)."""
    return closed.at(q).velocities([qd, qdd])[1]


def embedding_matrix(closed: ClosedTree, q: SX) -> SX:
    """Return G with v = G qd: the velocities of all joints per independent velocity.

    Rows of independent joints are those of the identity; the others solve B_d G_d = -B_i
    [JainEmbedding2012]. Returns (all velocities, nv).
    """
    return closed.at(q).G


def actuation_matrix(closed: ClosedTree, q: SX) -> SX:
    """Return A, the velocities of the actuated joints per independent velocity.

    Torques of the actuated joints give the generalised forces A^T tau. Returns (actuated, nv).
    """
    return closed.at(q).A


def pose(closed: ClosedTree, q: SX, frame: str | None) -> SX:
    """Return the 4x4 pose of a frame in the base frame."""
    return kinematics.pose(closed.tree, closed.assembled(q), frame)


def relative_pose(closed: ClosedTree, q: SX, frame: str | None, relative_to: str | None = None) -> SX:
    """Return the 4x4 pose of a frame in another one, or in the base frame."""
    return kinematics.relative_pose(closed.tree, closed.assembled(q), frame, relative_to)


def frame_poses(closed: ClosedTree, q: SX) -> SX:
    """Return the poses of all frames in the base frame, as `frame_names`: (frames, 4, 4)."""
    return kinematics.frame_poses(closed.tree, closed.assembled(q))


def body_poses(closed: ClosedTree, q: SX) -> SX:
    """Return the poses of all moving bodies in the base frame, as `body_names`: (bodies, 4, 4)."""
    return kinematics.body_poses(closed.tree, closed.assembled(q))


def jacobian(closed: ClosedTree, q: SX, frame: str | None, reference: str = BODY) -> SX:
    """Return the 6 x nv Jacobian J with V = J qd, the twist (omega; v) of a frame.

    J = J_tree G: that of the tree over all joints, which the loops move by G. The `reference` is "body",
    "world_aligned" or "world", as for robots without loops.
    """
    at = closed.at(q)
    return kinematics.jacobian(at.tree, at.x, frame, reference) @ at.G


def jacobian_dot(closed: ClosedTree, q: SX, qd: SX, frame: str | None, reference: str = BODY) -> SX:
    """Return the time derivative J_tree' G + J_tree G' of the frame's Jacobian. Returns (6, nv)."""
    return jacobian_rates(closed, q, qd, frame, reference=reference)[1]


def jacobian_ddot(closed: ClosedTree, q: SX, qd: SX, qdd: SX, frame: str | None, reference: str = BODY) -> SX:
    """Return the second time derivative of the frame's Jacobian. Returns (6, nv)."""
    return jacobian_rates(closed, q, qd, qdd, frame, reference=reference)[2]


def jacobian_rates(closed: ClosedTree, q: SX, *rates_and_frame: Any, reference: str = BODY) -> tuple[SX, ...]:
    """Return (J, J', J'', ...), the Jacobian of a frame along a motion and its time derivatives.

    From q, qd, qdd, ...: as many derivatives of J = J_tree G as of q, by Leibniz' rule. Each is (6, nv).
    """
    *rates, frame = rates_and_frame
    at = closed.at(q)
    v = at.velocities(rates)
    J = kinematics.jacobian_rates(at.tree, at.x, *v, frame, reference=reference)
    return bilinear(applied, Series.of(J), Series.of(at.embedding_rates(v))).terms


def frame_velocity(closed: ClosedTree, q: SX, qd: SX, frame: str | None, reference: str = BODY) -> SX:
    """Return the twist V = (omega; v) of a frame, in a `reference` as for trees. Returns (6,)."""
    at = closed.at(q)
    return frame_motion.frame_velocity(at.tree, at.x, at.G @ qd, frame, reference)


def frame_acceleration(
    closed: ClosedTree, q: SX, qd: SX, qdd: SX, frame: str | None, reference: str = BODY
) -> SX:
    """Return the time derivative V' = J qdd + J' qd of a frame's twist. Returns (6,)."""
    at = closed.at(q)
    v, vd = at.velocities([qd, qdd])
    return frame_motion.frame_acceleration(at.tree, at.x, v, vd, frame, reference)


def center_of_mass(closed: ClosedTree, q: SX) -> SX:
    """Return the centre of mass of all moving bodies in the base frame. Returns (3,)."""
    return mass_centre.center_of_mass(closed.tree, closed.assembled(q))


def com_jacobian(closed: ClosedTree, q: SX) -> SX:
    """Return the map from qd to the velocity of the centre of mass, J_tree G. Returns (3, nv)."""
    at = closed.at(q)
    return mass_centre.com_jacobian(at.tree, at.x) @ at.G


def com_velocity(closed: ClosedTree, q: SX, qd: SX) -> SX:
    """Return the velocity of the centre of mass in the base frame. Returns (3,)."""
    at = closed.at(q)
    return mass_centre.com_velocity(at.tree, at.x, at.G @ qd)


def com_acceleration(closed: ClosedTree, q: SX, qd: SX, qdd: SX) -> SX:
    """Return the acceleration of the centre of mass in the base frame. Returns (3,)."""
    at = closed.at(q)
    v, vd = at.velocities([qd, qdd])
    return mass_centre.com_acceleration(at.tree, at.x, v, vd)
