"""OBJ files with the colours of their materials."""

from __future__ import annotations

import io
from array import array
from collections.abc import Callable

import numpy as np

from .part import MeshError, Part, require_count
from .shape import Colour

MAX_LINES = 1_000_000
MAX_LINE = 1_000_000
"""Lines of a file, and bytes of one."""

MAX_MATERIALS = 500
"""Materials that the faces of a file use; the rest of the faces has no colour."""

MAX_LIBRARIES = 8
"""Files of materials that one file may name."""


def read_obj(data: bytes, beside: Callable[[str], bytes | None]) -> list[Part]:
    """Return the faces of an OBJ file, a part for each material; `beside` gives a file of its folder.

    Polygons are cut into triangles from their first corner. Textures, normals, curves and lines are not read.
    """
    if data.count(b"\n") > MAX_LINES:
        raise MeshError(f"has more than {MAX_LINES} lines, the limit")
    points = array("d")
    groups = {b"": array("q")}
    libraries: list[str] = []
    triangles, group = 0, groups[b""]
    try:
        for line in io.BytesIO(data.replace(b"\\\r\n", b" ").replace(b"\\\n", b" ")):
            if len(line) > MAX_LINE:
                raise MeshError(f"has a line of more than {MAX_LINE} bytes, the limit")
            words = line.split()
            if not words:
                continue
            if words[0] == b"v":
                x, y, z = map(float, words[1:4])
                points.extend((x, y, z))
            elif words[0] == b"f":
                corners = [int(word.split(b"/", 1)[0]) for word in words[1:]]
                group.extend(_triangles(corners, len(points) // 3))
                triangles += max(0, len(corners) - 2)
                require_count(triangles)
            elif words[0] == b"usemtl":
                name = b" ".join(words[1:])
                many = name not in groups and len(groups) > MAX_MATERIALS
                group = groups.setdefault(b"" if many else name, array("q"))
            elif words[0] == b"mtllib" and len(libraries) < MAX_LIBRARIES:
                libraries.append(b" ".join(words[1:]).decode("utf-8", "replace"))
    except (ValueError, OverflowError):
        raise MeshError("has a line of points or faces that is not of numbers") from None
    vertices = np.frombuffer(points, dtype=float).reshape(-1, 3)
    colours: dict[bytes, Colour] = {}
    for library in libraries:
        colours |= _colours(beside(library) or b"")
    return [
        Part(vertices, np.frombuffer(faces, dtype=np.int64).reshape(-1, 3), colours.get(name))
        for name, faces in groups.items()
        if faces
    ]


def _triangles(corners: list[int], count: int) -> list[int]:
    """Return the triangles of a polygon; its corners count from 1, or backwards from -1."""
    index = [corner - 1 if corner > 0 else count + corner for corner in corners]
    return [each for k in range(1, len(index) - 1) for each in (index[0], index[k], index[k + 1])]


def _colours(data: bytes) -> dict[bytes, Colour]:
    """Return the diffuse colours of a material file by name; those with a texture or broken have none."""
    found: dict[bytes, Colour] = {}
    name, rgb, opacity = b"", None, 1.0
    for line in [*data.splitlines(), b"newmtl end"]:
        words = line.split()
        key = words[0].lower() if words else b""
        try:
            if key == b"newmtl":
                if rgb is not None:
                    found[name] = (*rgb, opacity)
                name, rgb, opacity = b" ".join(words[1:]), None, 1.0
            elif key == b"kd":
                red, green, blue = (min(1.0, max(0.0, float(word))) for word in words[1:4])
                rgb = (red, green, blue)
            elif key == b"d":
                opacity = min(1.0, max(0.0, float(words[-1])))
        except ValueError:
            continue
    return found
