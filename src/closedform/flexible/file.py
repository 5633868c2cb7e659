"""Arms from TOML files."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np

from ..checks import collected, file_path
from ..description.file_bytes import read_bytes
from ..description.toml import Table, load_toml
from ..errors import DescriptionError
from .arguments import Damping
from .arm import FlexibleArm
from .link import FlexibleLink


def load_arm(path: str | os.PathLike[str]) -> FlexibleArm:
    """Return the arm that a TOML file describes.

    A `[[links]]` table per link, from base to tip, holds the fields of `FlexibleLink`; what follows the
    length, density and rigidity may be left out, and so may everything above the links:

        name = "crane"
        payload = [0.1, 0.0005]       # mass and inertia about its centre of mass
        payload_offset = [0.0, 0.0]   # of that centre: ahead of the tip and beside it
        gravity = [0.0, -9.81]
        boundary = "right-angle"
        exact = false
        damping = 0.01                # ratio of all modes; or a table:
        # damping = { friction = [0.1, 0.1], ratio = 0.01 }

        [[links]]
        length = 0.5
        density = 0.2
        rigidity = 1.0
        hub_mass = 1.0
        hub_inertia = 0.1
        modes = 2
    """
    where = file_path("load_arm: path", path)
    data = load_toml(read_bytes(where), str(where))
    problems: list[str] = []
    arm = _arm(Table(data, "arm", problems), where)
    if arm is None or problems:
        raise DescriptionError(str(where), problems)
    return arm


def _arm(table: Table, where: Path) -> FlexibleArm | None:
    options: dict[str, Any] = {"exact": table.flag("exact"), "name": where.stem}
    for key in ("name", "boundary"):
        if key in table:
            options[key] = table.text(key)
    mass, inertia = table.numbers("payload", (2,), (0.0, 0.0)).tolist()
    payload, gravity = (mass, inertia), table.numbers("gravity", (2,), (0.0, 0.0))
    options["payload_offset"] = table.numbers("payload_offset", (2,), (0.0, 0.0))
    damping = _damping(table)
    links = [_link(each) for each in table.tables("links")]
    if not links:
        table.problem("no links; give a [[links]] table for each, from base to tip")
    table.refuse_unread()
    arm: FlexibleArm | None = None
    if not table.problems:
        with collected(table.problems):
            arm = FlexibleArm([each for each in links if each], payload, gravity, damping, **options)
    return arm


def _damping(table: Table) -> float | Damping:
    if not isinstance(table.data.get("damping"), dict):
        return table.number("damping", 0.0)
    (inner,) = table.tables("damping")
    found = Damping(*(_spread(inner, key) for key in ("friction", "ratio")))
    inner.refuse_unread()
    return found


def _spread(table: Table, key: str) -> Any:
    """Return one number for all, or a list of one for each."""
    several = isinstance(table.data.get(key), list)
    return table.numbers(key, (None,)).tolist() if several else table.number(key, 0.0)


def _link(table: Table) -> FlexibleLink | None:
    numbers = [table.number(key) for key in ("length", "density", "rigidity")]
    hub = [table.number(key, 0.0) for key in ("hub_mass", "hub_inertia")]
    counts = {key: table.number(key) for key in ("modes", "elements") if key in table}
    table.refuse_unread()
    wrong: list[str] = []
    link: FlexibleLink | None = None
    with collected(wrong):
        whole = {key: int(value) if value == np.floor(value) else value for key, value in counts.items()}
        link = FlexibleLink(*numbers, *hub, **whole)  # type: ignore[arg-type]
    for text in wrong:
        table.problem(text)
    return link
