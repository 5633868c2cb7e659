"""Where a robot comes from: a catalogue name or a file, told apart by what they are."""

from __future__ import annotations

import os
from pathlib import Path

from ..errors import ArgumentError, DescriptionError, UnknownNameError
from .catalogue import catalogue, read_catalogue, read_toml
from .description import Description
from .mjcf import read_mjcf
from .urdf import read_urdf
from .xml import read_bytes, read_xml

SUFFIXES = (".urdf", ".xml", ".mjcf", ".toml")


def read(source: str | os.PathLike[str], snap: float = 0.0) -> Description:
    """Return the description behind a catalogue name, a URDF path, an MJCF path or a TOML path."""
    if not isinstance(source, str | os.PathLike) or not isinstance(os.fspath(source), str):
        kind = type(source).__name__
        raise ArgumentError(f"a robot is loaded from a catalogue name or a path; {kind} given")
    text = os.fspath(source)
    path = Path(text)
    if path.suffix.lower() not in SUFFIXES and not _is_file(path):
        if text in catalogue():
            return read_catalogue(text)
        raise UnknownNameError("robot", text, (*catalogue(), "or a path ending in " + ", ".join(SUFFIXES)))
    data = read_bytes(path)
    if path.suffix.lower() == ".toml":
        return read_toml(data, text)
    root = read_xml(text, data).tag
    if root == "mujoco":
        return read_mjcf(path)
    if root != "robot":
        raise DescriptionError(
            text, [f"root element is <{root}>; expected <robot> (URDF) or <mujoco> (MJCF)"]
        )
    return read_urdf(data, text, snap)


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False
