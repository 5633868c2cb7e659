"""Options of several logs on the command line: what is held out, what is carried, who shares the work."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Annotated, Any

import typer

from ..errors import ArgumentError, ClosedFormError
from . import reading

SECONDS = 10
"""Seconds in which a cluster must answer."""

HoldOutFiles = Annotated[
    str | None,
    typer.Option(
        "--hold-out-files",
        help="Logs kept aside as a whole: names with commas, their number, or their part such as 0.2.",
        show_default="none",
    ),
]
Payloads = Annotated[
    list[str] | None,
    typer.Option(
        "--payload",
        help="A payload in some logs, as loaded.csv=cube, or with its mass in kg, loaded*.csv=cube:2.8.",
        show_default="none",
    ),
]
OnError = Annotated[
    str, typer.Option("--on-error", help="What becomes of a log that cannot be used: raise or skip.")
]
Scheduler = Annotated[
    str | None,
    typer.Option(
        "--scheduler",
        help="Address of a dask cluster that shares the work, such as tcp://host:8786.",
        show_default="this process",
    ),
]


def held_out(seconds: str, files: str | None) -> Any:
    """Return what is held out: part of each log, or whole logs."""
    if files is not None:
        if seconds != "none":
            raise ArgumentError("--hold-out and --hold-out-files are both given; give one")
        try:
            return {"files": float(files)}
        except ValueError:
            return [name.strip() for name in files.split(",") if name.strip()]
    if seconds in ("none", "half"):
        return None if seconds == "none" else seconds
    try:
        return float(seconds)
    except ValueError:
        raise ArgumentError(f"--hold-out is {seconds!r}; expected none, half or seconds") from None


def payloads_of(given: list[str] | None) -> dict[str | int, Any] | None:
    """Return log=name or log=name:kg as a mapping of logs to payload states."""
    from ..identification import PayloadState  # noqa: PLC0415 (slow to import)

    found: dict[str | int, Any] = {}
    for each in given or []:
        for log, text in reading.pairs("--payload", each).items():
            name, colon, mass = text.partition(":")
            found[log] = PayloadState(name, mass=reading.numbers("--payload", mass)[0] if colon else None)
    return found or None


@contextlib.contextmanager
def connected(scheduler: str | None) -> Iterator[Any]:
    """Connect to a cluster while the block runs; nothing without an address."""
    if scheduler is None:
        yield None
        return
    try:
        from distributed import Client  # noqa: PLC0415 (an extra)
    except ImportError:
        raise ClosedFormError("--scheduler needs dask; install the extra closedform[dask]") from None
    try:
        client = Client(scheduler, timeout=SECONDS)  # type: ignore[no-untyped-call]
    except (OSError, ValueError, TypeError) as error:
        raise ClosedFormError(f"--scheduler: no cluster answers at {scheduler!r} ({error})") from None
    with client:
        yield client
