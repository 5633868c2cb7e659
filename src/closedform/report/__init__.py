"""Reports: facts about a robot as frozen dataclasses, shown on one self-contained page."""

from .page import render, write_page, write_report
from .sections import SECTIONS
from .study import Study

__all__ = ["SECTIONS", "Study", "render", "write_page", "write_report"]
