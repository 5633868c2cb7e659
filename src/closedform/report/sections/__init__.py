"""The sections of the report, in the order of the page."""

from typing import Any

from ..section import Section
from . import base, counts, energy, matrices, motion, posture, robot, speed, startup, torques

SECTIONS: tuple[Section[Any], ...] = (
    robot.SECTION,
    posture.SECTION,
    motion.SECTION,
    torques.SECTION,
    energy.SECTION,
    matrices.SECTION,
    base.SECTION,
    counts.SECTION,
    speed.SECTION,
    startup.SECTION,
)
"""Add a section here: a module with facts, figures and `SECTION`, and a template of the same name."""

__all__ = ["SECTIONS"]
