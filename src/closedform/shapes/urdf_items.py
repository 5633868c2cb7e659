"""What a URDF draws on a link: boxes, cylinders, spheres, capsules and meshes with their colours."""

from __future__ import annotations

import numpy as np

from ..arrays import Array
from ..description.doubts import Doubts
from ..description.looks import Look
from ..description.urdf_origin import urdf_origin
from ..description.xml import Element, parse_xml
from ..errors import shown
from .item import DEFAULT, SOLIDS, Item
from .mesh_files import MeshFiles, fault
from .part import MAX_COORDINATE, MeshError
from .shape import Colour

SIZES = {"box": ("size",), "sphere": ("radius",), "cylinder": ("radius", "length")}
SIZES["capsule"] = SIZES["cylinder"]
"""Attributes of the solids of a URDF."""


def urdf_items(frame: str, look: Look, files: MeshFiles) -> tuple[list[Item], list[str]]:
    """Return what is drawn in a frame of a robot, and a line for all that is not."""
    root, _ = parse_xml(look.link, b"<link>" + look.elements + b"</link>")
    items: list[Item] = []
    faults: list[str] = []
    for node in root:
        problems: list[str] = []
        element = Element(node, f"<{node.tag}>", problems, Doubts())
        T, geometry = urdf_origin(element), element.child("geometry")
        shape = next(iter(geometry.node), None) if geometry is not None else None
        if shape is None:
            continue
        own = Element(shape, f"<{shape.tag}>", problems, element.doubts)
        colour = _colour(element, look)
        name = node.get("name") or shape.tag
        found: list[Item] = []
        if shape.tag in SIZES:
            found = [Item(frame, T, name, colour or DEFAULT, shape.tag, _sizes(own))]
        elif shape.tag == "mesh":
            try:
                found = _mesh(frame, T, own, colour, files)
            except MeshError as error:
                faults.append(fault(look.link, shape.get("filename") or "", error))
        else:
            faults.append(f"{look.link}: <{shape.tag[:40]}> is not drawn")
        if problems:
            faults.append(f"{look.link}: {problems[0].partition(': ')[2]}")
        elif any(not 0 < size <= MAX_COORDINATE for item in found for size in item.sizes):
            faults.append(f"{look.link}: the {shape.tag} {shown(name)} has a size that is not positive")
        elif not (np.abs(T) <= MAX_COORDINATE).all():
            faults.append(f"{look.link}: the {shape.tag} {shown(name)} is too far away")
        else:
            items += found
    return items, faults


def _sizes(solid: Element) -> tuple[float, ...]:
    count, _ = SOLIDS[solid.node.tag]
    if solid.node.tag == "box":
        return tuple(solid.numbers("size", count).tolist())
    return tuple(solid.number(key) for key in SIZES[solid.node.tag])


def _mesh(frame: str, T: Array, mesh: Element, colour: Colour | None, files: MeshFiles) -> list[Item]:
    """Return the parts of a mesh; its own colours count first, as in other viewers."""
    name = mesh.text("filename")
    scale = _scale(mesh)
    if not scale.all():
        raise MeshError("is scaled to nothing")
    parts = files.scaled(name, scale) if name else []
    short = name.replace("\\", "/").rpartition("/")[2]
    return [Item(frame, T, short, part.colour or colour or DEFAULT, part=part) for part in parts]


def _scale(mesh: Element) -> Array:
    """Return the scale of a mesh: three numbers, or one for all."""
    text = mesh.node.get("scale")
    if text is not None and len(text.split()) == 1:
        return np.full(3, mesh.number("scale"))
    return mesh.numbers("scale", 3, (1, 1, 1))


def _colour(element: Element, look: Look) -> Colour | None:
    """Return the colour of a material, given there or by name elsewhere in the file, or None."""
    material = element.child("material")
    if material is None:
        return None
    inline = material.node.find("color")
    text = inline.get("rgba") if inline is not None else look.source.materials.get(material.node.get("name"))
    try:
        numbers = [min(1.0, max(0.0, float(word))) for word in (text or "").split()]
    except ValueError:
        return None
    if len(numbers) not in (3, 4) or not np.isfinite(numbers).all():
        return None
    red, green, blue, opacity = [*numbers, 1.0][:4]
    return red, green, blue, opacity
