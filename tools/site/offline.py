"""The built site needs no network: a page that would load something from elsewhere ends the build."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sphinx.application import Sphinx

LOADED = re.compile(
    r"""<(?:script|link|img|iframe|source|video)\b[^>]*\b(?:src|href)=["']?((?:https?:)?//[^"'\s>]+)"""
    r"""|(?:@import|url\()\s*["']?((?:https?:)?//[^"')\s]+)"""
)
"""What a browser fetches by itself, as against links that a reader follows."""


def connect(app: Sphinx) -> None:
    """Look at all files when they are written."""
    app.connect("build-finished", _check)


def _check(app: Sphinx, error: Exception | None) -> None:
    if error is None and app.builder.format == "html":
        found = foreign(Path(app.outdir))
        if found:
            from sphinx.errors import ExtensionError  # noqa: PLC0415 (tests look at pages without Sphinx)

            raise ExtensionError("pages load from the network:\n" + "\n".join(found))


def foreign(folder: Path) -> list[str]:
    """Return "page: address" of all that pages and styles of a folder load from elsewhere."""
    return [
        f"{path.relative_to(folder)}: {one or other}"
        for path in sorted([*folder.rglob("*.html"), *folder.rglob("*.css")])
        for one, other in LOADED.findall(path.read_text(encoding="utf-8"))
    ]
