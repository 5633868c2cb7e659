"""Redundant inverse kinematics: accuracy and time against what is promised, and against pink and mink."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from typing import Any

import mink
import mujoco
import numpy as np
import pink
import pinocchio as pin

import closedform as cf
from oracles.redundant_arms import GUESS, PRINTED, VERTICES, planar, spatial, square

Array = np.ndarray

REACHED = 1e-6
"""Pose error at which the peers may stop, in metres and radians."""
MOST_STEPS = 100


def run(quick: bool = False) -> list[dict[str, Any]]:
    """Return one row per figure."""
    rows = _paper(10 if quick else 100)
    count = 2000 if quick else 10_000
    for name in ("panda", "iiwa14"):
        rows += _batch(_load(name), "pose", count, most_us=100)
    for robot, task in ((spatial(8), "pose"), (spatial(10), "pose"), (planar(10), "xy")):
        rows += _batch(robot, task, count // 10, most_us=None)
    rows += _path(_load("panda"))
    rows += _peers(_load("panda"), 50 if quick else 200)
    return rows


def _load(name: str) -> cf.Robot:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cf.ModelWarning)
        return cf.load(name)


def _paper(cycles: int) -> list[dict[str, Any]]:
    """Measure the printed angles, and the drift over cycles of the square both ways."""
    robot = cf.load("chang3r")
    found = cf.redundancy.solve(robot, VERTICES, "xy", q0=GUESS)
    once = square()
    there = cf.redundancy.follow(robot, np.concatenate([once[:1], *[once[1:]] * cycles]), "xy", q0=GUESS)
    back = cf.redundancy.follow(robot, np.concatenate([once[:1], *[once[-2::-1]] * cycles]), "xy", q0=GUESS)
    drift = max(
        np.abs(path.q[1:].reshape(cycles, 400, 3) - reference[1:]).max()
        for path, reference in ((there, there.q[:401]), (back, there.q[400::-1]))
    )
    return [
        _row("paper's 12 vertex angles", np.abs(np.rad2deg(found.q) - PRINTED).max(), "deg", at_most=6e-5),
        _row(f"drift over {cycles} cycles both ways", np.rad2deg(drift), "deg", at_most=1e-10),
    ]


def _batch(robot: cf.Robot, task: str, count: int, most_us: float | None) -> list[dict[str, Any]]:
    """Solve random reachable poses for maximum manipulability within the limits."""
    poses = robot.pose(robot.random_state(2026, batch=count)[0])
    cf.redundancy.solve(robot, poses[:50], task)
    seconds = _best(lambda: cf.redundancy.solve(robot, poses, task), 3)
    found = cf.redundancy.solve(robot, poses, task)
    T = robot.pose(found.q)
    error = np.abs(T - poses) if task == "pose" else np.abs(T - poses)[:, :2, 3:]
    fine = found.converged & (found.kind == "maximum") & (found.stationarity < 1e-9)
    fine &= error.max(axis=(-1, -2)) < 1e-10
    what = f"{robot.name}, {count} random poses"
    rows = [_row(f"{what}: solved and certified", 100 * fine.mean(), "%", at_least=99.5)]
    rows.append(_row(f"{what}: largest pose error", error[fine].max(), "", at_most=1e-10))
    rows.append(_row(f"{what}: largest Zh", found.stationarity[fine].max(), "", at_most=1e-9))
    rows.append(_row(f"{what}: at a joint limit", 100 * found.held.any(axis=-1).mean(), "%"))
    rows.append(_row(f"{what}: time per pose", seconds / count * 1e6, "us", at_most=most_us))
    return rows


def _path(robot: cf.Robot) -> list[dict[str, Any]]:
    """Follow a path of 1,000 poses."""
    a = np.array([0.1, -0.3, 0.2, -1.9, 0.3, 1.9, 0.5])
    s = np.linspace(0, 1, 1000)[:, None]
    poses = robot.pose(a + s * np.array([0.5, 0.4, -0.3, 0.5, 0.4, -0.4, 0.3]))
    cf.redundancy.follow(robot, poses[:20])
    seconds = _best(lambda: cf.redundancy.follow(robot, poses), 5)
    path = cf.redundancy.follow(robot, poses)
    return [
        _row("path of 1,000 poses: solved", 100 * path.converged.mean(), "%", at_least=100),
        _row("path of 1,000 poses: largest joint step", path.largest_step, "rad", at_most=0.05),
        _row("path of 1,000 poses: time per pose", seconds / 1000 * 1e6, "us", at_most=20),
    ]


def _peers(robot: cf.Robot, count: int) -> list[dict[str, Any]]:
    """Time pink and mink on the same targets from the same start, in the same run."""
    q = robot.random_state(7, batch=count)[0]
    poses = robot.pose(q)
    middle = 0.5 * (robot.lower_limits + robot.upper_limits)
    rows = []
    for title, starts in (("the middle", np.tile(middle, (count, 1))), ("20 % away", q + 0.2 * (middle - q))):
        batch = np.tile(poses, (max(1, 2000 // count), 1, 1))
        guesses = np.tile(starts, (len(batch) // count, 1))
        cf.redundancy.solve(robot, batch[:50], q0=guesses[:50])
        ours = _best(lambda b=batch, g=guesses: cf.redundancy.solve(robot, b, q0=g), 3) / len(batch)
        found = cf.redundancy.solve(robot, batch, q0=guesses)
        rows.append(_row(f"from {title}: ours, all to 1e-10", ours * 1e6, "us"))
        rows.append(_row(f"from {title}: ours, solved", 100 * found.converged.mean(), "%"))
        fastest = np.inf
        for name, contestant in (("pink", PinkArm(robot)), ("mink", MinkArm(robot))):
            contestant.reach(starts[0], poses[0])
            begin = time.perf_counter()
            reached = sum(contestant.reach(start, pose) for start, pose in zip(starts, poses, strict=True))
            each = (time.perf_counter() - begin) / max(reached, 1)
            fastest = min(fastest, each)
            rows.append(_row(f"from {title}: {name} to 1e-6, per pose reached", each * 1e6, "us"))
            rows.append(_row(f"from {title}: {name}, reached", 100 * reached / count, "%"))
        rows.append(_row(f"from {title}: the faster of them / ours", fastest / ours, "x", at_least=20))
    return rows


class PinkArm:
    """The arm in Pinocchio, moved by pink's quadratic programs within the limits."""

    def __init__(self, robot: cf.Robot) -> None:
        model = pin.Model()
        for body in robot.model.bodies:
            placement = pin.SE3(body.placement[:3, :3], body.placement[:3, 3])
            joint = pin.JointModelRevoluteUnaligned(*body.joint.X[:3, 0])
            model.addJoint(body.parent + 1, joint, placement, body.joint_name)
        tool = robot.model.frames[-1]
        frame = pin.SE3(tool.placement[:3, :3], tool.placement[:3, 3])
        model.addFrame(pin.Frame("tool", tool.body + 1, 0, frame, pin.FrameType.OP_FRAME))
        model.lowerPositionLimit, model.upperPositionLimit = robot.lower_limits, robot.upper_limits
        model.velocityLimit = np.full(robot.nv, 1e3)
        self.model, self.data = model, model.createData()
        self.task = pink.FrameTask("tool", position_cost=1.0, orientation_cost=1.0)

    def reach(self, start: Array, pose: Array) -> bool:
        configuration = pink.Configuration(self.model, self.data, start)
        self.task.set_target(pin.SE3(pose[:3, :3], pose[:3, 3]))
        for _ in range(MOST_STEPS):
            if np.linalg.norm(self.task.compute_error(configuration)) < REACHED:
                return True
            try:
                v = pink.solve_ik(
                    configuration, [self.task], 1.0, solver="daqp", damping=1e-6, safety_break=False
                )
            except pink.exceptions.PinkError:
                return False
            configuration.integrate_inplace(v, 1.0)
        return False


