"""The page of an exciting motion: what it does, what it uses of the limits, what it tells apart."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from plotly import graph_objects as go

from ..arrays import Array
from ..identification import Excitation
from .figure import PALETTE, Figure, Panel, curves_by_joint, figure, plain, single
from .labels import Label, velocity_labels
from .page import write_page
from .section import Section

NOISE = 1.0
"""Standard deviation of the torques for which errors of parameters are told, N m (or N)."""


@dataclass(frozen=True)
class Use:
    """What one joint uses of its limits: (value, limit) pairs."""

    label: Label
    lowest: tuple[float, float]
    highest: tuple[float, float]
    velocity: tuple[float, float]
    acceleration: tuple[float, float]
    torque: tuple[float, float]

    @property
    def share(self) -> float:
        """The largest part of a limit that is used; a range counts from its middle."""
        middle, half = (self.highest[1] + self.lowest[1]) / 2, (self.highest[1] - self.lowest[1]) / 2
        reach = max(abs(self.lowest[0] - middle), abs(self.highest[0] - middle)) / half
        rates = (value / limit for value, limit in (self.velocity, self.acceleration, self.torque))
        return float(np.nanmax([reach, *rates]))


@dataclass(frozen=True)
class MotionFacts:
    """Samples of the motion and what it uses."""

    t: Array
    q: Array
    qd: Array
    qdd: Array
    tau: Array | None
    labels: tuple[Label, ...]
    uses: tuple[Use, ...]
    period: float
    terms: int
    frames: tuple[str, ...]


@dataclass(frozen=True)
class RegressorFacts:
    """How well the motion tells parameters apart, against the random one it was found from."""

    names: tuple[str, ...]
    singular: Array
    start_singular: Array
    errors: Array
    start_errors: Array
    noise: float = NOISE

    @property
    def condition(self) -> float:
        """Largest by smallest singular value."""
        return float(self.singular[0] / self.singular[-1])

    @property
    def start_condition(self) -> float:
        """The same of the random motion."""
        return float(self.start_singular[0] / self.start_singular[-1])

    @property
    def gain(self) -> float:
        """How much smaller the errors of the parameters became, in the median."""
        return float(np.median(self.start_errors / self.errors))


def gather_motion(found: Excitation) -> MotionFacts:
    """Return the motion as sampled, and the use of limits."""
    t = np.linspace(0.0, found.trajectory.duration, 1001)
    q, qd, qdd = found.trajectory.derivatives(t, 2)
    labels = velocity_labels(found.robot.model)
    rows = found.table().items()
    uses = tuple(
        Use(label, **{name: (float(used[i]), float(limit[i])) for name, (used, limit) in rows})
        for i, label in enumerate(labels)
    )
    tau = found.robot.inverse_dynamics(q, qd, qdd) if found.robot.model.has_inertia else None
    terms, frames = len(found.trajectory.rates), tuple(found.bounds.workspace)
    return MotionFacts(t, q, qd, qdd, tau, labels, uses, found.trajectory.duration, terms, frames)


def gather_regressor(found: Excitation) -> RegressorFacts:
    """Return singular values and standard errors of both motions."""
    values, errors = [], []
    for motion in (found.trajectory, found.start):
        _, s, Vt = np.linalg.svd(found.stacked(motion), full_matrices=False)
        values.append(s)
        errors.append(NOISE * np.sqrt(((Vt.T / s) ** 2).sum(axis=1)))
    return RegressorFacts(found.base.names, values[0], values[1], errors[0], errors[1])


def draw_motion(facts: MotionFacts) -> Mapping[str, Figure]:
    """Return positions, velocities, accelerations and torques over time."""
    unit = tuple(label.unit for label in facts.labels)
    panels = [
        Panel("q", facts.q, facts.labels, unit),
        Panel("qd", facts.qd, facts.labels, tuple(f"{each}/s" for each in unit)),
        Panel("qdd", facts.qdd, facts.labels, tuple(f"{each}/s²" for each in unit)),
    ]
    if facts.tau is not None:
        efforts = tuple(label.effort_unit for label in facts.labels)
        panels.append(Panel("tau", facts.tau, facts.labels, efforts))
    return {"motion": curves_by_joint("One period of the motion", facts.t, panels)}


def draw_regressor(facts: RegressorFacts) -> Mapping[str, Figure]:
    """Return the singular values, and the errors of the parameters."""
    order = np.arange(1, len(facts.singular) + 1)
    names = [plain(name) for name in facts.names]
    both = (("random motion", 7, "start_"), ("exciting motion", 0, ""))
    spectrum, errors = go.Figure(), go.Figure()
    for name, colour, which in both:
        style = {"color": PALETTE[colour]}
        values, sizes = getattr(facts, f"{which}singular"), getattr(facts, f"{which}errors")
        spectrum.add_scatter(
            x=order, y=single(values), name=name, mode="lines+markers", line=style, hovertemplate="%{y:.3g}"
        )
        errors.add_scatter(
            x=names, y=single(sizes), name=name, mode="markers", marker=style, hovertemplate="%{y:.3g}"
        )
    spectrum.update_xaxes(title_text="index")
    spectrum.update_yaxes(title_text="singular value", type="log", dtick=1)
    errors.update_xaxes(tickangle=-90, automargin=True)
    errors.update_yaxes(title_text="standard error [SI]", type="log", dtick=1)
    for plot in (spectrum, errors):
        plot.update_layout(hovermode="x unified")
    return {
        "spectrum": figure(spectrum, "Singular values of the stacked regressor", 340),
        "errors": figure(errors, "Standard errors of the base parameters", 380),
    }


SECTIONS = (
    Section("exciting-motion", "Motion and limits", gather_motion, draw_motion),
    Section("exciting-regressor", "What it tells apart", gather_regressor, draw_regressor),
)


def write_excitation(found: Excitation, path: str | os.PathLike[str]) -> None:
    """Write the page of an exciting motion; the file appears whole or not at all."""
    write_page(
        path,
        subject=found,
        sections=SECTIONS,
        name=found.robot.name,
        title="Exciting motion",
        summary="exciting.html.j2",
    )
