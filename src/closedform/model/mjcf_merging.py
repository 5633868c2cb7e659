"""A model written into the MJCF file that it comes from: inertias, friction and rotors, nothing else."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path

from ..arrays import Array
from ..description.description import Description, Joint
from ..description.mjcf import mjcf_description
from ..description.xml import read_xml
from ..description.xml_edits import New, Span, XmlEdits
from ..errors import ClosedFormError, ModelWarning, listed, shorten, warn
from .body import Body
from .build import build_model
from .inertia import phi_from_inertial
from .merging import check_same_tree, new_inertias
from .mjcf_writing import LEAST, inertial_values, warn_of_losses
from .model import Model
from .urdf_writing import written

NUMBERS = {"damping": "damping", "friction": "frictionloss", "armature": "armature"}
"""What of a joint is written, and the attribute of <joint> that holds it."""

AGREE = 1e-9
"""Relative difference of the parameters that MuJoCo reads back from the merged file."""


def merged_mjcf(model: Model, path: Path, data: bytes) -> bytes:
    """Return an MJCF file with the inertias, friction and rotors of a model, every other byte as it was.

    The file must describe the same bodies and joints, and itself hold those that change, by name. The
    merged file is compiled again: a file whose compiler makes something else of it is refused.
    """
    where = str(path)
    description = _described(path, data)
    original = build_model(description)
    check_same_tree(model, original, where)
    warn_of_losses(model)
    edits = XmlEdits(where, data)
    world = [each for each in edits.root.children if each.tag == "worldbody"]
    bodies, joints = (_named(world, tag) for tag in ("body", "joint"))
    inertias = {link.name: phi_from_inertial(link.inertial) for link in description.links}
    if model.has_inertia:
        for name, phi in new_inertias(model, original, description):
            values = {key: written(value) for key, value in inertial_values(name, phi).items()}
            _write_inertial(edits, _own(bodies, "body", name, where), values)
            inertias[name] = phi
    moving = {body.name: body for body in model.bodies}
    _warn_of_others(model, description, where)
    numbers = {}
    for joint in description.joints:
        wanted = moving.get(joint.child, joint)
        numbers[joint.name] = [getattr(wanted, name) for name in NUMBERS]
        changed = [name for name in NUMBERS if getattr(wanted, name) != getattr(joint, name)]
        if changed:
            span = _own(joints, "joint", joint.name, where)
            edits.change(span, {NUMBERS[name]: written(getattr(wanted, name)) for name in changed})
    merged = edits.data()
    _check_read_back(_described(path, merged), inertias, numbers, where)
    return merged


def _warn_of_others(model: Model, description: Description, where: str) -> None:
    """Warn of what differs between model and file and is not merged."""
    moving = {body.name: body for body in model.bodies}
    kept = [
        f"springs of {joint.name!r}"
        for joint in description.joints
        if (body := moving.get(joint.child)) is not None and _spring(body) != _spring(joint)
    ]
    kept += [] if tuple(model.gravity) == tuple(description.gravity) else ["gravity"]
    if kept:
        warn(f"merge: {shorten(where, 200)} keeps its own {listed(kept, 5)}; set it there, or use save")


def _spring(joint: Body | Joint) -> tuple[float, ...]:
    return (joint.stiffness, joint.spring_rest) if joint.stiffness else ()


def _described(path: Path, data: bytes) -> Description:
    """Return the description of a file, without the warnings that loading it gave already."""
    root = read_xml(str(path), data)
    if root.tag != "mujoco":
        raise ClosedFormError(f"merge: {shorten(str(path), 200)} is no MJCF file, which has <mujoco>")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        return mjcf_description(path, root, len(data))


def _named(spans: list[Span], tag: str) -> dict[str, Span]:
    """Return the elements of a tag at any depth that have a name, by their names."""
    return {
        each.attributes["name"]: each for each in _all(spans) if each.tag == tag and "name" in each.attributes
    }


def _all(spans: list[Span]) -> Iterator[Span]:
    waiting = list(spans)
    while waiting:
        span = waiting.pop()
        yield span
        waiting += span.children


def _own(spans: dict[str, Span], tag: str, name: str, where: str) -> Span:
    if name not in spans:
        raise ClosedFormError(
            f"merge: {shorten(where, 200)} has no <{tag} name={name!r}> of its own; give it a name, and "
            "merge into one file (without <include>, <attach> and <replicate>)"
        )
    return spans[name]


def _write_inertial(edits: XmlEdits, body: Span, values: dict[str, str]) -> None:
    """Write an inertia in the axes of the body; attributes of other axes and of diagonal inertias go."""
    own = body.child("inertial")
    if own is None:
        edits.add(body, New("inertial", values))
    else:
        ending = "/>" if edits.text[own.start : own.inside].endswith(b"/>") else ">"
        texts = "".join(f' {name}="{value}"' for name, value in values.items())
        edits.replaced.append((own.start, own.inside, f"<inertial{texts}{ending}".encode()))


def _check_read_back(
    merged: Description, inertias: dict[str, Array], numbers: dict[str, list[float]], where: str
) -> None:
    """Refuse a file that does not say what was written: by its compiler's options, or by its actuators."""
    wrong = [
        f"inertia of {link.name!r}"
        for link in merged.links
        if abs(phi_from_inertial(link.inertial) - inertias[link.name]).max()
        > AGREE * abs(inertias[link.name]).max() + LEAST
    ]
    for joint in merged.joints:
        pairs = zip(NUMBERS, numbers[joint.name], strict=True)
        wrong += [
            f"{name} of {joint.name!r}"
            for name, value in pairs
            if abs(getattr(joint, name) - value) > AGREE * abs(value)
        ]
    if wrong:
        raise ClosedFormError(
            f"merge: MuJoCo reads another {listed(wrong, 5)} from the merged {shorten(where, 200)}; its "
            "<compiler> (inertiafromgeom, settotalmass, boundmass, balanceinertia) or its <option> changes "
            "inertias or friction, or actuators add to them: leave these out"
        )
