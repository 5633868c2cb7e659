"""`closedform papers`."""
# ruff: noqa: PLC0415

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .shared import PageFile, default_name, progress_bar


def papers(
    paper: Annotated[
        str | None, typer.Argument(help="A paper to reproduce.", show_default="list the papers")
    ] = None,
    output: PageFile = None,
) -> None:
    """List the papers that the library implements, or reproduce one: its figures, tables and numbers."""
    from ..papers import KEYS
    from ..papers import paper as read

    if paper is None:
        for key in KEYS:
            typer.echo(f"{key:<18} {read(key).name}")
        return
    from ..files import check_writable
    from ..papers import PAPER_PAGE, write_paper

    target = output if output is not None else Path(default_name(f"{read(paper).key}-papers"))
    check_writable(target)
    sections = PAPER_PAGE.sections
    with progress_bar(len(sections), sections[0].title) as begin:
        write_paper(paper, target, begin)
    typer.echo(str(target))
