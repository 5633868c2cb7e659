"""Robots at configurations."""

from __future__ import annotations

import numpy as np

import closedform as cf

from ..axes import Axes, Stage, legend, sticks
from ..canvas import BLUE, GREEN, INK, ORANGE, QUIET, Canvas
from ..solids import SEEN, draw_solid, outline, pieces

PANDA = np.array([-0.6, -0.5, 0.0, -2.2, 0.0, 1.8, 0.8])
"""A posture that shows all links."""


POSTURES = {
    "panda": PANDA,
    "ur5": np.array([-0.6, -1.9, 1.9, -1.5, -1.57, 0.0]),
    "iiwa14": np.array([-0.6, 0.5, 0.0, -1.4, 0.0, 0.9, 0.0]),
    "kinova": np.array([-0.6, 2.6, 1.2, 0.0, 1.0, 0.0]),
    "quadruped": None,
    "humanoid": None,
}
"""Robots of the picture, at configurations or at home."""


def robots() -> str:
    """Draw some robots of the catalogue, bent so that one sees their links."""
    canvas = Canvas(720, 250, "Six robots of the catalogue")
    for k, (name, q) in enumerate(POSTURES.items()):
        robot = cf.load(name)
        found = pieces(robot, robot.neutral() if q is None else q)
        draw_solid(canvas, Stage(canvas, (120 * k + 10, 16, 100, 180), outline(found)), found)
        canvas.text(120 * k + 60, 222, name, INK, "middle")
        canvas.text(120 * k + 60, 239, f"{robot.nv} dofs", QUIET, "middle", font_size=11.5)
    return canvas.svg()


def frames() -> str:
    """Draw every body of an arm with the axes of its frame."""
    canvas = Canvas(560, 340, "A Panda with the axes of the frames of all bodies")
    robot = cf.load("panda")
    poses = robot.frame_poses(PANDA)
    tips = poses[:, :3, 3][:, None] + 0.11 * np.swapaxes(poses[:, :3, :3], 1, 2)
    solid = pieces(robot, PANDA)
    stage = Stage(canvas, (130, 24, 210, 292), np.concatenate([outline(solid), tips.reshape(-1, 3) @ SEEN.T]))
    draw_solid(canvas, stage, solid, opacity=0.3)
    for origin, ends in zip(poses[:, :3, 3], tips, strict=True):
        stage.triad(origin @ SEEN.T, ends @ SEEN.T)
    for name, side in (("base", 1), ("link4", -1), ("tool", -1)):
        x, y = stage.at(poses[robot.frame_names.index(name), :3, 3] @ SEEN.T)
        canvas.text(x + side * 34, y - 14, name, INK, "start" if side > 0 else "end")
    legend(canvas, 420, 40, [("x", "#d62728"), ("y", "#2ca02c"), ("z", "#1f77b4")], step=20)
    return canvas.svg()


def branches() -> str:
    """Draw the eight branches of a UR5 that reach one pose."""
    robot = cf.load("ur5")
    there = robot.inverse_kinematics(robot.pose([0.3, -1.2, 1.5, -0.4, 1.0, 0.2]))
    solutions = there.branches[: there.count]
    canvas = Canvas(720, 250, "The eight branches of a UR5 for one pose of its tool")
    found = [pieces(robot, each) for each in solutions]
    whole = np.concatenate([outline(each) for each in found])
    for k, each in enumerate(found):
        draw_solid(canvas, Stage(canvas, (90 * k + 4, 14, 82, 186), whole), each)
        canvas.text(90 * k + 45, 222, f"branch {k + 1}", QUIET, "middle", font_size=12)
    canvas.text(360, 243, "the same pose of the tool, reached in eight ways", INK, "middle")
    return canvas.svg()


def self_motion() -> str:
    """Draw an arm with one joint too many: the curve of postures that keep the tip, and the best of them."""
    arm = cf.load("chang3r")
    target = [0.446004, 0.0915136]
    guess = np.deg2rad([-40.5006, 141.6408, 78.4169])
    best = cf.redundancy.solve(arm, target, task="xy", q0=guess)
    (curve, *_) = cf.redundancy.self_motion(arm, target, task="xy", q0=best.q)
    canvas = Canvas(720, 290, "Postures of a three-joint arm that keep its tip, and the criterion along them")
    some = np.linspace(0, len(curve.q) - 1, 11).astype(int)[:-1]
    points, between = sticks(arm, np.concatenate([curve.q[some], best.q[None]]))
    stage = Stage(canvas, (30, 30, 300, 230), points)
    for each in points[:-1]:
        stage.robot(each, between, QUIET, width=3, opacity=0.35, joints=False)
    stage.robot(points[-1], between, BLUE, width=7)
    x, y = stage.at(points[-1, -1])
    canvas.dot(x, y, 6, GREEN)
    high = float(curve.value.max())
    axes = Axes(
        canvas, (410, 50, 280, 170), (0, float(curve.length[-1])), (0, 1.15 * high),
        ("along the self-motion, rad", "manipulability"),
    )  # fmt: skip
    axes.curve(curve.length, curve.value, BLUE)
    axes.dots(0, best.value, ORANGE, 5)
    legend(
        canvas,
        30,
        280,
        [("the optimum", BLUE), ("the tip stays here", GREEN), ("others on the curve", QUIET)],
    )
    return canvas.svg()
