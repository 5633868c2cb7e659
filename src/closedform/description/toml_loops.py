"""Loops in TOML files: what closes a tree, the frames for it, and its coordinates.

- `[[loop]]`: `frame_a`, `frame_b`, `kind` and, for a distance, `length`, as in `closedform.Loop`;
- `[[coupling]]`: `joint`, its `drivers` and `coefficients`, as in `closedform.JointCoupling`;
- `[[frame]]`: `name`, `link` and a pose, for loops that no link frame fits;
- `independent` and `actuated`: names of joints; `near`: coordinates by joint, one number or a list.
"""

from __future__ import annotations

from typing import Any

from ..errors import ArgumentError
from .loop import Anchor, Closure, JointCoupling, Loop, Mechanism
from .toml import Table

MOST = 10_000
"""Loops, couplings and frames of a file, each."""


def toml_mechanism(top: Table) -> Mechanism | None:
    """Return what a TOML file says of loops, None if it closes none."""
    tables = {key: top.tables(key) for key in ("loop", "coupling", "frame")}
    for key, given in tables.items():
        if len(given) > MOST:
            top.problem(f"{len(given)} {key}s; the limit is {MOST}")
            return None
    closures = [_closure(table, _loop) for table in tables["loop"]]
    closures += [_closure(table, _coupling) for table in tables["coupling"]]
    anchors = []
    for table in tables["frame"]:
        anchors.append(Anchor(table.text("name"), table.text("link"), table.pose()))
        table.refuse_unread()
    independent, actuated = (tuple(top.names(key)) for key in ("independent", "actuated"))
    near: dict[str, tuple[float, ...]] = {}
    for table in top.tables("near"):
        for joint in list(table.data):
            several = isinstance(table.data[joint], list)
            near[joint] = tuple(table.numbers(joint, (None,) if several else ()).ravel().tolist())
    if not closures:
        if anchors or independent or actuated or near:
            top.problem("frame, independent, actuated and near are for files with [[loop]] or [[coupling]]")
        return None
    found = tuple(each for each in closures if each is not None)
    return Mechanism(found, tuple(anchors), independent, (), near, actuated)


def _closure(table: Table, made: Any) -> Closure | None:
    try:
        closure: Closure = made(table)
    except ArgumentError as error:
        table.problem(str(error))
        return None
    finally:
        table.refuse_unread()
    return closure


def _loop(table: Table) -> Loop:
    names = [table.text(key) for key in ("frame_a", "frame_b", "kind")]
    length = table.number("length") if "length" in table else None
    return Loop(names[0], names[1], names[2], length)


def _coupling(table: Table) -> JointCoupling:
    joint, drivers = table.text("joint"), tuple(table.names("drivers"))
    return JointCoupling(joint, drivers, tuple(table.numbers("coefficients", (None,)).tolist()))
