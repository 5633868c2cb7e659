"""A robot at a posture, as the viewer holds it: always numbers that can be drawn, and a note if not."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Array
from ..checks import sized_array
from ..errors import ArgumentError
from ..forms import Variant
from ..lazy import cached_property
from ..model import Body, Model
from ..model.limits import joint_range
from ..pictures import turned
from ..programs import evaluate, trace
from ..robot import Robot
from ..rotations import inverse
from .coordinates import Coordinate, coordinates
from .placing import xyzw

MARGIN, FAR = 0.05, 10.0
"""Part of a joint's range beside its limits that a first posture avoids, and how far off a limit counts."""

SINGULAR = 1e-3
"""Smallest over largest singular value of the Jacobian below which a posture is not shown first."""


class ViewState:
    """The posture q of a robot and a frame of it, the tool; what cannot be drawn is never taken over.

    `note` says why the last change was not made, or is empty.

    >>> import closedform as cf
    >>> state = ViewState(cf.load("2r"), [0.1, 0.2])
    >>> state.set("joint2", 90.0), state.q.round(4).tolist()
    (True, [0.1, 1.5708])
    >>> state.move([0.1, float("nan")]), state.note
    (False, 'q is not finite: the last posture is kept')
    """

    def __init__(self, robot: Robot, q: ArrayLike | None = None, frame: str | None = None) -> None:
        robot.model.require_numbers("view")
        self.robot = robot
        self.coordinates: tuple[Coordinate, ...] = coordinates(robot.model)
        self.frame = robot.model.frame(frame).name if frame is not None else tool_frame(robot.model)
        self.note = ""
        self.home = start(robot, self.frame)
        self.q = self.home
        if q is not None and not self.move(sized_array("view: q", q, (robot.nq,))):
            raise ArgumentError(f"view: {self.note.split(':')[0]}; expected coordinates that give a pose")

    @cached_property
    def base(self) -> Body | None:
        """The first body that a joint lets go anywhere, which a gizmo moves; None if there is none."""
        return next((body for body in self.robot.model.independent if body.joint.floats), None)

    @property
    def bodies(self) -> Array:
        """Poses of the moving bodies (bodies, 4, 4)."""
        found: Array = self.robot.body_poses(self.q)
        return found

    @property
    def tool(self) -> Array:
        """Pose of the tool frame."""
        found: Array = self.robot.pose(self.q, self.frame)
        return found

    def move(self, q: ArrayLike) -> bool:
        """Take over a posture if all of it is finite; otherwise keep the last and say so in `note`."""
        new = np.array(q, dtype=float)
        problem = _problem(self.robot, new)
        self.note = f"{problem}: the last posture is kept" if problem else ""
        if not problem:
            self.q = new
        return not problem

    def set(self, name: str, value: float) -> bool:
        """Take over one number, named and in the unit of its slider."""
        for each in self.coordinates:
            if each.name == name:
                return self.move(each.placed(self.q, float(value)))
        known = ", ".join(each.name for each in self.coordinates)
        raise ArgumentError(f"view: no slider is named {name!r}; there are {known or 'none'}")

    def values(self) -> dict[str, float]:
        """Return what the sliders show, by name."""
        return {each.name: each.value(self.q) for each in self.coordinates}

    def place_base(self, T: Array) -> bool:
        """Bring the base of a floating robot to a pose."""
        body = self.base
        if body is None:
            raise ArgumentError(f"view: {self.robot.name!r} has no floating base")
        parent = np.eye(4) if body.parent < 0 else self.bodies[body.parent]
        moved = inverse(parent @ body.placement) @ T
        q = self.q.copy()
        q[body.iq : body.iq + 7] = [*moved[:3, 3], *xyzw(moved[:3, :3])]
        return self.move(q)


def tool_frame(model: Model) -> str:
    """Return the frame that is dragged unless another is named: the last that moves, before any fingers.

    Fingers are bodies that follow another's joint, or whose joint others follow.
    """
    last = model.default_frame
    drivers = {body.coupling.body for body in model.bodies if body.coupling is not None}
    fingers = [i for i in model.ancestors(last.body) if model.bodies[i].coupling is not None or i in drivers]
    hand = model.bodies[fingers[-1]].parent if fingers else -1
    own = [frame.name for frame in model.frames if frame.body == hand >= 0]
    return own[-1] if own else last.name


def _problem(robot: Robot, q: Array) -> str:
    """Return why a posture cannot be drawn; nothing if it can."""
    if q.shape != (robot.nq,):
        return f"q has shape {q.shape}, expected ({robot.nq},)"
    if not np.isfinite(q).all():
        return "q is not finite"
    for body in robot.model.independent:
        doubt = body.joint.doubt(q[body.iq : body.iq + body.joint.nq])
        if doubt:
            return f"{body.joint_name}: {doubt}"
    return "" if np.isfinite(robot.body_poses(q)).all() else "the poses of the bodies are not finite"


def start(robot: Robot, frame: str) -> Array:
    """Return a first posture within the limits: at home, or bent if the tool is singular there."""
    model = robot.model
    home = _within(model, model.neutral())
    if not robot.nv or model.frame(frame).body < 0:
        return home
    J = evaluate(trace(model, "jacobian", Variant(frame)), home)  # not compiled: it is needed once
    sizes = np.linalg.svd(J[:, np.abs(J).any(axis=0)], compute_uv=False)
    if sizes.size and sizes[-1] > SINGULAR * sizes[0]:
        return home
    return _within(model, turned(model))


def _within(model: Model, q: Array) -> Array:
    """Return coordinates well within the limits of their joints: in the middle, if near or beyond one."""
    for body in model.independent:
        lower, upper = joint_range(model, body)
        if body.joint.nq > 1 or not lower < upper:
            continue
        here = q[body.iq]
        near = MARGIN * (upper - lower) if np.isfinite(upper - lower) else 0.0
        if not lower + near < here < upper - near:
            q[body.iq] = np.mean(np.clip((lower, upper), here - FAR, here + FAR))
    return q
