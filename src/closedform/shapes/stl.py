"""STL files, binary and ASCII."""

from __future__ import annotations

import re
from array import array

import numpy as np

from .part import MeshError, Part, require_count

HEADER = 84
"""Bytes before the first triangle of a binary file; the last four count the triangles."""

RECORD = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])

VERTEX = re.compile(rb"\bvertex\s+(\S+)\s+(\S+)\s+(\S+)", re.IGNORECASE)


def read_stl(data: bytes) -> list[Part]:
    """Return the triangles of an STL file, binary if its length is what the count in its header says.

    A binary file may begin with "solid" too. Of one that was cut off the whole triangles are taken.
    """
    count = int.from_bytes(data[80:HEADER], "little")
    whole = len(data) >= HEADER and len(data) >= HEADER + count * RECORD.itemsize
    text = data[:512].lstrip().startswith(b"solid") and (b"facet" in data[:4096] or b"endsolid" in data[:512])
    if text and not (whole and count and b"\0" in data[:HEADER]):
        return [_ascii(data)]
    if len(data) < HEADER:
        raise MeshError("is not an STL file: it is too short")
    require_count(count if whole else 0)
    fits = (len(data) - HEADER) // RECORD.itemsize
    records = np.frombuffer(data, RECORD, min(count, fits), HEADER)
    if count and not len(records):
        raise MeshError("is cut off before its first triangle")
    vertices = records["corners"].reshape(-1, 3).astype(float)
    return [Part(vertices, np.arange(len(vertices)).reshape(-1, 3))]


def _ascii(data: bytes) -> Part:
    """Return the triangles of the lines "vertex x y z"."""
    numbers = array("d")
    try:
        for corner in VERTEX.finditer(data):
            numbers.extend(map(float, corner.groups()))
    except ValueError:
        raise MeshError("has a vertex that is not of numbers") from None
    if len(numbers) % 9:
        raise MeshError("has a facet that is not a triangle")
    vertices = np.frombuffer(numbers, dtype=float).reshape(-1, 3)
    return Part(vertices, np.arange(len(vertices)).reshape(-1, 3))
