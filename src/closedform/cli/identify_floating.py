"""`closedform identify-floating`."""
# ruff: noqa: PLC0415

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from ..errors import ArgumentError
from . import drives, many_logs, reading
from .identify import drawn
from .outcome import Outcome
from .shared import loaded_robot, progress_bar

Feet = Annotated[
    list[str] | None,
    typer.Option(
        "--contacts",
        help="A frame that always stands; several options. They replace the columns contact_FRAME.",
        show_default="as the log says",
    ),
]
Flat = Annotated[list[str] | None, typer.Option(help="A foot that is flat, not a point; several options.")]


def identify_floating(
    log: Annotated[
        Path,
        typer.Argument(
            help="A log with joints, base_position, base_quaternion, and contact_FRAME or wrench_FRAME."
        ),
    ],
    robot: Annotated[
        str, typer.Option("--robot", "-r", help="A catalogue name, a URDF, an MJCF or a TOML file.")
    ],
    contacts: Feet = None,
    flat: Flat = None,
    twist: Annotated[str, typer.Option(help="Axes of base_twist: body, world or mixed.")] = "body",
    wrench_axes: Annotated[str, typer.Option(help="Axes of measured wrenches: foot or world.")] = "foot",
    rows: Annotated[
        str, typer.Option(help="all dofs, or those of the base alone, if all wrenches are measured.")
    ] = "all",
    total_mass: Annotated[
        float | None, typer.Option(help="The robot's mass in kg, if it is known.", show_default="identified")
    ] = None,
    columns: reading.Columns = None,
    units: reading.Units = "",
    rate: reading.Rate = None,
    window: reading.Window = None,
    topic: reading.Topic = None,
    reduction: reading.Reduction = None,
    offset: reading.Offset = None,
    gain: reading.Gain = None,
    motor_positions: reading.MotorPositions = True,
    missing: reading.Missing = "few",
    cutoff: Annotated[
        float | None, typer.Option(help="Of the torque filter in Hz.", show_default="from the motion")
    ] = None,
    friction: drives.Friction = "auto",
    rotors: Annotated[bool, typer.Option("--rotors/--no-rotors", help="Identify rotor inertias.")] = True,
    hold_out: Annotated[
        str, typer.Option(help="none, half, or the seconds of alternating blocks that are not fitted.")
    ] = "none",
    undetermined: Annotated[
        str, typer.Option(help="error, or prior to keep what the description says.")
    ] = "error",
    physical: Annotated[
        bool | None, typer.Option("--physical/--no-physical", help="Make inertias physically consistent.")
    ] = None,
    save: Annotated[Path | None, typer.Option(help="Where to write the identified robot, as TOML.")] = None,
) -> Outcome:
    """Identify a legged robot from a log of its base, joints and contacts."""
    from ..files import check_writable
    from ..identification import identify_floating as run
    from ..joints import Free

    if save is not None and save.suffix.lower() != ".toml":
        raise ArgumentError(f"--save is {str(save)!r}; expected a name that ends in .toml")
    if save is not None:  # refused before the work, not after it
        check_writable(save)
    options = reading.reading_options(
        rate=rate,
        units=units,
        columns=columns,
        window=window,
        topic=topic,
        reduction=reduction,
        offset=offset,
        gain=gain,
        motor_positions=motor_positions,
        missing=missing,
    )
    loaded, _ = loaded_robot(robot)
    if not isinstance(loaded.model.independent[0].joint, Free):
        loaded, _ = loaded_robot(robot, quiet=True, floating_base=True)
    aside, model = many_logs.held_out(hold_out, None), drives.friction_terms(friction)
    with progress_bar(1.0) as show:
        found = run(
            loaded,
            log,
            contacts=contacts or None,
            flat=flat or (),
            twist=twist,
            wrench_axes=wrench_axes,
            rows=rows,
            total_mass=total_mass,
            cutoff=cutoff,
            friction=model,
            rotors=rotors,
            hold_out=aside,
            undetermined=undetermined,
            physical=physical,
            progress=show,
            **options,
        )
    if save is not None:
        found.save_robot(save)
    parameters, noise = found.tables
    shown = [
        *(f"doubt: {doubt}" for doubt in found.doubts),
        repr(found),
        drawn(parameters, f"parameters of {loaded.name}"),
        drawn(noise, "scatter of the equations"),
        *(f"note: {note}" for note in found.notes),
        *([str(save)] if save else []),
    ]
    facts = {
        "robot": loaded.name,
        "total_mass": found.total_mass,
        "total_mass_error": found.total_mass_error,
        "friction": str(found.friction),
        "condition": found.condition,
        "parameters": [asdict(each) for each in found.parameters],
        "errors": {name: errors.total for name, errors in found.errors.items()},
        "doubts": found.doubts,
        "notes": found.notes,
        "saved": save,
    }
    return Outcome(facts, shown)
