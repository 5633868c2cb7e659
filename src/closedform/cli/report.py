"""`closedform report`."""
# ruff: noqa: PLC0415

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Annotated

import typer

from ..errors import ModelWarning


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
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    from ..report import SECTIONS, Study, write_report
    from ..report.output import default_name
    from ..robot import load

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ModelWarning)
        loaded = load(robot, floating_base=floating_base)
    notes = tuple(str(each.message) for each in caught if issubclass(each.category, ModelWarning))
    for note in notes:
        typer.echo(f"warning: {note}", err=True)
    study = Study(loaded, duration, samples, pinocchio, notes=notes)
    path = output if output is not None else Path(default_name(loaded.name))
    columns = (TextColumn("{task.description:<24}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(SECTIONS[0].title, total=len(SECTIONS))

        def begin(position: int, title: str) -> None:
            progress.update(task, completed=position, description=title)

        write_report(study, path, begin)
    typer.echo(str(path))
