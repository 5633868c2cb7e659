"""Pictures of a robot at a configuration, or along several."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .arrays import Array
from .checks import finite, real_array, some_of
from .display import card, html_table
from .errors import ArgumentError, ClosedFormError
from .model import Model, random_state
from .model.listing import heading, joint_rows
from .model.state import require_orientations
from .programs import evaluate, trace
from .sticks import StickFigure, stick_figure
from .svg import svg

if TYPE_CHECKING:
    from plotly import graph_objects as go

MOST_BODIES = 500
"""Bodies of a picture."""

MOST_DRAWN = 150
"""Bodies of the small picture in a notebook, which is to stay under 100 kB."""

TURNED = 0.7
"""Angle in rad of the joints of a robot that is bent for its picture."""

MOST_STATES = 1000
"""Configurations of a picture with a slider."""


class RobotPictures:
    """Methods that draw the robot."""

    model: Model

    def plot(self, q: ArrayLike | None = None, *, frames: bool | Sequence[str] = False) -> go.Figure:
        """Return a Plotly figure of the robot as sticks between its bodies, at q (default: at home).

        Several configurations (n, nq) have a slider. `frames` draws axes of some frames by name, or
        of all with True. Save it with `write_html(path)`.

        >>> import closedform as cf
        >>> figure = cf.load("iiwa14").plot([0, 0.5, 0, -1.5, 0, 0.7, 0], frames=["tool"])
        >>> figure.layout.title.text
        'iiwa14'
        """
        from . import drawing  # noqa: PLC0415 (Plotly takes a while to import)

        model, states = self.model, self._states(q)
        names = some_of("frame", frames, model.frame_names)
        if len(model.bodies) > MOST_BODIES:
            raise ArgumentError(f"plot: {len(model.bodies)} bodies; at most {MOST_BODIES} are drawn")
        sticks, poses = self._sticks(states)
        return drawing.picture(model.name, sticks, names, poses[:, self._rows(names)])

    def show(self, q: ArrayLike | None = None, *, frames: bool | Sequence[str] = False) -> None:
        """Show the figure of `plot` in the notebook, or else in the browser."""
        figure = self.plot(q, frames=frames)
        try:
            figure.show()
        except (ValueError, OSError, ImportError) as error:  # no browser, or parts of a notebook missing
            reason = str(error).strip()
            raise ClosedFormError(f"show: {reason}; use plot(q).write_html(path) instead") from None

    def _repr_html_(self) -> str:
        """Return what a notebook shows: a picture, and the joints with their bodies."""
        header, *rows = joint_rows(self.model)
        weighs = self.model.has_inertia
        bodies = [(body.name, float(body.phi[9]) if weighs else None) for body in self.model.bodies]
        table = html_table(
            [*header, "body", "mass [kg]"], [(*row, *body) for row, body in zip(rows, bodies, strict=True)]
        )
        return card(*heading(self.model), self._portrait(), table if rows else "")

    def _portrait(self) -> str:
        """Return the robot as SVG: at home, or bent if it is a straight line there; "" without sticks."""
        model = self.model
        if len(model.bodies) > MOST_DRAWN or model.without_numbers:
            return ""
        sticks, poses = self._sticks(np.stack([model.neutral(), turned(model)]))
        if not sticks.sticks:
            return ""
        state = int(sticks.straight(0) and not sticks.straight(1))
        where = f"turning joints at {TURNED} rad, or their limits" if state else "at home"
        triads = self._rows([model.frames[0].name, model.default_frame.name])
        return svg(sticks, state, poses[state, triads], where)

    def _sticks(self, states: Array) -> tuple[StickFigure, Array]:
        """Return the stick figure at configurations (n, nq), and the poses of all frames."""
        model = self.model
        (bent,) = random_state(model, 0, (1,), 0)  # shows whether the robot, not this posture, is planar
        program = trace(model, "frame_poses")  # not compiled: a picture needs it once
        poses = evaluate(program, np.concatenate([states, bent]))
        sticks = stick_figure(model, poses[:, self._rows([body.name for body in model.bodies])])
        return replace(sticks, points=sticks.points[: len(states)]), poses[: len(states)]

    def _states(self, q: ArrayLike | None) -> Array:
        """Return configurations (n, nq)."""
        nq = self.model.nq
        states = self.model.neutral() if q is None else finite("plot: q", real_array("plot: q", q))
        if states.shape != (nq,) and not (states.ndim == 2 and states.shape[1] == nq and len(states)):
            raise ArgumentError(f"plot: q has shape {states.shape}; expected ({nq},) or (n, {nq})")
        require_orientations("plot: q", self.model, states)
        states = states.reshape(-1, nq) if nq else np.zeros((1, 0))
        if len(states) > MOST_STATES:
            raise ArgumentError(f"plot: {len(states)} configurations; at most {MOST_STATES} have a place")
        return states

    def _rows(self, names: Sequence[str]) -> NDArray[np.intp]:
        """Return where frames are among all frames."""
        return np.array([self.model.frame_names.index(name) for name in names], dtype=np.intp)


def turned(model: Model) -> Array:
    """Return the home pose with every turning joint of one coordinate at the same angle, within limits."""
    q = model.neutral()
    for body in model.independent:
        if body.joint.nq == 1 and body.joint.turns[0]:
            q[body.iq] = np.clip(TURNED, body.limits.lower, body.limits.upper)
    return q
