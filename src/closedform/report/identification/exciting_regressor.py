"""How well an exciting motion tells the parameters apart."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from plotly import graph_objects as go

from ...arrays import Array
from ..figure import PALETTE, Figure, figure, plain, single
from ..section import Section
from .studies import ExcitationStudy

NOISE = 1.0
"""Standard deviation of the torques for which errors of parameters are given, N m (or N)."""


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


def gather(study: ExcitationStudy) -> RegressorFacts:
    """Return singular values and standard errors of both motions."""
    found = study.found
    values, errors = [], []
    for motion in (found.trajectory, found.start):
        _, s, Vt = np.linalg.svd(found.stacked(motion), full_matrices=False)
        values.append(s)
        errors.append(NOISE * np.sqrt(((Vt.T / s) ** 2).sum(axis=1)))
    return RegressorFacts(found.base.names, values[0], values[1], errors[0], errors[1])


def draw(facts: RegressorFacts) -> Mapping[str, Figure]:
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


SECTION = Section("exciting-regressor", "What it tells apart", gather, draw)
