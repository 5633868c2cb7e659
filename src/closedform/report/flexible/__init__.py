"""The page of an arm with flexible links."""

from ..page import Page
from . import animation, control, frequencies, modes, motions, tip
from .arm_study import FlexibleStudy

FLEXIBLE_PAGE = Page(
    "Planar arms with flexible links",
    tuple(part.SECTION for part in (animation, modes, frequencies, motions, control, tip)),
    "flexible_summary.html.j2",
)

__all__ = ["FLEXIBLE_PAGE", "FlexibleStudy"]
