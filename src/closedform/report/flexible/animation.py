"""The bending arm along its motions, deflections magnified."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from plotly import graph_objects as go

from ...arrays import Array
from ...flexible import ArmMotion, FlexibleArm
from ..figure import PALETTE, Figure, figure, single
from ..section import Section
from .arm_study import FlexibleStudy

FRAMES = 120
STATIONS = 15
PATH = 1500
SHOWN = 0.3
"""Deflection over length that the largest one is magnified to."""

ANIMATED = (4, 1)
"""Motions of the paper that are animated: the switching torques of Fig. 9, the free motion of Fig. 6."""


@dataclass(frozen=True)
class Film:
    """Points along the arm (frames, points, 2), bent by `magnification` times, and without bending.

    `path` is the whole path of the tip.
    """

    title: str
    t: Array
    bent: Array
    straight: Array
    path: Array
    joints: tuple[int, ...]
    magnification: float


@dataclass(frozen=True)
class AnimationFacts:
    """The arm in words, and the films of the page."""

    arm: tuple[str, ...]
    printed: bool
    films: tuple[Film, ...]


def gather(study: FlexibleStudy) -> AnimationFacts:
    """Return the points of the arm along two motions, or along the one there is."""
    chosen = ANIMATED if len(study.cases) > max(ANIMATED) else sorted({len(study.cases) - 1, 0}, reverse=True)
    films = tuple(_film(study.cases[k].title, study.motions[k]) for k in chosen)
    return AnimationFacts(tuple(_words(study.subject)), study.printed, films)


def _words(arm: FlexibleArm) -> Iterator[str]:
    """Yield what the arm is made of: every link with its hub, the payload, gravity."""
    for i, (link, modes) in enumerate(zip(arm.links, arm.modes, strict=True)):
        rigidity = f", rigidity {link.rigidity:g} N m²" if link.uniform else ", not uniform"
        parts = [
            f"{value:g} {unit}"
            for value, unit in ((link.hub_mass, "kg"), (link.hub_inertia, "kg m²"))
            if value
        ]
        hub = f", hub of {' and '.join(parts)}" if parts else ""
        yield (
            f"Link {i + 1}: {link.length:g} m, {link.mass:.4g} kg{rigidity}{hub}, "
            f"{len(modes)} mode{'s' if len(modes) > 1 else ''}"
        )
    mass, inertia = arm.payload
    ahead, beside = arm.payload_offset
    off = (
        f", centre of mass {ahead:g} m ahead of the tip and {beside:g} m beside it" if ahead or beside else ""
    )
    yield f"Payload: {mass:g} kg and {inertia:g} kg m²{off}" if mass else "No payload"
    x, y = arm.gravity
    yield f"Gravity: ({x:g}, {y:g}) m/s²" if arm.gravity.any() else "No gravity: the plane is level"


def _film(title: str, run: ArmMotion) -> Film:
    arm = run.arm
    keep = np.unique(np.linspace(0, len(run.t) - 1, FRAMES).round().astype(int))
    ratios = [
        np.abs(run.deflection(i, x)).max() / link.length
        for i, link in enumerate(arm.links)
        for x in np.linspace(0, link.length, 9)
    ]
    factor = max(1.0, float(f"{SHOWN / max(*ratios, 1e-12):.1g}"))
    magnified = run.q * np.where(np.arange(arm.size) < arm.joints, 1.0, factor)
    rigid = run.q * np.where(np.arange(arm.size) < arm.joints, 1.0, 0.0)
    bent, straight = (arm.points(q[keep], STATIONS) for q in (magnified, rigid))
    path = np.asarray(
        arm.tip_position(magnified[np.linspace(0, len(run.t) - 1, min(PATH, len(run.t))).astype(int)])
    )
    joints = tuple(range(0, arm.joints * STATIONS, STATIONS))
    return Film(title, run.t[keep], bent, straight, path, joints, factor)


def draw(facts: AnimationFacts) -> Mapping[str, Figure]:
    """Return one film per motion, with its slider."""
    return {f"film{k + 1}": _drawn(film) for k, film in enumerate(facts.films)}


def _drawn(film: Film) -> Figure:
    def moving(k: int) -> list[go.Scatter]:
        bent, straight = single(film.bent[k]), single(film.straight[k])
        joints = [*film.joints, -1]
        return [
            go.Scatter(x=straight[:, 0], y=straight[:, 1]),
            go.Scatter(x=bent[:, 0], y=bent[:, 1]),
            go.Scatter(x=bent[joints, 0], y=bent[joints, 1]),
        ]

    sizes = [14, *np.linspace(12, 9, len(film.joints)).tolist()]
    straight, bent, joints = moving(0)
    x, y = single(film.path).T
    path = go.Scatter(x=x, y=y, name="path of the tip", mode="lines", line={"color": PALETTE[7], "width": 1})
    straight.update(name="joints alone", mode="lines", line={"color": PALETTE[7], "width": 2, "dash": "dot"})
    bent.update(name="bending arm", mode="lines", line={"color": PALETTE[0], "width": 5, "shape": "spline"})
    joints.update(name="hubs and payload", mode="markers", marker={"color": PALETTE[1], "size": sizes})
    traces = [path, straight, bent, joints]
    for trace in traces:
        trace.update(hoverinfo="skip")
    plot = go.Figure(
        data=traces,
        frames=[go.Frame(name=str(k), data=moving(k), traces=[1, 2, 3]) for k in range(len(film.t))],
    )
    cloud = np.concatenate([film.bent.reshape(-1, 2), film.straight.reshape(-1, 2)])
    low, high = cloud.min(axis=0), cloud.max(axis=0)
    room = 0.08 * float((high - low).max())
    plot.update_xaxes(title_text="x [m]", range=[low[0] - room, high[0] + room])
    plot.update_yaxes(title_text="y [m]", range=[low[1] - room, high[1] + room], scaleanchor="x")
    steps = [f"{t:.2f} s" for t in film.t]
    return figure(plot, f"The bending arm: {film.title}", 440, steps=steps)


SECTION = Section("flexible_animation", "The arm", gather, draw)
