"""`closedform export`."""

from __future__ import annotations

from typing import Annotated

import typer

from .shared import FloatingBase, FrameName, Order, Source, loaded_robot, working


def export(
    robot: Source,
    name: Annotated[str, typer.Argument(metavar="FORM", help="The form, such as inverse_dynamics.")],
    language: Annotated[str, typer.Option(help="c, cuda, matlab or numpy.")] = "c",
    output: Annotated[
        str, typer.Option("--output", "-o", help="A folder (folder/ is made), or a file without its ending.")
    ] = ".",
    frame: FrameName = None,
    precision: Annotated[str, typer.Option(help="double or float.")] = "double",
    order: Order = None,
    phi: Annotated[bool, typer.Option("--phi", help="Inertial parameters as an input.")] = False,
    floating_base: FloatingBase = False,
) -> None:
    """Write a form of a robot as source code."""
    loaded, _ = loaded_robot(robot, floating_base=floating_base)
    options = {"frame": frame, "precision": precision, "order": order, "phi": phi}
    with working("writing code ..."):
        paths = loaded.export(name, language, output, **options)  # type: ignore[arg-type]
    for path in paths:
        typer.echo(str(path))
