"""`closedform flexible`."""
# ruff: noqa: PLC0415

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .page import section_bar


def flexible(
    output: Annotated[Path, typer.Option("--output", "-o", help="Where to write the page.")] = Path(
        "flexible-links.html"
    ),
    duration: Annotated[float, typer.Option(help="Duration of the motions in seconds.")] = 2.0,
    step: Annotated[float, typer.Option(help="Step of the integration in seconds.")] = 1e-3,
) -> None:
    """Run the two flexible links of De Luca and Siciliano and write one page: modes, motions, animation."""
    from ..report.flexible import FLEXIBLE_SECTIONS, FlexibleStudy, write_flexible

    study = FlexibleStudy(duration, step)
    with section_bar(FLEXIBLE_SECTIONS) as begin:
        write_flexible(study, output, begin)
    typer.echo(str(output))
