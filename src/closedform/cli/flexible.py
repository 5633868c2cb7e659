"""`closedform flexible`."""
# ruff: noqa: PLC0415

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def flexible(
    output: Annotated[Path, typer.Option("--output", "-o", help="Where to write the page.")] = Path(
        "flexible-links.html"
    ),
    duration: Annotated[float, typer.Option(help="Duration of the motions in seconds.")] = 2.0,
    step: Annotated[float, typer.Option(help="Step of the integration in seconds.")] = 1e-3,
) -> None:
    """Run the two flexible links of De Luca and Siciliano and write one page: modes, motions, animation."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    from ..report.flexible import FLEXIBLE_SECTIONS, FlexibleStudy, write_flexible

    study = FlexibleStudy(duration, step)
    columns = (TextColumn("{task.description:<24}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(FLEXIBLE_SECTIONS[0].title, total=len(FLEXIBLE_SECTIONS))

        def begin(position: int, title: str) -> None:
            progress.update(task, completed=position, description=title)

        write_flexible(study, output, begin)
    typer.echo(str(output))
