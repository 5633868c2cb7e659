"""The description of a robot from a catalogue name or a file, recognised by its content."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

from lxml import etree

from ..errors import ArgumentError, DescriptionError, UnknownNameError, shown
from ..files import file_size
from ..rotations import snap_pose
from .catalogue import catalogue, read_catalogue, read_toml
from .description import Description
from .doubts import Doubts
from .file_bytes import read_bytes
from .mjcf import mjcf_description
from .urdf import urdf_description
from .xml import parse_xml, tag_of, warn_of_slips

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


def read_robot(source: str | os.PathLike[str], snap: float = 0.0) -> Description:
    """Return the description of a catalogue name, a URDF path, an MJCF path or a TOML path.

    `snap` rounds placements of joints that are near quarter turns, whatever they come from.
    """
    if not isinstance(source, str | os.PathLike) or not isinstance(os.fspath(source), str):
        kind = type(source).__name__
        raise ArgumentError(f"a robot is loaded from a catalogue name or a path; {kind} given")
    description = _read(os.fspath(source))
    if not snap or description.problems:
        return description
    joints = [replace(joint, placement=snap_pose(joint.placement, snap)) for joint in description.joints]
    return replace(description, joints=tuple(joints))


def _read(text: str) -> Description:
    path = Path(text)
    if path.suffix.lower() not in SUFFIXES and file_size(path) is None:
        if text in catalogue():
            return read_catalogue(text)
        raise UnknownNameError("robot", text, (*catalogue(), "or a path ending in " + ", ".join(SUFFIXES)))
    data = read_bytes(path)
    if path.suffix.lower() == ".toml":
        return read_toml(data, text)
    root, notes = parse_xml(text, data)
    refuse_xacro(root, text)
    warn_of_slips(text, notes)
    if root.tag == "mujoco":
        return mjcf_description(path, root, len(data))
    if root.tag == "robot":
        return urdf_description(root, text)
    tag = tag_of(root)
    what = f": {OTHER_ROOTS[tag]}" if tag in OTHER_ROOTS else ""
    problem = f"root element is <{tag[:80]}>{what}; expected <robot> (URDF) or <mujoco> (MJCF)"
    raise DescriptionError(text, [problem])


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
