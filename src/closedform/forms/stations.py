"""Products of screws and wrenches on long branches: taken in a frame that several bodies share.

A wrench of body j is multiplied by the screws of all bodies that carry it. Moving it from body to body
costs about 28 operations each time. The screws of the bodies near a station are moved to its frame once,
and a product there costs 11. Stations a few bodies apart keep levers short, and with them all digits.
"""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca
from casadi import SX

from .algebra import Rotation, cross_columns
from .node import Node
from .pairs import Screw, product, to_parent
from .tree import Placement, Posture

LONG = 40
"""Bodies of a branch beyond which stations are used; shorter ones gain more from the zeros of their axes."""

SPACING = 16
"""Bodies from one station to the next."""


def longest_branch(nodes: Sequence[Node]) -> int:
    """Return the number of bodies on the longest way to the base."""
    depths: list[int] = []
    for node in nodes:
        depths.append(1 + (depths[node.parent] if node.parent >= 0 else 0))
    return max(depths, default=0)


def products_by_station(at: Posture, wrenches: Sequence[Screw]) -> SX:
    """Return the symmetric matrix of X_i . W_j, i on the way from j to the base, with the armatures.

    Joints must be uncoupled: each then has rows and columns of its own.
    """
    nodes = at.nodes
    station, steps, local = _stations(at)
    screws = [_in_station(T, node.screws) for T, node in zip(local, nodes, strict=True)]
    nv = sum(node.nv for node in nodes)
    columns: dict[int, SX] = {}
    for j, node in enumerate(nodes):
        column = SX(nv, node.nv)
        base, wrench, i = station[j], to_parent(*local[j], *wrenches[j]), j
        while i >= 0:
            near = []
            while i >= 0 and station[i] == base:
                near.append(i)
                i = nodes[i].parent
            both = tuple(ca.horzcat(*(screws[k][part] for k in near)) for part in (0, 1))
            rows = [nodes[k].iv + r for k in near for r in range(nodes[k].nv)]
            column[rows, :] = product((both[0], both[1]), wrench)
            if i >= 0:
                wrench, base = to_parent(*steps[base], *wrench), station[i]
        column[node.velocities, :] += node.armature * SX.eye(node.nv)
        columns[node.iv] = column
    upper = ca.triu(ca.horzcat(*(columns[iv] for iv in sorted(columns))))
    return ca.triu2symm(upper)


def _stations(at: Posture) -> tuple[list[int], dict[int, Placement], list[Placement]]:
    """Return the station of each body, the placement of each station in the one before, and of each body."""
    station: list[int] = []
    steps: dict[int, Placement] = {}
    local: list[Placement] = []
    count: list[int] = []
    for i, (node, placement) in enumerate(at):
        placed = placement
        if node.parent >= 0:
            R, p = local[node.parent]
            placed = Rotation([R.matrix @ placed[0].matrix]), p + R.out(placed[1])
            count.append(count[node.parent] + 1)
        else:
            count.append(0)
        if node.parent < 0 or count[i] == SPACING:
            steps[i] = placed
            station.append(i)
            count[i] = 0
            local.append((Rotation([]), SX(3, 1)))
        else:
            station.append(station[node.parent])
            local.append(placed)
    return station, steps, local


def _in_station(placement: Placement, screw: Screw) -> Screw:
    """Return screws of a body in the frame of its station."""
    R, p = placement
    w = R.out(screw[0])
    return w, R.out(screw[1]) - cross_columns(w, p)
