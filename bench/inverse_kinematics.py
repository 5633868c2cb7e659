"""Inverse kinematics: all branches of six-joint arms, and one solution of others, against damped steps."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pinocchio as pin

import closedform as cf
from closedform.report.robot.pinocchio_model import Peer, peer_of

from .timing import interleaved

Array = np.ndarray

MOST_US = 20.0
"""Time per pose for all branches of an arm with a closed form."""

CLOSED, SEARCHED = ("ur5", "puma560"), ("panda", "iiwa14")


def run(quick: bool = False) -> list[dict[str, Any]]:
    """Return one row per robot: poses solved, time per pose, and that of a peer for one solution."""
    count, few, seconds = (1000, 20, 0.5) if quick else (1000, 100, 3.0)
    return [_row(name, count, few, seconds) for name in (*CLOSED, *SEARCHED)]


def _row(name: str, count: int, few: int, seconds: float) -> dict[str, Any]:
    """Time the library on random poses within the limits, and the peer on some of them, in turns."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cf.ModelWarning)
        robot = cf.load(name)
    q = robot.random_state(2026, batch=count)[0]
    poses = robot.pose(q)
    peer = PinocchioArm(robot)
    start = robot.neutral() + 0.1
    reached = [peer.reach(start, pose) for pose in poses[:few]]
    times = interleaved(
        {
            "ours": lambda: robot.inverse_kinematics(poses),
            "one pose": lambda: robot.inverse_kinematics(poses[0]),
            "peer": lambda: [peer.reach(start, pose) for pose in poses[:few]],
        },
        seconds=seconds,
    )
    found = robot.inverse_kinematics(poses)
    error = float(np.abs(robot.pose(found.closest) - poses).max())
    ours, theirs = times["ours"] / count, times["peer"] / few
    row = {
        "robot": name,
        "found %": 100 * float(found.found.mean()),
        "branches": float(found.count.mean()),
        "largest pose error": error,
        "us a pose": ours * 1e6,
        "us for one pose alone": times["one pose"] * 1e6,
        "peer us a pose": theirs * 1e6,
        "peer found %": 100 * float(np.mean(reached)),
        "peer / ours": theirs / ours,
    }
    verdict = ""
    if name in CLOSED:
        angle = np.abs((found.branches - q[:, None] + np.pi) % (2 * np.pi) - np.pi).max(axis=-1)
        row["known branch %"] = 100 * float((np.nan_to_num(angle, nan=9.0) < 1e-6).any(axis=-1).mean())
        met = row["known branch %"] == 100 and ours * 1e6 <= MOST_US
        verdict = f"target all branches under {MOST_US:g} us {'met' if met else 'MISSED'}"
    print(
        f"{name:8s} {row['found %']:5.1f} % found, {row['branches']:.2f} branches a pose, {error:.0e} off, "
        f"{ours * 1e6:6.1f} us a pose ({times['one pose'] * 1e6:.0f} alone); one by Pinocchio's damped steps "
        f"{theirs * 1e6:.0f} us, {row['peer found %']:.0f} % found: {theirs / ours:.0f} times  {verdict}"
    )
    return row


class PinocchioArm:
    """An arm of turning joints in Pinocchio, brought to a pose by damped least squares, without limits."""

    def __init__(self, robot: cf.Robot) -> None:
        peer = peer_of(robot.model)
        assert isinstance(peer, Peer), peer
        self.model, self.data = peer.model, peer.data
        tool = robot.model.frames[-1]
        self.tool = pin.SE3(tool.placement[:3, :3], tool.placement[:3, 3])

    def reach(self, start: Array, pose: Array) -> bool:
        """Return whether steps from a start come to the pose within 1e-10."""
        goal = pin.SE3(pose[:3, :3], pose[:3, 3]) * self.tool.inverse()
        q, last = start.copy(), self.model.njoints - 1
        damping = 1e-6 * np.eye(6)
        for _ in range(200):
            J = pin.computeJointJacobian(self.model, self.data, q, last)
            pin.forwardKinematics(self.model, self.data, q)
            off = self.data.oMi[last].actInv(goal)
            error = pin.log6(off).vector
            if np.linalg.norm(error) < 1e-10:
                return True
            step = -pin.Jlog6(off.inverse()) @ J
            step = -step.T @ np.linalg.solve(step @ step.T + damping, error)
            q = pin.integrate(self.model, q, step / max(1.0, np.abs(step).max()))
        return False
