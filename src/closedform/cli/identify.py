"""`closedform identify`."""
# ruff: noqa: PLC0415

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import ArgumentError, listed
from . import drives, many_logs, reading
from .outcome import Outcome
from .shared import PageFile, loaded_mechanism, progress_bar, write_study

if TYPE_CHECKING:
    from rich.console import RenderableType

    from ..identification.workflow.listing import Table


def identify(
    log: reading.LogSources,
    robot: Annotated[
        str, typer.Option("--robot", "-r", help="A catalogue name, a URDF, an MJCF or a TOML file.")
    ],
    output: PageFile = None,
    effort: reading.EffortFile = None,
    velocity: reading.VelocityFile = None,
    time: reading.TimeFile = None,
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
    lag: Annotated[
        float | None,
        typer.Option(
            help="Seconds by which efforts were recorded later than positions.",
            show_default="by cross validation",
        ),
    ] = None,
    friction: drives.Friction = "auto",
    passive_friction: drives.PassiveFriction = "",
    springs: drives.Springs = "",
    zero_offsets: drives.ZeroOffsets = "",
    rotors: Annotated[bool, typer.Option("--rotors/--no-rotors", help="Identify rotor inertias.")] = True,
    method: Annotated[
        str,
        typer.Option(
            help="ordinary, weighted or reweighted least squares, iv (instrumental variables), or auto."
        ),
    ] = "auto",
    hold_out: Annotated[
        str, typer.Option(help="Data kept aside: none, half, or the seconds of alternating blocks.")
    ] = "none",
    hold_out_files: many_logs.HoldOutFiles = None,
    payload: many_logs.Payloads = None,
    on_error: many_logs.OnError = "raise",
    scheduler: many_logs.Scheduler = None,
    locked: Annotated[
        str,
        typer.Option(help="Joints that stay still, as name=coordinate,...; or absent: all not in the log."),
    ] = "",
    undetermined: Annotated[
        str, typer.Option(help="Parameters that the motion says nothing about: error or prior.")
    ] = "error",
    physical: Annotated[
        bool | None,
        typer.Option(
            "--physical/--no-physical", help="Physically consistent inertias.", show_default="if needed"
        ),
    ] = None,
    mass_bounds: Annotated[
        str, typer.Option(help="Masses known of bodies in kg, as link3=1:5,link4=2.", show_default="none")
    ] = "",
    total_mass: Annotated[
        float | None, typer.Option(help="Mass of all bodies that move, in kg.", show_default="unknown")
    ] = None,
    symmetric: Annotated[
        str,
        typer.Option(
            help="Bodies that an axis or a plane of their frame divides evenly, as link2=xz,link3=z.",
            show_default="none",
        ),
    ] = "",
    plausible: Annotated[
        bool, typer.Option("--plausible/--no-plausible", help="Check units against limits and inertias.")
    ] = True,
    diagnose: Annotated[
        bool,
        typer.Option(
            "--diagnose",
            help="Try what would explain the log better, and go on with one that is implausible.",
        ),
    ] = False,
    save: Annotated[Path | None, typer.Option(help="Where to write the identified robot as TOML.")] = None,
    result: Annotated[Path | None, typer.Option(help="Where to write all figures as JSON.")] = None,
) -> Outcome:
    """Identify a robot's inertias, friction and rotors from a log, and write a page about it."""
    from ..files import check_writable
    from ..identification import identify as run
    from ..identification.workflow.log_results import log_table
    from ..report import IdentificationStudy

    model = drives.friction_terms(friction)
    if save is not None and save.suffix.lower() != ".toml":
        raise ArgumentError(f"--save is {str(save)!r}; expected a name that ends in .toml")
    for each in (output, save, result):
        if each is not None:  # refused before the work, not after it
            check_writable(each)
    loaded, _ = loaded_mechanism(robot)
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
    source = reading.source_of(log, effort, velocity, time)
    aside, payloads = many_logs.held_out(hold_out, hold_out_files), many_logs.payloads_of(payload)
    with many_logs.connected(scheduler) as client, progress_bar(1.0) as show:
        found = run(
            loaded,
            source,
            cutoff=cutoff,
            lag=lag,
            friction=model,
            passive_friction=drives.joints(passive_friction),
            springs=drives.joints(springs),
            zero_offsets=drives.joints(zero_offsets),
            rotors=rotors,
            method=method,
            hold_out=aside,
            locked=locked if locked == "absent" else _angles(locked),
            undetermined=undetermined,
            physical=physical,
            mass_bounds=_masses(mass_bounds) or None,
            total_mass=total_mass,
            symmetric=reading.pairs("--symmetric", symmetric) or None,
            plausible=plausible,
            diagnose=diagnose,
            progress=show,
            payloads=payloads,
            on_error=on_error,
            client=client,
            **options,
        )
    if save is not None:
        found.save_robot(save)
    if result is not None:
        found.save(result)
    page = write_study(
        IdentificationStudy(found, listed([str(each) for each in log], 3)), output, "identify", log[0].stem
    )
    parameters, errors = found.tables
    shown = [
        *(f"doubt: {doubt}" for doubt in found.doubts),
        *(f"diagnosis: {line}" for line in found.diagnosis),
        drawn(parameters, f"{found.robot.name}: {found.friction}"),
        drawn(errors, f"condition number {found.condition:.1f}"),
        *([drawn(log_table(found.logs), "torque errors by log")] if found.logs else []),
        *(str(each) for each in found.payloads),
        *(f"note: {note}" for note in found.notes),
        *(str(path) for path in (save, result, page) if path is not None),
    ]
    facts = {
        "robot": found.robot.name,
        "friction": str(found.friction),
        "condition": found.condition,
        "lag": found.lag,
        "parameters": [asdict(each) for each in found.parameters],
        "logs": [each.table() for each in found.logs],
        "payloads": [each.table() for each in found.payloads],
        "torque_errors": {name: each.total for name, each in found.errors.items()},
        "doubts": found.doubts,
        "diagnosis": found.diagnosis,
        "notes": found.notes,
        "saved": save,
        "result": result,
        "page": page,
    }
    return Outcome(facts, shown, page)


def _angles(given: str) -> dict[str, float]:
    try:
        return {name: float(value) for name, value in reading.pairs("--locked", given).items()}
    except ValueError as error:
        raise ArgumentError(f"--locked: {error}; write joint=coordinate,joint=coordinate") from None


def _masses(given: str) -> dict[str, list[float]]:
    """Return body=low:high,body=mass as bounds."""
    found = {}
    for name, value in reading.pairs("--mass-bounds", given).items():
        low, _, high = value.partition(":")
        try:
            found[name] = [float(low), float(high or low)]
        except ValueError:
            raise ArgumentError(
                f"--mass-bounds of {name!r} is {value!r}; expected kilograms such as 1:5, or 2"
            ) from None
    return found


def drawn(table: Table, title: str) -> RenderableType:
    """Return a table of a result as it is printed."""
    from rich.table import Table as RichTable
    from rich.text import Text

    drawn = RichTable(table.heading, title=Text(title), title_justify="left")
    for column in table.columns:
        drawn.add_column(column.heading, justify="right")
    for name, *texts in table.cells():
        drawn.add_row(Text(name), *texts, style="bold" if name == "total" else None)
    return drawn
