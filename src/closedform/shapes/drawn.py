"""The pieces of a model: those of its files, and made ones for bodies whose meshes cannot be read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..description.looks import LookSource
from ..errors import ClosedFormError, shorten, shown
from ..model import Frame, Model
from .item import MAX_PIECES, Item, pieces
from .made import made_shapes
from .mesh_files import MeshFiles
from .mjcf_items import mjcf_items
from .shape import Shapes
from .simplify import decimation
from .urdf_items import urdf_items

MAX_WARNINGS = 40
"""Lines that are told; the rest is counted."""


def shapes_of(model: Model, triangles: int) -> Shapes:
    """Return the shapes of a model, of about so many triangles."""
    sources: dict[LookSource, list[Frame]] = {}
    for frame in model.frames:
        if frame.look is not None:
            sources.setdefault(frame.look.source, []).append(frame)
    items: list[Item] = []
    faults: list[str] = []
    empty: set[int] = set()
    for source, frames in sources.items():
        own, lines, broken = _read(source, frames)
        items += own
        faults += lines
        empty |= {frame.body for frame in frames if frame.name in broken}
    if len(items) > MAX_PIECES:
        faults.append(f"{len(items)} pieces; the first {MAX_PIECES} are drawn")
        items = items[:MAX_PIECES]
    where = {frame.name: frame.body for frame in model.frames}
    made = empty - {where[item.frame] for item in items} if items else None
    found = [*pieces(items, triangles), *made_shapes(model, made)]
    return Shapes(tuple(found), _told(faults, items, triangles))


def _read(source: LookSource, frames: Sequence[Frame]) -> tuple[list[Item], list[str], set[str]]:
    """Return what a file draws in frames, lines for what it does not, and the frames that these are of."""
    links = {frame.look.link: frame.name for frame in frames if frame.look is not None}
    if source.format == "mjcf":
        try:
            items, lines = mjcf_items(source, links)
        except ClosedFormError as error:
            line = f"{shown(source.path or '<text>')}: {' '.join(str(error).split())}"
            return [], [line], set(links.values())
        drawn = [replace(item, frame=links[item.frame]) for item in items]
        return (
            drawn,
            lines,
            {links[link] for link in links if any(line.startswith(f"{link}: ") for line in lines)},
        )
    items, lines, broken = [], [], set()
    files = MeshFiles(source.path)
    for frame in frames:
        if frame.look is None:
            continue
        try:
            own, told = urdf_items(frame.name, frame.look, files)
        except ClosedFormError as error:
            own, told = [], [f"{frame.look.link}: {' '.join(str(error).split())}"]
        items += own
        lines += told
        broken |= {frame.name} if told else set()
    return items, lines, broken


def _told(faults: list[str], items: Sequence[Item], triangles: int) -> tuple[str, ...]:
    """Return the lines to tell: each once, of bounded length, and what to install for finer meshes."""
    lines = [shorten(" ".join(line.split()), 300) for line in dict.fromkeys(faults)]
    more = [f"and {len(lines) - MAX_WARNINGS} more"] if len(lines) > MAX_WARNINGS else []
    count = sum(len(item.part.faces) for item in items if item.part is not None)
    if count > triangles and decimation() is None:
        more.append("meshes are decimated in a rough way; for a finer one: pip install closedform[meshes]")
    return (*lines[:MAX_WARNINGS], *more)
