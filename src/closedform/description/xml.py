"""XML of untrusted robot files: no entities, no network, bounded size; slips are mended with a warning."""

from __future__ import annotations

import math
from typing import Any
from xml.etree import ElementTree

import numpy as np
from lxml import etree
from numpy.typing import NDArray

from ..errors import ArgumentError, DescriptionError, shorten, shown, warn
from .doubts import Doubts
from .file_bytes import MAX_BYTES
from .repair import UnfitDocumentError, repaired

MAX_TAGS = 250_000
"""Tags of a file; libxml2 needs a hundred times their size in memory."""

MAX_ATTRIBUTES = 1_000_000
"""Attributes of a file."""

MAX_NAMESPACES = 1000
"""Namespace declarations of a file."""

MAX_REPAIRED = 8 * 2**20
"""Bytes of a file that is not well-formed and may be mended."""


def read_xml(source: str, data: bytes) -> etree._Element:
    """Return the root element of an XML text, or raise an error that names file and line.

    One warning names the slips that were mended.
    """
    root, notes = parse_xml(source, data)
    warn_of_slips(source, notes)
    return root


def warn_of_slips(source: str, notes: Doubts) -> None:
    """Warn of the slips that were mended in a file."""
    if notes:
        warn(f"{shorten(source, 200)}: read although it is not plain XML: {'; '.join(notes.lines())}")


def parse_xml(source: str, data: bytes) -> tuple[etree._Element, Doubts]:
    """Return the root element of an XML text, and notes of the slips that were mended.

    Elements of a default namespace are found by their plain names, as the peers find them.
    """
    notes = Doubts()
    if len(data) > MAX_BYTES:
        raise DescriptionError(source, [f"file has {len(data)} bytes; the limit is {MAX_BYTES}"])
    for what, sign, most in (
        ("tags", b"<", MAX_TAGS),
        ("attributes", b"=", MAX_ATTRIBUTES),
        ("namespaces", b"xmlns", MAX_NAMESPACES),
    ):
        if data.count(sign) > most:
            raise DescriptionError(source, [f"file has {data.count(sign)} {what}; the limit is {most}"])
    root = _parsed(data)
    if isinstance(root, str) or root.getroottree().docinfo.doctype:
        root = _mended(source, data, root, notes)
    for node in root.iter("*"):
        if node.prefix is None and node.tag.startswith("{"):
            node.tag = etree.QName(node).localname
    return root, notes


def tree_bytes(tree: Any) -> bytes:
    """Return a tree that lxml or the standard library has parsed, or one of its elements, as bytes."""
    root = tree.getroot() if hasattr(tree, "getroot") else tree
    try:
        if any(k > MAX_TAGS for k, _ in enumerate(root.iter())):  # more than that, or a circle
            raise ValueError(f"more than {MAX_TAGS} elements, the limit")
        if isinstance(root, etree._Element):
            return bytes(etree.tostring(root, encoding="utf-8", xml_declaration=False, with_tail=False))
        return ElementTree.tostring(root, encoding="unicode").encode()
    except (AttributeError, TypeError, ValueError, RecursionError) as error:
        reason = shorten(str(error), 200)
        raise ArgumentError(f"the tree of a robot cannot be written as XML: {reason}") from None


def tag_of(node: etree._Element) -> str:
    """Return the tag of an element as the file writes it."""
    local = etree.QName(node).localname
    return local if node.prefix is None else f"{node.prefix}:{local}"


def _parsed(text: bytes | str) -> etree._Element | str:
    """Return the root of a well-formed text, or why it is not well-formed."""
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, remove_comments=True
    )
    try:
        return etree.fromstring(text, parser)
    except (etree.XMLSyntaxError, ValueError) as error:  # ValueError: a lone surrogate, a NUL
        return str(getattr(error, "msg", None) or error)


def _mended(source: str, data: bytes, fault: etree._Element | str, notes: Doubts) -> etree._Element:
    """Return the root of a text that is not well-formed, or has a document type, with its slips mended."""
    if len(data) > MAX_REPAIRED:
        reason = fault if isinstance(fault, str) else "has a DOCTYPE"
        raise DescriptionError(source, [f"not well-formed XML: {reason}"])
    try:
        text = repaired(data, notes)
    except UnfitDocumentError as unfit:
        raise DescriptionError(source, [f"not acceptable XML: {unfit}"]) from None
    root = _parsed(text) if notes else fault
    if isinstance(root, str):
        raise DescriptionError(source, [f"not well-formed XML: {root}"])
    if root.getroottree().docinfo.doctype:  # hidden by an encoding that only the strict parser guesses
        raise DescriptionError(source, ["not acceptable XML: has a DOCTYPE; remove it"])
    return root


class Element:
    """An XML element with its readable address, whose readers collect problems instead of raising.

    What cannot be read is returned as "" or as ones, which give rise to no further problem.
    """

    def __init__(self, node: etree._Element, address: str, problems: list[str], doubts: Doubts) -> None:
        self.node, self.address, self.problems, self.doubts = node, address, problems, doubts

    @property
    def place(self) -> str:
        """The line and the address of the element."""
        return f"line {self.node.sourceline}: {self.address}"

    def problem(self, text: str) -> None:
        """Add a problem of this element to the list."""
        self.problems.append(f"{self.place}: {text}")

    def doubt(self, cause: str) -> None:
        """Add a cause of doubt that this element gives."""
        self.doubts.add(cause, self.place)

    def child(self, tag: str) -> Element | None:
        """Return the first child of that tag."""
        node = self.node.find(tag)
        return None if node is None else Element(node, f"{self.address} <{tag}>", self.problems, self.doubts)

    def children(self, tag: str) -> list[Element]:
        """Return the children of that tag, each addressed by its name attribute."""
        found = []
        for node in self.node.findall(tag):
            name = node.get("name")
            address = f"<{tag}>" if name is None else f"{tag} {shown(name)}"
            found.append(Element(node, address, self.problems, self.doubts))
        return found

    def text(self, attribute: str) -> str:
        """Return an attribute that is not empty."""
        value: str | None = self.node.get(attribute)
        if not value:
            self.problem(f"attribute {attribute!r} is {'missing' if value is None else repr(value)}")
        return value or ""

    def numbers(self, attribute: str, count: int, default: object = None) -> NDArray[np.float64]:
        """Return `count` finite numbers of an attribute; anything else is a problem."""
        text = self.node.get(attribute)
        if text is None:
            if default is None:
                self.problem(f"attribute {attribute!r} is missing")
                return np.ones(count)
            return np.array(default, dtype=float).reshape(count)
        try:
            values = [_number(word) for word in text.split()]
        except ValueError:
            values = []
        if len(values) != count:
            self.problem(f"{attribute}={text[:80]!r} should be {count} number(s)")
            return np.ones(count)
        if not all(map(math.isfinite, values)):
            self.problem(f"{attribute}={text[:80]!r} has a number that is not finite")
            return np.ones(count)
        return np.array(values)

    def number(self, attribute: str, default: float | None = None) -> float:
        """Return one finite number of an attribute."""
        return float(self.numbers(attribute, 1, default)[0])


def _number(word: str) -> float:
    """Return the number that an ASCII word writes; Python alone would take 1_0 and other scripts' digits."""
    if "_" in word or not word.isascii():
        raise ValueError(word)
    return float(word)
