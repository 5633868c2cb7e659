"""Wrenches of bodies meeting the screws of the joints that carry them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from casadi import SX

from .algebra import Rotation, cross_columns
from .tree import Posture

Screw = tuple[SX, SX]
"""Columns (angular, linear) of screws, or (moment, force) of wrenches, in a body frame."""


def pairs(at: Posture, wrenches: Sequence[list[Screw]]) -> Iterator[tuple[int, int, list[Screw]]]:
    """Yield (i, j, wrenches of j in frame i) for every body j and each i that carries it, j first.

    M, C and their derivatives are sums of products of a screw of i with a wrench of j. Moving
    wrenches from body to body costs less than taking both to one frame, since one turn about a
    coordinate axis at a time keeps zeros.
    """
    for j in range(len(at.nodes)):
        moved, i = wrenches[j], j
        while i >= 0:
            yield i, j, moved
            moved = [to_parent(*at.placements[i], *wrench) for wrench in moved]
            i = at.nodes[i].parent


def to_parent(R: Rotation, p: SX, n: SX, f: SX) -> Screw:
    """Return wrenches in the parent frame."""
    f = R.out(f)
    return R.out(n) - cross_columns(f, p), f


def product(screw: Screw, wrench: Screw) -> SX:
    """Return the matrix of products of screws (rows) and wrenches (columns): powers."""
    return screw[0].T @ wrench[0] + screw[1].T @ wrench[1]


def plus(a: Screw, b: Screw) -> Screw:
    """Return the sum of two screws or two wrenches."""
    return a[0] + b[0], a[1] + b[1]


def times(factor: float, screw: Screw) -> Screw:
    """Return a multiple of a screw or a wrench."""
    return screw if factor == 1 else (factor * screw[0], factor * screw[1])
