"""`closedform robots`."""
# ruff: noqa: PLC0415

from __future__ import annotations

from typing import TYPE_CHECKING

from .outcome import Outcome
from .shared import loaded_mechanism

if TYPE_CHECKING:
    from ..loops.model import ClosedModel
    from ..model import Model


def robots() -> Outcome:
    """List the bundled robots."""
    from rich.table import Table
    from rich.text import Text

    from ..description.catalogue import catalogue

    models = {name: loaded_mechanism(name, quiet=True)[0].model for name in catalogue()}
    found = [
        {
            "name": name,
            "nv": model.nv,
            "kind": _kind(model),
            "source": " ".join(_tree(model).citation.split()),
        }
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


def _tree(model: Model | ClosedModel) -> Model:
    """Return the tree of a robot, whose loops are cut if it has any."""
    from ..model import Model

    return model if isinstance(model, Model) else model.tree


def _kind(model: Model | ClosedModel) -> str:
    """Return what a robot is at a glance, such as "floating tree", "chain" or "loops"."""
    if _tree(model) is not model:
        return "loops"
    bodies = _tree(model).bodies
    chain = all(body.parent == i - 1 for i, body in enumerate(bodies))
    free = any(body.joint.floats for body in bodies)
    return ("floating " if free else "") + ("chain" if chain else "tree")
