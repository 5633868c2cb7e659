"""The page: every section's facts and figures through its template, in one file that needs no network."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from plotly.offline import get_plotlyjs

from .. import __version__
from ..checks import function, instance, instances, text
from ..errors import ArgumentError, shown
from ..files import whole_file
from . import numerals
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


Begin = Callable[[int, str], None]
"""Hears the position and title of each section as its work begins."""


def _silent(position: int, title: str) -> None:
    """Hear of a section and do nothing."""


def parts(
    subject: Any, sections: Sequence[Section[Any]] = SECTIONS, begin: Begin = _silent
) -> Iterator[Part]:
    """Yield the sections that have something to say about the subject."""
    for position, section in enumerate(sections):
        begin(position, section.title)
        facts = section.gather(subject)
        if facts is not None:
            template = environment().get_template(section.template)
            html = template.render(section=section, facts=facts, figures=section.draw(facts))
            yield Part(section, facts, Markup(html))


def render(study: Study, begin: Begin = _silent) -> str:
    """Return a robot's page; `begin` hears the position and title of each section as its work begins."""
    instance("report: study", study, Study)
    function("report: begin", begin, "a position and a title", 2)
    return _page(study, SECTIONS, study.robot.name, "Dynamics in closed form", "summary.html.j2", begin)


def write_report(study: Study, path: str | os.PathLike[str], begin: Begin = _silent) -> None:
    """Write the page of a study; the file appears whole or not at all."""
    with whole_file(path) as file:
        file.write(render(study, begin))


def write_page(
    path: str | os.PathLike[str],
    *,
    subject: Any,
    sections: Sequence[Section[Any]],
    name: str,
    title: str,
    summary: str | None = None,
    begin: Begin = _silent,
) -> None:
    """Write a page of sections about any subject; the file appears whole or not at all.

    `name` is the heading, `title` the line above it, `summary` the template of the figures at
    the top, which sees `facts` by the anchors of the sections.
    """
    instances("page: sections", sections, Section)
    for what, given in (("name", name), ("title", title)):
        if not text(f"page: {what}", given).strip():
            raise ArgumentError(f"page: {what} is {shown(given)}; expected a text that can be seen")
    function("page: begin", begin, "a position and a title", 2)
    if summary is not None and text("page: summary", summary) not in environment().list_templates():
        raise ArgumentError(f"page: summary is {shown(summary)}; expected a template of the reports")
    with whole_file(path) as file:
        file.write(_page(subject, sections, name, title, summary, begin))


def _page(
    subject: Any,
    sections: Sequence[Section[Any]],
    name: str,
    title: str,
    summary: str | None,
    begin: Begin,
) -> str:
    shown = list(parts(subject, sections, begin))
    return (
        environment()
        .get_template("page.html.j2")
        .render(
            name=name,
            title=title,
            summary=summary,
            parts=shown,
            facts={part.section.anchor: part.facts for part in shown},
            plotly=Markup(get_plotlyjs()),
            version=__version__,
        )
    )
