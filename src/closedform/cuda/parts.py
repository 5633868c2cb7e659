"""Programs cut into parts that share nothing: each computes some of the outputs, from the inputs on.

A thread of a GPU has 255 registers and reads its instructions from a small memory, and a small batch leaves
most of the card idle. So long programs, and all but the shortest ones for small batches, are cut: the warps
of a part compute what its outputs need, without waiting for other parts. Operations that several parts need
are done by each. Outputs that need much the same go together: pairs of groups are joined, those that share
the most first, as long as the joint part stays within bounds.
"""

from __future__ import annotations

from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..programs import Program

Place = tuple[int, int]
"""An output and an entry of it."""

ATOMS = 600
"""Groups to begin with, at most: of more values than these, neighbours begin together."""

SLACK = 1.15
"""How much longer a part may be than what its longest entry needs by itself."""


def parts(program: Program, operations: int, values: int) -> list[list[Place]]:
    """Return the entries of each part, of at most so many operations and different values.

    If one entry alone needs more operations, all parts may need as many and a little more. Long parts come
    first. Zeros go with the entry before them, so that parts write longer pieces of memory.
    """
    atoms = _atoms(program)
    if not atoms:
        return [[(output, entry) for output, row in enumerate(program.results) for entry in range(len(row))]]
    sizes = np.array([len({program.results[output][entry] for output, entry in atom}) for atom in atoms])
    joined = _joined(*_needs(program, atoms), sizes, operations, values)
    part_of = {place: p for p, members in enumerate(joined) for a in members for place in atoms[a]}
    found: list[list[Place]] = [[] for _ in joined]
    part = 0
    for output, row in enumerate(program.results):
        for entry in range(len(row)):
            part = part_of.get((output, entry), part)
            found[part].append((output, entry))
    return found


def _atoms(program: Program) -> list[list[Place]]:
    """Return what stays together: the places of a value other than 0; neighbours too if values are many."""
    found: dict[int, list[Place]] = {}
    for output, row in enumerate(program.results):
        for entry, value in enumerate(row):
            name, _, number = program.operations[value]
            if name != "const" or number != 0:
                found.setdefault(value, []).append((output, entry))
    atoms = list(found.values())
    joint = max(1, -(-len(atoms) // ATOMS))
    return [list(chain(*atoms[k : k + joint])) for k in range(0, len(atoms), joint)]


def _needs(program: Program, atoms: list[list[Place]]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return which atoms need which kinds of operations, (atoms, kinds), and how many there are of each.

    Operations are of one kind if the same atoms need them.
    """
    needed = [0] * len(program.operations)
    for a, atom in enumerate(atoms):
        for output, entry in atom:
            needed[program.results[output][entry]] |= 1 << a
    counts: dict[int, int] = {}
    for number in range(len(needed) - 1, -1, -1):
        name, operands, _ = program.operations[number]
        for operand in operands:
            needed[operand] |= needed[number]
        if needed[number] and name not in ("const", "input"):
            counts[needed[number]] = counts.get(needed[number], 0) + 1
    width = -(-len(atoms) // 8)
    packed = np.frombuffer(b"".join(mask.to_bytes(width, "little") for mask in counts), dtype=np.uint8)
    bits = np.unpackbits(packed.reshape(len(counts), width), axis=1, count=len(atoms), bitorder="little")
    return np.ascontiguousarray(bits.T, dtype=np.float32), np.array(list(counts.values()), dtype=np.float32)


def _joined(
    needs: NDArray[np.float32], weights: NDArray[np.float32], sizes: NDArray[np.int64], most: int, values: int
) -> list[list[int]]:
    """Return groups of atoms, the longest first; `sizes` are numbers of values."""
    members = {a: [a] for a in range(len(needs))}
    shared = (needs * weights) @ needs.T
    own = shared.diagonal().copy()
    bound = max(float(most), SLACK * float(own.max(initial=0)))

    def worth_of(i: slice) -> NDArray[Any]:
        union = own[i, None] + own - shared[i]
        worth: NDArray[Any] = shared[i] / np.maximum(1, np.minimum(own[i, None], own)) - 1e-9 * union
        worth[(union > bound) | (sizes[i, None] + sizes > values)] = -np.inf
        return worth

    worth = worth_of(slice(None))
    np.fill_diagonal(worth, -np.inf)
    while len(members) > 1:
        i, j = divmod(int(worth.argmax()), len(own))
        if worth[i, j] == -np.inf:
            break
        members[i] += members.pop(j)
        np.maximum(needs[i], needs[j], out=needs[i])
        sizes[i] += sizes[j]
        sizes[j] = values + 1  # joined with none any more
        shared[i] = shared[:, i] = np.einsum("ak,k->a", needs, needs[i] * weights)  # too short for threads
        own[i] = shared[i, i]
        worth[i] = worth[:, i] = worth_of(slice(i, i + 1))[0]
        worth[j] = worth[:, j] = worth[i, i] = -np.inf
    return [members[k] for k in sorted(members, key=lambda k: (-own[k], k))]
