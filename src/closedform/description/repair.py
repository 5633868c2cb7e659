"""XML as robot tools write and read it: slips that cannot change a number are mended, each with a note.

The peers (urdfdom and MuJoCo, both on tinyxml2) read these files. Everything else that is not well-formed
stays an error of the strict parser. Lines keep their numbers.
"""

from __future__ import annotations

import codecs
import re

from .doubts import Doubts

MAX_PREFIXES = 50
"""Undeclared prefixes of one file."""

MARKS = {
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
"""Byte order marks; those of UTF-32 come before those of UTF-16, which they begin with."""

TAG = re.compile(r"""</?[^\s<>"'!?/][^<>"']*+(?:(?:"[^"<]*+"|'[^'<]*+')[^<>"']*+)*+>""")
QUOTED = re.compile(r""""[^"]*+"|'[^']*+'""")
DECLARATION = re.compile(
    r"""<\?xml\s+version\s*=\s*["']1\.\d["'](\s+encoding\s*=\s*["']utf-8["'])?(\s+standalone[^?]*)?\s*\?>""",
    re.IGNORECASE,
)
PREFIX = re.compile(r"[<\s/]([A-Za-z_][\w.-]*+):(?=[\w.-])")


class UnfitDocumentError(Exception):
    """A document that no repair makes acceptable; says why."""


def repaired(data: bytes, notes: Doubts) -> str:
    """Return the text of a file with its slips mended, each added to the notes."""
    text = _decoded(data, notes)
    if text.endswith("\0"):
        text = text.rstrip("\0")
        notes.add("zeros after the end are skipped", f"line {text.count(chr(10)) + 1}")
    pieces: list[str] = []
    used: dict[str, int] = {}
    declared = {"xml", "xmlns"}
    root = None  # the piece after which prefixes can be declared
    line, at = 1, text.find("<")
    if at < 0:
        return text
    if text[:at].strip("\ufeff \t\r\n"):
        notes.add("text before the first element is skipped", "line 1")
    pieces.append("\n" * text.count("\n", 0, at))
    while at < len(text):
        line += pieces[-1].count("\n")
        start = text.find("<", at)
        if start > at or start < 0:
            start = len(text) if start < 0 else start
            pieces.append(text[at:start])
            at = start
            continue
        end, piece = _piece(text, at, line, root is not None, notes)
        if end < 0:
            break
        if piece is None:
            tag = text[at:end]
            piece = _spaced(tag)
            if piece != tag:
                notes.add("attributes without a space between them are separated", f"line {line}")
            for prefix in PREFIX.findall(QUOTED.sub("", tag)):
                used.setdefault(prefix, line)
            declared.update(re.findall(r"\sxmlns:([\w.-]++)", tag))
            root = len(pieces) if root is None else root
        pieces.append(piece)
        at = end
    pieces.append(text[at:])
    if root is not None:
        pieces[root] = _with_prefixes(pieces[root], used, declared, notes)
    return "".join(pieces)


def _decoded(data: bytes, notes: Doubts) -> str:
    """Return the text of UTF-8, of UTF-16 or UTF-32 with a byte order mark, or else of Latin-1."""
    encoding = next((name for mark, name in MARKS.items() if data.startswith(mark)), "utf-8")
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        if encoding != "utf-8":
            raise UnfitDocumentError(f"not {encoding}, as its first bytes say: {error.reason}") from None
        notes.add(
            "bytes that are not UTF-8 are read as Latin-1", f"line {data.count(10, 0, error.start) + 1}"
        )
        return data.decode("latin-1")


def _piece(text: str, at: int, line: int, begun: bool, notes: Doubts) -> tuple[int, str | None]:
    """Return the end of the markup at a place (-1 if it has none) and what to put there (None: a tag)."""
    if text.startswith("<!--", at):
        end = text.find("-->", at + 4) + 3
        if end > 2 and ("--" in text[at + 4 : end - 3] or text[end - 4] == "-"):
            notes.add("a comment holds --", f"line {line}")
        return end if end > 2 else -1, "\n" * text.count("\n", at, max(end, 0))
    if text.startswith("<![CDATA[", at):
        end = text.find("]]>", at) + 3
        return end if end > 2 else -1, text[at : max(end, 0)]
    if text.startswith("<?", at):
        end = text.find("?>", at) + 2
        if end < 2:
            return -1, ""
        piece = text[at:end]
        if re.match(r"<\?xml\s", piece) and not begun:
            if text[: min(at, 2)] not in ("", "\ufeff") or not DECLARATION.fullmatch(piece):
                notes.add("the XML declaration is odd or not at the start, and is skipped", f"line {line}")
            piece = "\n" * piece.count("\n")
        return end, piece
    if text.startswith("<!DOCTYPE", at):
        end = text.find(">", at) + 1
        if end < 1 or "[" in text[at:end]:
            raise UnfitDocumentError(
                f"line {line}: has a DOCTYPE with declarations of its own; entities are refused, remove it"
            )
        notes.add("a DOCTYPE is skipped; nothing that it names is read", f"line {line}")
        return end, "\n" * text.count("\n", at, end)
    tag = TAG.match(text, at)
    return (tag.end(), None) if tag else (-1, "")


def _spaced(tag: str) -> str:
    """Return a tag with a blank after every value that another attribute follows at once."""
    return QUOTED.sub(lambda value: value[0] + ("" if tag[value.end()] in " \t\r\n/>" else " "), tag)


def _with_prefixes(tag: str, used: dict[str, int], declared: set[str], notes: Doubts) -> str:
    """Return the root's start tag with a declaration of every prefix that has none."""
    missing = {prefix: line for prefix, line in used.items() if prefix not in declared}
    if len(missing) > MAX_PREFIXES:
        raise UnfitDocumentError(f"{len(missing)} undeclared namespace prefixes; the limit is {MAX_PREFIXES}")
    for prefix, line in missing.items():
        notes.add("namespace prefixes are not declared", f"{prefix!r} in line {line}")
    names = "".join(f' xmlns:{prefix}="undeclared:{prefix}"' for prefix in missing)
    end = len(tag) - (2 if tag.endswith("/>") else 1)
    return tag[:end] + names + tag[end:]
