"""What the documentation site adds to Sphinx: a tree of pages, math without scripts, pictures, the API."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import api, mathml, notebooks, offline, pages, pictures

if TYPE_CHECKING:
    from sphinx.application import Sphinx


def setup(app: Sphinx) -> dict[str, Any]:
    """Connect the parts to Sphinx."""
    for part in (mathml, pages, pictures, notebooks, api, offline):
        part.connect(app)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
