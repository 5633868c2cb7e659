"""The page: every section's facts and figures through its template, in one file that needs no network."""

from __future__ import annotations

import os
import zlib
from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from plotly.offline import get_plotlyjs

from .. import __version__
from ..checks import function, instances, text
from ..errors import ArgumentError, shown
from ..files import whole_file
from ..scene.library import SCENE, library
from . import numerals
from .figure import Figure
from .formulas import mathml, prose
from .section import Section

Begin = Callable[[int, str], None]
"""Called with the position and title of each section as its work begins, to show progress."""


@dataclass(frozen=True)
class Page:
    """What the pages of one kind of study have in common.

    `title` is the line above the heading, `summary` the template of the figures at the top, which
    sees `facts` by the anchors of the sections.
    """

    title: str
    sections: tuple[Section[Any], ...]
    summary: str | None = None

    def render(self, subject: Any, name: str, begin: Begin | None = None) -> str:
        """Return the page of a subject under the heading `name`."""
        shown_parts = list(parts(subject, self.sections, begin))
        template = environment().get_template("page.html.j2")
        return template.render(
            name=name,
            title=self.title,
            summary=self.summary,
            parts=shown_parts,
            facts={part.section.anchor: part.facts for part in shown_parts},
            scenes=library() if any(SCENE in part.html for part in shown_parts) else Markup(""),
            plotly=plotting_library() if any(part.figures for part in shown_parts) else None,
            version=__version__,
        )


@dataclass(frozen=True)
class Part:
    """A section with its facts and figures, ready to be shown."""

    section: Section[Any]
    facts: Any
    figures: Mapping[str, Figure]
    html: Markup


@cache
def plotting_library() -> Markup:
    """Return plotly.js compressed for the page (RFC 1950) and as letters (base64): 2 MB instead of 5."""
    return Markup(b64encode(zlib.compress(get_plotlyjs().encode())).decode())


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
    env.filters.update(numerals.FILTERS, mathml=mathml, prose=prose)
    return env


def parts(subject: Any, sections: Sequence[Section[Any]], begin: Begin | None = None) -> Iterator[Part]:
    """Yield the sections that have something to say about the subject."""
    for position, section in enumerate(sections):
        if begin is not None:
            begin(position, section.title)
        facts = section.gather(subject)
        if facts is not None:
            template = environment().get_template(section.template)
            figures = section.draw(facts)
            html = template.render(section=section, facts=facts, figures=figures)
            yield Part(section, facts, figures, Markup(html))


def write_page(
    path: str | os.PathLike[str],
    *,
    subject: Any,
    sections: Sequence[Section[Any]],
    name: str,
    title: str,
    summary: str | None = None,
    begin: Begin | None = None,
) -> None:
    """Write a page of sections about any subject; the file appears whole or not at all.

    `name` is the heading, `title` the line above it, `summary` the template of the figures at
    the top, which sees `facts` by the anchors of the sections. `begin` is called with the position
    and title of each section as its work begins.
    """
    instances("page: sections", sections, Section)
    for what, given in (("name", name), ("title", title)):
        if not text(f"page: {what}", given).strip():
            raise ArgumentError(f"page: {what} is {shown(given)}; expected a text that can be seen")
    if begin is not None:
        function("page: begin", begin, "a position and a title", 2)
    if summary is not None and text("page: summary", summary) not in environment().list_templates():
        raise ArgumentError(f"page: summary is {shown(summary)}; expected a template of the reports")
    with whole_file(path) as file:
        file.write(Page(title, tuple(sections), summary).render(subject, name, begin))
