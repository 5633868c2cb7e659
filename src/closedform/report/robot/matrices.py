"""The matrices of the equations of motion at one instant, and the conditioning of M along the motion."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from plotly import graph_objects as go

from ...arrays import Array
from ...model import Model
from ..curves import add_curve, panels, powers_of_ten
from ..figure import PALETTE, Figure, figure, plain, single, thinned
from ..labels import Label, units
from ..section import Section
from .robot_study import Study

READABLE = 8
"""Matrices up to this size show their numbers in the cells."""

ROUND_OFF = 1e-14
"""Entries and eigenvalues below this part of the largest one are zero but for round-off."""

DECADE = 10.0
"""Condition numbers that vary by more than this are drawn on a logarithmic axis."""


@dataclass(frozen=True)
class MatrixFacts:
    """M, C and g at the instant of greatest kinetic energy; condition numbers of M over time.

    A condition number is infinite if M is singular. `driven` (nv,) are the entries of joints that
    are not free: the weight that a floating base carries would dwarf their torques.
    """

    labels: tuple[Label, ...]
    instant: float
    M: Array
    C: Array
    g: Array
    t: Array
    condition: Array
    smallest_eigenvalue: float
    asymmetry: float
    driven: NDArray[np.bool_]

    @property
    def coupling(self) -> Array:
        """M_ij / sqrt(M_ii M_jj), free of units and within [-1, 1]; 0 if a joint moves no inertia."""
        d = np.sqrt(np.abs(np.diag(self.M)))
        scale = np.outer(d, d)
        scaled: Array = np.divide(self.M, scale, out=np.zeros_like(self.M), where=scale > 0)
        return scaled

    @property
    def definite(self) -> bool:
        """Whether M is positive definite along the whole motion, by more than round-off."""
        return bool(np.isfinite(self.condition).all())


def gather(study: Study) -> MatrixFacts | None:
    """Return the matrices along the motion."""
    robot, s = study.robot, study.states
    if not robot.model.has_inertia:
        return None
    k = int(np.argmax(robot.kernel("kinetic_energy")(s.q, s.qd)))
    keep = thinned(s.t)
    M = robot.kernel("mass_matrix")(s.q[keep])
    eigenvalues = np.linalg.eigvalsh(M)
    low, high = eigenvalues[:, 0], eigenvalues[:, -1]
    definite = low > ROUND_OFF * high
    M_k = robot.kernel("mass_matrix")(s.q[k])
    return MatrixFacts(
        study.velocities,
        float(s.t[k]),
        M_k,
        robot.kernel("coriolis_matrix")(s.q[k], s.qd[k]),
        robot.kernel("gravity_torque")(s.q[k]),
        s.t[keep],
        np.divide(high, low, out=np.full_like(high, np.inf), where=definite),
        float(low.min()),
        float(np.abs(M - np.swapaxes(M, -1, -2)).max()),
        _driven(robot.model),
    )


def _driven(model: Model) -> NDArray[np.bool_]:
    """Return the entries of joints that are not free, or all if there are no others."""
    own = [body for body in model.bodies if body.coupling is None]
    driven = np.concatenate([np.full(body.joint.nv, not body.joint.floats) for body in own])
    return driven if driven.any() else np.ones_like(driven)


def draw(facts: MatrixFacts) -> Mapping[str, Figure]:
    """Return heat maps of M and C, bars of g, and the condition number over time."""
    return {
        "mass": _heat_map("Mass matrix M", facts.labels, facts.coupling, facts.M),
        "coriolis": _heat_map("Coriolis matrix C", facts.labels, facts.C, facts.C),
        "gravity": _bars(facts),
        "condition": _condition(facts),
    }


def _heat_map(title: str, labels: tuple[Label, ...], colour: Array, values: Array) -> Figure:
    names = [plain(label.text) for label in labels]
    bound = max(float(np.abs(colour).max()), 1e-300)
    cells = go.Heatmap(
        x=names,
        y=names,
        z=single(colour),
        customdata=single(values),
        zmin=-bound,
        zmax=bound,
        showscale=False,
        xgap=1,
        ygap=1,
        hovertemplate="%{y}, %{x}: %{customdata:.4g}<extra></extra>",
        meta={"diverging": True},
    )
    if len(labels) <= READABLE:
        dust = ROUND_OFF * float(np.abs(values).max())
        text = [[f"{x:.3g}" if abs(x) > dust else "0" for x in row] for row in values]
        cells.update(text=text, texttemplate="%{text}")
    plot = go.Figure(cells)
    plot.update_xaxes(type="category", showgrid=False, automargin=True)
    plot.update_xaxes(showticklabels=len(labels) <= READABLE)
    plot.update_yaxes(type="category", autorange="reversed", showgrid=False, automargin=True)
    return figure(plot, title, 400)


def _bars(facts: MatrixFacts) -> Figure:
    labels = [label for label, driven in zip(facts.labels, facts.driven, strict=True) if driven]
    plot = go.Figure(
        go.Bar(
            x=[plain(label.text) for label in labels],
            y=single(facts.g[facts.driven]),
            customdata=[label.effort_unit for label in labels],
            marker={"color": PALETTE[2]},
            hovertemplate="%{x}: %{y:.4g} %{customdata}<extra></extra>",
        )
    )
    plot.update_xaxes(type="category", showgrid=False, automargin=True)
    plot.update_yaxes(title_text=f"g [{units([label.effort_unit for label in labels])}]")
    return figure(plot, "Gravity torques g", 280)


def _condition(facts: MatrixFacts) -> Figure:
    plot = panels(["cond M"])
    known = np.where(np.isfinite(facts.condition), facts.condition, np.nan)
    add_curve(plot, facts.t, known, "cond M", 0, showlegend=False)
    finite = facts.condition[np.isfinite(facts.condition)]
    wide = bool(len(finite)) and finite.max() > DECADE * finite.min()
    if wide:
        powers_of_ten(plot)
    return figure(plot, "Condition number of M over time", 280)


SECTION = Section("matrices", "Matrices", gather, draw)
