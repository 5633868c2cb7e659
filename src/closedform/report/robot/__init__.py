"""The page of a robot: its motion, torques, energy, matrices, operations and speed."""

from typing import Any

from ..page import Page
from ..section import Section
from . import (
    base_parameters,
    coordinates,
    counts,
    description,
    energy,
    matrices,
    posture,
    speed,
    startup,
    torques,
)
from .robot_study import Study

SECTIONS: tuple[Section[Any], ...] = (
    posture.SECTION,
    description.SECTION,
    coordinates.SECTION,
    torques.SECTION,
    energy.SECTION,
    matrices.SECTION,
    base_parameters.SECTION,
    counts.SECTION,
    speed.SECTION,
    startup.SECTION,
)
"""Add a section here: a module with facts, figures and `SECTION`, and a template named after its anchor."""

ROBOT_PAGE = Page("Dynamics in closed form", SECTIONS, "robot_summary.html.j2")

BASE_PARAMETERS_PAGE = Page("Minimum inertial parameters", (description.SECTION, base_parameters.SECTION))

__all__ = ["BASE_PARAMETERS_PAGE", "ROBOT_PAGE", "SECTIONS", "Study"]
