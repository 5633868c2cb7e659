"""`closedform ik`."""
# ruff: noqa: PLC0415

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .page import loaded_robot, section_bar


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
    from ..report.output import default_name
    from ..report.page import write_page
    from ..report.redundancy import SECTIONS, paper_study, study_of

    study = paper_study() if robot == "chang3r" else study_of(loaded_robot(robot)[0])
    name = study.robot.name
    path = output if output is not None else Path(default_name(f"{name}_ik"))
    with section_bar(SECTIONS) as begin:
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
