"""tau, tau' and tau'' along cosines, against numerical differentiation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from plotly import graph_objects as go
from plotly.subplots import make_subplots

from ...arrays import Array
from ..figure import PALETTE, Figure, Panel, curves_by_joint, figure, plain, single, thinned
from ..labels import Label, units
from ..section import Section
from .study import ElasticStudy

SAMPLES = 1001
SHOWN_STEP = 0.02
"""Step of the differences in the curves, s: coarse enough to be seen beside the exact ones."""

STEPS = np.geomspace(1e-6, 0.1, 31)


@dataclass(frozen=True)
class RateFacts:
    """Torques and their derivatives (n, nv): exact, and by central differences of the torques.

    `errors` (2, steps) are the largest errors of the differences for tau' and tau'', relative to
    the largest value, over difference steps `steps`.
    """

    t: Array
    labels: tuple[Label, ...]
    q: Array
    tau: Array
    rates: tuple[Array, Array]
    differences: tuple[Array, Array]
    steps: Array
    errors: Array

    @property
    def best(self) -> Array:
        """The smallest error of either derivative that any step reaches."""
        return np.asarray(self.errors.min(axis=1))


def gather(study: ElasticStudy) -> RateFacts:
    """Return exact derivatives by second-order inverse dynamics and differences of inverse dynamics."""
    robot = study.loaded
    t = np.linspace(0.0, study.waves.duration, SAMPLES)
    tau, first, second = robot.inverse_dynamics_rates(*study.waves.derivatives(t, 4))
    inner = t[(t > STEPS[-1]) & (t < t[-1] - STEPS[-1])]  # where every difference stays within the motion
    _, *exact = robot.inverse_dynamics_rates(*study.waves.derivatives(inner, 4))
    errors = np.array([_errors(study, inner, h, exact) for h in STEPS]).T
    shown = _differences(study, t, SHOWN_STEP)
    for each in shown:
        each[(t < SHOWN_STEP) | (t > t[-1] - SHOWN_STEP)] = np.nan
    return RateFacts(t, study.labels, study.waves(t), tau, (first, second), shown, STEPS, errors)


def _torque(study: ElasticStudy, t: Array) -> Array:
    tau: Array = study.loaded.inverse_dynamics(*study.waves.derivatives(t, 2))
    return tau


def _differences(study: ElasticStudy, t: Array, h: float) -> tuple[Array, Array]:
    """Return central differences of the torque over steps of h."""
    behind, here, ahead = (_torque(study, t + k * h) for k in (-1, 0, 1))
    return (ahead - behind) / (2 * h), (ahead - 2 * here + behind) / h**2


def _errors(study: ElasticStudy, t: Array, h: float, exact: list[Array]) -> list[float]:
    found = _differences(study, t, h)
    return [float(np.abs(a - b).max() / np.abs(b).max()) for a, b in zip(found, exact, strict=True)]


def draw(facts: RateFacts) -> Mapping[str, Figure]:
    """Return motion and torques, the derivatives of one joint at a time, and the differences' errors."""
    efforts = tuple(label.effort_unit for label in facts.labels)
    angles = tuple(label.unit for label in facts.labels)
    motion = curves_by_joint(
        "Joint motion and torques",
        facts.t,
        [Panel("q", facts.q, facts.labels, angles), Panel("tau", facts.tau, facts.labels, efforts)],
    )
    return {"motion": motion, "rates": _rates(facts), "errors": _steps(facts)}


def _rates(facts: RateFacts) -> Figure:
    keep = thinned(facts.t)
    plot = make_subplots(rows=2, shared_xaxes=True, vertical_spacing=0.08)
    for k, label in enumerate(facts.labels):
        for row, (exact, near) in enumerate(zip(facts.rates, facts.differences, strict=True), start=1):
            for name, values, colour, width, dash in (
                ("closed form", exact, 0, 4.0, "solid"),
                (f"differences over {SHOWN_STEP:g} s", near, 1, 1.8, "dash"),
            ):
                plot.add_scatter(
                    x=single(facts.t[keep]),
                    y=single(values[keep, k]),
                    name=name,
                    legendgroup=name,
                    showlegend=row == 1,
                    line={"color": PALETTE[colour], "width": width, "dash": dash, "simplify": False},
                    hovertemplate=f"%{{y:.4g}} {label.effort_unit}/s{'' if row == 1 else '2'}",
                    visible=k == 0,
                    meta={"choice": k},
                    row=row,
                    col=1,
                )
    unit = units([label.effort_unit for label in facts.labels])
    plot.update_yaxes(title_text=f"tau' [{unit}/s]", row=1, col=1)
    plot.update_yaxes(title_text=f"tau'' [{unit}/s²]", row=2, col=1)
    plot.update_xaxes(title_text="time [s]", row=2, col=1)
    plot.update_layout(hovermode="x unified")
    return figure(plot, "Derivatives of the torque", 480, [plain(label.text) for label in facts.labels])


def _steps(facts: RateFacts) -> Figure:
    plot = go.Figure()
    for k, name in enumerate(("tau'", "tau''")):
        plot.add_scatter(
            x=single(facts.steps),
            y=single(facts.errors[k]),
            name=name,
            mode="lines+markers",
            line={"color": PALETTE[k]},
            hovertemplate="%{y:.1e}",
        )
    plot.update_xaxes(title_text="step of the differences [s]", type="log", exponentformat="power")
    plot.update_yaxes(title_text="largest error / largest value", type="log", exponentformat="power")
    return figure(plot, "Error of numerical differentiation over its step", 340)


SECTION = Section("torque_rates", "Torque rates", gather, draw)