class MinkArm:
    """The arm in MuJoCo, moved by mink's quadratic programs within the limits."""

    def __init__(self, robot: cf.Robot) -> None:
        text = "<mujoco><compiler angle='radian'/><worldbody>"
        for k, body in enumerate(robot.model.bodies):
            axis = " ".join(map(repr, body.joint.X[:3, 0].tolist()))
            text += f"<body {_placed(body.placement)}><inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/>"
            bounds = f"{float(robot.lower_limits[k])!r} {float(robot.upper_limits[k])!r}"
            text += f"<joint type='hinge' axis='{axis}' limited='true' range='{bounds}'/>"
        text += f"<site name='tool' {_placed(robot.model.frames[-1].placement)}/>"
        text += "</body>" * len(robot.model.bodies) + "</worldbody></mujoco>"
        self.model = mujoco.MjModel.from_xml_string(text)
        self.configuration = mink.Configuration(self.model)
        self.task = mink.FrameTask("tool", "site", position_cost=1.0, orientation_cost=1.0)
        self.limits = [mink.ConfigurationLimit(self.model)]

    def reach(self, start: Array, pose: Array) -> bool:
        configuration = self.configuration
        configuration.update(start)
        self.task.set_target(mink.SE3.from_matrix(pose))
        for _ in range(MOST_STEPS):
            if np.linalg.norm(self.task.compute_error(configuration)) < REACHED:
                return True
            try:
                v = mink.solve_ik(
                    configuration, [self.task], 1.0, solver="daqp", damping=1e-6, limits=self.limits
                )
            except mink.MinkError:
                return False
            configuration.integrate_inplace(v, 1.0)
        return False


def _placed(T: Array) -> str:
    """Return MJCF attributes of a pose."""
    x, y, z, w = pin.Quaternion(T[:3, :3]).coeffs()
    pos, quat = (" ".join(map(repr, map(float, each))) for each in (T[:3, 3], (w, x, y, z)))
    return f"pos='{pos}' quat='{quat}'"


def _best(call: Callable[[], object], times: int) -> float:
    """Return the shortest of a few runs, in seconds."""
    shortest = np.inf
    for _ in range(times):
        begin = time.perf_counter()
        call()
        shortest = min(shortest, time.perf_counter() - begin)
    return shortest


def _row(
    what: str, value: float, unit: str, at_least: float | None = None, at_most: float | None = None
) -> dict[str, Any]:
    """Print and return a figure with its target, if there is one."""
    value = float(value)
    verdict, met = "", None
    if at_most is not None or at_least is not None:
        met = value <= at_most if at_most is not None else value >= at_least
        target = f"at most {at_most:g}" if at_most is not None else f"at least {at_least:g}"
        verdict = f"target {target} {'met' if met else 'MISSED'}"
    print(f"{what:62s} {value:11.4g} {unit:4s} {verdict}", flush=True)
    return {"what": what, "value": value, "unit": unit, "at_least": at_least, "at_most": at_most, "met": met}
