"""`closedform equations`."""

from __future__ import annotations

from typing import Annotated

import typer

from .outcome import Outcome
from .shared import (
    CoordinatesName,
    FactorisationName,
    FloatingBase,
    FrameName,
    Gravity,
    ObserverName,
    Order,
    ReferenceName,
    Source,
    loaded_mechanism,
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
    gravity: Gravity = None,
    stiffness: Annotated[str | None, STIFFNESS] = None,
    motor_inertia: Annotated[str, MOTOR_INERTIA] = "1",
    gear_ratio: Annotated[str, GEAR_RATIO] = "0.01",
    damping: Annotated[str, DAMPING] = "0",
) -> Outcome:
    """Print a form of a robot as equations; with --stiffness of the robot on elastic joints."""
    loaded, _ = loaded_mechanism(robot, floating_base=floating_base, gravity=gravity)
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
        parts = found if isinstance(found, tuple) else (found,)
        texts = [each.latex() if latex else str(each) for each in parts]
    facts = {
        "robot": loaded.name,
        "form": name,
        "symbols": {str(symbol): value for each in parts for symbol, value in each.values.items()},
        "equations": [
            {"name": each.name, "shape": each.shape, "text": text}
            for each, text in zip(parts, texts, strict=True)
        ],
    }
    return Outcome(facts, texts)
