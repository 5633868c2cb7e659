"""Models as URDF files."""

from __future__ import annotations

import numpy as np
from lxml import etree

from ..arrays import Array
from ..description.description import CURVE, DEFAULT_GRAVITY, inertia_entries, new_name
from ..description.spelling import ENTRIES
from ..errors import ClosedFormError, warn
from ..rotations import inverse, pose, rpy_of
from .body import Body
from .model import Model
from .writing import described_inertial

UNLIMITED = 1e9
"""Written for a limit that a robot does not have, since URDF needs numbers."""


def urdf_text(model: Model) -> str:
    """Return a model as URDF text: bodies with lumped inertias, frames as links without inertia.

    What URDF cannot hold is refused (joints that it does not know) or said in one warning (rotor
    inertias, gravity along another axis).
    """
    warn_of_losses(model)
    return xml_text(urdf_root(model))


def warn_of_losses(model: Model) -> None:
    """Warn of what URDF cannot hold."""
    lost = [
        name
        for name in ("armature", "stiffness", "drive_offset", *CURVE)
        if any(getattr(body, name) for body in model.bodies)
    ]
    if not np.array_equal(model.gravity, DEFAULT_GRAVITY):
        lost.append("gravity")
    if lost:
        what = " and ".join(lost)
        warn(
            f"to_urdf: URDF has no place for the {what} of {model.name!r}; set it where the file is "
            "loaded, or keep it with save"
        )


def xml_text(root: etree._Element) -> str:
    """Return an element as text, indented."""
    etree.indent(root)
    return str(etree.tostring(root, encoding="unicode")) + "\n"


def element(parent: etree._Element | None, tag: str, /, **attributes: object) -> etree._Element:
    """Return a new element under a parent; arrays are written with all their digits."""
    texts = {name: written(value) for name, value in attributes.items()}
    try:
        return etree.Element(tag, texts) if parent is None else etree.SubElement(parent, tag, texts)
    except ValueError:
        raise ClosedFormError(
            f"{tag} {attributes.get('name')!r}: has a character that XML cannot hold; rename it"
        ) from None


def written(value: object) -> str:
    """Return numbers with all their digits, texts as they are."""
    if isinstance(value, str):
        return value
    return " ".join(repr(float(each) + 0.0) for each in np.ravel(np.asarray(value, dtype=float)))


def urdf_root(model: Model) -> etree._Element:
    """Return the root element of the URDF file of a model; see `urdf_text`."""
    robot = element(None, "robot", name=model.name)
    taken = {*model.frame_names, *(body.name for body in model.bodies)}
    joint_names = {body.joint_name for body in model.bodies}
    root = next((frame.name for frame in model.frames if frame.body < 0), "base")
    links = {-1: root, **{i: body.name for i, body in enumerate(model.bodies)}}
    _link(robot, root, model.base_phi)
    for i, body in enumerate(model.bodies):
        _check(body)
        T = pose(None, body.joint.centre)  # URDF turns about the origin of the child link
        moved = bool(T[:3, 3].any())
        child = new_name(f"{body.name}_axis", taken) if moved else body.name
        _moving(robot, model, body, links[body.parent], child, body.placement @ T)
        if moved:
            _link(robot, child, None)
            _fixed(robot, child, body.name, inverse(T), joint_names)
        _link(robot, body.name, body.phi if model.has_inertia else None)
        links[i] = body.name
    for frame in model.frames:
        if frame.name not in links.values():
            _link(robot, frame.name, None)
            _fixed(robot, links[frame.body], frame.name, frame.placement, joint_names)
    return robot


def _check(body: Body) -> None:
    if body.joint.urdf is None:
        raise ClosedFormError(
            f"to_urdf: joint {body.joint_name!r} is of kind {body.joint.kind!r}, which URDF does not know; "
            "use to_mjcf or save"
        )


def _link(robot: etree._Element, name: str, phi: Array | None) -> None:
    link = element(robot, "link", name=name)
    if phi is None or not phi.any():
        return
    inertial = described_inertial(f"link {name!r}", phi)
    own = element(link, "inertial")
    element(own, "origin", xyz=inertial.com, rpy=np.zeros(3))
    element(own, "mass", value=inertial.mass)
    element(own, "inertia", **dict(zip(ENTRIES, inertia_entries(inertial.inertia), strict=True)))


def _placed(joint: etree._Element, parent: str, child: str, T: Array) -> None:
    element(joint, "origin", xyz=T[:3, 3], rpy=rpy_of(T[:3, :3]))
    element(joint, "parent", link=parent)
    element(joint, "child", link=child)


def _fixed(robot: etree._Element, parent: str, child: str, T: Array, taken: set[str]) -> None:
    name = new_name(f"{child}_fixed", taken)
    _placed(element(robot, "joint", name=name, type="fixed"), parent, child, T)


def _moving(robot: etree._Element, model: Model, body: Body, parent: str, child: str, T: Array) -> None:
    limits = body.limits
    bounded = np.isfinite([limits.lower, limits.upper]).any()
    free_turn = body.joint.turns_about_axis and not bounded
    kind = "continuous" if free_turn else body.joint.urdf
    joint = element(robot, "joint", name=body.joint_name, type=kind)
    _placed(joint, parent, child, T)
    if body.joint.floats:
        return
    X = body.joint.X[:, -1]
    element(joint, "axis", xyz=X[:3] if body.joint.turns.any() else X[3:])
    single = body.joint.nv == 1 and not free_turn
    bounds = {"lower": limits.lower, "upper": limits.upper} if single else {}
    bounds |= {"effort": limits.effort, "velocity": limits.velocity}
    element(joint, "limit", **{name: np.clip(each, -UNLIMITED, UNLIMITED) for name, each in bounds.items()})
    if body.damping or body.friction:
        element(joint, "dynamics", damping=body.damping, friction=body.friction)
    if body.coupling is not None:
        driver = model.bodies[body.coupling.body].joint_name
        numbers = {"multiplier": body.coupling.multiplier, "offset": body.coupling.offset}
        element(joint, "mimic", joint=driver, **numbers)
