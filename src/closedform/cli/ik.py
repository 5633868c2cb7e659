"""`closedform ik`."""
# ruff: noqa: PLC0415

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Annotated

import typer

from ..errors import ModelWarning


def ik(
    robot: Annotated[
        str, typer.Argument(help="A redundant arm: a catalogue name, a URDF or an MJCF file.")
    ] = "chang3r",
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Where to write the page.", show_default="<name>_ik.html"),
    ] = None,
) -> None:
    """Solve redundant inverse kinematics round a square and write a page; by default the paper's example."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    from ..report.output import default_name
    from ..report.page import write_page
    from ..report.redundancy import SECTIONS, paper_study, study_of
    from ..robot import load

    if robot == "chang3r":
        study = paper_study()
    else:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ModelWarning)
            study = study_of(load(robot))
    name = study.robot.name
    path = output if output is not None else Path(default_name(f"{name}_ik"))
    columns = (TextColumn("{task.description:<24}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(SECTIONS[0].title, total=len(SECTIONS))

        def begin(position: int, title: str) -> None:
            progress.update(task, completed=position, description=title)

        write_page(
            path,
            subject=study,
            sections=SECTIONS,
            name=name,
            title="Redundant inverse kinematics",
            summary="ik_summary.html.j2",
            begin=begin,
        )
    typer.echo(str(study.comparison))
    typer.echo(str(path))
