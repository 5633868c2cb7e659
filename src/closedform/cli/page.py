"""What the verbs that write pages share: a robot with its warnings told, and a bar over the sections."""
# ruff: noqa: PLC0415

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import typer

from ..errors import ModelWarning

if TYPE_CHECKING:
    from ..report.section import Section
    from ..robot import Robot


def loaded_robot(source: str, *, floating_base: bool = False) -> tuple[Robot, tuple[str, ...]]:
    """Return the robot and the doubts about its description, which are also told on stderr."""
    from ..robot import load

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ModelWarning)
        robot = load(source, floating_base=floating_base)
    notes = tuple(str(each.message) for each in caught if issubclass(each.category, ModelWarning))
    for note in notes:
        typer.echo(f"warning: {note}", err=True)
    return robot, notes


@contextlib.contextmanager
def section_bar(sections: Sequence[Section[Any]]) -> Iterator[Callable[[int, str], None]]:
    """Show a bar on stderr; what it gives hears the position and title of each section as it begins."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description:<24}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(sections[0].title, total=len(sections))
        yield lambda position, title: progress.update(task, completed=position, description=title)
