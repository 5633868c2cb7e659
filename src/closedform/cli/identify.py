"""`closedform identify`."""
# ruff: noqa: PLC0415

from __future__ import annotations

import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import ArgumentError, ModelWarning

if TYPE_CHECKING:
    from rich.console import RenderableType

    from ..identification import Identification


def identify(
    log: Annotated[
        Path, typer.Argument(help="A log: .csv, .parquet, or a .toml that names files, units and gears.")
    ],
    robot: Annotated[
        str, typer.Option("--robot", "-r", help="A catalogue name, a URDF, an MJCF or a TOML file.")
    ],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Where to write the page.", show_default="<log>.html"),
    ] = None,
    effort: Annotated[Path | None, typer.Option(help="The efforts, if LOG holds only positions.")] = None,
    rate: Annotated[float | None, typer.Option(help="Samples per second, for logs without a time.")] = None,
    units: Annotated[str, typer.Option(help="Units by quantity, such as position=deg,time=ms.")] = "",
    cutoff: Annotated[
        float | None, typer.Option(help="Of the torque filter in Hz.", show_default="from the motion")
    ] = None,
    friction: Annotated[
        str, typer.Option(help="auto (chosen by cross validation), classic (viscous and Coulomb) or none.")
    ] = "auto",
    rotors: Annotated[bool, typer.Option("--rotors/--no-rotors", help="Identify rotor inertias.")] = True,
    method: Annotated[
        str, typer.Option(help="ordinary, weighted or reweighted least squares.")
    ] = "reweighted",
    hold_out: Annotated[
        str, typer.Option(help="Data kept aside: none, half, or the seconds of alternating blocks.")
    ] = "none",
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
    plausible: Annotated[
        bool, typer.Option("--plausible/--no-plausible", help="Check units against limits and inertias.")
    ] = True,
    save: Annotated[Path | None, typer.Option(help="Where to write the identified robot as TOML.")] = None,
    result: Annotated[Path | None, typer.Option(help="Where to write all figures as JSON.")] = None,
) -> None:
    """Identify a robot's inertias, friction and rotors from a log, and write a page about it."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    from ..files import check_writable
    from ..identification import FrictionTerms
    from ..identification import identify as run
    from ..report.identification import write_identification
    from ..robot import load

    models: dict[str, FrictionTerms | str | None] = {"auto": "auto", "classic": FrictionTerms(), "none": None}
    if friction not in models:
        raise ArgumentError(f"--friction is {friction!r}; expected one of {', '.join(models)}")
    path = output if output is not None else log.with_suffix(".html")
    if save is not None and save.suffix.lower() != ".toml":
        raise ArgumentError(f"--save is {str(save)!r}; expected a name that ends in .toml")
    for each in (path, save, result):
        if each is not None:  # told before the work, not after it
            check_writable(each)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ModelWarning)
        loaded = load(robot)
    for warning in caught:
        typer.echo(f"warning: {warning.message}", err=True)
    reading: dict[str, Any] = {"rate": rate, "units": _pairs("--units", units) or None}
    source: Any = log if effort is None else {"position": log, "effort": effort}
    console = Console(stderr=True)
    columns = (TextColumn("{task.description:<28}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task("", total=1.0)

        def hear(done: float, what: str) -> None:
            progress.update(task, completed=done, description=what)

        found = run(
            loaded,
            source,
            cutoff=cutoff,
            friction=models[friction],
            rotors=rotors,
            method=method,
            hold_out=_hold_out(hold_out),
            locked=locked if locked == "absent" else _angles(locked),
            undetermined=undetermined,
            physical=physical,
            plausible=plausible,
            progress=hear,
            **reading,
        )
    for doubt in found.doubts:
        typer.echo(f"doubt: {doubt}")
    Console().print(_parameters(found), _errors(found))
    for note in found.notes:
        typer.echo(f"note: {note}")
    if save is not None:
        found.save_robot(save)
    if result is not None:
        found.save(result)
    write_identification(found, path, str(log))
    typer.echo(str(path))


def _pairs(option: str, given: str) -> dict[str, str]:
    """Return name=value,... as a mapping."""
    pairs = [part.partition("=") for part in given.split(",") if part.strip()]
    wrong = [name for name, equals, value in pairs if not equals or not value.strip()]
    if wrong:
        raise ArgumentError(f"{option}: {wrong[0]!r} has no value; write name=value,name=value")
    return {name.strip(): value.strip() for name, _, value in pairs}


def _angles(given: str) -> dict[str, float]:
    try:
        return {name: float(value) for name, value in _pairs("--locked", given).items()}
    except ValueError as error:
        raise ArgumentError(f"--locked: {error}; write joint=coordinate,joint=coordinate") from None


def _hold_out(given: str) -> float | str | None:
    if given in ("none", "half"):
        return None if given == "none" else given
    try:
        return float(given)
    except ValueError:
        raise ArgumentError(f"--hold-out is {given!r}; expected none, half or seconds") from None


def _parameters(found: Identification) -> RenderableType:
    from rich.table import Table

    table = Table("parameter", title=f"{found.robot.name}: {found.friction}", title_justify="left")
    for name in ("value", "std. error", "described"):
        table.add_column(name, justify="right")
    for p in found.parameters:
        told = "" if p.described is None else f"{p.described:.4g}"
        table.add_row(p.name, f"{p.value:.4g}", f"{p.standard_error:.2g}", told)
    return table


def _errors(found: Identification) -> RenderableType:
    from rich.table import Table

    parts = {"fitted": found.fitted, "left out": found.cross_validation, "held out": found.held_out}
    shown = {name: errors for name, errors in parts.items() if errors is not None}
    table = Table("torque error", title=f"condition number {found.condition:.1f}", title_justify="left")
    for name in shown:
        table.add_column(name, justify="right")
    for j, joint in enumerate(found.robot.joint_names):
        table.add_row(joint, *(f"{100 * errors.relative[j]:.2f} %" for errors in shown.values()))
    table.add_row("total", *(f"{100 * errors.total:.2f} %" for errors in shown.values()), style="bold")
    return table
