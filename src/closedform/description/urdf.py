"""URDF files as descriptions: every standard joint type, inertial origins, limits, mimic joints."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from lxml import etree
from numpy.typing import NDArray

from ..errors import DescriptionError, shown, similar
from ..joints import Fixed, Free, JointType, Planar, Prismatic, Revolute
from ..rotations import unit
from .description import (
    MAX_ELEMENTS,
    Description,
    Inertial,
    Joint,
    Limits,
    Link,
    Mimic,
    inertia_matrix,
)
from .doubts import NEGATIVE_FRICTION, Doubts
from .looks import Look, urdf_looks
from .spelling import ENTRIES, doubt_spelling
from .urdf_loops import urdf_mechanism
from .urdf_origin import urdf_origin
from .xml import Element, read_xml, tag_of

KINDS: dict[str, type[JointType]] = {
    "revolute": Revolute,
    "continuous": Revolute,
    "prismatic": Prismatic,
    "fixed": Fixed,
    "floating": Free,
    "planar": Planar,
}


def read_urdf(data: bytes, source: str) -> Description:
    """Return the description in a URDF text."""
    return urdf_description(read_xml(source, data), source)


def urdf_description(node: etree._Element, source: str) -> Description:
    """Return the description under the root of a URDF.

    What is wrong with its elements is in `problems`, to be reported with what is wrong with the tree; what is
    odd gives one warning for each cause.
    Visuals and collisions are kept as they are written, for `Robot.shapes`; transmissions are not read.
    """
    if node.tag != "robot":
        raise DescriptionError(source, [f"root element is <{tag_of(node)[:80]}>; a URDF has <robot>"])
    problems: list[str] = []
    root = Element(node, "robot", problems, Doubts())
    count = sum(child.tag in ("link", "joint") for child in node.iterchildren("*"))
    if count > MAX_ELEMENTS:
        raise DescriptionError(source, [f"{count} links and joints; the limit is {MAX_ELEMENTS}"])
    looks = urdf_looks(node, source)
    links = tuple(_link(element, looks) for element in root.children("link"))
    joints = tuple(_joint(element) for element in root.children("joint"))
    mechanism = urdf_mechanism(root, links, joints)
    doubt_spelling(root)
    if not problems:
        root.doubts.warn(source)
    name = node.get("name", "")
    name = name if name.strip() else "robot"
    return Description(name, links, joints, source=source, problems=tuple(problems), mechanism=mechanism)


def _link(element: Element, looks: Mapping[str, Look]) -> Link:
    name = element.text("name")
    inertial = element.child("inertial")
    if inertial is None:
        return Link(name, look=looks.get(name))
    T = urdf_origin(inertial)
    mass, inertia = inertial.child("mass"), inertial.child("inertia")
    if mass is None:
        inertial.doubt('links whose <inertial> has no <mass value="..."> count as massless')
    if inertia is None:
        inertial.doubt("links whose <inertial> has no <inertia> count as point masses")
    numbers = [value for each in (mass, inertia) if each for value in each.node.attrib.values()]
    if any(value != value.rstrip() for value in numbers):
        inertial.doubt("inertias with a blank after a number are read, which urdfdom leaves out")
    entries = _entries(inertia) if inertia else np.zeros(6)
    R = T[:3, :3]
    with np.errstate(all="ignore"):  # an overflow is found with the other problems of the link
        J = R @ inertia_matrix(entries) @ R.T
    return Link(name, Inertial(mass.number("value") if mass else 0.0, T[:3, 3], J), looks.get(name))


def _entries(inertia: Element) -> list[float]:
    """Return the six entries of an inertia; Bullet's readers may leave out those off the diagonal."""
    given = set(inertia.node.attrib)
    diagonal = given == {"ixx", "iyy", "izz"}
    if diagonal:
        inertia.doubt("products of inertia that are not given count as zero")
    strange = ", ".join(shown(key) for key in sorted(given - set(ENTRIES))[:5])
    if strange and not set(ENTRIES) <= given:
        inertia.problem(f"has {strange}; an inertia has {', '.join(ENTRIES)}")
    return [inertia.number(key, 0.0 if diagonal else None) for key in ENTRIES]


def _joint(element: Element) -> Joint:
    name, written = element.text("name"), element.text("type")
    if written and written not in KINDS:
        element.problem(f"type {written!r} is not one of {', '.join(KINDS)}{similar(written, KINDS)}")
    kind = KINDS.get(written, Fixed)
    ends = {}
    for tag in ("parent", "child"):
        end = element.child(tag)
        if end is None:
            element.problem(f'has no <{tag} link="...">')
        ends[tag] = end.text("link") if end else ""
    axes = {name: _axis(element) for name in kind.written or ()}
    limit, dynamics, mimic = (element.child(tag) for tag in ("limit", "dynamics", "mimic"))
    limits = Limits()
    if limit is not None:
        bounded = written in ("revolute", "prismatic")
        limits = Limits(
            limit.number("lower", 0.0) if bounded else -np.inf,
            limit.number("upper", 0.0) if bounded else np.inf,
            _bound(limit, "velocity"),
            _bound(limit, "effort"),
        )
    damping, friction = (dynamics.number(key, 0.0) if dynamics else 0.0 for key in ("damping", "friction"))
    if dynamics is not None and (damping < 0 or friction < 0):
        dynamics.doubt(NEGATIVE_FRICTION)
    coupling = None
    if mimic is not None and kind is not Fixed:
        coupling = Mimic(mimic.text("joint"), mimic.number("multiplier", 1.0), mimic.number("offset", 0.0))
    return Joint(
        name=name,
        kind=kind.kind,
        parent=ends["parent"],
        child=ends["child"],
        placement=urdf_origin(element),
        subspace=kind.screws(**axes),
        limits=limits,
        damping=damping,
        friction=friction,
        mimic=coupling,
    )


def _bound(limit: Element, attribute: str) -> float:
    """Return a limit of velocity or effort, infinite if it is absent or negative."""
    value = limit.number(attribute, np.inf) if limit.node.get(attribute) else np.inf
    if value < 0:
        limit.doubt(f"negative limits of {attribute} count as none")
    return value if value >= 0 else np.inf


def _axis(element: Element) -> NDArray[np.float64]:
    axis = element.child("axis")
    e = np.asarray(axis.numbers("xyz", 3) if axis else (1, 0, 0), dtype=float)
    if unit(e) is None:
        element.problem("axis has zero length; give a non-zero <axis xyz>")
        return np.array([1.0, 0.0, 0.0])
    return e
