"""The page of flexible links: the example of De Luca and Siciliano, run and animated."""

from __future__ import annotations

import os
from collections.abc import Callable

from ..page import write_page
from . import animation, control, frequencies, modes, motions
from .study import FlexibleStudy

FLEXIBLE_SECTIONS = tuple(part.SECTION for part in (animation, modes, frequencies, motions, control))


def write_flexible(
    study: FlexibleStudy, path: str | os.PathLike[str], begin: Callable[[int, str], None] | None = None
) -> None:
    """Write the page of a study; the file appears whole or not at all."""
    options = {} if begin is None else {"begin": begin}
    write_page(
        path,
        subject=study,
        sections=FLEXIBLE_SECTIONS,
        name="Two flexible links",
        title="Planar arms with flexible links",
        summary="flexible_summary.html.j2",
        **options,
    )


__all__ = ["FLEXIBLE_SECTIONS", "FlexibleStudy", "write_flexible"]
