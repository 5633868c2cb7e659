"""The command line: `closedform report`, `closedform robots`.

Commands import what they need when they run, so that help is quick.
"""
# ruff: noqa: PLC0415

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .errors import ClosedFormError, ModelWarning

if TYPE_CHECKING:
    from .model import Model

app = typer.Typer(
    name="closedform",
    help="Robot dynamics in closed form: reports and catalogues.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


def _version(wanted: bool) -> None:
    if wanted:
        from . import __version__

        typer.echo(f"closedform {__version__}")
        raise typer.Exit


@app.callback()
def closedform(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Robot dynamics in closed form."""


@app.command()
def report(
    robot: Annotated[
        str, typer.Argument(help="A catalogue name (see `closedform robots`), a URDF or an MJCF file.")
    ],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Where to write the page.", show_default="<name>.html"),
    ] = None,
    floating_base: Annotated[
        bool, typer.Option("--floating-base", help="Put a free joint under the root.")
    ] = False,
    duration: Annotated[float, typer.Option(help="Duration of the motion in seconds.")] = 4.0,
    samples: Annotated[int, typer.Option(help="Samples of the motion.", min=2, max=100_000)] = 1000,
    pinocchio: Annotated[
        bool, typer.Option("--pinocchio/--no-pinocchio", help="Compare with Pinocchio where it is installed.")
    ] = True,
) -> None:
    """Write one self-contained HTML page about a robot: motion, torques, energy, matrices, speed."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    from .report import SECTIONS, Study, write_report
    from .report.output import default_name
    from .robot import load

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ModelWarning)
        loaded = load(robot, floating_base=floating_base)
    notes = tuple(str(each.message) for each in caught if issubclass(each.category, ModelWarning))
    for note in notes:
        typer.echo(f"warning: {note}", err=True)
    study = Study(loaded, duration, samples, pinocchio, notes=notes)
    path = output if output is not None else Path(default_name(loaded.name))
    columns = (TextColumn("{task.description:<24}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(SECTIONS[0].title, total=len(SECTIONS))

        def begin(position: int, title: str) -> None:
            progress.update(task, completed=position, description=title)

        write_report(study, path, begin)
    typer.echo(str(path))


@app.command()
def robots() -> None:
    """List the bundled robots."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from .description.catalogue import catalogue
    from .robot import load

    table = Table(box=None, pad_edge=False, expand=True)
    table.add_column("robot", no_wrap=True)
    table.add_column("nv", justify="right")
    table.add_column("kind", no_wrap=True)
    table.add_column("source", ratio=1, no_wrap=True, overflow="ellipsis")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        for name in catalogue():
            model = load(name).model
            table.add_row(name, str(model.nv), _kind(model), Text(" ".join(model.citation.split())))
    Console(width=None if sys.stdout.isatty() else 160).print(table)


def _kind(model: Model) -> str:
    """Return what a robot is at a glance, such as "floating tree" or "chain"."""
    chain = all(body.parent == i - 1 for i, body in enumerate(model.bodies))
    free = any(body.joint.kind == "free" for body in model.bodies)
    return ("floating " if free else "") + ("chain" if chain else "tree")


def main(arguments: list[str] | None = None) -> None:
    """Run the command line; a mistake of the user is one line on stderr and exit code 2."""
    try:
        app(arguments)
    except ClosedFormError as error:
        typer.echo(f"error: {error}", err=True)
        sys.exit(2)


if __name__ == "__main__":
    main()
