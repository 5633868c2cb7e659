"""Where a robot comes from: a catalogue name or a file, told apart by what they are."""

from __future__ import annotations

import os
from pathlib import Path

from ..errors import DescriptionError, UnknownNameError
from .catalogue import catalogue, read_catalogue
from .description import Description
from .mjcf import read_mjcf
from .urdf import read_urdf
from .xml import read_bytes, read_xml

SUFFIXES = (".urdf", ".xml", ".mjcf")


def read(source: str | os.PathLike[str], snap: float = 0.0) -> Description:
    """Return the description behind a catalogue name, a URDF path or an MJCF path."""
    text = os.fspath(source)
    path = Path(text)
    if path.suffix.lower() not in SUFFIXES and not path.is_file():
        if text in catalogue():
            return read_catalogue(text)
        raise UnknownNameError("robot", text, (*catalogue(), "or a path ending in " + ", ".join(SUFFIXES)))
    if not path.exists():
        raise DescriptionError(text, ["no such file"])
    data = read_bytes(path)
    root = read_xml(text, data).tag
    if root == "mujoco":
        return read_mjcf(path)
    if root != "robot":
        raise DescriptionError(
            text, [f"root element is <{root}>; expected <robot> (URDF) or <mujoco> (MJCF)"]
        )
    return read_urdf(data, text, snap)
