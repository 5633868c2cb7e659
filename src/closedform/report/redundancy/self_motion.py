"""Self-motion of the first target: its curves in joint space, and the criterion along them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from plotly import graph_objects as go

from ... import redundancy
from ...arrays import Array
from ..curves import add_curve, panels
from ..figure import PALETTE, Figure, figure, plain, single
from ..section import Section
from .path_study import RedundancyStudy

MOST = 8
"""Most curves shown: an arm with limits may have many short ones."""


@dataclass(frozen=True)
class Optimum:
    """An optimum on a curve: the curve's number, arc length, value and kind."""

    curve: int
    length: float
    value: float
    kind: str
    angles: tuple[float, ...]


@dataclass(frozen=True)
class CurveFacts:
    """Curves of self-motion (s, n) as shown, their arc length in rad or m, the criterion, and optima."""

    criterion: str
    names: tuple[str, ...]
    angles: tuple[Array, ...]
    lengths: tuple[Array, ...]
    values: tuple[Array, ...]
    closed: tuple[bool, ...]
    optima: tuple[Optimum, ...]


def gather(study: RedundancyStudy) -> CurveFacts | None:
    """Return the curves through the first target; None if self-motion has more dimensions than one."""
    robot, target, task = study.arm, study.route.targets[0], study.route.task
    criterion = study.best
    if study.self_motions != 1:
        return None
    found = redundancy.self_motion(robot, target, task, criterion, step=0.03)
    curves = sorted(found, key=lambda curve: -curve.length[-1])[:MOST]
    optima = []
    for number, curve in enumerate(curves):
        for kind, place in _extremes(curve):
            there = redundancy.solve(robot, target, task, criterion, curve.q[place], kind=kind)
            if there.converged and np.abs(there.q - curve.q[place]).max() < 0.1:
                angles = tuple(study.shown(there.q).tolist())
                length, value = float(curve.length[place]), float(there.value)
                optima.append(Optimum(number, length, value, str(there.kind), angles))
    return CurveFacts(
        study.sense[0],
        tuple(f"{label.text} [{unit}]" for label, unit in zip(study.labels, study.units, strict=True)),
        tuple(study.shown(curve.q) for curve in curves),
        tuple(curve.length for curve in curves),
        tuple(curve.value for curve in curves),
        tuple(curve.closed for curve in curves),
        tuple(optima),
    )


def _extremes(curve: redundancy.Curve) -> list[tuple[str, int]]:
    """Return where the criterion is higher or lower than on both sides."""
    w = curve.value
    before, after = np.roll(w, 1), np.roll(w, -1)
    if curve.closed:
        before[0], after[-1] = w[-2], w[1]
    else:
        before[0], after[-1] = np.nan, np.nan
    high, low = np.flatnonzero((w >= before) & (w > after)), np.flatnonzero((w <= before) & (w < after))
    last = len(w) - 1 if curve.closed else len(w)
    pairs = [("maximum", int(k)) for k in high] + [("minimum", int(k)) for k in low]
    return [(kind, k) for kind, k in pairs if k < last]


def draw(facts: CurveFacts) -> Mapping[str, Figure]:
    """Return the curves in three joints, and the criterion over arc length."""
    n = facts.angles[0].shape[1] if facts.angles else 3
    shown = [0, 1, 2] if n == 3 else [1, 2, 3]
    space, along = go.Figure(), panels([facts.criterion], "arc length in joint space")
    for k, (angles, length, value) in enumerate(zip(facts.angles, facts.lengths, facts.values, strict=True)):
        colour = PALETTE[k % len(PALETTE)]
        x, y, z = single(angles[:, shown]).T
        name = f"curve {k + 1}" + ("" if facts.closed[k] else ", between limits")
        hover = "%{x:.1f}, %{y:.1f}, %{z:.1f}"
        line = {"color": colour, "width": 4}
        space.add_scatter3d(x=x, y=y, z=z, name=name, mode="lines", line=line, hovertemplate=hover)
        add_curve(along, length, value, name, k, hover="%{y:.5f}")
    for kind, symbol in (("maximum", "circle"), ("minimum", "diamond")):
        mine = [each for each in facts.optima if each.kind == kind]
        if not mine:
            continue
        marker = {"color": PALETTE[7], "symbol": symbol, "size": 9}
        x, y, z = np.array([each.angles for each in mine])[:, shown].T
        space.add_scatter3d(x=x, y=y, z=z, name=kind, mode="markers", marker={**marker, "size": 4})
        lengths, values = [each.length for each in mine], [each.value for each in mine]
        add_curve(along, lengths, values, kind, 7, mode="markers", marker=marker, hover="%{y:.6f}")
    names = [plain(facts.names[k]) for k in shown]
    axes = {f"{axis}axis": {"title": name} for axis, name in zip("xyz", names, strict=True)}
    space.update_layout(scene={**axes, "aspectmode": "cube"})
    return {
        "space": figure(space, "Self-motion in joint space", 520, margin=dict.fromkeys("lrb", 0) | {"t": 40}),
        "along": figure(along, "Criterion along the self-motion", 380),
    }


SECTION = Section("ik_self_motion", "Self-motion", gather, draw)
