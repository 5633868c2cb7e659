"""Robots made from a robot: how long the new robot and its first call take, from the cache on disk."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import closedform as cf
from oracles.pinocchio_peer import robot_data

REPEATS = 15
TARGET = 20e-3
"""Seconds from the call that changes the robot to the first result."""

ROBOTS = {
    "panda": lambda: cf.load("panda"),
    "UR5": lambda: cf.load("ur5"),
    "TALOS": lambda: cf.load(robot_data() / "talos_data/robots/talos_reduced.urdf", floating_base=True),
}
HAND = cf.load("2r")

Change = Callable[[cf.Robot], cf.Robot]
CHANGES: dict[str, tuple[Change, str]] = {
    "payload": (lambda robot: robot.with_payload(1.5, (0, 0, 0.1), frame=moving(robot)), "inverse_dynamics"),
    "locked": (lambda robot: robot.locked({robot.joint_names[-1]: 0.3}), "inverse_dynamics"),
    "frame": (lambda robot: robot.with_frame("pen", moving(robot), (0, 0, 0.2)), "jacobian"),
    "attached": (lambda robot: robot.attached(HAND, moving(robot), prefix="hand_"), "inverse_dynamics"),
    "base": (lambda robot: robot.with_base((0, 0, 0.5), "floor"), "inverse_dynamics"),
}
"""How the robot is changed, and the form that is called first."""


def moving(robot: cf.Robot) -> str:
    """Return the last frame of a body that moves."""
    return [frame.name for frame in robot.model.frames if frame.body >= 0][-1]


def first_call(robot: cf.Robot, change: Change, form: str) -> float:
    """Return the seconds from the robot to the first result of the changed one."""
    start = time.perf_counter()
    changed = change(robot)
    made = time.perf_counter() - start
    arrays = changed.random_state(0)[: len(changed.FORMS[form].takes)]
    start = time.perf_counter()
    getattr(changed, form)(*arrays)
    return made + time.perf_counter() - start


def run() -> list[dict[str, Any]]:
    """Return the time of every change of every robot; the first of each fills the cache."""
    rows = []
    for name, load in ROBOTS.items():
        robot = load()
        for what, (change, form) in CHANGES.items():
            first_call(robot, change, form)
            gc.collect()
            seconds = float(np.median([first_call(robot, change, form) for _ in range(REPEATS)]))
            verdict = "met" if seconds < TARGET else "MISSED"
            print(
                f"{name:6s} {what:9s} and its first {form:17s} {seconds * 1e3:6.1f} ms  "
                f"target {TARGET * 1e3:.0f} ms {verdict}"
            )
            rows.append({"robot": name, "change": what, "form": form, "s": seconds})
    return rows
