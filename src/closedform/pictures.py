"""Pictures of a robot at a configuration, or along several."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .arrays import Array
from .checks import finite, real_array, some_of
from .errors import ArgumentError, ClosedFormError
from .model import Model, random_state
from .programs import evaluate, trace

if TYPE_CHECKING:
    from plotly import graph_objects as go

MOST_BODIES = 500
"""Bodies of a picture."""

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
        (bent,) = random_state(model, 0, (1,), 0)  # shows whether the robot, not this posture, is planar
        program = trace(model, "frame_poses")  # not compiled: a picture needs it once
        poses = evaluate(program, np.concatenate([states, bent]))
        sticks = drawing.stick_figure(model, poses[:, self._rows([body.name for body in model.bodies])])
        sticks = replace(sticks, points=sticks.points[: len(states)])
        return drawing.picture(model.name, sticks, names, poses[: len(states), self._rows(names)])

    def show(self, q: ArrayLike | None = None, *, frames: bool | Sequence[str] = False) -> None:
        """Show the figure of `plot` in the notebook, or else in the browser."""
        figure = self.plot(q, frames=frames)
        try:
            figure.show()
        except (ValueError, OSError, ImportError) as error:  # no browser, or parts of a notebook missing
            reason = str(error).strip()
            raise ClosedFormError(f"show: {reason}; use plot(q).write_html(path) instead") from None

    def _states(self, q: ArrayLike | None) -> Array:
        """Return configurations (n, nq)."""
        nq = self.model.nq
        states = self.model.neutral() if q is None else finite("plot: q", real_array("plot: q", q))
        if states.shape != (nq,) and not (states.ndim == 2 and states.shape[1] == nq and len(states)):
            raise ArgumentError(f"plot: q has shape {states.shape}; expected ({nq},) or (n, {nq})")
        states = states.reshape(-1, nq) if nq else np.zeros((1, 0))
        if len(states) > MOST_STATES:
            raise ArgumentError(f"plot: {len(states)} configurations; at most {MOST_STATES} have a place")
        return states

    def _rows(self, names: Sequence[str]) -> NDArray[np.intp]:
        """Return where frames are among all frames."""
        return np.array([self.model.frame_names.index(name) for name in names], dtype=np.intp)
