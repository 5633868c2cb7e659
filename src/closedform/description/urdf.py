"""URDF files as descriptions: every standard joint type, inertial origins, limits, mimic joints."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..errors import DescriptionError
from .description import Description, Inertial, Joint, Limits, Link, Mimic, inertia_matrix
from .rotations import pose, rotation_rpy, snap_pose, unit
from .xml import Element, read_xml

KINDS = {
    "revolute": "revolute",
    "continuous": "revolute",
    "prismatic": "prismatic",
    "fixed": "fixed",
    "floating": "free",
    "planar": "subspace",
}


MAX_ELEMENTS = 50_000
"""Links and joints of one file."""


def read_urdf(data: bytes, source: str, snap: float = 0.0) -> Description:
    """Return the description in a URDF text; `snap` rounds rotations that near quarter turns.

    What is wrong with its elements stands in `problems`, to be told with what is wrong with the tree.
    Meshes, visuals, collisions and transmissions are not read: dynamics does not need them.
    """
    node = read_xml(source, data)
    if node.tag != "robot":
        raise DescriptionError(source, [f"root element is <{node.tag}>; a URDF has <robot>"])
    problems: list[str] = []
    root = Element(node, "robot", problems)
    count = len(node.findall("link")) + len(node.findall("joint"))
    if count > MAX_ELEMENTS:
        raise DescriptionError(source, [f"{count} links and joints; the limit is {MAX_ELEMENTS}"])
    links = tuple(_link(element) for element in root.children("link"))
    joints = tuple(_joint(element, snap) for element in root.children("joint"))
    return Description(node.get("name", "robot"), links, joints, source=source, problems=tuple(problems))


def _origin(element: Element | None, snap: float) -> NDArray[np.float64]:
    origin = element.child("origin") if element else None
    if origin is None:
        return np.eye(4)
    T = pose(rotation_rpy(origin.numbers("rpy", 3, (0, 0, 0))), origin.numbers("xyz", 3, (0, 0, 0)))
    return snap_pose(T, snap) if snap else T


def _link(element: Element) -> Link:
    name = element.text("name")
    inertial = element.child("inertial")
    if inertial is None:
        return Link(name)
    T = _origin(inertial, 0.0)
    mass, inertia = inertial.child("mass"), inertial.child("inertia")
    if mass is None:
        inertial.problem('has no <mass value="...">')
    entries = [
        inertia.number(key, 0.0) if inertia else 0.0 for key in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
    ]
    R = T[:3, :3]
    with np.errstate(all="ignore"):  # an overflow is found with the other problems of the link
        J = R @ inertia_matrix(entries) @ R.T
    return Link(name, Inertial(mass.number("value") if mass else 0.0, T[:3, 3], J))


def _joint(element: Element, snap: float) -> Joint:
    name, written = element.text("name"), element.text("type")
    if written and written not in KINDS:
        element.problem(f"type {written!r} is not one of {', '.join(KINDS)}")
    kind = KINDS.get(written, "fixed")
    ends = {}
    for tag in ("parent", "child"):
        end = element.child(tag)
        if end is None:
            element.problem(f'has no <{tag} link="...">')
        ends[tag] = end.text("link") if end else ""
    axis = _axis(element) if kind in ("revolute", "prismatic", "subspace") else np.zeros(3)
    limit, dynamics, mimic = (element.child(tag) for tag in ("limit", "dynamics", "mimic"))
    limits = Limits()
    if limit is not None:
        bounded = written in ("revolute", "prismatic")
        limits = Limits(
            limit.number("lower", 0.0) if bounded else -np.inf,
            limit.number("upper", 0.0) if bounded else np.inf,
            limit.number("velocity", np.inf) if limit.node.get("velocity") else np.inf,
            limit.number("effort", np.inf) if limit.node.get("effort") else np.inf,
        )
    coupling = None
    if mimic is not None and kind != "fixed":
        coupling = Mimic(mimic.text("joint"), mimic.number("multiplier", 1.0), mimic.number("offset", 0.0))
    return Joint(
        name=name,
        kind=kind,
        parent=ends["parent"],
        child=ends["child"],
        placement=_origin(element, snap),
        subspace=_subspace(kind, axis),
        limits=limits,
        damping=dynamics.number("damping", 0.0) if dynamics else 0.0,
        friction=dynamics.number("friction", 0.0) if dynamics else 0.0,
        mimic=coupling,
    )


def _axis(element: Element) -> NDArray[np.float64]:
    axis = element.child("axis")
    e = unit(axis.numbers("xyz", 3) if axis else (1, 0, 0))
    if e is None:
        element.problem("axis has zero length; give a non-zero <axis xyz>")
        return np.array([1.0, 0.0, 0.0])
    return e


def _subspace(kind: str, e: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the joint screws of a URDF joint with unit axis e."""
    zero = np.zeros(3)
    if kind == "revolute":
        return np.concatenate([e, zero])[:, None]
    if kind == "prismatic":
        return np.concatenate([zero, e])[:, None]
    if kind == "subspace":
        t1, t2 = plane_basis(e)
        return np.array([np.concatenate([zero, t1]), np.concatenate([zero, t2]), np.concatenate([e, zero])]).T
    return np.eye(6) if kind == "free" else np.zeros((6, 0))


def plane_basis(e: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return two unit vectors that make a right-handed frame with e; x and y when e is z."""
    k = int(np.argmax(np.abs(e)))
    helper = np.eye(3)[(k + 1) % 3]
    t1 = helper - (helper @ e) * e
    t1 /= np.linalg.norm(t1)
    return t1, np.cross(e, t1)
