"""`closedform export`."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from .outcome import Outcome
from .shared import FloatingBase, FrameName, Gravity, Order, Source, loaded_mechanism, working
from .springs import DAMPING, GEAR_RATIO, MOTOR_INERTIA, STIFFNESS, on_springs


def export(
    robot: Source,
    names: Annotated[
        list[str],
        typer.Argument(
            metavar="FORM",
            help="Forms, such as inverse_dynamics; jacobian:frame=tool,reference=world chooses for one.",
        ),
    ],
    language: Annotated[str, typer.Option(help="c, c++, cuda, matlab, simulink or numpy.")] = "c",
    output: Annotated[
        str,
        typer.Option(
            "--output",
            "-o",
            help="A folder (folder/ is made); for one form also a file without its ending.",
        ),
    ] = ".",
    library: Annotated[
        bool,
        typer.Option(
            "--library",
            help="One form as a library too: with a CMake file, a self-check and sizes. Several always are.",
        ),
    ] = False,
    frame: FrameName = None,
    precision: Annotated[str, typer.Option(help="double or float.")] = "double",
    order: Order = None,
    phi: Annotated[
        bool,
        typer.Option(
            "--phi",
            help="Inertial parameters as an input (on elastic joints stiffness and motor inertia too).",
        ),
    ] = False,
    geometry: Annotated[
        bool, typer.Option("--geometry", help="Placements of the joints as an input, after phi.")
    ] = False,
    floating_base: FloatingBase = False,
    gravity: Gravity = None,
    stiffness: Annotated[str | None, STIFFNESS] = None,
    motor_inertia: Annotated[str, MOTOR_INERTIA] = "1",
    gear_ratio: Annotated[str, GEAR_RATIO] = "0.01",
    damping: Annotated[str, DAMPING] = "0",
) -> Outcome:
    """Write forms of a robot as source code: one for itself, several as a library in one folder.

    With --stiffness the forms are those of the robot on elastic joints.
    """
    loaded, _ = loaded_mechanism(robot, floating_base=floating_base, gravity=gravity)
    owner = on_springs(loaded, stiffness, motor_inertia, gear_ratio, damping)
    requests = [_request(each) for each in names]
    (name, own), *others = requests
    alone = not (others or library)
    options = {"frame": frame, "order": order, "phi": phi, "geometry": geometry, **(own if alone else {})}
    with working("writing code ..."):
        paths = owner.export(
            name if alone else requests,
            language,
            output,
            precision=precision,
            **options,
        )
    return Outcome(
        {"robot": loaded.name, "language": language, "files": paths}, [str(path) for path in paths]
    )


def _request(text: str) -> tuple[str, dict[str, Any]]:
    """Return the form and the choices of "form:choice=value,choice"; a choice without a value is True."""
    name, _, chosen = text.partition(":")
    pairs = (each.partition("=") for each in chosen.split(",") if each)
    return name, {choice: _value(choice, value) if given else True for choice, given, value in pairs}


def _value(choice: str, text: str) -> Any:
    """Return a value as the library takes it: orders are numbers, and + joins several names."""
    if choice == "order" and text.isdecimal() and len(text) < 4:
        return int(text)
    several = choice == "wrenches" or (choice == "rows" and "+" in text)
    return tuple(text.split("+")) if several else text
