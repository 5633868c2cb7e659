"""The page of a paper: its figures and tables made again, its numbers beside ours, and its map."""

from __future__ import annotations

import os

from ..files import whole_file
from ..report.figure import Figure
from ..report.page import Begin, Page
from ..report.section import Section
from .exhibit import Exhibit
from .paper import Item, Paper, paper
from .printed import Printed


def _figures(exhibits: list[Exhibit]) -> dict[str, Figure]:
    """Return the figures of all exhibits by label and caption."""
    return {f"{each.label}: {caption}": shown for each in exhibits for caption, shown in each.figures.items()}


def _printed(subject: Paper) -> list[Printed] | None:
    return subject.printed() or None


def _items(subject: Paper) -> tuple[Item, ...]:
    return subject.items


PAPER_PAGE = Page(
    "A paper, computed again",
    (
        Section("paper_exhibits", "Figures, tables, examples", Paper.exhibits, _figures),
        Section("paper_printed", "Printed numbers", _printed),
        Section("paper_map", "Every equation", _items),
    ),
    "paper_summary.html.j2",
)


def write_paper(key: str, path: str | os.PathLike[str], begin: Begin | None = None) -> None:
    """Write the page of a paper; the file appears whole or not at all.

    `begin` is called with the position and title of each section as its work begins.

    >>> from closedform.papers import write_paper
    >>> write_paper("chang", "chang.html")  # doctest: +SKIP
    """
    subject = paper(key)
    with whole_file(path) as file:
        file.write(PAPER_PAGE.render(subject, subject.name, begin))
