"""The page: every section's facts and figures through its template, in one file that needs no network."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from plotly.offline import get_plotlyjs

from .. import __version__
from . import numerals
from .output import whole_file
from .section import Section
from .sections import SECTIONS
from .study import Study


@dataclass(frozen=True)
class Part:
    """A section with its facts and figures, ready to be shown."""

    section: Section[Any]
    facts: Any
    html: Markup


@cache
def environment() -> Environment:
    """Return the templates; everything put into them is escaped."""
    env = Environment(
        loader=PackageLoader("closedform.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    env.filters.update(numerals.FILTERS)
    return env


def _silent(position: int, title: str) -> None:
    """Hear of a section and do nothing."""


def parts(study: Study, begin: Callable[[int, str], None] = _silent) -> Iterator[Part]:
    """Yield the sections that have something to say about the robot."""
    for position, section in enumerate(SECTIONS):
        begin(position, section.title)
        facts = section.gather(study)
        if facts is not None:
            template = environment().get_template(section.template)
            html = template.render(section=section, facts=facts, figures=section.draw(facts))
            yield Part(section, facts, Markup(html))


def render(study: Study, begin: Callable[[int, str], None] = _silent) -> str:
    """Return the page; `begin` hears the position and title of each section as its work begins."""
    shown = list(parts(study, begin))
    return (
        environment()
        .get_template("page.html.j2")
        .render(
            name=study.robot.name,
            parts=shown,
            facts={part.section.anchor: part.facts for part in shown},
            plotly=Markup(get_plotlyjs()),
            version=__version__,
        )
    )


def write_report(
    study: Study, path: str | os.PathLike[str], begin: Callable[[int, str], None] = _silent
) -> None:
    """Write the page of a study; the file appears whole or not at all."""
    with whole_file(path) as file:
        file.write(render(study, begin))
