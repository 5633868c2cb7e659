"""Inertias regrouped and lengths in a unit of their own: the same forces for fewer operations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from .node import Node

UNITS = (1e-6, 1e6)
"""Metres between which an offset may become the unit of length, so that no power of it overflows."""


def regrouped(nodes: Sequence[Node]) -> tuple[Node, ...]:
    """Return the nodes with inertia moved toward the base as far as the joints allow.

    A revolute joint does not feel a line of mass on its axis, a prismatic one not the second
    moments of its body about its frame: those move to the parent unchanged
    [GautierKhalil1990, Eqs. (15)-(20), written on second moments].
    """
    m = [node.m for node in nodes]
    ms = [np.array(node.ms) for node in nodes]
    S = [np.array(node.S) for node in nodes]
    for i in reversed(range(len(nodes))):
        node = nodes[i]
        if node.joint.turns_about_axis:
            e = node.X[:3, 0]
            line_m, line_ms, line_S = m[i], e @ ms[i], e @ S[i] @ e
            k = int(np.argmax(np.abs(e)))
            m[i], ms[i][k], S[i][k, k] = 0.0, 0.0, 0.0
            d, p = node.R0 @ e, node.p0
            moved_ms = line_m * p + line_ms * d
            moved_S = line_m * np.outer(p, p) + line_ms * (np.outer(p, d) + np.outer(d, p))
            moved_S += line_S * np.outer(d, d)
        elif node.joint.slides_along_axis:
            line_m, moved_ms, moved_S = 0.0, np.zeros(3), node.R0 @ S[i] @ node.R0.T
            S[i] = np.zeros((3, 3))
        else:
            continue
        if node.parent >= 0:
            m[node.parent] += line_m
            ms[node.parent] += moved_ms
            S[node.parent] += moved_S
    return tuple(replace(node, m=m[i], ms=ms[i], S=0.5 * (S[i] + S[i].T)) for i, node in enumerate(nodes))


def in_own_unit(nodes: tuple[Node, ...]) -> tuple[Node, ...]:
    """Return a tree of revolute joints measured by its most frequent offset, which becomes one.

    Torques do not change; products with that offset vanish from the code. Residues of round-off
    are not lengths: the unit is within `UNITS`, and its square is not lost beside the largest.
    """
    if not all(node.joint.turns_about_axis for node in nodes):
        return nodes
    offsets = np.concatenate([np.abs(node.p0) for node in nodes if node.parent >= 0] or [np.zeros(1)])
    shortest = max(UNITS[0], offsets.max() * np.sqrt(np.finfo(float).eps))
    fit = (offsets >= shortest) & (offsets <= UNITS[1])
    lengths, counts = np.unique(offsets[fit], return_counts=True)
    if len(lengths) == 0:
        return nodes
    unit = float(lengths[np.argmax(counts)])
    return tuple(
        replace(node, p0=node.p0 / unit, m=node.m * unit**2, ms=node.ms * unit, unit=unit) for node in nodes
    )
