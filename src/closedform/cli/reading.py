"""Options of a log on the command line: what `read_log` takes, as text."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from ..errors import ArgumentError

LogSources = Annotated[
    list[Path],
    typer.Argument(
        help="A log: .csv, .txt, .parquet, .npz, .npy, .mat, .json, a ROS 2 bag, or a .toml of all this. "
        "Several are fitted together, also a folder of logs or a pattern such as 'runs/*.csv'."
    ),
]
EffortFile = Annotated[
    Path | None, typer.Option("--effort", help="The efforts, if LOG holds only positions.")
]
VelocityFile = Annotated[Path | None, typer.Option("--velocity", help="The velocities, beside --effort.")]
TimeFile = Annotated[Path | None, typer.Option("--time", help="The time stamps, beside --effort.")]
Rate = Annotated[
    str | None,
    typer.Option(
        "--rate", help="Samples per second, for logs without a time; by file as position=1000,effort=250."
    ),
]
Units = Annotated[str, typer.Option("--units", help="Units by quantity, such as position=deg,time=ms.")]
Columns = Annotated[
    list[str] | None,
    typer.Option(
        "--columns",
        help="Columns of a quantity by name or by index from 0: position=1-6, effort=tau_a,tau_b, time=0. "
        "Once for each quantity.",
        show_default="by their names",
    ),
]
Window = Annotated[
    str | None, typer.Option("--window", help="The seconds to read, as 2:10, 2: or :10.", show_default="all")
]
Topic = Annotated[
    str | None, typer.Option("--topic", help="Of the joint states in a bag.", show_default="the only one")
]
Reduction = Annotated[
    str | None,
    typer.Option("--reduction", help="Gear ratios as 50,32; or the rows of a matrix as 50,0;32,32."),
]
Offset = Annotated[str | None, typer.Option("--offset", help="Joint angles where the motors are at zero.")]
Gain = Annotated[str | None, typer.Option("--gain", help="Drive gains, newton metres per logged unit.")]
MotorPositions = Annotated[
    bool,
    typer.Option(
        "--motor-positions/--joint-positions", help="Whether positions are those of motors, with --reduction."
    ),
]
Missing = Annotated[
    str, typer.Option("--missing", help="Rows with numbers that are not finite: few, error or drop.")
]


def source_of(logs: list[Path], effort: Path | None, velocity: Path | None, time: Path | None) -> Any:
    """Return what `identify` reads: a file, one file per quantity, or several logs."""
    more = {"effort": effort, "velocity": velocity, "time": time}
    given = {quantity: path for quantity, path in more.items() if path is not None}
    if given and effort is None:
        raise ArgumentError(f"--{next(iter(given))} given without --effort; give a file of efforts too")
    if given and len(logs) > 1:
        raise ArgumentError(
            f"--effort given beside {len(logs)} logs; name the files of each in a .toml, and give those"
        )
    if given:
        return {"position": logs[0], **given}
    return logs if len(logs) > 1 else logs[0]


def reading_options(
    *,
    rate: str | None,
    units: str,
    columns: list[str] | None,
    window: str | None,
    topic: str | None,
    reduction: str | None,
    offset: str | None,
    gain: str | None,
    motor_positions: bool,
    missing: str,
) -> dict[str, Any]:
    """Return the options of `read_log`."""
    return {
        "rate": _rate(rate),
        "units": pairs("--units", units) or None,
        "columns": _all_columns(columns or []) or None,
        "window": _window(window),
        "topic": topic,
        "reduction": _matrix(reduction),
        "offset": None if offset is None else numbers("--offset", offset),
        "gain": None if gain is None else numbers("--gain", gain),
        "motor_positions": motor_positions,
        "missing": missing,
    }


def pairs(option: str, given: str) -> dict[str, str]:
    """Return name=value,... as a mapping."""
    parts = [part.partition("=") for part in given.split(",") if part.strip()]
    wrong = [name for name, equals, value in parts if not equals or not value.strip()]
    if wrong:
        raise ArgumentError(f"{option}: {wrong[0]!r} has no value; write name=value,name=value")
    return {name.strip(): value.strip() for name, _, value in parts}


def numbers(option: str, given: str) -> list[float]:
    """Return numbers between commas."""
    try:
        return [float(part) for part in given.split(",")]
    except ValueError:
        raise ArgumentError(f"{option} is {given!r}; expected numbers such as 1,2.5,3") from None


def _rate(given: str | None) -> float | dict[str, float] | None:
    if given is None:
        return None
    if "=" not in given:
        (rate, *more) = numbers("--rate", given)
        if more:
            raise ArgumentError(f"--rate is {given!r}; expected one number, or position=1000,effort=250")
        return rate
    return {name: numbers("--rate", value)[0] for name, value in pairs("--rate", given).items()}


def _all_columns(given: list[str]) -> dict[str, Any]:
    found = [_columns(each) for each in given]
    names = [quantity for quantity, _ in found]
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise ArgumentError(f"--columns {twice[0]}=... is given twice; name all columns at once, as 1,2,5-8")
    return dict(found)


def _columns(given: str) -> tuple[str, Any]:
    """Return quantity=a,b,... as a quantity and its columns: names, indices, and ranges of indices."""
    quantity, equals, value = (part.strip() for part in given.partition("="))
    if not equals or not value:
        raise ArgumentError(f"--columns is {given!r}; expected quantity=columns such as position=1-6")
    names: list[str | int] = []
    for part in (each.strip() for each in value.split(",")):
        first, dash, last = part.partition("-")
        if first.isdecimal() and first.isascii() and len(first) < 7:
            if not dash:
                names.append(int(first))
                continue
            if last.isdecimal() and last.isascii() and len(last) < 7:
                names.extend(range(int(first), int(last) + 1))
                continue
        names.append(part)
    return quantity, names[0] if quantity == "time" and len(names) == 1 else names


def _window(given: str | None) -> list[float | None] | None:
    if given is None:
        return None
    start, colon, stop = given.partition(":")
    if not colon:
        raise ArgumentError(f"--window is {given!r}; expected seconds such as 2:10, 2: or :10")
    return [numbers("--window", each)[0] if each.strip() else None for each in (start, stop)]


def _matrix(given: str | None) -> list[Any] | None:
    if given is None:
        return None
    rows = [numbers("--reduction", row) for row in given.split(";")]
    if len({len(row) for row in rows}) > 1:
        raise ArgumentError(f"--reduction is {given!r}; expected rows of one length, such as 50,0;32,32")
    return rows if len(rows) > 1 else rows[0]
