"""`closedform equations`."""
# ruff: noqa: PLC0415

from __future__ import annotations

from typing import Annotated

import typer


def equations(
    robot: Annotated[str, typer.Argument(help="A bundled robot, a URDF file or an MJCF file.")],
    name: Annotated[str, typer.Argument(metavar="FORM", help="The form, such as mass_matrix.")],
    symbolic: Annotated[
        bool, typer.Option("--symbolic", help="Letters for masses, lengths and gravity.")
    ] = False,
    latex: Annotated[bool, typer.Option("--latex", help="Print LaTeX.")] = False,
    digits: Annotated[int | None, typer.Option(help="Significant digits of numbers.")] = None,
    seconds: Annotated[float, typer.Option(help="Time to spend on multiplying out.")] = 60.0,
) -> None:
    """Print a form of a robot as equations."""
    from ..robot import load

    found = load(robot).equations(name, symbolic=symbolic, digits=digits, seconds=seconds)
    for each in found if isinstance(found, tuple) else (found,):
        typer.echo(each.latex() if latex else str(each))
