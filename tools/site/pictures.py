"""Pictures within the pages: drawn anew by the library at every build, in the colours of the page."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from docutils import nodes
from sphinx.errors import ExtensionError
from sphinx.transforms.post_transforms import SphinxPostTransform

from .tree import REPOSITORY

if TYPE_CHECKING:
    from sphinx.application import Sphinx

PICTURE = re.compile(r"(?:\.\./)*pictures/([\w-]+)\.svg")

_AT_WORK: list[subprocess.Popen[str]] = []
"""The process that draws while Sphinx reads the pages."""


def connect(app: Sphinx) -> None:
    """Draw while the pages are read, and put the pictures into them when they are written."""
    app.connect("builder-inited", _begin)
    app.connect("env-updated", _end)
    app.connect("build-finished", lambda app, error: [each.kill() for each in _AT_WORK])
    app.add_post_transform(Inline)


def _folder(app: Sphinx) -> Path:
    return Path(app.outdir).parent / "pictures"


def _begin(app: Sphinx) -> None:
    command = [sys.executable, "-m", "tools.site.draw", str(_folder(app))]
    _AT_WORK.append(subprocess.Popen(command, cwd=REPOSITORY, stderr=subprocess.PIPE, text=True))


def _end(app: Sphinx, env: Any) -> None:
    drawing = _AT_WORK.pop()
    _, said = drawing.communicate()
    if drawing.returncode:
        raise ExtensionError(f"the pictures could not be drawn:\n{said}")


class Inline(SphinxPostTransform):
    """Replaces the image of a picture by the picture itself."""

    default_priority = 5  # before images are looked at

    def run(self, **options: Any) -> None:
        """Replace all of them; one that nothing draws stays an image, which must exist as a file."""
        for image in list(self.document.findall(nodes.image)):
            named = PICTURE.search(image["uri"])
            path = _folder(self.app) / f"{named[1]}.svg" if named else None
            if path is not None and path.exists():
                text = path.read_text(encoding="utf-8")
                image.replace_self(nodes.raw("", f'<span class="drawn">{text}</span>', format="html"))
