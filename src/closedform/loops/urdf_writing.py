"""Robots with loops as URDF files: the tree, and the <loop> elements of URDF+ [ChignoliURDF2024]."""

from __future__ import annotations

from lxml import etree

from ..description.description import new_name
from ..description.loop import JointCoupling, Loop
from ..description.urdf_loops import KINDS
from ..errors import ClosedFormError
from ..model.urdf_writing import element, urdf_root, warn_of_losses, xml_text
from .model import ClosedModel

TYPES = {kind: written for written, kind in KINDS.items() if written != "continuous"}
"""The type of a <loop> for each kind of cut joint."""


def closed_urdf(model: ClosedModel) -> str:
    """Return a mechanism as URDF text: its tree, what closes it, and which joints are independent."""
    warn_of_losses(model.tree)
    root = urdf_root(model.tree)
    joints = {node.get("name"): node for node in root.iter("joint")}
    taken: set[str] = set()
    for closure in model.closures:
        if isinstance(closure, JointCoupling):
            _mimic(joints[closure.joint], closure)
        else:
            _loop(root, closure, new_name(closure.name, taken))
    if taken:
        for name in model.joint_names:
            joints[name].set("independent", "true")
    return xml_text(root)


def _loop(root: etree._Element, loop: Loop, name: str) -> None:
    """Add a loop between two links, which frames are in a URDF."""
    if loop.kind not in TYPES:
        raise ClosedFormError(
            f"to_urdf: loop {loop.name!r} is {loop.kind!r}, which URDF does not know; use to_mjcf or save"
        )
    node = element(root, "loop", name=name, type=TYPES[loop.kind])
    element(node, "predecessor", link=loop.frame_a)
    element(node, "successor", link=loop.frame_b)
    element(node, "axis", xyz=[0, 0, 1])


def _mimic(joint: etree._Element, coupling: JointCoupling) -> None:
    """Make a joint a mimic of its driver."""
    drivers, coefficients = coupling.drivers, coupling.coefficients
    if len(drivers) != 1 or any(coefficients[2:]) or joint.find("mimic") is not None:
        raise ClosedFormError(
            f"to_urdf: coupling {coupling.name!r} is no line of one joint, or the second of its joint, which "
            "URDF does not know; use to_mjcf or save"
        )
    element(joint, "mimic", joint=drivers[0], multiplier=coefficients[1], offset=coefficients[0])
