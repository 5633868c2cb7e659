"""The motions behind Chang's tables, computed again."""

from __future__ import annotations

from functools import cache
from itertools import pairwise

import numpy as np

from ... import redundancy
from ...arrays import Array
from ...report import RedundancyStudy
from ...report.redundancy.routes import PER_SIDE
from .tables import TABLES, Visit

GAIN = 10.0
"""Weight of the gradient, in 1/s: the only value that the paper prints, for the self-motion at rest."""

SPEED, STEP = 0.01, 0.01
"""Speed of the tip (section IV) in m/s, and the integration step in s."""

CLIMBED = redundancy.manipulability()
"""What the printed rows of resolved motion climb: the root of (29), with lengths in metres."""

SETTLED = 1e-4
"""Accuracy of the joints, in degrees, to which the paper counts iterations."""

SETTLING, MOST = 2.5, 60
"""Gain times time step of the self-motion at rest, and its iterations."""


@cache
def study() -> RedundancyStudy:
    """Return the paper's example: square, start, criterion and step."""
    return RedundancyStudy()


@cache
def corners() -> Array:
    """Return the vertices (4, 2) of the square, in metres."""
    return np.asarray(study().route.targets[:-1:PER_SIDE])


@cache
def proposed() -> Array:
    """Return the joint angles (4, 3) of the proposed method at the vertices, in degrees."""
    return np.rad2deg(study().path.q[:-1:PER_SIDE])


def integrated(start: Array, waypoints: Array, criterion: redundancy.Criterion) -> Array:
    """Return the joint angles (w, 3) of resolved motion at waypoints, in radians, from `start` at the first.

    Straight lines at the paper's speed, in Runge-Kutta steps of at most its length.
    """
    found = [start]
    for a, b in pairwise(waypoints):
        length = float(np.linalg.norm(b - a))
        count = max(1, int(np.ceil(length / (SPEED * STEP) - 1e-6)))
        line = np.linspace(a, b, count + 1)
        step = max(length, 1e-12) / SPEED / count
        q = redundancy.resolved_motion(
            study().arm, line, found[-1], "xy", criterion, time_step=step, gain=GAIN
        )
        found.append(q[-1])
    return np.array(found)


@cache
def on_the_square(squared: bool) -> Array:
    """Return the joint angles (12, 3) of resolved motion at every vertex it passes, in degrees.

    Two cycles, then down, up and down the left side, from the configuration on the first vertex that is
    nearest to the printed start. It climbs the manipulability in metres, or if `squared` H of (29) with the
    J of (31).
    """
    passed = corners()[[0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 0, 1]]
    return np.rad2deg(integrated(study().start, passed, study().best if squared else CLIMBED))


@cache
def along_the_printed_tips() -> tuple[Array, Array]:
    """Return the joint angles of resolved motion through the printed tips: Tables I and II, in degrees.

    From the printed start, at its own tip, the path is what the printed tips make of the square: each row
    ends short of its corner, where its side meets the next one, which passes through the next row. The
    second cycle, not printed, is that of the first.
    """
    first, last = TABLES["Table I"], TABLES["Table II"]
    visits = (*first, *first[1:4], *last)
    places = 1e-3 * tips(np.array([_angles(visit) for visit in visits]))
    waypoints, at = [places[0]], [0]
    before = "start"
    for k in range(1, len(visits)):
        a, b = places[k - 1], places[k]
        way = corners()[visits[k].vertex] - corners()[visits[k - 1].vertex]
        now = "level" if abs(way[0]) > abs(way[1]) else "upright"
        if (before, now) == ("upright", "level"):
            waypoints.append(np.array([a[0], b[1]]))
        elif (before, now) == ("level", "upright"):
            waypoints.append(np.array([b[0], a[1]]))
        waypoints.append(b)
        at.append(len(waypoints) - 1)
        before = now
    q = np.rad2deg(integrated(np.deg2rad(_angles(visits[0])), np.array(waypoints), CLIMBED))[at]
    return q[: len(first)], q[-len(last) :]


def _angles(visit: Visit) -> list[float]:
    return [float(angle) for angle in visit.resolved[2:]]


@cache
def settled() -> tuple[Array, Array]:
    """Return where self-motion at rest ends at each vertex (4, 3), in degrees, and its iterations (4,).

    It starts from the passage of the second cycle through the vertex.
    """
    ends, counts = [], []
    for k, start in enumerate((4, 5, 6, 7)):
        still = np.repeat(corners()[k : k + 1], MOST + 1, axis=0)
        begin, step = np.deg2rad(on_the_square(False)[start]), SETTLING / GAIN
        q = np.rad2deg(
            redundancy.resolved_motion(study().arm, still, begin, "xy", CLIMBED, time_step=step, gain=GAIN)
        )
        away = np.abs(q - proposed()[k]).max(axis=-1)
        counts.append(int(np.argmax(away < SETTLED)))
        ends.append(q[-1])
    return np.array(ends), np.array(counts)


def tips(angles: Array) -> Array:
    """Return the places (..., 2) of the tip in mm for joint angles (..., 3) in degrees."""
    return np.asarray(1e3 * study().arm.pose(np.deg2rad(angles))[..., :2, 3])
