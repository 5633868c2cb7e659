"""The tip of two bending links along a path: torques by stable inversion, simulated without feedback."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from plotly import graph_objects as go

from ...arrays import Array
from ...errors import ClosedFormError
from ...flexible import ArmMotion, Damping, DefinitenessError, FlexibleArm, FlexibleLink
from ...flexible.tip_output import tip_output, unbent
from ...trajectory import polynomial
from ...trajectory.trajectory import Trajectory
from ..curves import add_curve, panels, powers_of_ten
from ..figure import PALETTE, Figure, figure, single, thinned
from ..section import Section
from .arm_study import FlexibleStudy

STEPS = 2000
"""Steps of the path."""

RATIO = 0.01
"""Damping ratio of the modes of an arm that has none: without damping the inner motion may ring for ever."""

PERIODS = 4.0
"""Duration of a move, in periods of the slowest mode."""

REACH = 0.75
"""Distance of the start from the base over the arm's length."""

POSES, STATIONS = 7, 15
"""How many times the arm is drawn, and points of each link."""

TURNS = (0.6, 0.3, 0.15)
"""How far round the base the tip moves [rad]: the first that the arm can follow."""


@dataclass(frozen=True)
class TipFacts:
    """A path of the tip (k, 2), the tip by stable inversion and by the torques of a rigid arm, torques.

    `poses` (some, points, 2) are points along the bending arm on its way. `damped` says whether damping
    was added; `gravity` whether the arm has weight.
    """

    example: bool
    damped: bool
    gravity: bool
    step: float
    duration: float
    t: Array
    wanted: Array
    inverted: Array
    rigid: Array
    torque: Array
    rigid_torque: Array
    poses: Array

    @property
    def move(self) -> float:
        """Distance from the path's start to its end [m]."""
        return float(np.linalg.norm(self.wanted[-1] - self.wanted[0]))

    @property
    def errors(self) -> tuple[Array, Array]:
        """Distances of the tip from the path, as parts of the move: inverted, rigid."""
        inverted, rigid = (
            np.linalg.norm(each - self.wanted, axis=-1) / self.move for each in (self.inverted, self.rigid)
        )
        return inverted, rigid

    @property
    def worst(self) -> tuple[float, float]:
        """The largest of these errors."""
        inverted, rigid = (float(np.nanmax(each)) for each in self.errors)
        return inverted, rigid

    @property
    def before(self) -> float:
        """How long before the path the torques have changed by a ten-thousandth of their range [s]."""
        change = np.abs(self.torque - self.torque[0]).max(axis=-1)
        return -float(self.t[(change > 1e-4 * np.ptp(self.torque)).argmax()])


def example_arm() -> FlexibleArm:
    """Return two links in a vertical plane, with hubs and a payload light enough for the tip to be led."""
    upper = FlexibleLink(0.6, 1.0, 60.0, hub_mass=0.5, hub_inertia=0.05)
    fore = FlexibleLink(0.6, 0.7, 30.0, hub_mass=0.1, hub_inertia=0.005)
    return FlexibleArm([upper, fore], (0.1, 0.0002), (0.0, -9.81), Damping(0.02, RATIO), name="two_links")


def gather(study: FlexibleStudy) -> TipFacts | None:
    """Return the tip along a path; None for an arm of other than two links, or whose tip cannot be led."""
    if study.printed:
        arm = example_arm()
        return facts(arm, polynomial([0.3, -0.8], [0.7, 0.4], duration=0.8, degree=7), example=True)
    if study.subject.joints != 2:
        return None
    arm = _damped(study.subject)
    for turn in TURNS:
        try:
            return facts(arm, _path(arm, turn), damped=arm is not study.subject)
        except ClosedFormError:
            continue
    return None


def facts(arm: FlexibleArm, path: Trajectory, *, example: bool = False, damped: bool = False) -> TipFacts:
    """Return the tip of an arm along a path, by stable inversion and by the torques of a rigid arm."""
    duration = float(path.duration)
    step = duration / STEPS
    plan = arm.tip_inverse_dynamics(path, step)
    wanted, velocity, acceleration = path.derivatives(np.clip(plan.t, 0.0, duration), 2)
    inside = ((plan.t >= 0) & (plan.t <= duration))[:, None]
    rigid = unbent(arm, tip_output(arm, "positive"), wanted, velocity * inside, acceleration * inside)
    stiff = np.asarray(arm.inverse_dynamics(*rigid))[:, : arm.joints]
    span = float(plan.t[-1] - plan.t[0])
    run = arm.simulate(plan.q[0], None, plan.u, span, step)
    try:
        naive = arm.simulate(plan.q[0], None, stiff, span, step).tip
    except DefinitenessError:  # thrown about so much that the model ends
        naive = np.full_like(run.tip, np.nan)
    return TipFacts(
        example, damped, bool(arm.gravity.any()), step, duration,
        plan.t, wanted, run.tip, naive, plan.u, stiff, _poses(arm, run, plan.t, duration),
    )  # fmt: skip


