"""`closedform robots`."""
# ruff: noqa: PLC0415

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from .shared import loaded_robot

if TYPE_CHECKING:
    from ..model import Model


def robots() -> None:
    """List the bundled robots."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from ..description.catalogue import catalogue

    table = Table(box=None, pad_edge=False, expand=True)
    table.add_column("robot", no_wrap=True)
    table.add_column("nv", justify="right")
    table.add_column("kind", no_wrap=True)
    table.add_column("source", ratio=1, no_wrap=True, overflow="ellipsis")
    for name in catalogue():
        model = loaded_robot(name, quiet=True)[0].model
        table.add_row(name, str(model.nv), _kind(model), Text(" ".join(model.citation.split())))
    Console(width=None if sys.stdout.isatty() else 160).print(table)


def _kind(model: Model) -> str:
    """Return what a robot is at a glance, such as "floating tree" or "chain"."""
    chain = all(body.parent == i - 1 for i, body in enumerate(model.bodies))
    free = any(body.joint.floats for body in model.bodies)
    return ("floating " if free else "") + ("chain" if chain else "tree")
