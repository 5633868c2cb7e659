"""An MJCF file as one bounded XML tree: includes merged, paths absolute, only what moves or has mass left.

MuJoCo's own compiler trusts its files. Here nothing reaches it before its size is known: a picture, a
sensor or a height field never does, and copies are counted before they are made.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from lxml import etree

from ..checks import LARGEST
from ..errors import DescriptionError, shorten
from ..files import file_size
from .file_bytes import MAX_BYTES, read_bytes
from .xml import read_xml

MAX_FILES = 200
"""Files that one MJCF file may include or attach, at any depth."""

MAX_DEPTH = 256
"""Elements within elements; MuJoCo's parser calls itself for each."""

MAX_BODIES = 4_000
MAX_ELEMENTS = 20_000
"""Bodies, and elements below <worldbody>, with all copies; MuJoCo's time is quadratic in both."""

MAX_FLEX_BYTES = 2**18
"""Size of a file whose points become bodies of their own (<flexcomp file>)."""

MAX_MESH_PARAMETER = 360
MAX_MESH_POINTS = 1_000_000
"""Resolutions and angles of a built-in mesh (<mesh builtin params>), and the product of the first three."""

NAN = re.compile(r"[+-]?nan(\(\w*\))?", re.IGNORECASE)
"""What C reads as NaN."""

SECTIONS = ("visual", "statistic", "size", "keyframe", "sensor", "contact", "custom")
"""Sections without any effect on poses, M or torques."""

ELEMENTS = ("texture", "material", "hfield", "skin", "camera", "light")
"""Elements without mass; nothing left in the tree refers to them except attributes of that name."""

ATTRIBUTES = ("material", "delay", "nsample", "interp", "octree_maxdepth")
"""Attributes without any effect here: looks, sizes of actuators' buffers and of trees for distances."""

FORCES = ("actuator", "tendon", "equality")
"""Sections without any effect on looks."""

ASSEMBLED = "assembled"
"""Name of the keyframe in which loops are closed; other keyframes have no effect."""

COPIES = ("replicate", "composite", "flexcomp")


@dataclass
class Document:
    """The XML tree of an MJCF file, and the documents that it attaches, by the names it uses for them."""

    path: str
    root: etree._Element
    attached: dict[str, Document] = field(default_factory=dict)
    files: dict[etree._Element, str] = field(default_factory=dict)

    def text(self) -> str:
        """Return the tree as XML, each element on a line of its own, so that a line identifies it."""
        for node in self.root.iter("*"):
            node.text, node.tail = "\n" if len(node) else None, "\n"
        return str(etree.tostring(self.root, encoding="unicode"))

    def texts(self) -> dict[str, bytes]:
        """Return the attached trees as XML, at any depth."""
        found: dict[str, bytes] = {}
        for name, child in self.attached.items():
            found |= {name: child.text().encode(), **child.texts()}
        return found

    def place(self, line: int) -> str:
        """Return file and line of the element that is on a line of `text`."""
        copy = etree.fromstring(self.text())
        for node, same in zip(self.root.iter("*"), copy.iter("*"), strict=True):
            if same.sourceline == line:
                return f"{self.file(node)}line {node.sourceline}"
        return f"line {line}"

    def owner(self, node: etree._Element) -> str:
        """Return the included file that holds an element, or "" for the file itself."""
        owners = (self.files.get(each) for each in (node, *node.iterancestors()))
        return next((owner for owner in owners if owner), "")

    def file(self, node: etree._Element) -> str:
        """Return the included file that holds an element, as messages put it before the line."""
        return f"{self.owner(node)}, " if self.owner(node) else ""


class _Budget:
    """What is left of the number and size of files; `looks`: what of them is kept."""

    looks = False

    def __init__(self, source: str, size: int) -> None:
        self.source, self.files, self.bytes = source, MAX_FILES - 1, MAX_BYTES - size

    def read(self, path: Path) -> etree._Element:
        """Return the root of one more file, or raise an error that names the limit it exceeds."""
        data = read_bytes(path)
        self.files, self.bytes = self.files - 1, self.bytes - len(data)
        if self.files < 0:
            raise DescriptionError(
                self.source, [f"includes or attaches more than the limit of {MAX_FILES} files"]
            )
        if self.bytes < 0:
            raise DescriptionError(
                self.source, [f"with its included files beyond the limit of {MAX_BYTES} bytes"]
            )
        return read_xml(str(path), data)


