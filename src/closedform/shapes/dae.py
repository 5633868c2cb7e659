"""COLLADA files (.dae): triangles and polygons of the scene, placed by its nodes, with diffuse colours.

Lengths are in the file's unit; its up axis is not applied, as robot viewers do it.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator

import numpy as np
from lxml import etree
from numpy.typing import NDArray

from ..arrays import Array
from ..description.xml import MAX_TAGS
from ..rotations import rotation_quaternion, unit
from .part import MeshError, Part, require_count
from .shape import Colour

MAX_INSTANCES = 20_000
"""Nodes of a scene, every copy counted."""

KINDS = ("triangles", "polylist", "polygons", "tristrips", "trifans")
"""Elements of a mesh that hold faces."""


def read_dae(data: bytes) -> list[Part]:
    """Return the faces of a COLLADA file, a part for each place and material."""
    return _Document(_root(data)).parts()


def _root(data: bytes) -> etree._Element:
    """Return the root of a document without entities; tags have no namespace."""
    if data.count(b"<") > MAX_TAGS:
        raise MeshError(f"has more than {MAX_TAGS} tags, the limit")
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, huge_tree=True, remove_comments=True
    )
    try:
        root = etree.fromstring(data, parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        raise MeshError(f"is not well-formed XML: {error}") from None
    if root.getroottree().docinfo.doctype:
        raise MeshError("has a DOCTYPE, which could name entities")
    for node in root.iter("*"):
        node.tag = etree.QName(node).localname
    if root.tag != "COLLADA":
        raise MeshError(f"has the root <{root.tag[:40]}>, not <COLLADA>")
    return root


class _Document:
    """A COLLADA document, whose elements are found by their ids."""

    def __init__(self, root: etree._Element) -> None:
        self.root = root
        self.ids = {node.get("id"): node for node in root.iter("*") if node.get("id")}
        self.instances = 0
        self.triangles = 0
        self.meshes: dict[etree._Element, list[tuple[str, Part]]] = {}

    def parts(self) -> list[Part]:
        """Return the parts of the scene, or all meshes as they are if there is no scene."""
        meter = self.root.find("asset/unit")
        scale = _number(meter.get("meter")) if meter is not None and meter.get("meter") else 1.0
        scene = self.root.find("scene/instance_visual_scene")
        start = self._target(scene.get("url")) if scene is not None else None
        scenes = [start] if start is not None else self.root.findall("library_visual_scenes/visual_scene")[:1]
        T = np.diag([scale, scale, scale, 1.0])
        if scenes:
            return [part for node in scenes for part in self._placed(node, T, 0)]
        geometries = self.root.findall("library_geometries/geometry")
        return [part.moved(T[:3, :3]) for geometry in geometries for _, part in self._mesh(geometry)]

    def _target(self, url: str | None) -> etree._Element | None:
        """Return the element that a reference within the file names."""
        return self.ids.get(url[1:]) if url and url.startswith("#") else None

    def _placed(self, node: etree._Element, T: Array, depth: int) -> Iterator[Part]:
        """Yield the parts under a node whose own place is T."""
        self.instances += 1
        if self.instances > MAX_INSTANCES or depth > 100:
            raise MeshError(f"has more than {MAX_INSTANCES} nodes, every copy counted, or they are too deep")
        T = T @ _transform(node)
        for child in node:
            if child.tag == "node":
                yield from self._placed(child, T, depth + 1)
            elif child.tag == "instance_node":
                other = self._target(child.get("url"))
                if other is not None:
                    yield from self._placed(other, T, depth + 1)
            elif child.tag in ("instance_geometry", "instance_controller"):
                geometry = self._target(child.get("url"))
                if geometry is not None and geometry.tag == "controller":
                    skin = geometry.find("skin")
                    geometry = self._target(skin.get("source")) if skin is not None else None
                if geometry is not None:
                    yield from self._instance(child, geometry, T)

    def _instance(self, node: etree._Element, geometry: etree._Element, T: Array) -> Iterator[Part]:
        """Yield the parts of a geometry at a place, with the materials that are bound to it there."""
        bound = {each.get("symbol"): each.get("target") for each in node.iter("instance_material")}
        for symbol, part in self._mesh(geometry):
            self.triangles += len(part.faces)
            require_count(self.triangles)
            colour = self._colour(self._target(bound.get(symbol)))
            yield Part(part.vertices, part.faces, colour).moved(T[:3, :3], T[:3, 3])

    def _mesh(self, geometry: etree._Element) -> list[tuple[str, Part]]:
        """Return the faces of a geometry with the symbols of their materials; read once."""
        if geometry not in self.meshes:
            kinds = [node for mesh in geometry.findall("mesh") for node in mesh if node.tag in KINDS]
            self.meshes[geometry] = [(node.get("material") or "", self._faces(node)) for node in kinds]
        return self.meshes[geometry]

    def _faces(self, node: etree._Element) -> Part:
        """Return the triangles of an element of faces."""
        inputs = node.findall("input")
        width = 1 + max((_count(each.get("offset")) for each in inputs), default=0)
        vertex = next((each for each in inputs if each.get("semantic") == "VERTEX"), None)
        vertices = self._target(vertex.get("source")) if vertex is not None else None
        position = None if vertices is None else vertices.find("input[@semantic='POSITION']")
        source = None if position is None else self._target(position.get("source"))
        if source is None or vertex is None or width > 100:
            raise MeshError("has faces without points")
        points = _source(source)
        runs = [_integers(each)[_count(vertex.get("offset")) :: width] for each in node.findall("p")]
        if node.tag == "triangles":
            faces = [run[: len(run) // 3 * 3].reshape(-1, 3) for run in runs]
        elif node.tag == "polylist":
            counts = node.find("vcount")
            sizes = _integers(counts) if counts is not None else np.zeros(0, dtype=np.int64)
            faces = [_fans(runs[0], sizes)] if runs else []
        elif node.tag == "tristrips":
            faces = [_strip(run) for run in runs]
        else:
            faces = [_fans(run, np.array([len(run)])) for run in runs]
        return Part(points, np.concatenate([np.zeros((0, 3), dtype=np.int64), *faces]))

    def _colour(self, material: etree._Element | None) -> Colour | None:
        """Return the diffuse colour of a material, None if it has a texture or nothing."""
        instance = None if material is None else material.find("instance_effect")
        effect = None if instance is None else self._target(instance.get("url"))
        if effect is None:
            return None
        found = next(effect.iterfind(".//technique/*/diffuse/color"), None)
        if found is None:
            return None
        numbers = [min(1.0, max(0.0, value)) for value in _floats(found)[:4].tolist()]
        if len(numbers) < 3 or not np.isfinite(numbers).all():
            return None
        clear = next(effect.iterfind(".//technique/*/transparency/float"), None)
        opaque = next(effect.iterfind(".//technique/*/transparent"), None)
        see_through = clear is not None and opaque is not None and opaque.get("opaque") == "A_ONE"
        opacity = float(np.clip(_floats(clear)[:1], 0, 1).sum()) if see_through else 1.0
        red, green, blue = numbers[:3]
        return red, green, blue, opacity or 1.0  # zero is a slip of some writers


def _fans(run: NDArray[np.int64], sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return polygons of these sizes, one after the other, as triangles from their first corners."""
    if sizes.size and (sizes.min() < 0 or sizes.sum() > len(run)):
        raise MeshError("has polygons of more corners than are there")
    cut = np.maximum(sizes - 2, 0)
    start = np.repeat(np.cumsum(sizes) - sizes, cut)
    step = np.arange(cut.sum()) - np.repeat(np.cumsum(cut) - cut, cut)
    return np.stack([run[start], run[start + step + 1], run[start + step + 2]], axis=1).reshape(-1, 3)


