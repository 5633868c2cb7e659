"""Which joints turn about parallel axes: their angles add up."""

from __future__ import annotations

import numpy as np

from ..forms.node import Node

PARALLEL = 1e-12
"""Sine of the angle below which two axes count as parallel."""


def parallel_groups(nodes: tuple[Node, ...]) -> list[list[int]]:
    """Return the coordinates that are angles, grouped by parallel axes that follow each other.

    A joint joins the group of the last joint before it that turns, if their axes are parallel;
    prismatic joints between them do not matter. Joints of one coordinate (mimics) are in one
    group.
    """
    groups: dict[int, int] = {}
    turning: list[tuple[int, np.ndarray] | None] = []
    for node in nodes:
        above = turning[node.parent] if node.parent >= 0 else None
        before = None if above is None else (above[0], node.R0.T @ above[1])
        if node.kind in ("ball", "free"):
            turning.append(None)
            continue
        columns = np.flatnonzero(np.abs(node.X[:3]).sum(axis=0))
        if len(columns) == 0:
            turning.append(before)
            continue
        column = int(columns[0])
        coordinate, e = node.iq + column, node.X[:3, column]
        own = groups.setdefault(coordinate, coordinate)
        if before is not None and np.abs(np.cross(before[1], e)).max() < PARALLEL:
            other = groups[before[0]]
            for key, label in groups.items():
                if label == own:
                    groups[key] = other
        turning.append((coordinate, e))
    labels = sorted(set(groups.values()))
    return [sorted(key for key, label in groups.items() if label == each) for each in labels]