def read_document(path: str | Path, root: etree._Element, size: int, *, looks: bool = False) -> Document:
    """Return the bounded tree of an MJCF file of that root and size, or an error that names the limit.

    With `looks` the colours of materials stay, and what moves or measures joints goes.
    """
    source = str(path)
    budget = _Budget(source, size)
    budget.looks = looks
    found = _bounded(root, Path(path).absolute(), budget, (source,))
    bodies, elements = _size(found)
    for count, limit, what in ((bodies, MAX_BODIES, "bodies"), (elements, MAX_ELEMENTS, "elements")):
        if count > limit:
            text = f"{shorten(str(count), 40)} {what} with all copies (<replicate>, <attach>, <flexcomp>)"
            raise DescriptionError(source, [f"{text}; the limit is {limit}"])
    return found


def _bounded(root: etree._Element, path: Path, budget: _Budget, chain: tuple[str, ...]) -> Document:
    if root.tag != "mujoco":
        raise DescriptionError(
            chain[0], [f"{path.name}: root element is <{root.tag}>; an MJCF file has <mujoco>"]
        )
    document = Document(chain[0], root)
    _include(document, path, budget)
    if _too_deep(root):
        raise DescriptionError(chain[0], [f"elements are nested deeper than the limit of {MAX_DEPTH}"])
    problems = [
        f"{document.file(node)}line {node.sourceline}: <{node.tag}>: {key}={value[:80]!r} has a number that "
        "is not finite"
        for node in root.iter("*")
        for key, value in node.attrib.items()
        if key != "name" and any(NAN.fullmatch(word) for word in value.split())
    ]
    if problems:
        raise DescriptionError(chain[0], problems)
    keys = [node for node in root.iterfind("keyframe/key") if node.get("name") == ASSEMBLED]
    _strip(root, budget.looks)
    _resolve(document, path.parent)
    _attach(document, path, budget, chain)
    alone = len(chain) == 1 and not document.attached and not budget.looks
    if alone and keys and keys[0].get("qpos") and root.find("equality") is not None:
        for name in {*keys[0].attrib} - {"name", "qpos"}:  # of actuators that may be gone
            del keys[0].attrib[name]
        etree.SubElement(root, "keyframe").append(keys[0])
    return document


def _include(document: Document, path: Path, budget: _Budget) -> None:
    """Replace every <include> by the children of the file it names, where MuJoCo looks for it."""
    folders = {document.root: path.parent}
    included = {path}
    waiting = list(document.root.iter("include"))
    while waiting:
        node = waiting.pop()
        name = node.get("file") or ""
        owner = next(
            (folders[each] for each in (node, *node.iterancestors()) if each in folders), path.parent
        )
        found = next(
            (each for each in (path.parent / name, owner / name) if file_size(each) is not None), None
        )
        place = f"{document.file(node)}line {node.sourceline}: <include file={shorten(repr(name), 80)}>"
        if found is None:
            raise DescriptionError(document.path, [f"{place}: no such file"])
        if found.resolve() in included or node is document.root:
            raise DescriptionError(document.path, [f"{place}: already included; each file counts once"])
        included.add(found.resolve())
        children = list(budget.read(found))
        parent, at = node.getparent(), node.getparent().index(node)
        parent[at : at + 1] = children
        for child in children:
            document.files[child] = str(found)
            folders[child] = found.parent
            waiting.extend(child.iter("include"))


def _too_deep(root: etree._Element) -> bool:
    """Return whether elements are nested beyond the limit."""
    level = [root]
    for _ in range(MAX_DEPTH):
        level = [child for node in level for child in node]
    return bool(level)


def _strip(root: etree._Element, looks: bool) -> None:
    """Remove what has no effect on poses, inertias, passive forces or constraints; or on looks."""
    useless = [node for node in root if node.tag in SECTIONS or (looks and node.tag in FORCES)]
    useless += list(root.iter(*(tag for tag in ELEMENTS if not looks or tag != "material"), "layer"))
    useless += [node for node in root.iter("geom") if node.get("hfield") is not None]
    closes = any(len(node) for node in root if node.tag == "equality")  # then actuators choose coordinates
    if not closes and not any(node.get(key) for node in _actuating(root) for key in ("armature", "damping")):
        useless += [node for node in root if node.tag == "actuator"]
    for node in useless:
        if node.getparent() is not None:
            node.getparent().remove(node)
    for node in root.iter("*"):
        for key in ATTRIBUTES if not looks else ("texture", *ATTRIBUTES[1:]):
            node.attrib.pop(key, None)
    used = {node.get("instance") for node in root.iter("plugin")}
    for node in list(root.iterfind("extension/plugin/instance")):
        if node.get("name") not in used:
            node.getparent().remove(node)


