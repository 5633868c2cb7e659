"""The page of redundant inverse kinematics."""

from ..page import Page
from . import comparison, joints, postures, self_motion, tip
from .path_study import RedundancyStudy

REDUNDANCY_PAGE = Page(
    "Redundant inverse kinematics",
    tuple(part.SECTION for part in (joints, tip, self_motion, postures, comparison)),
    "redundancy_summary.html.j2",
)

__all__ = ["REDUNDANCY_PAGE", "RedundancyStudy"]
