"""Reports: a study of any subject as frozen dataclasses of facts, shown on one self-contained page."""

from __future__ import annotations

import os
from typing import Any

from ..checks import function
from ..errors import ArgumentError, shown
from ..files import whole_file
from .elastic import ELASTIC_PAGE, ElasticStudy
from .flexible import FLEXIBLE_PAGE, FlexibleStudy
from .identification import EXCITATION_PAGE, IDENTIFICATION_PAGE, ExcitationStudy, IdentificationStudy
from .mechanism import MECHANISM_PAGE, MechanismStudy
from .page import Begin, Page, write_page
from .redundancy import REDUNDANCY_PAGE, RedundancyStudy
from .robot import ROBOT_PAGE, SECTIONS, Study

PAGES: dict[type, Page] = {
    Study: ROBOT_PAGE,
    FlexibleStudy: FLEXIBLE_PAGE,
    ElasticStudy: ELASTIC_PAGE,
    RedundancyStudy: REDUNDANCY_PAGE,
    IdentificationStudy: IDENTIFICATION_PAGE,
    ExcitationStudy: EXCITATION_PAGE,
    MechanismStudy: MECHANISM_PAGE,
}
"""The page of each kind of study. A study has a `name`, the heading of its page."""


def page_of(study: Any) -> Page:
    """Return the page that shows a study."""
    if type(study) not in PAGES:
        kinds = ", ".join(kind.__name__ for kind in PAGES)
        raise ArgumentError(f"report: study is {shown(study)}; expected one of {kinds}")
    return PAGES[type(study)]


def render(study: Any, begin: Begin | None = None) -> str:
    """Return the page of a study; `begin` is called with the position and title of each section."""
    page = page_of(study)
    if begin is not None:
        function("report: begin", begin, "a position and a title", 2)
    return page.render(study, study.name, begin)


def write_report(study: Any, path: str | os.PathLike[str], begin: Begin | None = None) -> None:
    """Write the page of a study; the file appears whole or not at all."""
    with whole_file(path) as file:
        file.write(render(study, begin))


__all__ = [
    "SECTIONS",
    "ElasticStudy",
    "ExcitationStudy",
    "FlexibleStudy",
    "IdentificationStudy",
    "MechanismStudy",
    "RedundancyStudy",
    "Study",
    "render",
    "write_page",
    "write_report",
]
