"""A model written into the URDF file that it comes from: inertias and friction change, nothing else."""

from __future__ import annotations

from ..description.description import Inertial, inertia_entries
from ..description.read import refuse_xacro
from ..description.spelling import ENTRIES
from ..description.urdf import urdf_description
from ..description.xml import read_xml
from ..description.xml_edits import New, Span, XmlEdits
from .build import build_model
from .merging import check_same_tree, new_inertias
from .model import Model
from .urdf_writing import warn_of_losses, written
from .writing import described_inertial


def merged_urdf(model: Model, source: str, data: bytes) -> bytes:
    """Return a URDF file with the inertias and the friction of a model, every other byte as it was.

    The file must describe the same links and joints. Joints may be locked in the model, or its base
    float. The new inertia of a body goes to the heaviest of the links that are fixed to each other, mostly
    the one that the joint moves. The others keep theirs if a rigid body remains for that one, and
    become massless otherwise, which a warning says.
    """
    root = read_xml(source, data)
    refuse_xacro(root, source)
    description = urdf_description(root, source)
    original = build_model(description)
    check_same_tree(model, original, source)
    warn_of_losses(model)
    edits = XmlEdits(source, data)
    links, joints = edits.root.named("link"), edits.root.named("joint")
    if model.has_inertia:
        for name, phi in new_inertias(model, original, description):
            _write_inertial(edits, links[name], described_inertial(f"link {name!r}", phi))
    bodies = {body.name: body for body in model.bodies}
    for joint in description.joints:
        body = bodies.get(joint.child)
        if body is not None and (body.damping, body.friction) != (joint.damping, joint.friction):
            _write_dynamics(edits, joints[joint.name], body.damping, body.friction)
    return edits.data()


def _write_inertial(edits: XmlEdits, link: Span, inertial: Inertial) -> None:
    """Write an inertia in the axes of the link into its <inertial>."""
    own = link.child("inertial")
    origin = own.child("origin") if own is not None else None
    turn = {"rpy": "0 0 0", "quat_xyzw": "0 0 0 1"}
    if origin is not None:  # it may have neither
        turn = {name: text for name, text in turn.items() if name in origin.attributes}
    else:
        del turn["quat_xyzw"]
    entries = zip(ENTRIES, map(written, inertia_entries(inertial.inertia)), strict=True)
    parts: dict[str, dict[str, str]] = {
        "origin": {"xyz": written(inertial.com)} | turn,
        "mass": {"value": written(inertial.mass)},
        "inertia": dict(entries),
    }
    if own is None:
        new = New("inertial", {}, tuple(New(tag, values) for tag, values in parts.items()))
        if inertial.mass:
            edits.add(link, new)
        return
    for tag, values in parts.items():
        part = own.child(tag)
        if part is None:
            edits.add(own, New(tag, values))
        else:
            edits.change(part, values)


def _write_dynamics(edits: XmlEdits, joint: Span, damping: float, friction: float) -> None:
    """Write friction into the <dynamics> of a joint."""
    own = joint.child("dynamics")
    there = own.attributes if own is not None else {}
    values = {"damping": damping, "friction": friction}
    texts = {name: written(value) for name, value in values.items() if value or name in there}
    if own is None:
        edits.add(joint, New("dynamics", texts))
    else:
        edits.change(own, texts)
