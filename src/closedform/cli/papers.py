"""`closedform papers`."""
# ruff: noqa: PLC0415

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .outcome import Outcome
from .shared import PageFile, default_name, progress_bar


def papers(
    paper: Annotated[
        str | None, typer.Argument(help="A paper to reproduce.", show_default="list the papers")
    ] = None,
    output: PageFile = None,
) -> Outcome:
    """List the papers that the library implements, or reproduce one: its figures, tables and numbers."""
    from ..papers import KEYS
    from ..papers import paper as read

    if paper is None:
        names = {key: read(key).name for key in KEYS}
        return Outcome({"papers": names}, [f"{key:<18} {name}" for key, name in names.items()])
    from ..files import check_writable
    from ..papers import PAPER_PAGE, write_paper

    target = output if output is not None else Path(default_name(f"{read(paper).key}-papers"))
    check_writable(target)
    sections = PAPER_PAGE.sections
    with progress_bar(len(sections), sections[0].title) as begin:
        write_paper(paper, target, begin)
    return Outcome({"paper": read(paper).key, "page": target}, [str(target)], target)
