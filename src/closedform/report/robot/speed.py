"""Speed of the dynamics on this machine, single calls and batches, against Pinocchio."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from plotly import graph_objects as go

from ...arrays import Array
from ...forms import FORMS
from ...forms.catalogue import INVERSE
from ...kernels import Kernel
from ...model import Model, random_state
from ...robot import Robot
from ..figure import PALETTE, Figure, figure
from ..section import Section
from ..stopwatch import seconds_per_call
from .pinocchio_model import FUNCTIONS, Peer, peer_of
from .robot_study import TIMED_GROUP, Study

COMPARED = 100
"""States at which results are compared."""

SEED = 1

SYMBOLS = ("circle", "x", "square", "diamond")
"""Marks of the kinds of calls, which differ without their colours too."""


@dataclass(frozen=True)
class FormSpeed:
    """Times of one form in seconds: a plain call, a bound call, one state of a batch, Pinocchio's call."""

    name: str
    call: float
    bound: float
    state: float
    function: str = ""
    peer: float | None = None
    difference: float | None = None

    @property
    def rate(self) -> float:
        """States per second in a batch."""
        return 1 / self.state


@dataclass(frozen=True)
class SpeedFacts:
    """Times of the dynamics forms; `peer` names the other library, `absence` says why there is none."""

    batch: int
    rows: tuple[FormSpeed, ...]
    peer: str
    absence: str

    def row(self, name: str) -> FormSpeed | None:
        """Return the row of a form."""
        return next((row for row in self.rows if row.name == name), None)


def gather(study: Study) -> SpeedFacts | None:
    """Return measured times at random states of the robot."""
    model = study.robot.model
    if not model.has_inertia:
        return None
    peer = peer_of(model) if study.pinocchio else "Not asked for."
    rows = tuple(
        _timed(study.robot, name, study.batch, study.patience, peer)
        for name, form in FORMS.items()
        if form.group == TIMED_GROUP and not (INVERSE in form.needs and model.idle_joints)
    )
    if isinstance(peer, Peer):
        return SpeedFacts(study.batch, rows, f"Pinocchio {peer.version}", "")
    return SpeedFacts(study.batch, rows, "", peer)


def _timed(robot: Robot, name: str, batch: int, patience: float, peer: Peer | str) -> FormSpeed:
    kernel, method = robot.kernel(name), getattr(robot, name)
    inputs = _inputs(kernel, robot.model, batch)
    one = [np.ascontiguousarray(each[0]) for each in inputs]
    out, out_one = np.empty((batch, *kernel.output_shape)), np.empty(kernel.output_shape)
    call = seconds_per_call(lambda: method(*one), patience)
    bound = seconds_per_call(kernel.bind(*one, out=out_one), patience)
    state = seconds_per_call(lambda: kernel(*inputs, out=out), patience) / batch
    if not isinstance(peer, Peer) or name not in FUNCTIONS:
        return FormSpeed(name, call, bound, state)
    theirs = seconds_per_call(peer.call(name, one), patience)
    return FormSpeed(
        name, call, bound, state, FUNCTIONS[name], theirs, _difference(kernel, inputs, out, peer)
    )


def _inputs(kernel: Kernel, model: Model, batch: int) -> list[Array]:
    """Return random states, and entries between -1 and 1 for everything else."""
    rng = np.random.default_rng(SEED)
    states = dict(zip(("q", "qd", "qdd"), random_state(model, rng, (batch,), 2), strict=True))
    return [
        states[name] if name in states else rng.uniform(-1, 1, (batch, *shape))
        for name, shape in zip(kernel.input_names, kernel.input_shapes, strict=True)
    ]


def _difference(kernel: Kernel, inputs: list[Array], out: Array, peer: Peer) -> float:
    """Return the largest difference of results, relative to the largest result of the same state.

    NaN if either result is NaN, as with forward dynamics of a singular M.
    """
    differences = []
    for k in range(min(COMPARED, len(out))):
        one = [each[k] for each in inputs]
        ours, theirs = out[k], peer.value(kernel.name, one)
        if kernel.name == "coriolis_matrix":
            ours = ours @ one[1]
        scale = max(float(np.abs(theirs).max()), 1e-300)
        differences.append(float(np.abs(ours - theirs).max()) / scale)
    return float(np.max(differences))


def draw(facts: SpeedFacts) -> Mapping[str, Figure]:
    """Return states per second of every form."""
    plot = go.Figure()
    kinds: list[tuple[str, list[float | None], int]] = [
        (f"batch of {facts.batch:,}", [row.state for row in facts.rows], 0),
        ("bound calls", [row.bound for row in facts.rows], 2),
        ("single calls", [row.call for row in facts.rows], 3),
    ]
    if facts.peer:
        kinds.append((f"{facts.peer}, single calls", [row.peer for row in facts.rows], 1))
    names = [row.name for row in facts.rows]
    for label, times, colour in kinds:
        plot.add_scatter(
            y=names,
            x=[None if seconds is None else 1 / seconds for seconds in times],
            mode="markers",
            name=label,
            marker={"color": PALETTE[colour], "size": 10, "symbol": SYMBOLS[colour]},
            hovertemplate="%{x:.3s} per second",
        )
    plot.update_xaxes(type="log", title_text="states per second", exponentformat="SI", dtick=1)
    plot.update_yaxes(type="category", autorange="reversed", automargin=True)
    plot.update_layout(hovermode="y unified")
    return {"speed": figure(plot, "States per second", 120 + 34 * len(names))}


SECTION = Section("speed", "Speed on this machine", gather, draw)
