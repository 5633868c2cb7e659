"""The page of a robot with loops: its motion, how well its loops are closed, and its drives."""

from ..page import Page
from . import closure, loops, posture, torques
from .mechanism_study import MechanismStudy

MECHANISM_PAGE = Page(
    "Dynamics with closed loops", tuple(part.SECTION for part in (posture, loops, closure, torques))
)

__all__ = ["MECHANISM_PAGE", "MechanismStudy"]
