"""Motions, and the forces that go with them."""

from __future__ import annotations

import numpy as np

import closedform as cf
from closedform.elastic import ComputedTorque, Feedforward, track

from ..axes import Axes, Stage, legend
from ..canvas import BLUE, GREEN, INK, ORANGE, PALETTE, QUIET, Canvas
from ..solids import SEEN, draw_solid, outline, pieces
from .bodies import PANDA


def face() -> str:
    """Draw an arm along a motion, the torques it takes, and its mass matrix on the way."""
    robot = cf.load("panda")
    start, end = np.array([[-1.9, -0.5, 0, -2.6, 0, 2.0, 0.8], [-0.2, 0.75, 0, -1.2, 0, 2.3, 0.8]])
    move = cf.trajectory.polynomial(start, end, duration=1.2)
    t = np.linspace(0, move.duration, 120)
    q, qd, qdd = move.derivatives(t, 2)
    tau = robot.inverse_dynamics(q, qd, qdd)
    canvas = Canvas(760, 300, "A Panda along a motion, its joint torques, and its mass matrix")
    shown = [pieces(robot, each) for each in q[[0, 60, -1]]]
    stage = Stage(canvas, (10, 20, 260, 246), np.concatenate([outline(each) for each in shown]))
    for each, opacity in zip(shown, (0.15, 0.3, 1), strict=True):
        draw_solid(canvas, stage, each, opacity)
    canvas.text(135, 290, "a motion", QUIET, "middle")
    axes = Axes(
        canvas,
        (310, 40, 240, 210),
        (0, 1.2),
        (float(tau.min()) * 1.05, float(tau.max()) * 1.1),
        ("t, s", "torques, N m"),
    )
    for k in range(7):
        axes.curve(t, tau[:, k], PALETTE[k])
    M = robot.mass_matrix(q[-1])
    size = 24
    shade = np.sqrt(np.abs(M) / np.abs(M).max())
    for i in range(7):
        for j in range(7):
            canvas.rectangle(
                575 + size * j,
                66 + size * i,
                size - 2,
                size - 2,
                BLUE,
                rx=3,
                opacity=f"{0.06 + 0.94 * shade[i, j]:.2f}",
            )
    canvas.text(575, 32, "mass matrix", QUIET, font_size=12)
    canvas.text(575 + 84, 290, "and every derivative of it", QUIET, "middle")
    return canvas.svg()


def scene() -> str:
    """Draw an arm on the ground along a motion, with the path of its tool."""
    robot = cf.load("iiwa14")
    end = np.array([-0.3, 0.8, -0.4, -1.4, 0.5, 0.9, 0.3])
    move = cf.trajectory.polynomial(robot.q(joint1=-1.6, joint2=0.4, joint4=-1.8), end, duration=2.0)
    q = move(np.linspace(0, 2, 60))
    canvas = Canvas(560, 320, "An iiwa along a motion, with the path of its tool")
    shown = [pieces(robot, each) for each in q[[0, 20, 40, -1]]]
    path = robot.pose(q, "tool")[:, :3, 3] @ SEEN.T
    stage = Stage(canvas, (60, 20, 440, 270), np.concatenate([*(outline(each) for each in shown), path]))
    x, y = stage.at(np.zeros(2))
    canvas.parts.append(f'<ellipse cx="{x:.0f}" cy="{y + 4:.0f}" rx="105" ry="26" fill="var(--line)"/>')
    for each, opacity in zip(shown, (0.15, 0.2, 0.3, 1), strict=True):
        draw_solid(canvas, stage, each, opacity)
    canvas.line(stage.at(path), ORANGE, 2.5)
    return canvas.svg()


def forces() -> str:
    """Draw torques that hold an arm: alone, with a payload, and pushed at the tool."""
    robot = cf.load("panda")
    push = np.array([0, 0, 0, 0, -20.0, 0])
    cases = {
        "alone": robot.gravity_torque(PANDA),
        "with 2 kg in the hand": robot.with_payload(2.0).gravity_torque(PANDA),
        "pushed sideways by 20 N": robot.inverse_dynamics(
            PANDA, np.zeros(7), np.zeros(7), wrenches={"tool": push}, reference="world_aligned"
        ),
    }
    canvas = Canvas(720, 290, "Joint torques that hold a Panda, with and without loads")
    every = np.stack(list(cases.values()))
    low, high = 1.1 * float(every.min()), 1.1 * float(every.max())
    axes = Axes(
        canvas,
        (60, 60, 640, 190),
        (0.5, 7.5),
        (low, high),
        ("joint", "torque at rest, N m"),
        marks=range(1, 8),
    )
    for k, (values, colour) in enumerate(zip(every, (BLUE, ORANGE, GREEN), strict=True)):
        for joint, value in enumerate(values, start=1):
            axes.bar(joint + 0.22 * (k - 1), value, colour, 18)
    legend(canvas, 60, 24, list(zip(cases, (BLUE, ORANGE, GREEN), strict=True)))
    return canvas.svg()


