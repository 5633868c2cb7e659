"""XML of untrusted robot files: no document types, no entities, no network, bounded size."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
from lxml import etree
from numpy.typing import NDArray

from ..errors import DescriptionError, shorten

MAX_BYTES = 64 * 2**20


def read_xml(source: str, data: bytes) -> etree._Element:
    """Return the root element of an XML text, or raise an error that names file and line."""
    if len(data) > MAX_BYTES:
        raise DescriptionError(source, [f"file has {len(data)} bytes; the limit is {MAX_BYTES}"])
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, remove_comments=True
    )
    try:
        root = etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        raise DescriptionError(source, [f"not well-formed XML: {error.msg}"]) from None
    if root.getroottree().docinfo.doctype:
        problem = "has a DOCTYPE; document types and entities are refused, remove the declaration"
        raise DescriptionError(source, [problem])
    return root


def read_bytes(path: str | Path) -> bytes:
    """Return the bytes of a file of bounded size."""
    path = Path(path)
    try:
        if not path.exists():
            raise DescriptionError(str(path), ["no such file"])
        if not path.is_file():
            raise DescriptionError(str(path), ["is not a regular file"])
        with path.open("rb") as file:
            return file.read(MAX_BYTES + 1)
    except DescriptionError:
        raise
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise DescriptionError(str(path), [f"cannot be read: {reason}"]) from None


class Element:
    """An XML element with its readable address, whose readers collect problems instead of raising.

    What cannot be read is returned as "" or as ones, which give rise to no further problem.
    """

    def __init__(self, node: etree._Element, address: str, problems: list[str]) -> None:
        self.node, self.address, self.problems = node, address, problems

    def problem(self, text: str) -> None:
        """Add a problem of this element to the list."""
        self.problems.append(f"line {self.node.sourceline}: {self.address}: {text}")

    def child(self, tag: str) -> Element | None:
        """Return the first child of that tag."""
        node = self.node.find(tag)
        return None if node is None else Element(node, f"{self.address} <{tag}>", self.problems)

    def children(self, tag: str) -> list[Element]:
        """Return the children of that tag, each addressed by its name attribute."""
        found = []
        for node in self.node.findall(tag):
            name = node.get("name")
            address = f"<{tag}>" if name is None else f"{tag} {shorten(repr(name))}"
            found.append(Element(node, address, self.problems))
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
