"""`closedform payload`."""
# ruff: noqa: PLC0415

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import ArgumentError
from . import reading
from .identify import drawn
from .outcome import Outcome
from .shared import loaded_robot

if TYPE_CHECKING:
    from ..identification import DriveGains, FrictionTerms
    from ..robot import Robot


def payload(
    log: Annotated[Path, typer.Argument(help="A log with the payload, in any form that identify reads.")],
    robot: Annotated[
        str, typer.Option("--robot", "-r", help="A catalogue name, a URDF, an MJCF or a TOML file.")
    ],
    empty: Annotated[
        Path,
        typer.Option("--empty", help="The log without the payload, read like LOG, or a saved result.json."),
    ],
    body: Annotated[
        str | None, typer.Option(help="The body that carries it.", show_default="the last one")
    ] = None,
    known_mass: Annotated[
        float | None,
        typer.Option(
            help="The mass in kg, if it is known: drive gains are estimated.", show_default="unknown"
        ),
    ] = None,
    gains: Annotated[
        Path | None, typer.Option(help="Drive gains that --save wrote; their uncertainty is counted.")
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
    friction: Annotated[
        str, typer.Option(help="auto (chosen by cross validation), classic (viscous and Coulomb) or none.")
    ] = "auto",
    save: Annotated[Path | None, typer.Option(help="Where to write drive gains, with --known-mass.")] = None,
) -> Outcome:
    """Weigh what a robot carries from a log with it and one without; or find drive gains by a known mass."""
    from ..identification import DriveGains, FrictionTerms, known_mass_gains

    models: dict[str, FrictionTerms | str | None] = {"auto": "auto", "classic": FrictionTerms(), "none": None}
    if friction not in models:
        raise ArgumentError(f"--friction is {friction!r}; expected one of {', '.join(models)}")
    if save is not None and known_mass is None:
        raise ArgumentError("--save writes drive gains; give --known-mass too")
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
    if known_mass is None:
        given = None if gains is None else DriveGains.load(gains)
        return _weighed(loaded, log, empty, body, given, cutoff, models[friction], options)
    if gains is not None:
        raise ArgumentError("--gains and --known-mass: give one, gains are estimated with a known mass")
    model = models[friction]
    found = known_mass_gains(
        loaded, empty, log, known_mass, body=body, cutoff=cutoff, friction=model, **options
    )
    if save is not None:
        found.save(save)
    facts = {
        "robot": loaded.name,
        "joints": found.joints,
        "gains": found.values,
        "gain_errors": found.standard_errors,
        "notes": found.notes,
        "saved": save,
    }
    notes = [f"note: {note}" for note in found.notes]
    return Outcome(
        facts, [drawn(found.table, f"drive gains of {loaded.name}"), *notes, *([str(save)] if save else [])]
    )


def _weighed(
    robot: Robot,
    log: Path,
    empty: Path,
    body: str | None,
    gains: DriveGains | None,
    cutoff: float | None,
    friction: FrictionTerms | str | None,
    options: dict[str, Any],
) -> Outcome:
    """Return the payload that explains a log."""
    from ..identification import Identification, identify, identify_payload

    if gains is not None and options["gain"] is None:
        options = {**options, "gain": gains.values}
    if empty.suffix.lower() == ".json":
        without = Identification.load(empty)
    else:
        without = identify(robot, empty, cutoff=cutoff, friction=friction, physical=False, **options)
    found = identify_payload(without, log, body=body, gains=gains, **options)
    short, every = found.tables
    shown = [
        *(f"doubt: {doubt}" for doubt in (*without.doubts, *found.doubts)),
        drawn(short, f"payload of {found.body}"),
        drawn(every, f"torque error {100 * found.errors.total:.2f} %"),
        *(f"note: {note}" for note in (*without.notes, *found.notes)),
    ]
    facts = {
        "robot": robot.name,
        "body": found.body,
        "mass": found.mass,
        "mass_error": found.mass_error,
        "com": found.com,
        "com_errors": found.com_errors,
        "phi": found.phi,
        "standard_errors": found.standard_errors,
        "torque_error": found.errors.total,
        "doubts": (*without.doubts, *found.doubts),
        "notes": (*without.notes, *found.notes),
    }
    return Outcome(facts, shown)
