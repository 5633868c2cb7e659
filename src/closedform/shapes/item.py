"""What is to be drawn, before it is cut into triangles: solids by their sizes, meshes by their parts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ..arrays import Array
from . import solids
from .part import Part
from .shape import Colour, Shape, piece
from .simplify import creased, decimated, shared
from .solids import SIDES, Mesh

DEFAULT: Colour = (0.72, 0.74, 0.77, 1.0)
"""Colour of what a file gives none."""

SOLIDS: dict[str, tuple[int, Callable[..., Mesh]]] = {
    "box": (3, lambda x, y, z, sides: solids.box(x, y, z)),
    "sphere": (1, solids.sphere),
    "cylinder": (2, solids.cylinder),
    "capsule": (2, solids.capsule),
    "ellipsoid": (3, solids.ellipsoid),
}
"""Solids: how many sizes they have, and their triangles for so many sides of a circle."""

FEWEST_SIDES = 8
"""Sides of a circle in a picture of many solids."""

MAX_PIECES = 5000
"""Pieces of one robot."""


@dataclass(frozen=True, eq=False)
class Item:
    """One thing to draw in a frame: a solid with its sizes, or a part of a mesh."""

    frame: str
    placement: Array
    name: str
    colour: Colour
    solid: str = ""
    sizes: tuple[float, ...] = ()
    part: Part | None = None


def pieces(items: Sequence[Item], triangles: int) -> list[Shape]:
    """Return items as pieces of about so many triangles in all; equal meshes are decimated once."""
    rough = [item for item in items if item.solid]
    sides = _sides(rough, triangles if len(rough) == len(items) else triangles // 2)
    drawn = {id(item): SOLIDS[item.solid][1](*item.sizes, sides=sides) for item in rough}
    left = triangles - sum(len(faces) for _, faces in drawn.values())
    uses: dict[int, list[Part]] = {}
    for item in items:
        if item.part is not None:
            uses.setdefault(id(item.part), []).append(item.part)
    every = [same[0] for same in uses.values() for _ in same]
    budgets = dict(zip(map(id, every), shared(max(left, 0), every), strict=True)) if every else {}
    meshes = {id(part): creased(decimated(part, budgets[id(part)])) for part in every}
    return [
        piece(item.frame, item.placement, drawn[id(item)], item.colour, "primitive", item.name)
        if item.part is None
        else piece(item.frame, item.placement, meshes[id(item.part)], item.colour, "mesh", item.name)
        for item in items
    ]


def _sides(rough: Sequence[Item], triangles: int) -> int:
    """Return the sides of a circle with which solids have about so many triangles in all, or the fewest."""
    round_ones = sum(item.solid != "box" for item in rough)
    share = (triangles - 12 * len(rough)) / max(1, round_ones)
    return int(np.clip(2 * np.sqrt(max(share, 0.0)) // 2, FEWEST_SIDES, SIDES)) // 4 * 4
