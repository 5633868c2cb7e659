"""Regrouping: which parameters are eliminated, and what the others become, from the leaves to the base."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...arrays import Array
from .transfer import SIZE, Entries

PREFERENCE = ((9,), (8, 7, 6), (3, 0, 5, 1, 2, 4))
"""Parameters in the order in which they are eliminated if there is a choice: M; MZ, MY, MX; then
YY, XX, ZZ, XY, XZ, YZ. A joint about z then eliminates YY, MZ and M, as [GautierKhalil1990] does."""

TIE = 0.999
"""Size relative to the largest candidate from which another counts as equally large."""

WEAK = 0.05
"""Size of a pivot (of unit vectors) below which it is better to eliminate another parameter."""

ROUNDED = 1e-12
"""Distance to a whole or half number that counts as round-off."""


@dataclass(frozen=True)
class Elimination:
    """The parameters of a body that its joint does not feel, and what moves when they are eliminated.

    `rows` are the eliminated of the ten. Column c of `moves` (10, .) is a body that the joint does
    not feel and whose only eliminated parameter is `rows[c]`, of size one.
    """

    rows: tuple[int, ...]
    moves: Entries

    @property
    def kept(self) -> list[int]:
        """The parameters of the body that stay."""
        return [row for row in range(SIZE) if row not in self.rows]


def eliminate(basis: Array, factors: Array) -> Elimination:
    """Return which parameters a basis (10, .) of unfelt ones eliminates.

    `factors` turn the units of the basis into those of phi.
    """
    rows = pivot_rows(basis)
    moves = basis @ np.linalg.inv(basis[list(rows)]) if rows else basis
    moves = snapped(moves, ROUNDED)
    moves = factors[:, None] * moves / factors[list(rows)]
    return Elimination(rows, moves)


def snapped(values: Array, tolerance: float) -> Array:
    """Return values, rounded to the next whole or half number if that is nearer than a tolerance."""
    near = np.rint(2 * values) / 2
    return np.where(np.abs(values - near) < tolerance, near, values) + 0.0


def pivot_rows(basis: Array) -> tuple[int, ...]:
    """Return the rows (of the ten) that determine a vector of the span, by preference.

    Within a class of `PREFERENCE` the largest row is taken, the first of several that are equally large.
    """
    left = basis.copy()
    rows: list[int] = []
    everything = tuple(row for group in PREFERENCE for row in group)
    for group, least in [*((group, WEAK) for group in PREFERENCE), (everything, 0.0)]:
        while len(rows) < basis.shape[1]:
            sizes = {row: float(np.linalg.norm(left[row])) for row in group if row not in rows}
            best = max(sizes.values(), default=0.0)
            if best <= least:
                break
            row = next(row for row, size in sizes.items() if size >= TIE * best)
            direction = left[row] / sizes[row]
            left = left - np.outer(left @ direction, direction)
            rows.append(row)
    return tuple(sorted(rows))


@dataclass(frozen=True)
class Regrouping:
    """The tree as the recursion sees it: parents, `transfer_matrix` of each body to its parent, eliminations.

    `start` is the identity: numbers, or objects if the transfers hold symbols.
    """

    parents: Sequence[int]
    transfers: Sequence[Entries]
    eliminations: Sequence[Elimination]
    start: Entries

    def matrix(self) -> Entries:
        """Return the base parameters as combinations of the bodies' own, (count, 10 bodies)."""
        rows = [own[k][self.eliminations[k].kept] for k, own in self._states()]
        return np.concatenate(rows[::-1])

    def steps(self) -> Iterator[tuple[int, list[tuple[int, Entries]]]]:
        """Yield, from the leaves to the base, a body and the parameters that its elimination changes.

        A parameter is its index among all, with the combination that replaces it. Eliminated
        parameters are left out, and so are those of a body on the ground that have no effect.
        """
        before = list(self.start)
        for k, own in self._states():
            changed = []
            for body in (k, self.parents[k]) if self.parents[k] >= 0 else (k,):
                ends = body == k or self.parents[body] < 0
                for row in self.eliminations[body].kept if ends else range(SIZE):
                    index, now = SIZE * body + row, own[body][row]
                    if _differ(now, before[index]):
                        before[index] = now.copy()
                        changed.append((index, before[index]))
            yield k, changed

    def acts_as(self, body: int, row: int) -> dict[int, Any]:
        """Return the parameters, by index, that an eliminated one of a body acts as, with coefficients.

        They are those of its own body that stay, and all of its parent: alpha of
        [GautierKhalil1990, Eqs. (5), (6)].
        """
        gone, parent = self.eliminations[body], self.parents[body]
        moves = gone.moves[:, gone.rows.index(row)]
        found = {SIZE * body + other: -moves[other] for other in gone.kept}
        if parent >= 0:
            found |= {SIZE * parent + other: each for other, each in enumerate(self.transfers[body] @ moves)}
        return found

    def _states(self) -> Iterator[tuple[int, list[Entries]]]:
        """Yield a body and the parameters of all bodies after its elimination.

        What its joint does not feel leaves the body and joins the parent [GautierKhalil1990, Eq. (6)].
        """
        own = [self.start[SIZE * k : SIZE * (k + 1)].copy() for k in range(len(self.parents))]
        for k in reversed(range(len(own))):
            gone, parent = self.eliminations[k], self.parents[k]
            leaving = own[k][list(gone.rows)]
            columns = np.flatnonzero((leaving != 0).any(axis=0))
            own[k][:, columns] = own[k][:, columns] - gone.moves @ leaving[:, columns]
            if parent >= 0:
                own[parent][:, columns] += self.transfers[k] @ gone.moves @ leaving[:, columns]
            yield k, own


def _differ(a: Entries, b: Entries) -> bool:
    """Return whether two combinations differ: numbers by more than round-off."""
    return bool((a != b).any() if a.dtype == object else np.abs(a - b).max() > ROUNDED)
