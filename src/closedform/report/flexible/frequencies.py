"""Natural frequencies of the whole arm: the links swing together, and the elbow decides how."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from plotly import graph_objects as go

from ...arrays import Array
from ..figure import PALETTE, Figure, figure, single
from ..section import Section
from .study import FlexibleStudy

ANGLES = 91


@dataclass(frozen=True)
class FrequencyFacts:
    """Frequencies [Hz] of the free arm (angles, modes) over the elbow angle, and of the clamped links."""

    angle: Array
    free: Array
    clamped: Array


def gather(study: FlexibleStudy) -> FrequencyFacts:
    """Return the frequencies from the linearised arm at every elbow angle."""
    arm = study.arms[False]
    angle = np.linspace(0, np.pi, ANGLES)
    q = np.zeros((ANGLES, arm.size))
    q[:, 1] = angle
    A, _ = arm.state_matrices(q, np.zeros_like(q), np.zeros((ANGLES, arm.joints)))
    stiffness = -A[:, arm.size :, : arm.size]  # B^-1 K, whose eigenvalues are omega^2
    squares = np.sort(np.linalg.eigvals(stiffness).real, axis=-1)[:, arm.joints :]
    return FrequencyFacts(angle, np.sqrt(squares) / (2 * np.pi), np.concatenate(arm.frequencies))


def draw(facts: FrequencyFacts) -> Mapping[str, Figure]:
    """Return the frequencies over the elbow angle."""
    plot = go.Figure()
    for k, (curve, clamped) in enumerate(zip(facts.free.T, facts.clamped, strict=True)):
        colour = PALETTE[k]
        plot.add_scatter(
            x=single(np.degrees(facts.angle)),
            y=single(curve),
            name=f"free arm, {k + 1}",
            line={"color": colour, "width": 2.2, "simplify": False},
            hovertemplate="%{y:.2f} Hz",
        )
        plot.add_scatter(
            x=[0, 180],
            y=[clamped, clamped],
            mode="lines",
            name=f"clamped link {1 + k // 2}, mode {1 + k % 2}",
            line={"color": colour, "width": 1.2, "dash": "dot"},
            hovertemplate="%{y:.2f} Hz",
        )
    plot.update_xaxes(title_text="elbow angle [degrees]", dtick=30)
    plot.update_yaxes(title_text="frequency [Hz]", type="log", tickvals=[0.5, 1, 2, 5, 10, 20, 50])
    plot.update_layout(hovermode="x unified")
    return {"frequencies": figure(plot, "Natural frequencies over the elbow angle", 420)}


SECTION = Section("flexible_frequencies", "Frequencies", gather, draw)
