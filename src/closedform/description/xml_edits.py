"""Changes to an XML file that leave every other byte as it is: comments, order, blanks, encoding."""

from __future__ import annotations

import codecs
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from xml.parsers import expat

from ..errors import DescriptionError

CODECS = {
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF32_LE: "utf-32-le",
    codecs.BOM_UTF32_BE: "utf-32-be",
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
}
"""Encodings by byte order mark; the marks of UTF-32 come before those of UTF-16, which they begin with."""

ENCODING = re.compile(rb"""\s*<\?xml\s[^>]*?\bencoding\s*=\s*["']([A-Za-z0-9._-]{1,40})["']""")
START = re.compile(rb"""<(?:[^"'>]|"[^"]*+"|'[^']*+')*+>""")
ATTRIBUTE = re.compile(rb"""([^\s=<>/"']++)\s*+=\s*+("[^"]*+"|'[^']*+')""")
LINE = re.compile(rb"\r?\n[ \t]*\Z")


@dataclass
class Span:
    """An element and where it stands: `start` to `inside` is its start tag, `close` to `end` its end tag.

    An element without an end tag, `<link/>`, has `close` and `end` at `inside`.
    """

    tag: str
    attributes: dict[str, str]
    start: int
    inside: int
    close: int = 0
    end: int = 0
    children: list[Span] = field(default_factory=list)

    def child(self, tag: str) -> Span | None:
        """Return the first child of that tag."""
        return next((each for each in self.children if each.tag == tag), None)

    def named(self, tag: str) -> dict[str, Span]:
        """Return the children of a tag that have a name, by their names."""
        found = (each for each in self.children if each.tag == tag)
        return {each.attributes["name"]: each for each in found if "name" in each.attributes}


@dataclass(frozen=True)
class New:
    """An element to be added; the numbers of its attributes are written already."""

    tag: str
    attributes: Mapping[str, str] = field(default_factory=dict)
    children: tuple[New, ...] = ()

    def written(self, indent: bytes, unit: bytes) -> bytes:
        """Return the element after its indentation, which is a new line and blanks, or nothing."""
        head = indent + f"<{self.tag}".encode() + _attributes(self.attributes)
        if not self.children:
            return head + b"/>"
        inner = b"".join(each.written(indent + unit, unit) for each in self.children)
        return head + b">" + inner + indent + f"</{self.tag}>".encode()


class XmlEdits:
    """A file with the changes to be made to it; nothing else of it changes.

    >>> edits = XmlEdits("arm.urdf", b'<a> <!-- kept --> <b x = "1"  y="2" /></a>')
    >>> edits.change(edits.root.children[0], {"x": "3.5"})
    >>> edits.add(edits.root, New("c", {"z": "1"}))
    >>> edits.data()
    b'<a> <!-- kept --> <b x = "3.5"  y="2" /><c z="1"/></a>'
    """

    def __init__(self, source: str, data: bytes) -> None:
        self.source = source
        self.mark, self.codec, self.text = _decoded(source, data)
        self.root = _spans(source, self.text)
        self.replaced: list[tuple[int, int, bytes]] = []
        self.added: dict[int, tuple[Span, list[New]]] = {}
        first = self._indent(self.root.children[0]) if self.root.children else b""
        self.unit = first.lstrip(b"\r\n")

    def change(self, span: Span, values: Mapping[str, str]) -> None:
        """Give attributes of an element other values; numbers that are the same stay as they are written."""
        for found in ATTRIBUTE.finditer(self.text[span.start : span.inside]):
            name = found[1].decode()
            if name in values and not _same_numbers(span.attributes.get(name, ""), values[name]):
                start = span.start + found.start(2) + 1
                self.replaced.append((start, span.start + found.end(2) - 1, values[name].encode()))
        more = {name: value for name, value in values.items() if name not in span.attributes}
        if more:
            at = self._tag_end(span)
            self.replaced.append((at, at, _attributes(more)))

    def add(self, parent: Span, new: New) -> None:
        """Add an element after all that another holds."""
        self.added.setdefault(parent.start, (parent, []))[1].append(new)

    def data(self) -> bytes:
        """Return the bytes of the changed file, in its own encoding."""
        edits = [*self.replaced, *(self._addition(*each) for each in self.added.values())]
        pieces, at = [], 0
        for start, end, new in sorted(edits, key=lambda edit: edit[:2]):
            pieces += [self.text[at:start], new]
            at = end
        return self.mark + b"".join([*pieces, self.text[at:]]).decode().encode(self.codec)

    def _addition(self, parent: Span, new: list[New]) -> tuple[int, int, bytes]:
        around = self._indent(parent)
        indent = (
            self._indent(parent.children[0]) if parent.children else around + (self.unit if around else b"")
        )
        block = b"".join(each.written(indent, self.unit if indent else b"") for each in new)
        if parent.close == parent.inside == parent.end:  # <link/>
            return self._tag_end(parent), parent.inside, b">" + block + around + f"</{parent.tag}>".encode()
        content = self.text[parent.inside : parent.close]
        kept = content.rstrip()
        at = parent.inside + len(kept)
        return at, at, block + (b"" if parent.children or b"\n" in content[len(kept) :] else around)

    def _tag_end(self, span: Span) -> int:
        """Return where the attributes of an element end."""
        return span.start + len(self.text[span.start : span.inside].rstrip(b"/>").rstrip())

    def _indent(self, span: Span) -> bytes:
        """Return the new line and the blanks before an element, or nothing if it begins no line."""
        line = self.text.rfind(b"\n", 0, span.start)
        found = LINE.search(self.text[max(0, line - 1) : span.start]) if line >= 0 else None
        return found[0] if found else b""


