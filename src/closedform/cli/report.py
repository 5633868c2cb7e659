"""`closedform report`."""
# ruff: noqa: PLC0415

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .page import loaded_robot, section_bar


def report(
    robot: Annotated[
        str, typer.Argument(help="A catalogue name (see `closedform robots`), a URDF or an MJCF file.")
    ],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Where to write the page.", show_default="<name>.html"),
    ] = None,
    floating_base: Annotated[
        bool, typer.Option("--floating-base", help="Put a free joint under the root.")
    ] = False,
    duration: Annotated[float, typer.Option(help="Duration of the motion in seconds.")] = 4.0,
    samples: Annotated[int, typer.Option(help="Samples of the motion.", min=2, max=100_000)] = 1000,
    pinocchio: Annotated[
        bool, typer.Option("--pinocchio/--no-pinocchio", help="Compare with Pinocchio where it is installed.")
    ] = True,
) -> None:
    """Write one self-contained HTML page about a robot: motion, torques, energy, matrices, speed."""
    from ..report import SECTIONS, Study, write_report
    from ..report.output import default_name

    loaded, notes = loaded_robot(robot, floating_base=floating_base)
    study = Study(loaded, duration, samples, pinocchio, notes=notes)
    path = output if output is not None else Path(default_name(loaded.name))
    with section_bar(SECTIONS) as begin:
        write_report(study, path, begin)
    typer.echo(str(path))
