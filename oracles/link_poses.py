"""Kinematics and inertia of a description by a second route: Pinocchio's exponentials and differences."""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from closedform.description.description import Description, Joint

SIZES = {"fixed": 0, "free": 7, "ball": 4}


def joint_motion(joint: Joint, q: np.ndarray) -> np.ndarray:
    """Return T(q) of a joint as the exponential of its screws."""
    if joint.kind == "free":
        return pin.SE3(pin.Quaternion(q[3:]).matrix(), q[:3]).homogeneous
    if joint.kind == "ball":
        q = pin.log3(pin.Quaternion(q).matrix())
    w, v = np.split(joint.subspace @ q, 2)
    return pin.exp6(pin.Motion(v, w)).homogeneous


def link_poses(description: Description, q: np.ndarray) -> dict[str, np.ndarray]:
    """Return the pose of every link in the first one; joints come parents first."""
    poses = {description.links[0].name: np.eye(4)}
    at = 0
    for joint in description.joints:
        size = SIZES.get(joint.kind, 1)
        T = joint_motion(joint, q[at : at + size])
        poses[joint.child] = poses[joint.parent] @ joint.placement @ T
        at += size
    assert at == len(q)
    return poses


def mass_matrix(description: Description, q: np.ndarray, h: float = 1e-5) -> np.ndarray:
    """Return M of a robot with one-dof joints from central differences of its link poses."""
    before = [link_poses(description, q - h * e) for e in np.eye(len(q))]
    after = [link_poses(description, q + h * e) for e in np.eye(len(q))]
    poses = link_poses(description, q)
    M = np.diag([joint.armature for joint in description.joints if joint.kind != "fixed"])
    for link in description.links:
        if link.inertial is None:
            continue
        name, com = link.name, [*link.inertial.com, 1]
        R = poses[name][:3, :3]
        Jv = np.array([(b[name] @ com - a[name] @ com)[:3] for a, b in zip(before, after, strict=True)])
        dR = [R.T @ (b[name] - a[name])[:3, :3] for a, b in zip(before, after, strict=True)]
        Jw = np.array([[D[2, 1] - D[1, 2], D[0, 2] - D[2, 0], D[1, 0] - D[0, 1]] for D in dR]) / 2
        M = M + (link.inertial.mass * Jv @ Jv.T + Jw @ link.inertial.inertia @ Jw.T) / (2 * h) ** 2
    return M


def gravity_torque(description: Description, q: np.ndarray, h: float = 1e-5) -> np.ndarray:
    """Return the torque that holds a robot of one-dof joints, from differences of its potential energy."""

    def energy(q: np.ndarray) -> float:
        poses = link_poses(description, q)
        return sum(
            -link.inertial.mass
            * np.dot(description.gravity, (poses[link.name] @ [*link.inertial.com, 1])[:3])
            for link in description.links
            if link.inertial is not None
        )

    return np.array([energy(q + h * e) - energy(q - h * e) for e in np.eye(len(q))]) / (2 * h)