def _attributes(values: Mapping[str, str]) -> bytes:
    return "".join(f' {name}="{value}"' for name, value in values.items()).encode()


def _same_numbers(old: str, new: str) -> bool:
    try:
        return [float(word) for word in old.split()] == [float(word) for word in new.split()]
    except ValueError:
        return False


def _decoded(source: str, data: bytes) -> tuple[bytes, str, bytes]:
    """Return the byte order mark of a file, its encoding, and the rest of it in UTF-8."""
    mark = next((each for each in CODECS if data.startswith(each)), b"")
    declared = ENCODING.match(data)
    codec = CODECS[mark] if mark else declared[1].decode() if declared else "utf-8"
    try:
        text = data[len(mark) :].decode(codec)
        if mark + text.encode(codec) == data:
            return mark, codec, text.encode()
        problem = f"changes when it is read and written as {codec}"
    except (LookupError, ValueError) as error:  # an encoding that Python does not know, or that it is not in
        problem = f"is not a text in {codec}: {error}"
    raise DescriptionError(source, [f"{problem}; save it in UTF-8 to merge into it"])


def _spans(source: str, text: bytes) -> Span:
    """Return the root of a UTF-8 text, or raise an error that names the line that is not plain XML."""
    document = Span("", {}, 0, 0)
    stack = [document]
    parser = expat.ParserCreate("utf-8")

    def opened(tag: str, attributes: dict[str, str]) -> None:
        start = parser.CurrentByteIndex
        found = START.match(text, start)
        span = Span(tag, attributes, start, found.end() if found else start)
        stack[-1].children.append(span)
        stack.append(span)

    def closed(tag: str) -> None:
        span = stack.pop()
        if text[span.inside - 2 : span.inside] == b"/>":
            span.close = span.end = span.inside
        else:
            span.close = parser.CurrentByteIndex
            span.end = text.index(b">", span.close) + 1

    def refuse(*_: object) -> None:
        raise DescriptionError(source, ["has a DOCTYPE; remove it to merge into the file"])

    parser.StartElementHandler, parser.EndElementHandler = opened, closed
    parser.StartDoctypeDeclHandler = refuse
    try:
        parser.Parse(text, True)
    except expat.ExpatError as error:
        problem = f"is not well-formed XML ({error}); mend it to merge into it"
        raise DescriptionError(source, [problem]) from None
    return document.children[0]
