"""What the verbs share: options, a robot with its warnings shown, progress, and pages."""
# ruff: noqa: PLC0415

from __future__ import annotations

import contextlib
import re
import warnings
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import ModelWarning

if TYPE_CHECKING:
    from ..robot import Robot

Source = Annotated[
    str, typer.Argument(help="A catalogue name (see `closedform robots`), a URDF, an MJCF or a TOML file.")
]

FloatingBase = Annotated[bool, typer.Option("--floating-base", help="Put a free joint under the root.")]

FrameName = Annotated[
    str | None,
    typer.Option("--frame", help="The frame of a pose or a Jacobian.", show_default="the last that moves"),
]

ReferenceName = Annotated[
    str | None,
    typer.Option(
        "--reference", help="body, world or world_aligned: the axes of a Jacobian.", show_default="body"
    ),
]

FactorisationName = Annotated[
    str,
    typer.Option(
        "--factorisation",
        help="christoffel, mueller-kumar, mueller-kumar-22 or garofalo: which Coriolis matrix.",
    ),
]

CoordinatesName = Annotated[
    str | None,
    typer.Option(
        "--coordinates",
        help="Other velocities of velocity_map: euler_rpy, euler_zyz, world_aligned, mujoco, ...",
        show_default="quaternion_rates",
    ),
]

ObserverName = Annotated[
    str | None,
    typer.Option("--relative-to", help="The frame that another one is seen from.", show_default="the base"),
]

Order = Annotated[
    int | None, typer.Option("--order", help="The order of a form for any order, such as mass_matrix_rates.")
]

PageFile = Annotated[
    Path | None,
    typer.Option("--output", "-o", help="Where to write the page.", show_default="<name>-<verb>.html"),
]
"""The page of a verb whose product is one."""

ExtraPage = Annotated[
    Path | None, typer.Option("--page", help="Where to write a page about it.", show_default="no page")
]
"""The page of a verb whose product is something else."""

MotionFile = Annotated[
    Path | None,
    typer.Option(
        "--motion",
        help="The motion: a CSV file of the time and the coordinates of the joints.",
        show_default="one that suits the robot",
    ),
]

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, for other programs.")]

Progress = Callable[[float, str], None]
"""Shows how much is done, and what is being done."""


def loaded_robot(source: str, *, quiet: bool = False, **options: Any) -> tuple[Robot, tuple[str, ...]]:
    """Return the robot and the doubts about its description, which are also shown on stderr.

    `quiet` leaves the doubts out, for verbs whose results do not depend on the inertias.
    """
    from ..loading import load

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ModelWarning)
        robot = load(source, **options)
    notes = tuple(str(each.message) for each in caught if issubclass(each.category, ModelWarning))
    for note in () if quiet else notes:
        typer.echo(f"warning: {note}", err=True)
    return robot, notes


@contextlib.contextmanager
def progress_bar(total: float, what: str = "") -> Iterator[Progress]:
    """Show a bar on stderr while the block runs, if that is a terminal."""
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bar

    columns = (TextColumn("{task.description:<34}"), BarColumn(), TimeElapsedColumn())
    console = Console(stderr=True)
    with Bar(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(what, total=total)
        yield lambda done, text: bar.update(task, completed=done, description=text)


@contextlib.contextmanager
def working(what: str) -> Iterator[None]:
    """Show on stderr what is being done while the block runs, if that is a terminal."""
    from rich.console import Console

    console = Console(stderr=True)
    with console.status(what) if console.is_terminal else contextlib.nullcontext():
        yield


def write_study(study: Any, path: Path | None, verb: str, name: str | None = None) -> None:
    """Write the page of a study, by default to <name>-<verb>.html, and print where it is."""
    from ..files import check_writable
    from ..report import page_of, write_report

    if path is not None:
        check_writable(path)
    target = path if path is not None else Path(default_name(f"{name or study.name}-{verb}"))
    sections = page_of(study).sections
    with progress_bar(len(sections), sections[0].title) as begin:
        write_report(study, target, begin)
    typer.echo(str(target))


def print_json(facts: Mapping[str, object]) -> None:
    """Print facts as JSON, in ASCII whatever the terminal can show."""
    import json

    typer.echo(json.dumps(facts, indent=2))


def default_name(name: str) -> str:
    """Return the file name of a page; a robot's name may hold any character."""
    stem = re.sub(r"[^\w.-]+", "_", name).strip("._-")[:80]
    return f"{stem or 'robot'}.html"
