"""What the verbs share: options, a robot with its warnings shown, progress, and pages."""
# ruff: noqa: PLC0415

from __future__ import annotations

import contextlib
import re
import warnings
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import ClosedFormError, ModelWarning

if TYPE_CHECKING:
    from ..loops import ClosedRobot
    from ..robot import Robot

Source = Annotated[
    str,
    typer.Argument(
        metavar="ROBOT", help="A catalogue name (see `closedform robots`), a URDF, an MJCF or a TOML file."
    ),
]

FloatingBase = Annotated[bool, typer.Option("--floating-base", help="Put a free joint under the root.")]

Constraints = Annotated[
    Path | None,
    typer.Option(
        "--constraints", help="A list of loops beside a URDF, such as a robot.yaml.", show_default="none"
    ),
]

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

Gravity = Annotated[
    tuple[float, float, float] | None,
    typer.Option("--gravity", metavar="X Y Z", help="Gravity in the base frame, in place of the file's."),
]

Seed = Annotated[int, typer.Option("--seed", help="Seed of the random numbers.", min=0)]

QUIET: ContextVar[bool] = ContextVar("quiet", default=False)
"""Whether warnings and progress stay away."""

CsvFile = Annotated[
    Path | None,
    typer.Option("--output", "-o", help="Where to write the motion as CSV.", show_default="no file"),
]
"""The motion of a verb whose product is one."""

Start = Annotated[
    str | None,
    typer.Option(
        "--start", help="Joint coordinates to start from, as 0,0.5,1.", show_default="zero, within the limits"
    ),
]

Progress = Callable[[float, str], None]
"""Shows how much is done, and what is being done."""


def loaded_robot(source: str, *, quiet: bool = False, **options: Any) -> tuple[Robot, tuple[str, ...]]:
    """Return the robot and the doubts about its description, which are also shown on stderr.

    `quiet` leaves the doubts out, for verbs whose results do not depend on the inertias. A robot with loops
    is refused, because the verb is for trees.
    """
    from ..robot import Robot

    robot, notes = loaded_mechanism(source, quiet=quiet, **options)
    if not isinstance(robot, Robot):
        raise ClosedFormError(
            f"{robot.name!r} has closed loops, which this verb does not take; report, check, robots, "
            "equations, export and identify do, and cf.load(..., loops=False).save(...) writes its tree"
        )
    return robot, notes


def loaded_mechanism(
    source: str, *, quiet: bool = False, **options: Any
) -> tuple[Robot | ClosedRobot, tuple[str, ...]]:
    """Return the robot, with loops if it has any, and the doubts about its description."""
    from ..loading import load

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ModelWarning)
        robot = load(source, **options)
    notes = tuple(str(each.message) for each in caught if issubclass(each.category, ModelWarning))
    for note in () if quiet else notes:
        warning(note)
    return robot, notes


def warning(text: str) -> None:
    """Show a warning as one plain line on stderr, unless --quiet is given."""
    if not QUIET.get():
        typer.echo(f"warning: {' '.join(text.split())}", err=True)


@contextlib.contextmanager
def progress_bar(total: float, what: str = "", lines: int = 0) -> Iterator[Progress]:
    """Show a bar on stderr while the block runs; if that is no terminal, up to so many `lines`."""
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bar

    columns = (TextColumn("{task.description:<34}", markup=False), BarColumn(), TimeElapsedColumn())
    console = Console(stderr=True)
    hidden = QUIET.get() or not console.is_terminal
    told = 0
    with Bar(*columns, console=console, transient=True, disable=hidden) as bar:
        task = bar.add_task(what, total=total)

        def show(done: float, text: str) -> None:
            nonlocal told
            bar.update(task, completed=done, description=text)
            if hidden and not QUIET.get() and int(lines * done / total) > told:
                told = int(lines * done / total)
                typer.echo(f"{100 * done / total:3.0f} % {text}", err=True)

        yield show


@contextlib.contextmanager
def working(what: str) -> Iterator[None]:
    """Show on stderr what is being done while the block runs, if that is a terminal."""
    from rich.console import Console

    console = Console(stderr=True)
    shown = console.is_terminal and not QUIET.get()
    with console.status(what) if shown else contextlib.nullcontext():
        yield


def write_study(study: Any, path: Path | None, verb: str, name: str | None = None) -> Path:
    """Write the page of a study, by default to <name>-<verb>.html, and return where it is."""
    from ..files import check_writable
    from ..report import page_of, write_report

    target = path if path is not None else Path(default_name(f"{name or study.name}-{verb}"))
    check_writable(target)
    sections = page_of(study).sections
    with progress_bar(len(sections), sections[0].title) as begin:
        write_report(study, target, begin)
    return target


def default_name(name: str) -> str:
    """Return the file name of a page; a robot's name may hold any character."""
    stem = re.sub(r"[^\w.-]+", "_", name).strip("._-")[:80]
    return f"{stem or 'robot'}.html"
