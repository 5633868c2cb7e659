"""The description of a robot from a catalogue name, a file, a text or a parsed tree, by its content."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from lxml import etree

from ..checks import file_path, text
from ..errors import ArgumentError, DescriptionError, UnknownNameError, shown
from ..files import file_size
from ..rotations import snap_pose
from .catalogue import catalogue, read_catalogue, read_toml
from .constraints import with_constraints
from .description import Description
from .doubts import Doubts
from .file_bytes import read_bytes, read_open_file
from .mjcf import mjcf_description
from .urdf import urdf_description
from .xml import parse_xml, tag_of, tree_bytes, warn_of_slips

SUFFIXES = (".urdf", ".xml", ".mjcf", ".toml")

OTHER_ROOTS = {
    "sdf": "a Gazebo world or model (SDF); convert it to URDF first",
    "COLLADA": "a mesh; give the robot file that refers to it",
    "mujocoinclude": "a part that an MJCF file includes; give the file that includes it",
    "launch": "a ROS launch file; give the robot file that it loads",
    "package": "a ROS package manifest; give the robot file",
}
"""Roots of files that are often given instead of a robot."""

TEMPLATE = ("macro", "include", "property", "arg", "if", "unless", "element", "attribute", "insert_block")
"""Commands of xacro; others in its namespace are calls of macros."""

ROOTS = re.compile(rb"<(robot|mujoco)\b")
BLANK = b"\xef\xbb\xbf\xff\xfe\0 \t\r\n"
"""What may come before the first element: byte order marks, zeros of wider letters, blanks."""

DECLARATION = re.compile(r"\A\ufeff?\s*<\?xml\b[^>]*\?>")


@dataclass(frozen=True)
class Document:
    """The bytes of a robot, the place they come from as messages name it, and whether they are TOML."""

    place: str
    data: bytes
    toml: bool


def read_robot(
    source: Any, snap: float = 0.0, constraints: str | os.PathLike[str] | None = None
) -> Description:
    """Return the description of a catalogue name, a path, a text, bytes, an open file or a parsed tree.

    `snap` rounds placements of joints that are near quarter turns, whatever they come from. `constraints` is
    the path of a list of constraints.
    """
    description = _read(source)
    if constraints is not None:
        path = file_path("constraints", constraints)
        if description.mechanism is not None:
            raise ArgumentError(
                f"constraints is {shown(str(path))}, but {description.source} closes loops itself; leave one "
                "out"
            )
        if not description.problems:
            description = with_constraints(description, read_bytes(path), str(path))
    if not snap or description.problems:
        return description
    joints = [replace(joint, placement=snap_pose(joint.placement, snap)) for joint in description.joints]
    return replace(description, joints=tuple(joints))


def _read(source: Any) -> Description:
    if isinstance(source, str) and source in catalogue() and file_size(Path(source)) is None:
        return read_catalogue(source)
    document = _document(source)
    place, data = document.place, document.data
    if document.toml:
        return read_toml(data, place)
    root, notes = parse_xml(place, data)
    refuse_xacro(root, place)
    warn_of_slips(place, notes)
    if root.tag == "mujoco":
        return mjcf_description(Path(place), root, len(data))
    if root.tag == "robot":
        return urdf_description(root, place)
    tag = tag_of(root)
    what = f": {OTHER_ROOTS[tag]}" if tag in OTHER_ROOTS else ""
    problem = f"root element is <{tag[:80]}>{what}; expected <robot> (URDF) or <mujoco> (MJCF)"
    raise DescriptionError(place, [problem])


def _document(source: Any) -> Document:
    """Return the bytes of whatever a robot is loaded from."""
    if isinstance(source, str) and _is_text(source):
        return _content("<text>", source)
    if isinstance(source, str | os.PathLike) and isinstance(os.fspath(source), str):
        return _file(os.fspath(source))
    if isinstance(source, bytes | bytearray):
        return _content("<bytes>", bytes(source))
    if callable(getattr(source, "read", None)):
        name = getattr(source, "name", None)
        place = name if isinstance(name, str) else "<file>"
        return _content(place, read_open_file(place, source))
    if hasattr(source, "getroot") or hasattr(source, "attrib"):
        return Document("<tree>", tree_bytes(source), toml=False)
    raise ArgumentError(
        "a robot is loaded from a catalogue name, a path, a URDF or MJCF text, bytes, an open file or a "
        f"parsed tree; {type(source).__name__} given"
    )


def _is_text(source: str) -> bool:
    """Whether a string is the text of a robot rather than a name or a path."""
    if source.lstrip("\ufeff \t\r\n").startswith("<"):
        return True
    return "\n" in source.strip() and file_size(Path(source)) is None


def _content(place: str, content: str | bytes) -> Document:
    """Return a text or bytes as a document, TOML unless they look like XML.

    A text goes without the XML declaration, which may name another encoding; lines stay.
    """
    if isinstance(content, str):
        checked = text("the text of a robot", content)
        content = DECLARATION.sub(lambda found: "\n" * found[0].count("\n"), checked).encode()
    if not content.strip(BLANK):
        raise DescriptionError(place, ["is empty"])
    xml = content.lstrip(BLANK).startswith(b"<") or ROOTS.search(content) is not None
    if not xml and b"=" not in content:
        problem = "is neither XML nor TOML; give a catalogue name or a path as a str"
        raise DescriptionError(place, [problem])
    return Document(place, content, toml=not xml)


def _file(name: str) -> Document:
    path = Path(name)
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES and file_size(path) is None:
        raise UnknownNameError("robot", name, (*catalogue(), "or a path ending in " + ", ".join(SUFFIXES)))
    return Document(name, read_bytes(path), toml=suffix == ".toml")


def refuse_xacro(root: etree._Element, source: str) -> None:
    """Raise an error about a template that xacro has yet to expand, and warn of what it did not know."""
    left, declared = Doubts(), "xacro" in root.nsmap
    for node in root.iter("*"):
        said, template = f"<{tag_of(node)}>", node.prefix == "xacro"
        if template and etree.QName(node).localname not in TEMPLATE and root.find("joint") is not None:
            left.add(
                "xacro did not know these elements, and they are not read", f"line {node.sourceline}: {said}"
            )
            template = False
        if not template and declared:
            said = next((f"{key}={shown(value)}" for key, value in node.attrib.items() if "${" in value), "")
            template = bool(said)
        if template:
            problem = f"line {node.sourceline}: {said} is of a xacro template; run xacro first"
            raise DescriptionError(source, [f"{problem} (xacro FILE > robot.urdf) and load what it writes"])
    left.warn(source)
