"""Projection: equations of motion without the unknown forces of standing feet.

    M qdd + C qd + g = (0, tau) + J_m^T W + J_c^T f

with measured wrenches W and unknown contact forces f. A basis Z of the null space of the contact Jacobian
J_c, J_c Z = 0, removes f: Z^T (M qdd + C qd + g) = Z^T ((0, tau) + J_m^T W).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ...arrays import Array
from ...robot import Robot

FLATTEST = 1e-8
"""Singular value of a contact Jacobian, relative to its largest, that counts as zero."""

TURNED = 0.5
"""Least cosine between a null space and the reference in which its basis is written."""


@dataclass(frozen=True)
class Phase:
    """States `start` to `stop` over which the same feet stand."""

    start: int
    stop: int
    feet: tuple[str, ...]


def phases(contacts: Mapping[str, NDArray[np.bool_]], count: int) -> list[Phase]:
    """Return the stretches of states over which no contact changes."""
    if not contacts:
        return [Phase(0, count, ())]
    table = np.stack(list(contacts.values()), axis=1)
    edges = [0, *(np.flatnonzero((table[1:] != table[:-1]).any(axis=1)) + 1).tolist(), count]
    names = list(contacts)
    return [
        Phase(a, b, tuple(name for name, stands in zip(names, table[a], strict=True) if stands))
        for a, b in pairwise(edges)
    ]


def contact_jacobian(robot: Robot, q: Array, feet: Sequence[str], flat: frozenset[str]) -> Array:
    """Return the stacked Jacobian of standing feet: three rows of a point, six of a flat foot."""
    blocks = [robot.jacobian(q, foot)[..., 0 if foot in flat else 3 :, :] for foot in feet]
    return np.concatenate([np.zeros((len(q), 0, robot.nv)), *blocks], axis=1)


def null_bases(J: Array) -> Iterator[tuple[int, int, Array]]:
    """Yield stretches of states and their orthonormal null-space bases Z (states, dofs, m), smooth in time.

    Z is the projection of a fixed basis on the null space, made orthonormal by the polar
    factor, so that filters over time see no jumps. A stretch ends when the null space has turned too
    far from that basis, or changes its dimension.
    """
    count, rows, dofs = J.shape
    if rows == 0:
        yield 0, count, np.broadcast_to(np.eye(dofs), (count, dofs, dofs))
        return
    _, s, Vt = np.linalg.svd(J)
    ranks = np.count_nonzero(s > FLATTEST * s[:, :1], axis=1)
    start = 0
    while start < count:
        rank = int(ranks[start])
        reference = Vt[start, rank:]
        same = np.flatnonzero(ranks[start:] != rank)
        stop = start + int(same[0]) if same.size else count
        null = Vt[start:stop, rank:]
        # cosines between the null space and the reference: the polar factor needs them away from zero
        U, cosines, Wt = np.linalg.svd(null @ reference.T)
        far = np.flatnonzero(cosines.min(axis=1, initial=1.0) < TURNED)
        stop = start + int(far[0]) if far.size else stop
        turn = (U @ Wt)[: stop - start]
        yield start, stop, np.swapaxes(null[: stop - start], 1, 2) @ turn
        start = stop