def _actuating(root: etree._Element) -> Iterator[etree._Element]:
    """Yield the actuators, and the defaults that may be theirs."""
    for section in root:
        if section.tag in ("actuator", "default"):
            yield from (node for node in section.iter("*") if node.tag not in ("joint", "tendon", "default"))


def _resolve(document: Document, folder: Path) -> None:
    """Make the paths of meshes absolute, as MuJoCo finds them.

    It looks where the compiler's settings say, of which the last counts, or beside the included file that
    names the mesh.
    """
    meshes, strip = "", False
    for node in document.root.findall("compiler"):
        assets = node.attrib.pop("assetdir", None)
        meshes = node.attrib.pop("meshdir", assets if assets is not None else meshes)
        strip = node.attrib.pop("strippath", str(strip)).lower() == "true"
        node.attrib.pop("texturedir", None)
    for node in document.root.iter("mesh", "flexcomp", "composite"):
        name = node.get("file")
        if name:
            name = name.replace("\\", "/")
            name = name.rpartition("/")[2] if strip else name
            places = [folder / meshes / name]
            places += [Path(file).parent / name for file in [document.owner(node)] if file]
            found = next((each for each in places if file_size(each) is not None), places[0])
            node.set("file", str(found))
        params = _numbers(node.get("params"))
        if _product(params) > MAX_MESH_POINTS or any(number > MAX_MESH_PARAMETER for number in params):
            given = shorten(repr(node.get("params")), 80)
            limits = f"{MAX_MESH_PARAMETER} each and {MAX_MESH_POINTS} for the product of the first three"
            place = f"{document.file(node)}line {node.sourceline}: <mesh params={given}>"
            raise DescriptionError(document.path, [f"{place}: the limit is {limits}"])


def _attach(document: Document, path: Path, budget: _Budget, chain: tuple[str, ...]) -> None:
    """Read the models that <asset> names, under names of their own."""
    for node in document.root.iterfind("asset/model"):
        name = node.get("file") or ""
        place = f"line {node.sourceline}: <model file={shorten(repr(name), 80)}>"
        child = path.parent / name
        if str(child.resolve()) in chain:
            raise DescriptionError(document.path, [f"{place}: the file attaches itself"])
        if file_size(child) is None:
            raise DescriptionError(document.path, [f"{place}: no such file"])
        found = _bounded(budget.read(child), child, budget, (*chain, str(child.resolve())))
        if node.get("name") is None:
            node.set("name", found.root.get("model") or "MuJoCo Model")
        node.set("file", f"attached{budget.files}.xml")
        document.attached[node.get("file")] = found


def _size(document: Document) -> tuple[int, int]:
    """Return how many bodies and elements a tree has once all copies are made."""
    children = {
        node.get("name"): document.attached[node.get("file")]
        for node in document.root.iterfind("asset/model")
        if node.get("file") in document.attached
    }
    sizes = {name: _size(child) for name, child in children.items()}
    bodies = elements = 0
    stack = [(node, 1) for node in document.root if node.tag == "worldbody"]
    while stack:
        node, times = stack.pop()
        if node.tag in COPIES:
            times *= _copies(document, node)
        own_bodies, own = sizes.get(node.get("model"), (0, 1)) if node.tag == "attach" else (0, 1)
        bodies += times * (own_bodies + (node.tag in ("body", "composite", "flexcomp")))
        elements += times * own if node.tag != "replicate" else 1
        stack.extend((child, times) for child in node)
    return bodies, elements


def _copies(document: Document, node: etree._Element) -> int:
    """Return how many copies or bodies an element makes."""
    points = len((node.get("point") or "").split()) // 3
    name = node.get("file")
    if name and node.tag != "replicate":
        place = f"{document.file(node)}line {node.sourceline}: <{node.tag} file={shorten(repr(name), 200)}>"
        size = file_size(Path(name))
        if size is None:
            raise DescriptionError(document.path, [f"{place}: no such file"])
        if size > MAX_FLEX_BYTES:
            problem = f"{place} has {size} bytes, whose points become bodies"
            raise DescriptionError(document.path, [f"{problem}; the limit is {MAX_FLEX_BYTES}"])
    return max(_product(_numbers(node.get("count"))), points)


def _product(numbers: list[float]) -> int:
    """Return the product of the first three numbers, as counts of at least one."""
    return math.prod(max(1, math.ceil(min(number, LARGEST))) for number in numbers[:3])


def _numbers(text: str | None) -> list[float]:
    """Return the numbers of an attribute, or none if MuJoCo will say what is wrong with it."""
    try:
        return [float(word) for word in (text or "").split()]
    except ValueError:
        return []