def _poses(arm: FlexibleArm, run: ArmMotion, t: Array, duration: float) -> Array:
    """Return points along the arm at times that are evenly spread over the path."""
    shown = np.searchsorted(t, np.linspace(0.0, duration, POSES))
    return np.asarray(arm.points(run.q[shown], STATIONS))


def _damped(arm: FlexibleArm) -> FlexibleArm:
    """Return the arm, with a little damping if its links have none."""
    friction = np.diag(arm.damping)
    if friction[arm.joints :].all():
        return arm
    return FlexibleArm(
        arm.links,
        arm.payload,
        arm.gravity,
        Damping(friction[: arm.joints], RATIO),
        payload_offset=arm.payload_offset,
        boundary=[modes.tip for modes in arm.modes],
        exact=arm.model.exact,
        name=arm.name,
    )


def _path(arm: FlexibleArm, turn: float) -> Trajectory:
    """Return a move of the tip that starts below the base, or in front of it if there is no gravity."""
    distance = REACH * sum(link.length for link in arm.links)
    x, y = arm.gravity
    down = float(np.arctan2(y, x))
    start, end = (distance * np.array([np.cos(angle), np.sin(angle)]) for angle in (down, down + turn))
    slowest = min(float(each[0]) for each in arm.frequencies)
    return polynomial(start, end, duration=PERIODS / slowest, degree=7)


def draw(facts: TipFacts) -> Mapping[str, Figure]:
    """Return the path in the plane, and torques and errors over time."""
    keep = thinned(facts.t)
    plane = go.Figure()
    for k, pose in enumerate(facts.poses):
        line = {"color": PALETTE[7], "width": 1, "shape": "spline"}
        x, y = single(pose).T
        plane.add_trace(go.Scatter(x=x, y=y, name="arm", mode="lines", line=line, showlegend=not k))
    for name, values, colour, dash in (
        ("rigid torques", facts.rigid, 1, "solid"),
        ("stable inversion", facts.inverted, 0, "solid"),
        ("wanted", facts.wanted, 7, "dot"),
    ):
        x, y = values[keep].T
        line = {"color": PALETTE[colour], "dash": dash, "width": 2.4}
        plane.add_trace(go.Scatter(x=x, y=y, name=name, mode="lines", line=line))
    plane.update_xaxes(title_text="x [m]")
    plane.update_yaxes(title_text="y [m]", scaleanchor="x")
    errors = panels(["error over the move"])
    for name, error, colour in zip(("stable inversion", "rigid torques"), facts.errors, (0, 1), strict=True):
        add_curve(errors, facts.t[keep], np.maximum(error[keep], 1e-12), name, colour, hover="%{y:.2e}")
    powers_of_ten(errors)
    early = (facts.t >= -3 * max(facts.before, facts.step)) & (facts.t <= facts.duration / 50)
    begin = panels(["change of the torque [N m]"])
    for k, torque in enumerate(facts.torque.T):
        add_curve(begin, facts.t[early], (torque - torque[0])[early], f"joint {k + 1}", k)
    return {
        "path": figure(plane, "The tip in the plane", 520),
        "torques": figure(_torques(facts), "Torques over time", 320),
        "begin": figure(begin, "Torques before the path begins", 300),
        "errors": figure(errors, "Errors of the tip over time", 300),
    }


def _torques(facts: TipFacts) -> go.Figure:
    keep = thinned(facts.t)
    plot = panels(["torque [N m]"])
    for k, (torque, rigid) in enumerate(zip(facts.torque.T, facts.rigid_torque.T, strict=True)):
        add_curve(plot, facts.t[keep], torque[keep], f"joint {k + 1}", k)
        add_curve(plot, facts.t[keep], rigid[keep], f"joint {k + 1}, rigid", k, dash="dot", width=1.2)
    return plot


SECTION = Section("flexible_tip", "The tip along a path", gather, draw)
