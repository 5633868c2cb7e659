"""Passages through singular postures: where assembly modes meet, and which one follows is not determined.

A mechanism's dependent velocities follow from B_d v_d = -B_i qd. Along a motion the determinant of each block
of B_d is continuous and, where it vanishes, modes meet: a parallelogram whose bars lie on one line goes on as
a parallelogram or crossed [Norton2008]. On a smooth branch the determinant changes its sign there; a formula
that keeps the side of a triangle keeps the sign, touches zero, and takes the other branch.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ..arrays import Array

Determinants = Callable[[Array], Array]
"""The determinants (..., blocks) at points (...,) of some lines, one line per row."""

SAMPLES = 65
"""Points of a straight way at which determinants are looked at."""

TOUCH = 1e-7
"""Determinant, by the lengths of columns, that counts as zero once the least on a way is found."""

NARROWED = 45
"""Steps by the golden section that find the least determinant between two samples."""

NEARLY = 0.02
"""Part of its largest value below which the determinant of a motion may turn back at zero."""

GOLDEN = (np.sqrt(5) - 1) / 2


def touched(determinants: Determinants, count: int) -> NDArray[np.bool_]:
    """Return which of some ways touch zero an odd number of times, in some block.

    `determinants` takes the parts of the way (count, points), each between 0 and 1.
    """
    t = np.broadcast_to(np.linspace(0.0, 1.0, SAMPLES), (count, SAMPLES))
    d = np.abs(determinants(t))
    d = np.where(np.isfinite(d), d, np.inf)
    least = (d[:, 1:-1] <= d[:, :-2]) & (d[:, 1:-1] < d[:, 2:])
    least &= np.isfinite(d[:, :-2]) & np.isfinite(d[:, 2:])
    line, sample, block = np.nonzero(least)
    times = np.zeros((count, d.shape[2]), dtype=int)
    if not line.size:
        return np.zeros(count, dtype=bool)
    low, high = t[0, sample], t[0, sample + 2]
    # all candidates of a line at once: determinants are asked for by line
    order = np.zeros(len(line), dtype=int)
    for k in range(1, len(line)):
        order[k] = order[k - 1] + 1 if line[k] == line[k - 1] else 0
    width = int(order.max()) + 1

    def at(points: Array) -> Array:
        whole = np.zeros((count, width))
        whole[line, order] = points
        found = np.abs(determinants(whole)[line, order, block])
        return np.where(np.isfinite(found), found, np.inf)

    for _ in range(NARROWED):
        span = GOLDEN * (high - low)
        left, right = high - span, low + span
        smaller = at(left) < at(right)
        low, high = np.where(smaller, low, left), np.where(smaller, right, high)
    np.add.at(times, (line, block), at((low + high) / 2) < TOUCH)
    return np.asarray((times % 2 == 1).any(axis=1))


def first_passage(determinants: Array) -> tuple[Array, Array]:
    """Return the first sample of motions at which a block has passed a singular posture, and the block.

    `determinants` is (..., samples, blocks); the sample is -1 if there is no passage. A change of sign is
    one, and so is a determinant that heads for zero within a step and turns back: the other branch.
    """
    sign = np.sign(determinants[..., :1, :])
    d = sign * determinants
    passed = d < 0
    before, now, after = d[..., :-2, :], d[..., 1:-1, :], d[..., 2:, :]
    near = now < NEARLY * np.nanmax(d, axis=-2, keepdims=True, initial=0.0)
    passed[..., 2:, :] |= near & (2 * now - before < 0) & (after > now)
    any_block = passed.any(axis=-1)
    sample = np.where(any_block.any(axis=-1), any_block.argmax(axis=-1), -1)
    at = np.take_along_axis(passed, np.maximum(sample, 0)[..., None, None], axis=-2)[..., 0, :]
    return sample, at.argmax(axis=-1)
