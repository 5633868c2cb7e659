"""The robot as a stick figure along the motion."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from plotly import graph_objects as go

from ...arrays import Array
from ...drawing import moving_traces, scene, single, styled_traces
from ...sticks import PALETTE, StickFigure, outermost, stick_figure
from ..figure import Figure, figure
from ..section import Section
from .robot_study import Study

FRAMES = 60
"""Most postures along the motion."""

PAGE_BYTES = 1_000_000
"""Most data that the postures may add to the page."""

BODIES = 100
"""Beyond this many bodies a stick figure shows nothing."""

NO_MARGIN = dict.fromkeys("lrtb", 0)


@dataclass(frozen=True)
class PostureFacts(StickFigure):
    """The robot at the instants t, one state each."""

    t: Array

    @property
    def tip(self) -> str:
        """Name of the last point."""
        return self.names[-1]

    @property
    def path(self) -> Array:
        """The path of the last point."""
        return self.points[:, -1]


def gather(study: Study) -> PostureFacts | None:
    """Return the points of the robot along the motion, from the pose of every body."""
    robot, model = study.robot, study.robot.model
    if len(model.bodies) > BODIES:
        return None
    count = 1 + len(model.bodies) + len(outermost(model))
    frames = min(FRAMES, study.samples, max(1, PAGE_BYTES // (48 * count + 400)))
    states = study.motion.at(np.linspace(0.0, study.duration, frames) if frames > 1 else np.zeros(1))
    drawn = stick_figure(model, robot.body_poses(states.q))
    return PostureFacts(**vars(drawn), t=states.t)


def draw(facts: PostureFacts) -> Mapping[str, Figure]:
    """Return the stick figure with its slider."""
    x, y, z = single(facts.path).T
    path = go.Scatter3d(x=x, y=y, z=z, mode="lines", line={"color": PALETTE[7], "width": 2}, hoverinfo="skip")
    steps = [f"{t:.2f} s" for t in facts.t] if len(facts.t) > 1 else []
    plot = go.Figure(
        data=[*styled_traces(facts), path],
        frames=[
            go.Frame(name=str(k), data=moving_traces(facts, k), traces=[0, 1]) for k in range(len(steps))
        ],
    )
    plot.update_layout(scene=scene(facts), showlegend=False)
    return {"posture": figure(plot, "Stick figure along the motion", 520, steps=steps, margin=NO_MARGIN)}


SECTION = Section("posture", "Posture", gather, draw)