def _strip(run: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return a strip as triangles, every other one turned round."""
    k = np.arange(max(0, len(run) - 2))
    odd = k % 2
    return np.stack([run[k], run[k + 1 + odd], run[k + 2 - odd]], axis=1).reshape(-1, 3)


def _source(source: etree._Element) -> Array:
    """Return the points of a source."""
    array = source.find("float_array")
    accessor = source.find("technique_common/accessor")
    stride = _count(accessor.get("stride")) if accessor is not None and accessor.get("stride") else 3
    if array is None or not 3 <= stride <= 100:
        raise MeshError("has a source of points that are not x, y, z")
    numbers = _floats(array)
    return numbers[: len(numbers) // stride * stride].reshape(-1, stride)[:, :3]


def _transform(node: etree._Element) -> Array:
    """Return the pose, and scale, that the elements of a node give one after the other."""
    T = np.eye(4)
    for child in node:
        if child.tag not in ("matrix", "translate", "rotate", "scale"):
            continue
        x = _floats(child)
        if len(x) != {"matrix": 16, "rotate": 4}.get(child.tag, 3) or not np.isfinite(x).all():
            raise MeshError(f"has a <{child.tag}> that is not of finite numbers")
        own = np.eye(4)
        if child.tag == "matrix":
            own = x.reshape(4, 4)
        elif child.tag == "translate":
            own[:3, 3] = x
        elif child.tag == "scale":
            own[:3, :3] = np.diag(x)
        else:
            e, half = unit(x[:3]), np.radians(x[3]) / 2
            own[:3, :3] = np.eye(3) if e is None else rotation_quaternion([np.cos(half), *(np.sin(half) * e)])
        T = T @ own
    return T


def _floats(node: etree._Element) -> Array:
    """Return the numbers of a text, read without a Python object for each."""
    text = (node.text or "").strip()
    if not text:
        return np.zeros(0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # NumPy stops at what is not a number and only warns
        try:
            return np.fromstring(text, dtype=float, sep=" ")
        except (ValueError, DeprecationWarning):
            raise MeshError(f"has a <{node.tag}> that is not of numbers") from None


def _integers(node: etree._Element) -> NDArray[np.int64]:
    numbers = _floats(node)
    if not (np.abs(numbers) < 2**53).all():
        raise MeshError(f"has a <{node.tag}> that is not of whole numbers")
    return numbers.astype(np.int64)


def _count(text: str | None) -> int:
    return int(_number(text or "0"))


def _number(text: str | None) -> float:
    try:
        value = float(text or "")
    except ValueError:
        value = np.nan
    if not 0 <= value < 1e9:
        raise MeshError(f"has {(text or '')[:40]!r} in place of a number from 0")
    return value
