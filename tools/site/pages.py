"""Pages as the site reads them: files from outside docs/, links that lead to pages, tables of contents.

The files in docs/ are plain Markdown that a git host shows well. What only the site needs is added here.
"""

from __future__ import annotations

import re
from os.path import relpath
from pathlib import Path
from typing import TYPE_CHECKING

from .tree import DOCS, REPOSITORY, STANDS_FOR, below, chapters

if TYPE_CHECKING:
    from sphinx.application import Sphinx

CODE = re.compile(r"(^```.*?^```$|`[^`\n]+`)", re.DOTALL | re.MULTILINE)
CARD = re.compile(r"^(- \[[^\]]*\]\([^)]*\)): ", re.MULTILINE)
"""An item of the index, whose link is the title of a card."""
EMPTY_LINE = re.compile(r"\n\n```$", re.MULTILINE)
"""The end of an example, which doctest wants to be an empty line."""
LINK = re.compile(r"(\]\()([^)#\s]+)((?:#[^)]*)?\))")


def connect(app: Sphinx) -> None:
    """Complete each page when it is read."""
    app.connect("source-read", _complete)


def _complete(app: Sphinx, name: str, source: list[str]) -> None:
    text, origin = source[0], DOCS / f"{name}.md"
    if name in STANDS_FOR and name != "index":
        origin = REPOSITORY / STANDS_FOR[name]
        text = _shown(origin)
        app.env.note_dependency(str(origin))
    text = EMPTY_LINE.sub("\n```", relocated(text, origin, DOCS / f"{name}.md"))
    if name == "index":
        text = CARD.sub(r"\1 ", text)
        text += "".join(_contents(pages, title) for title, pages in chapters().items())
    elif name in below():
        text += _contents(below()[name])
    source[0] = text


def _shown(path: Path) -> str:
    """Return a file as Markdown."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".md":
        return text
    return f"# Citation\n\nFrom `{path.name}`:\n\n```yaml\n{text}```\n"


def relocated(text: str, origin: Path, page: Path) -> str:
    """Return Markdown of one file as it must be in another, with links to pages in place of files."""
    pages = {REPOSITORY / path: DOCS / f"{name}.md" for name, path in STANDS_FOR.items()}

    def link(found: re.Match[str]) -> str:
        before, target, after = found.groups()
        if ":" in target:
            return found.group()
        path = (origin.parent / target).resolve()
        if path.is_dir():
            path /= "README.md"
        return f"{before}{relpath(pages.get(path, path), page.parent)}{after}"

    parts = CODE.split(text)  # code is at the odd places
    return "".join(part if k % 2 else LINK.sub(link, part) for k, part in enumerate(parts))


def _contents(pages: list[str], caption: str = "") -> str:
    """Return a hidden table of contents, which the side bar shows."""
    options = [":hidden:", *([f":caption: {caption}"] if caption else [])]
    return "\n\n```{toctree}\n" + "\n".join([*options, "", *(f"/{page}" for page in pages)]) + "\n```\n"
