"""How well an exciting motion tells the parameters apart."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from plotly import graph_objects as go

from ...arrays import Array
from ...identification import ExpectedErrors
from ..curves import add_curve, panels, powers_of_ten
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
    expected: ExpectedErrors
    noise: float = NOISE

    @property
    def rows(self) -> tuple[tuple[str, float, float | None, float | None], ...]:
        """Name, expected standard error, described value, and the error relative to it, of each parameter."""
        expected = self.expected
        return tuple(
            (name, float(error), value, None if not value else float(error) / abs(value))
            for name, error, value in zip(expected.names, expected.errors, expected.values, strict=True)
        )

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
    expected = study.expected or found.expected_errors(NOISE)
    return RegressorFacts(found.base.names, values[0], values[1], errors[0], errors[1], expected)


def draw(facts: RegressorFacts) -> Mapping[str, Figure]:
    """Return the singular values, and the errors of the parameters."""
    order = np.arange(1, len(facts.singular) + 1)
    names = [plain(name) for name in facts.names]
    spectrum, errors = panels(["singular value"], "index"), go.Figure()
    for name, colour, singular, sizes in (
        ("random motion", 7, facts.start_singular, facts.start_errors),
        ("exciting motion", 0, facts.singular, facts.errors),
    ):
        add_curve(spectrum, order, singular, name, colour, mode="lines+markers", hover="%{y:.3g}")
        mark = {"color": PALETTE[colour]}
        errors.add_scatter(
            x=names, y=single(sizes), name=name, mode="markers", marker=mark, hovertemplate="%{y:.3g}"
        )
    errors.update_xaxes(tickangle=-90, automargin=True)
    errors.update_yaxes(title_text="standard error [SI]")
    errors.update_layout(hovermode="x unified")
    for plot in (spectrum, errors):
        powers_of_ten(plot)
    return {
        "spectrum": figure(spectrum, "Singular values of the stacked regressor", 340),
        "errors": figure(errors, "Standard errors of the base parameters", 380),
    }


SECTION = Section("exciting_regressor", "What it tells apart", gather, draw)
