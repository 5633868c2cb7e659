"""`closedform robots`."""
# ruff: noqa: PLC0415

from __future__ import annotations

from typing import TYPE_CHECKING

from .outcome import Outcome
from .shared import loaded_robot

if TYPE_CHECKING:
    from ..model import Model


def robots() -> Outcome:
    """List the bundled robots."""
    from rich.table import Table
    from rich.text import Text

    from ..description.catalogue import catalogue

    models = {name: loaded_robot(name, quiet=True)[0].model for name in catalogue()}
    found = [
        {"name": name, "nv": model.nv, "kind": _kind(model), "source": " ".join(model.citation.split())}
        for name, model in models.items()
    ]
    table = Table(box=None, pad_edge=False, expand=True)
    table.add_column("robot", no_wrap=True)
    table.add_column("nv", justify="right")
    table.add_column("kind", no_wrap=True)
    table.add_column("source", ratio=1, no_wrap=True, overflow="ellipsis")
    for each in found:
        table.add_row(*(Text(str(cell)) for cell in each.values()))
    return Outcome({"robots": found}, [table])


def _kind(model: Model) -> str:
    """Return what a robot is at a glance, such as "floating tree" or "chain"."""
    chain = all(body.parent == i - 1 for i, body in enumerate(model.bodies))
    free = any(body.joint.floats for body in model.bodies)
    return ("floating " if free else "") + ("chain" if chain else "tree")
