"""Legged robots with closed loops: Talos with rods at its ankles, and Cassie if its file is there."""

from __future__ import annotations

import warnings
from functools import cache
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

import closedform as cf

from .loop_mechanisms import Bodies, X, Y, Z, at, rod
from .timed_robots import humanoid

CRANK, SIDE, HEIGHT = 0.06, 0.05, 0.12
"""Length of the cranks, how far they are from the middle of the shin, and above the ankle, in metres."""


@cache
def parallel_ankles() -> Any:
    """Return Talos on a free base whose ankles are driven by two cranks and rods each, 50 joints, 38 dofs."""
    robot = humanoid().robot
    poses = dict(zip(robot.frame_names, robot.frame_poses(robot.neutral()), strict=True))
    loops, hung = [], []
    for leg in ("left", "right"):
        shin, foot = f"leg_{leg}_4_link", f"leg_{leg}_6_link"
        ankle = (np.linalg.inv(poses[shin]) @ poses[foot])[:3, 3]
        for side in (-1, 1):
            name = f"{leg}{'in' if side < 0 else 'out'}"
            pivot = ankle + np.array([0, side * SIDE, HEIGHT])
            made = Bodies()
            crank = made.add("crank", -1, at((0, 0, 0)), rod(0.1, CRANK, -X), turn=Y)
            small = cf.Inertial.of(0.02, (0, 0, 0), 1e-5 * np.eye(3))
            yoke = made.add("yoke", crank, at((-CRANK, 0, 0)), small, turn=Y)
            bar = made.add("rod", yoke, at((-CRANK, 0, 0)), rod(0.15, HEIGHT, -Z), turn=X)
            made.frame("end", bar, at((-CRANK, 0, -HEIGHT)))
            robot = robot.attached(made.robot("drive"), shin, at(pivot), prefix=f"{name}_")
            hung.append((f"{name}_heel", foot, poses[shin] @ at(pivot - np.array([CRANK, 0, HEIGHT]))))
            loops.append(cf.Loop(f"{name}_end", f"{name}_heel", "ball"))
    for name, foot, place in hung:
        robot = robot.with_frame(name, foot, np.linalg.inv(poses[foot]) @ place)
    passive = {each.frame_a.replace("end", kind) for each in loops for kind in ("yoke", "rod")}
    ankles = {f"leg_{leg}_{k}_joint" for leg in ("left", "right") for k in (5, 6)}
    independent = [each for each in robot.joint_names if each not in passive | ankles]
    return robot.with_loops(loops, independent=independent, near=robot.neutral())


def cassie(folder: Path, *, motors: bool = False) -> Any:
    """Return Cassie of MuJoCo's menagerie, its connections as balls: 32 velocities of joints, 22 dofs.

    All dofs are driven, or with `motors` the ten joints of its motors; then the coordinates are those of the
    hips, knees, springs, feet and the spins of the rods, from which its loops close by formulas.
    """
    path = folder / "agility_cassie" / "cassie.xml"
    model = mujoco.MjModel.from_xml_path(str(path))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cf.ModelWarning)
        robot = cf.load(path)
    if motors:
        own = ("hip-roll", "hip-yaw", "hip-pitch", "achilles-rod/3", "knee", "shin", "heel-spring", "foot")
        names = [robot.joint_names[0], *(f"{side}-{name}" for side in ("left", "right") for name in own)]
        near, bent = robot.model.near.copy(), {"knee": -1.2, "tarsus": 1.4, "foot": -1.6}
        bent |= {"foot-crank": -1.5, "plantar-rod": 1.5}
        for body in robot.model.tree.bodies:
            near[body.iq] = bent.get(body.joint_name.partition("-")[2], near[body.iq])
        return robot.tree.with_loops(robot.loops, names, robot.actuated_names, near)
    robot = getattr(robot, "tree", robot)
    loops = []
    for k in range(model.neq):
        for end, body, anchor in (("a", model.eq_obj1id[k], 0), ("b", model.eq_obj2id[k], 3)):
            place = model.eq_data[k][anchor : anchor + 3]
            robot = robot.with_frame(f"anchor{k}{end}", model.body(body).name, place)
        loops.append(cf.Loop(f"anchor{k}a", f"anchor{k}b", "ball"))
    return robot.with_loops(loops)
