"""`closedform equations`."""

from __future__ import annotations

from typing import Annotated

import typer

from .shared import (
    CoordinatesName,
    FactorisationName,
    FloatingBase,
    FrameName,
    ObserverName,
    Order,
    ReferenceName,
    Source,
    loaded_robot,
    working,
)
from .springs import DAMPING, GEAR_RATIO, MOTOR_INERTIA, STIFFNESS, on_springs


def equations(
    robot: Source,
    name: Annotated[str, typer.Argument(metavar="FORM", help="The form, such as mass_matrix.")],
    symbolic: Annotated[
        bool, typer.Option("--symbolic", help="Letters for masses, lengths and gravity.")
    ] = False,
    latex: Annotated[bool, typer.Option("--latex", help="Print LaTeX.")] = False,
    digits: Annotated[int | None, typer.Option(help="Significant digits of numbers.")] = None,
    seconds: Annotated[float, typer.Option(help="Time to spend on multiplying out.")] = 60.0,
    frame: FrameName = None,
    reference: ReferenceName = None,
    relative_to: ObserverName = None,
    factorisation: FactorisationName = "christoffel",
    coordinates: CoordinatesName = None,
    order: Order = None,
    floating_base: FloatingBase = False,
    stiffness: Annotated[str | None, STIFFNESS] = None,
    motor_inertia: Annotated[str, MOTOR_INERTIA] = "1",
    gear_ratio: Annotated[str, GEAR_RATIO] = "0.01",
    damping: Annotated[str, DAMPING] = "0",
) -> None:
    """Print a form of a robot as equations; with --stiffness of the robot on elastic joints."""
    loaded, _ = loaded_robot(robot, floating_base=floating_base)
    owner = on_springs(loaded, stiffness, motor_inertia, gear_ratio, damping)
    with working(f"multiplying out, {seconds:g} s at most ..."):
        found = owner.equations(
            name,
            frame,
            order=order,
            reference=reference,
            relative_to=relative_to,
            factorisation=factorisation,
            coordinates=coordinates,
            symbolic=symbolic,
            digits=digits,
            seconds=seconds,
        )
    for each in found if isinstance(found, tuple) else (found,):
        typer.echo(each.latex() if latex else str(each))
