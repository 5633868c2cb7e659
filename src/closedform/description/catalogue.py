"""Bundled robots as TOML files of figures, each with the source of its numbers.

Every file has `name`, `citation` and, if it is not (0, 0, -9.81), `gravity`; `as_printed = true` if
its inertias are those of no rigid body but of the source, as the citation says; then one of

- `[mdh]`: `rows` of (sigma, alpha, d, theta, r) as in `read_mdh`, `parents`, and `tool`;
- `[screws]`: home `placements`, joint `screws`, `parents` and `spatial` as in `read_screws`;
- `[[link]]` and `[[joint]]`: a link has `name` and, unless it is only a frame, `mass`, `com`
  and `inertia` (xx, xy, xz, yy, yz, zz about the centre of mass, in link axes); a joint has
  `name`, `type` (a kind of joint: revolute, prismatic, helical, universal, planar, ball, free, subspace
  or fixed), `parent`, `child`, and if they apply `xyz`, `rpy` or `rotation`, then the joint's `axis`
  (with `pitch` in metres per radian if it is helical), the two `axes` of a universal joint, or its screws
  as `subspace` (6 x dofs), `lower`, `upper`, `velocity`, `effort`, the `SCALARS` below and
  `mimic` (a table of `joint`, `multiplier` and `offset`).

Files may close loops, as `toml_loops` says.

A pose is a table of `xyz` and `rpy`, or `rotation` (3 x 3). The first two kinds share, with one
entry per joint, `joint_names`, `inertials` (mass, com, inertia: ten numbers), `limits` (lower,
upper, velocity, effort) and the `SCALARS`. Rotations (alpha, theta, rpy) are
in degrees, so that a quarter turn is exactly 90; everything else is in SI units, joint limits in
radians.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np

from ..arrays import Array
from ..checks import known_name
from ..errors import ArgumentError, DescriptionError, shown
from ..joints import Fixed, joint_kind, kinds
from .description import (
    CURVE,
    DEFAULT_GRAVITY,
    MAX_ELEMENTS,
    Description,
    Inertial,
    Joint,
    Limits,
    Link,
    Mimic,
    inertia_matrix,
)
from .doubts import NEGATIVE_FRICTION, Doubts
from .mdh import COLUMNS, read_mdh
from .screws import read_screws
from .toml import Table, load_toml
from .toml_loops import toml_mechanism

ROBOTS = files(__package__) / "robots"
UNLIMITED = vars(Limits())
SCALARS = ("armature", "damping", "friction", "stiffness", "spring_rest", "drive_offset", *CURVE)


def catalogue(loops: bool | None = None) -> tuple[str, ...]:
    """Return the names of the bundled robots, sorted: all, those with loops (True), or the trees (False).

    >>> import closedform as cf
    >>> "puma560" in cf.catalogue(), cf.catalogue(loops=True)[:3]
    (True, ('delta', 'five_bar', 'four_bar'))
    """
    if loops is not None and not isinstance(loops, bool):
        raise ArgumentError(f"catalogue: loops is {shown(loops)}; expected None, True or False")
    names = (entry.name for entry in ROBOTS.iterdir())
    found = sorted(name.removesuffix(".toml") for name in names if name.endswith(".toml"))
    return tuple(name for name in found if loops is None or (name in _with_loops()) == loops)


@cache
def _with_loops() -> frozenset[str]:
    """Return the names of the bundled robots with loops."""
    texts = {entry.name.removesuffix(".toml"): entry for entry in ROBOTS.iterdir()}
    return frozenset(name for name, entry in texts.items() if b"\n[[loop]]\n" in entry.read_bytes())


def read_catalogue(name: str) -> Description:
    """Return the description of a bundled robot."""
    known_name("robot", name, catalogue())
    return read_toml(ROBOTS.joinpath(f"{name}.toml").read_bytes(), f"catalogue robot {name!r}")


def read_toml(data: bytes, source: str) -> Description:
    """Return the description in a TOML text of the format above, or raise all its problems at once."""
    problems: list[str] = []
    top = Table(load_toml(data, source), "file", problems)
    name, citation = top.text("name"), top.text("citation")
    x, y, z = (float(component) for component in top.numbers("gravity", (3,), DEFAULT_GRAVITY))
    kinds = [kind for kind in ("mdh", "screws", "joint") if kind in top]
    if len(kinds) != 1:
        raise DescriptionError(source, [*problems, "give one of [mdh], [screws], or [[link]] with [[joint]]"])
    tables = top.tables(kinds[0])
    if len(tables) > MAX_ELEMENTS:
        raise DescriptionError(source, [f"{len(tables)} joints; the limit is {MAX_ELEMENTS}"])
    facts: dict[str, Any] = {"name": name, "citation": citation, "gravity": (x, y, z), "source": source}
    as_printed = top.flag("as_printed")
    facts["mechanism"] = toml_mechanism(top)
    if kinds[0] == "joint":
        links = tuple(_link(table) for table in top.tables("link"))
        top.refuse_unread()
        description = Description(links=links, joints=tuple(_joint(table) for table in tables), **facts)
    else:
        top.refuse_unread()
        mechanism = facts.pop("mechanism")
        description = replace(_chain(kinds[0], tables[0] if tables else top, facts), mechanism=mechanism)
    if problems:
        raise DescriptionError(source, problems)
    doubts = Doubts()
    for joint in description.joints:
        if joint.damping < 0 or joint.friction < 0:
            doubts.add(NEGATIVE_FRICTION, f"joint {shown(joint.name)}")
    doubts.warn(source)
    return replace(description, as_printed=as_printed)


def _chain(kind: str, table: Table, facts: dict[str, Any]) -> Description:
    """Return the description of an [mdh] or [screws] table, with limits and friction on its joints."""
    nested = table.tables("tool" if kind == "mdh" else "placements")
    poses = [each.pose() for each in nested]
    if kind == "mdh":
        rows = table.numbers("rows", (None, len(COLUMNS)))
        rows[:, [1, 3]] = np.deg2rad(rows[:, [1, 3]])
        given: dict[str, Any] = {"rows": rows, "tool": poses[0] if poses else None}
        n = len(rows)
    else:
        n = len(poses)
        if n == 0:
            table.problem("placements is missing")
        screws = table.numbers("screws", (n, 6))
        given = {"placements": poses, "screws": list(screws), "spatial": table.flag("spatial")}
    given["joint_names"] = table.texts("joint_names", n)
    if "parents" in table:
        given["parents"] = table.whole_numbers("parents", n)
    if "inertials" in table:
        figures = table.numbers("inertials", (n, 10))
        given["inertials"] = [Inertial(row[0], row[1:4], inertia_matrix(row[4:])) for row in figures]
    limits = table.numbers("limits", (n, 4), np.tile(list(UNLIMITED.values()), (n, 1)), infinite=True)
    scalars = np.array([table.numbers(key, (n,), np.zeros(n)) for key in SCALARS])
    for each in (*nested, table):
        each.refuse_unread()
    if table.problems:
        raise DescriptionError(facts["source"], table.problems)
    description = read_mdh(**given, **facts) if kind == "mdh" else read_screws(**given, **facts)
    joints = list(description.joints)
    for i in range(n):
        numbers: dict[str, Any] = dict(zip(SCALARS, scalars[:, i].tolist(), strict=True))
        bounds = Limits(*(float(bound) for bound in limits[i]))
        joints[i] = replace(joints[i], limits=bounds, **numbers)
    return replace(description, joints=tuple(joints))


def _link(table: Table) -> Link:
    name = table.text("name")
    inertial = None
    if "mass" in table:
        mass, com = table.number("mass"), table.numbers("com", (3,), np.zeros(3))
        inertial = Inertial(mass, com, inertia_matrix(table.numbers("inertia", (6,), np.zeros(6))))
    table.refuse_unread()
    return Link(name, inertial)


def _joint(table: Table) -> Joint:
    name, kind, parent, child = (table.text(key) for key in ("name", "type", "parent", "child"))
    if kind not in kinds():
        table.problem(f"type {kind!r} is not one of {', '.join(kinds())}")
    subspace = _screws(table, kind)
    numbers: dict[str, Any] = {key: table.number(key, 0.0) for key in SCALARS}
    mimics = [_mimic(each) for each in table.tables("mimic")]
    joint = Joint(
        name=name,
        kind=kind,
        parent=parent,
        child=child,
        placement=table.pose(),
        subspace=subspace,
        limits=Limits(*(table.number(key, bound, infinite=True) for key, bound in UNLIMITED.items())),
        **numbers,
        mimic=mimics[0] if mimics else None,
    )
    table.refuse_unread()
    return joint


def _screws(table: Table, kind: str) -> Array:
    """Return the screws of a joint, as they are or of the numbers that its kind is written by."""
    if "subspace" in table:
        return table.numbers("subspace", (6, None))
    made = joint_kind(kind) if kind in kinds() else Fixed
    if made.written is None:
        table.problem(f"subspace is missing; a joint of type {kind} needs its screws")
        return np.zeros((6, 0))
    given = {key: table.numbers(key, shape) for key, shape in made.written.items()}
    try:
        return made.screws(**given)
    except ArgumentError as error:
        table.problem(str(error))
        return np.zeros((6, 0))


def _mimic(table: Table) -> Mimic:
    mimic = Mimic(table.text("joint"), table.number("multiplier", 1.0), table.number("offset", 0.0))
    table.refuse_unread()
    return mimic
