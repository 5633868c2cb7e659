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
def export(
    robot: Annotated[str, typer.Argument(help="A bundled robot, a URDF file or an MJCF file.")],
    name: Annotated[str, typer.Argument(metavar="FORM", help="The form, such as inverse_dynamics.")],
    language: Annotated[str, typer.Option(help="c, cuda, matlab or numpy.")] = "c",
    output: Annotated[Path, typer.Option(help="A folder, or a file without its ending.")] = Path(),
    frame: Annotated[str | None, typer.Option(help="The frame of a pose or a Jacobian.")] = None,
    precision: Annotated[str, typer.Option(help="double or float.")] = "double",
    order: Annotated[int | None, typer.Option(help="The order of inverse_dynamics_rates.")] = None,
    phi: Annotated[bool, typer.Option("--phi", help="Inertial parameters as an input.")] = False,
    floating_base: Annotated[
        bool, typer.Option("--floating-base", help="Put a free joint under the root.")
    ] = False,
) -> None:
    """Write a form of a robot as source code."""
    from .robot import load

    loaded = load(robot, floating_base=floating_base)
    options = {"frame": frame, "precision": precision, "order": order, "phi": phi}
    for path in loaded.export(name, language, output, **options):  # type: ignore[arg-type]
        typer.echo(str(path))


@app.command()
def equations(
    robot: Annotated[str, typer.Argument(help="A bundled robot, a URDF file or an MJCF file.")],
    name: Annotated[str, typer.Argument(metavar="FORM", help="The form, such as mass_matrix.")],
    symbolic: Annotated[
        bool, typer.Option("--symbolic", help="Letters for masses, lengths and gravity.")
    ] = False,
    latex: Annotated[bool, typer.Option("--latex", help="Print LaTeX.")] = False,
    digits: Annotated[int | None, typer.Option(help="Significant digits of numbers.")] = None,
    seconds: Annotated[float, typer.Option(help="Time to spend on multiplying out.")] = 60.0,
) -> None:
    """Print a form of a robot as equations."""
    from .robot import load

    found = load(robot).equations(name, symbolic=symbolic, digits=digits, seconds=seconds)
    for each in found if isinstance(found, tuple) else (found,):
        typer.echo(each.latex() if latex else str(each))


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
