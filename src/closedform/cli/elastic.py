"""`closedform elastic`."""
# ruff: noqa: PLC0415

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .page import loaded_robot, section_bar


def elastic(
    robot: Annotated[
        str, typer.Argument(help="A catalogue name (see `closedform robots`), a URDF or an MJCF file.")
    ] = "iiwa14",
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Where to write the page.", show_default="<name>-elastic.html"),
    ] = None,
    stiffness: Annotated[float, typer.Option(help="Stiffness seen at every joint, N m/rad.")] = 1e4,
    motor_inertia: Annotated[float, typer.Option(help="Rotor inertia seen at every joint, kg m^2.")] = 1.0,
    gear: Annotated[float, typer.Option(help="Turns of the joint per turn of the motor.")] = 0.01,
    tool: Annotated[float, typer.Option(help="Mass of the tool that the last body carries, kg.")] = 3.0,
    runs: Annotated[int, typer.Option(help="Runs of each Monte-Carlo study.", min=1, max=100_000)] = 1000,
) -> None:
    """Write one page about a robot on elastic joints: torque rates, laws, tracking, robustness."""
    from ..report.elastic import ELASTIC_SECTIONS, ElasticStudy, write_elastic
    from ..report.output import default_name

    loaded, _ = loaded_robot(robot)
    study = ElasticStudy(loaded, stiffness, motor_inertia, gear, tool, runs)
    path = output if output is not None else Path(default_name(f"{loaded.name}-elastic"))
    with section_bar(ELASTIC_SECTIONS) as begin:
        write_elastic(study, path, begin)
    typer.echo(str(path))
