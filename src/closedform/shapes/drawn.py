"""The pieces of a model: those of its files, and made ones for bodies whose meshes cannot be read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..description.looks import LookSource
from ..errors import ClosedFormError, shorten, shown
from ..model import Frame, Model
from .item import MAX_PIECES, Item, pieces
from .made import made_shapes
from .mesh_files import NO_FOLDER, MeshFiles
from .mjcf_items import mjcf_items
from .shape import Shapes
from .simplify import decimation
from .urdf_items import urdf_items

COVERED = 1 / 3
"""Part of the bodies with mass that a file draws, below which all are made instead."""

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
    drawn = {where[item.frame] for item in items}
    heavy = {i for i, body in enumerate(model.bodies) if body.phi[9] > 0}
    if items and len(heavy & drawn) < len(heavy) * COVERED:
        faults.append(
            f"the file draws {len(heavy & drawn)} of {len(heavy)} bodies; all are drawn as capsules"
        )
        items = []
    made = made_shapes(model, triangles, empty - drawn if items else None)
    left = max(triangles - sum(len(each.faces) for each in made), triangles // 2)
    return Shapes((*pieces(items, left), *made), _told(faults, items, triangles))


def _read(source: LookSource, frames: Sequence[Frame]) -> tuple[list[Item], list[str], set[str]]:
    """Return what a file draws in frames, lines for what it does not, and the frames that these are of."""
    if source.format == "mjcf":
        return _read_mjcf(source, frames)
    items: list[Item] = []
    lines: list[str] = []
    broken = set()
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


def _read_mjcf(source: LookSource, frames: Sequence[Frame]) -> tuple[list[Item], list[str], set[str]]:
    """Return what `_read` does of an MJCF file, of which a robot may hold several copies."""
    copies: dict[str, list[str]] = {}
    for frame in frames:
        if frame.look is not None:
            copies.setdefault(frame.look.link, []).append(frame.name)
    try:
        items, lines = mjcf_items(source, copies)
    except ClosedFormError as error:
        line = f"{shown(source.path or '<text>')}: {' '.join(str(error).split())}"
        return [], [line], {frame.name for frame in frames}
    broken = {
        name
        for link in copies
        if any(line.startswith(f"{link}: ") for line in lines)
        for name in copies[link]
    }
    return [replace(item, frame=name) for item in items for name in copies[item.frame]], lines, broken


def _told(faults: list[str], items: Sequence[Item], triangles: int) -> tuple[str, ...]:
    """Return the lines to tell: each once, of bounded length, and what to install for finer meshes."""
    texts = [line for line in faults if line.endswith(NO_FOLDER)]
    lines = [shorten(" ".join(line.split()), 300) for line in dict.fromkeys(faults) if line not in texts]
    if texts:
        many = f"{len(texts)} meshes" if texts[1:] else "1 mesh"
        lines.append(
            f"{many} of a text, {NO_FOLDER}, {'are' if texts[1:] else 'is'} not read; "
            "load the robot by the path of its file"
        )
    more = [f"and {len(lines) - MAX_WARNINGS} more"] if len(lines) > MAX_WARNINGS else []
    count = sum(len(item.part.faces) for item in items if item.part is not None)
    if count > triangles and decimation() is None:
        more.append("meshes are decimated in a rough way; for a finer one: pip install closedform[meshes]")
    return (*lines[:MAX_WARNINGS], *more)