def profile() -> str:
    """Draw a profile with limited snap: position, velocity, acceleration and jerk."""
    move = cf.trajectory.profile([0.0], [1.0], velocity=1, acceleration=3, jerk=30, snap=600)
    t = np.linspace(0, move.duration, 400)
    rows = [each[:, 0] for each in move.derivatives(t, 3)]
    canvas = Canvas(720, 300, "Position, velocity, acceleration and jerk of a profile within limits")
    names = ("position, rad", "velocity, rad/s", "acceleration, rad/s\u00b2", "jerk, rad/s\u00b3")
    for k, (values, name) in enumerate(zip(rows, names, strict=True)):
        left, top = 50 + 350 * (k % 2), 30 + 140 * (k // 2)
        room = 0.1 * float(np.ptp(values))
        limits = float(values.min()) - room, float(values.max()) + room
        Axes(canvas, (left, top, 300, 88), (0, move.duration), limits, ("", name)).curve(
            t, values, PALETTE[k]
        )
    return canvas.svg()


def simulation() -> str:
    """Draw an arm under PD control with friction: it comes to rest exactly, short of its goal."""
    arm = cf.load("2r").with_friction([2.0, 1.0]).with_damping(0.3)
    law = cf.control.PDGravity(arm, kp=[600, 300], kd=[40, 15])
    run = arm.simulate([0.0, 0.0], law=law, reference=[1.0, 0.5], duration=2.0, friction=True)
    canvas = Canvas(
        720, 290, "Two joints under PD control with dry friction, and the moments at which they stick"
    )
    axes = Axes(canvas, (50, 50, 640, 190), (0, 2), (-0.05, 1.5), ("t, s", "joint angle, rad"))
    for k in range(2):
        axes.curve(run.t, run.q[:, k], PALETTE[k])
        axes.curve([0, 2], [[1.0, 0.5][k]] * 2, PALETTE[k], 1, stroke_dasharray="4 4")
    for each in run.transitions:
        if each.what == "sticks":
            at = int(np.searchsorted(run.t, each.time)) - 1
            axes.dots(each.time, run.q[at, arm.joint_index(each.joint)], INK, 4)
    legend(
        canvas,
        50,
        24,
        [("joint 1", BLUE), ("joint 2", ORANGE), ("sticks here", INK), ("goals are dashed", QUIET)],
    )
    return canvas.svg()


def bending() -> str:
    """Draw a flexible arm swings: its shape at some moments, deflections drawn larger."""
    arm = cf.FlexibleArm.deluca_siciliano()
    run = arm.simulate([-0.6, 0.9, 0, 0, 0, 0], [1.2, 0.6, 0, 0, 0, 0], None, 1.2)
    canvas = Canvas(
        720, 300, "A two-link flexible arm at moments of a motion, and the deflection of its links"
    )
    larger = run.q.copy()
    larger[:, 2:] *= 20
    some = np.linspace(0, len(run.t) - 1, 9).astype(int)
    shapes = np.asarray(arm.points(larger[some], 15)) * (1, -1)
    stage = Stage(canvas, (30, 24, 280, 240), shapes)
    for k, each in enumerate(shapes):
        canvas.line(
            stage.at(each), BLUE, 2 + 0.45 * k, stroke_linecap="round", opacity=f"{0.15 + 0.85 * k / 8:.2f}"
        )
    canvas.text(170, 288, "bending is drawn twenty times as large", QUIET, "middle", font_size=12)
    tips = np.stack([1e3 * run.deflection(k) for k in range(2)])
    room = 1.1 * float(np.abs(tips).max())
    axes = Axes(
        canvas, (400, 50, 290, 190), (0, 1.2), (-room, room), ("t, s", "deflection of each link's end, mm")
    )
    for values, colour in zip(tips, (BLUE, ORANGE), strict=True):
        axes.curve(run.t, values, colour)
    legend(canvas, 400, 24, [("link 1", BLUE), ("link 2", ORANGE)])
    return canvas.svg()


def springs() -> str:
    """Draw what a controller loses that knows nothing of the springs in the joints."""
    arm = cf.ElasticJointRobot(cf.load("iiwa14"), 1e4, 1e-4, 0.01, spring_at="link")
    start, end = np.random.default_rng(0).uniform(-1, 1, (2, 7))
    move = cf.trajectory.polynomial(start, end, duration=1.0, degree=7)
    poles = [-40, -40]
    laws = {
        "rigid robot's law": ComputedTorque(arm, poles),
        "feedforward without tau''": Feedforward(arm, poles, torque_rates=False),
        "feedforward with tau''": Feedforward(arm, poles),
    }
    canvas = Canvas(720, 290, "Tracking errors of three laws on a robot with elastic joints")
    axes = Axes(
        canvas, (70, 50, 620, 190), (0, 1), (1e-13, 1e0), ("t, s", "largest joint error, rad"), (False, True)
    )
    for law, colour in zip(laws.values(), (ORANGE, BLUE, GREEN), strict=True):
        run = track(law, move, step=2e-4)
        error = np.abs(run.error).max(axis=-1)
        axes.curve(run.t, np.clip(error, 1e-13, None), colour)
    legend(canvas, 70, 24, list(zip(laws, (ORANGE, BLUE, GREEN), strict=True)))
    return canvas.svg()
