"""Screws of bodies paired with wrenches of the bodies they carry, in one frame.

M, C and their derivatives are sums of products X_i . F_j over pairs of a body j and an ancestor
i (or j itself). Products of screws and wrenches do not depend on the frame, so both sides may be
taken to the frame of the first body of the tree once, instead of moving every wrench from body to
body: shorter for long chains, and nothing changes for entries with a floating base.
"""

from __future__ import annotations

from collections.abc import Iterator

from .algebra import SX, Rotation, cross_columns
from .tree import Node

Screw = tuple[SX, SX]
"""Columns (angular, linear) of screws, or (moment, force) of wrenches, in a body frame."""


def pairs(
    nodes: tuple[Node, ...],
    placements: list[tuple[Rotation, SX]],
    screws: list[list[Screw]],
    wrenches: list[list[Screw]],
    common: bool,
) -> Iterator[tuple[int, int, list[Screw], list[Screw]]]:
    """Yield (i, j, screws of i, wrenches of j) in one frame for every j and its ancestors i.

    `common` takes the frame of the first body of the tree; otherwise wrenches move from body
    to body and meet each ancestor in its own frame.
    """
    if common:
        yield from _in_root_frame(nodes, placements, screws, wrenches)
    else:
        yield from _from_body_to_body(nodes, placements, screws, wrenches)


def _from_body_to_body(nodes, placements, screws, wrenches):
    for j in range(len(nodes)):
        moved = wrenches[j]
        i = j
        while i >= 0:
            yield i, j, screws[i], moved
            moved = [_wrench_to_parent(*placements[i], *wrench) for wrench in moved]
            i = nodes[i].parent


def _in_root_frame(nodes, placements, screws, wrenches):
    poses: list[tuple[SX, SX] | None] = []
    lifted_screws, lifted_wrenches = [], []
    for k, (node, (R, p)) in enumerate(zip(nodes, placements, strict=True)):
        if node.parent < 0:
            poses.append(None)
            lifted_screws.append(screws[k])
            lifted_wrenches.append(wrenches[k])
            continue
        above = poses[node.parent]
        pose = (R.matrix, p) if above is None else (R.back(above[0].T).T, above[1] + above[0] @ p)
        poses.append(pose)
        lifted_screws.append([_screw_out(*pose, *screw) for screw in screws[k]])
        lifted_wrenches.append([_wrench_out(*pose, *wrench) for wrench in wrenches[k]])
    for j in range(len(nodes)):
        i = j
        while i >= 0:
            if i == j:
                yield j, j, screws[j], wrenches[j]
            else:
                yield i, j, lifted_screws[i], lifted_wrenches[j]
            i = nodes[i].parent


def _wrench_to_parent(R: Rotation, p: SX, n: SX, f: SX) -> Screw:
    f = R.out(f)
    return R.out(n) - cross_columns(f, p), f


def _wrench_out(R: SX, p: SX, n: SX, f: SX) -> Screw:
    f = R @ f
    return R @ n - cross_columns(f, p), f


def _screw_out(R: SX, p: SX, w: SX, v: SX) -> Screw:
    w = R @ w
    return w, R @ v - cross_columns(w, p)
