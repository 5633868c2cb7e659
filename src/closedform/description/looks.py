"""What a file says of the looks of its links: kept as it is written, unread until the robot is drawn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from lxml import etree

from ..files import file_size


@dataclass(frozen=True, eq=False)
class LookSource:
    """A robot file: its `format` ("urdf" or "mjcf") and `path`, "" for a text, which has no folder.

    `document` is an MJCF text that no file holds. `materials` are the colours of a URDF by name, as written.
    """

    format: str
    path: str
    document: bytes = b""
    materials: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Look:
    """The looks of a link: its name in the file, and in a URDF the elements that draw it, as written."""

    source: LookSource
    link: str
    elements: bytes = b""


def urdf_looks(root: etree._Element, place: str) -> dict[str, Look]:
    """Return the looks of the links under the root of a URDF: <visual>, or <collision> if there is none."""
    materials: dict[str, str] = {}
    for node in root.iter("material"):
        colour = node.find("color")
        if colour is not None:
            materials.setdefault(node.get("name") or "", colour.get("rgba") or "")
    source = LookSource("urdf", _file(place), materials=materials)
    found = {}
    for link in root.findall("link"):
        drawn = link.findall("visual") or link.findall("collision")
        if drawn:
            text = b"".join(etree.tostring(node, with_tail=False) for node in drawn)
            found[link.get("name") or ""] = Look(source, link.get("name") or "", text)
    return found


def mjcf_source(root: etree._Element, place: str | Path) -> LookSource:
    """Return the source of looks of an MJCF file, with all of its text if it has no file."""
    path = _file(str(place))
    return LookSource("mjcf", path, b"" if path else etree.tostring(root))


def _file(place: str) -> str:
    """Return the full path of a file, "" for the place of a text."""
    path = Path(place)
    return str(path.absolute()) if file_size(path) is not None else ""
