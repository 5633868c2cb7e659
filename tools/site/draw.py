"""`python -m tools.site.draw FOLDER [name ...]`: write the pictures of the documents as SVG files."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

from closedform import ModelWarning

from .drawings import PICTURES


def draw(folder: Path, names: list[str]) -> None:
    """Write some pictures, or all, into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        for name in names or PICTURES:
            (folder / f"{name}.svg").write_text(PICTURES[name](), encoding="utf-8")


if __name__ == "__main__":
    draw(Path(sys.argv[1]), sys.argv[2:])
