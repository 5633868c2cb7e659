"""Boxes and spheres as `closedform excite` takes them."""

from __future__ import annotations

import csv
from pathlib import Path

from ..errors import ArgumentError, ClosedFormError, shown
from .reading import numbers

LARGEST_FILE = 1_000_000
"""Bytes of a file of spheres."""


def corners(option: str, given: str) -> tuple[list[float], list[float]]:
    """Return the lower and the upper corner of a box."""
    found = numbers(option, given)
    if len(found) != 6:
        raise ArgumentError(f"{option} is {shown(given)}; expected x,y,z,x,y,z, the lower corner first")
    return found[:3], found[3:]


def frame_box(given: str) -> tuple[str, tuple[list[float], list[float]]]:
    """Return a frame and the box that its origin stays in."""
    frame, sign, box = given.partition("=")
    if not sign or not frame.strip():
        raise ArgumentError(f"--box is {shown(given)}; expected name=x,y,z,x,y,z")
    return frame.strip(), corners("--box", box)


def read_spheres(path: Path) -> list[tuple[str, tuple[float, float, float], float]]:
    """Return the spheres of a CSV file: frame, x, y, z, radius in metres; a header may be there."""
    from ..files import read_regular  # noqa: PLC0415 (NumPy, which help does not wait for)

    try:
        rows = list(csv.reader(read_regular(path, LARGEST_FILE).decode("utf-8-sig").splitlines()))
    except ClosedFormError as error:
        raise ArgumentError(f"{path}: {error}; give a CSV of spheres") from None
    except (UnicodeDecodeError, csv.Error) as error:
        raise ArgumentError(f"{path}: not CSV ({error}); expected lines of frame, x, y, z, radius") from None
    found = []
    for line, row in enumerate(rows, 1):
        cells = [cell.strip() for cell in row]
        if not any(cells) or (line == 1 and cells[:1] == ["frame"]):
            continue
        try:
            x, y, z, radius = map(float, cells[1:])
        except ValueError:
            raise ArgumentError(
                f"{path}, line {line}: {shown(','.join(cells))}; expected frame, x, y, z, radius"
            ) from None
        found.append((cells[0], (x, y, z), radius))
    return found
