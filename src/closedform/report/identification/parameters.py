"""The identified parameters with error bars, beside those of the description."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from plotly import graph_objects as go

from ...identification import IdentifiedParameter
from ...identification.regression.friction import KINDS
from ...identification.workflow.listing import Table
from ..figure import PALETTE, Figure, figure, plain
from ..section import Section
from .studies import IdentificationStudy


@dataclass(frozen=True)
class ParameterFacts:
    """The parameters by kind: base parameters first, then those of the drives."""

    groups: tuple[tuple[str, tuple[IdentifiedParameter, ...]], ...]
    table: Table

    @property
    def kinds(self) -> dict[str, str]:
        """The kind of every parameter by its name."""
        return {p.name: words for words, parameters in self.groups for p in parameters}


def gather(study: IdentificationStudy) -> ParameterFacts:
    """Return the parameters by kind."""
    r = study.result
    base, drives = r.parameters[: r.base.count], r.parameters[r.base.count :]
    groups = [
        ("inertia [kg m²]", [p for p in base if not p.name.startswith("M")]),
        ("first moment [kg m]", [p for p in base if p.name.startswith(("MX", "MY", "MZ"))]),
        ("mass [kg]", [p for p in base if p.name.startswith("M") and p.name[1] not in "XYZ"]),
        *((words, [p for p in drives if p.name.startswith(letters)]) for letters, words in KINDS.items()),
    ]
    return ParameterFacts(tuple((words, tuple(found)) for words, found in groups if found), r.tables[0])


def draw(facts: ParameterFacts) -> Mapping[str, Figure]:
    """Return the parameters with error bars of two standard errors, described values beside them."""
    plot = go.Figure()
    for choice, (_, parameters) in enumerate(facts.groups):
        described = [p for p in parameters if p.described is not None]
        plot.add_scatter(
            x=[plain(p.name) for p in parameters],
            y=[p.value for p in parameters],
            error_y={"type": "data", "array": [2 * p.standard_error for p in parameters], "thickness": 1.4},
            mode="markers",
            name="identified, two standard errors",
            marker={"color": PALETTE[0], "size": 7},
            visible=choice == 0,
            meta={"choice": choice},
        )
        if described:
            plot.add_scatter(
                x=[plain(p.name) for p in described],
                y=[p.described for p in described],
                mode="markers",
                name="described",
                marker={
                    "color": PALETTE[1],
                    "size": 8,
                    "symbol": "x-thin",
                    "line": {"color": PALETTE[1], "width": 2},
                },
                visible=choice == 0,
                meta={"choice": choice},
            )
    plot.update_yaxes(title_text="SI units")
    plot.update_layout(hovermode="x unified")
    return {"parameters": figure(plot, "Parameters", 380, [words for words, _ in facts.groups])}


SECTION = Section("identification_parameters", "Parameters", gather, draw)
