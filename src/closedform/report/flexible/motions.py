"""The motions of Figs. 5 to 10 of [DeLucaSiciliano1991], with their energies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from plotly import graph_objects as go
from plotly.subplots import make_subplots

from ...arrays import Array
from ..figure import PALETTE, Figure, figure, single, thinned
from ..section import Section
from .study import CASES, Case, FlexibleStudy

PANELS = (
    ("modes of link 1 [m]", ("delta11", "delta12")),
    ("modes of link 2 [m]", ("delta21", "delta22")),
    ("joints [rad]", ("theta1", "theta2")),
    ("tip [m]", ("x", "y")),
)
"""The four pictures of each figure: titles and curves."""

ENERGIES = ("kinetic", "potential", "total", "work", "dissipated")


@dataclass(frozen=True)
class Motion:
    """One case: coordinates and tip (samples, 8) in the order of `PANELS`, energies (samples, 5)."""

    case: Case
    t: Array
    values: Array
    energies: Array
    change: float
    peak: float

    @property
    def title(self) -> str:
        """The figure of the paper and what happens in it."""
        return f"{self.case.figure}: {self.case.title}"

    @property
    def drift(self) -> float:
        """Error of the energy balance, as a part of the largest energy."""
        return self.change / self.peak


@dataclass(frozen=True)
class MotionFacts:
    """All cases."""

    step: float
    motions: tuple[Motion, ...]

    @property
    def free(self) -> tuple[Motion, ...]:
        """Those without damping and torques, whose energy must stay."""
        return tuple(each for each in self.motions if not (each.case.damped or each.case.driven))


def gather(study: FlexibleStudy) -> MotionFacts:
    """Return the motions with all that is shown of them."""
    motions = []
    for case in CASES:
        run = study.motions[case.figure]
        energy = run.energy
        values = np.concatenate([run.q[:, 2:], run.q[:, :2], run.tip], axis=-1)
        energies = np.stack([getattr(energy, name) for name in ENERGIES], axis=-1)
        change = float(np.ptp(energy.balance))
        motions.append(Motion(case, run.t, values, energies, change, float(energy.total.max())))
    return MotionFacts(study.step, tuple(motions))


def draw(facts: MotionFacts) -> Mapping[str, Figure]:
    """Return time series and energies, one choice per case."""
    titles = [motion.title for motion in facts.motions]
    series = make_subplots(rows=len(PANELS), shared_xaxes=True, vertical_spacing=0.035)
    energies = go.Figure()
    for choice, motion in enumerate(facts.motions):
        keep = thinned(motion.t)
        x, shown = single(motion.t[keep]), {"visible": choice == 0, "meta": {"choice": choice}}
        for row, (_, names) in enumerate(PANELS):
            for k, name in enumerate(names):
                series.add_scatter(
                    x=x,
                    y=single(motion.values[keep, 2 * row + k]),
                    name=name,
                    line={"color": PALETTE[2 * row + k], "width": 1.7, "simplify": False},
                    hovertemplate="%{y:.4g}",
                    row=row + 1,
                    col=1,
                    **shown,
                )
        for k, name in enumerate(ENERGIES):
            energies.add_scatter(
                x=x,
                y=single(motion.energies[keep, k] * 1e3),
                name=name,
                line={"color": PALETTE[k], "width": 1.8, "dash": "dot" if name == "total" else "solid"},
                hovertemplate="%{y:.4g} mJ",
                **shown,
            )
    for row, (title, _) in enumerate(PANELS, start=1):
        series.update_yaxes(title_text=title, row=row, col=1)
    series.update_xaxes(title_text="time [s]", row=len(PANELS), col=1)
    series.update_layout(hovermode="x unified", hoversubplots="axis")
    energies.update_xaxes(title_text="time [s]")
    energies.update_yaxes(title_text="energy [mJ]")
    energies.update_layout(hovermode="x unified")
    return {
        "series": figure(series, "Coordinates and tip over time", 820, titles),
        "energies": figure(energies, "Energies over time", 360, titles),
    }


SECTION = Section("flexible_motions", "Motions", gather, draw)
