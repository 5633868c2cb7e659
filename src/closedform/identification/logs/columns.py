"""Columns of a log: which quantity and joint each belongs to."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...errors import ArgumentError, listed, shown, similar
from .errors import LogError, LogTable
from .units import AMPERES, factor, split_unit

WORDS = {
    "time": ("time", "t", "timestamp", "stamp"),
    "position": ("position", "positions", "pos", "q", "angle", "angles"),
    "velocity": ("velocity", "velocities", "vel", "qd", "dq", "qdot", "speed"),
    "effort": (
        "effort",
        "efforts",
        "eff",
        "tau",
        "torque",
        "torques",
        "force",
        "current",
        "cur",
        "curr",
        "i",
    ),
}
"""Words for each quantity in the names of columns."""

REQUIRED = ("position", "effort")

MOST_NUMBERED = 1000
"""Columns of a quantity that may be numbered."""

CURRENTS = {"current", "cur", "curr", "i"}
"""Words for efforts that are currents, not torques."""


@dataclass(frozen=True)
class Chosen:
    """Columns of one quantity, a list with one array per joint (or one array), and the scale to SI."""

    names: tuple[str, ...]
    values: Any
    scale: tuple[float, ...]


def choose(
    table: LogTable,
    joints: Sequence[str],
    columns: Mapping[str, Any] | None,
    units: Mapping[str, str] | None,
    moving: Sequence[str] | None = None,
) -> tuple[dict[str, Chosen], tuple[str, ...]]:
    """Return the columns of each quantity and the joints they cover, in the robot's order.

    `moving` are the joints of positions and velocities if they are others than those of the efforts.

    Names are found by words and joints: `q1`, `tau_3`, `elbow_position [deg]`, `effort elbow`;
    numbers count the robot's joints from 1 (or from 0 if there is a 0). `columns` names them
    outright, or gives their indices from 0: {"time": "stamp", "position": [1, 2], "effort": [...]}. A column
    of a matrix is called "q[2]", the third of q.
    """
    check_quantities(columns, units)
    written = {name: split_unit(name)[1] for name in table}
    found: dict[str, Chosen] = {}
    covered: dict[str, tuple[str, ...]] = {}
    for quantity in WORDS:
        given = (columns or {}).get(quantity)
        own = joints if moving is None or quantity == "effort" else moving
        names, indices = (
            named_columns(table, quantity, given, own)
            if given is not None
            else found_columns(table, quantity, own)
        )
        if not names:
            continue
        unit = (units or {}).get(quantity)
        said = [written[_whole(table, name)] or None if unit is None else unit for name in names]
        scale = tuple(factor(quantity, each) for each in said)
        if quantity == "effort" and given is None:
            _check_kinds(written, names)
        found[quantity] = Chosen(tuple(names), [numbers_of(table, name) for name in names], scale)
        if quantity != "time":
            covered[quantity] = tuple(own[k] for k in indices)
    missing = [quantity for quantity in REQUIRED if quantity not in found]
    if missing and headerless(table):
        raise LogError(
            f"no header names the {len(table)} columns; add one such as time, q1, ..., tau1, ..., or say "
            'columns={"time": 0, "position": [1, ...], "effort": [...]} by index from 0'
        )
    if missing:
        raise LogError(
            f"no column of {' or '.join(missing)} found among {_list(table)}; name columns like "
            f"{joints[0]}_{missing[0]} or {WORDS[missing[0]][3]}1, or say "
            f'columns={{"{missing[0]}": [...]}}'
        )
    if moving is not None:
        for quantity, own in (("position", moving), ("effort", joints)):
            without = [name for name in own if name not in covered[quantity]]
            if without:
                raise LogError(f"joint(s) {', '.join(without)} have no column of {quantity}; add it")
        return found, tuple(joints)
    return found, _agreed(covered, joints)


def check_quantities(columns: Any, units: Any) -> None:
    """Refuse options that are not mappings from quantities."""
    for option, given in (("columns", columns), ("units", units)):
        if given is not None and not isinstance(given, Mapping):
            raise ArgumentError(f'{option} is {shown(given)}; expected a mapping such as {{"position": ...}}')
        for quantity in given or ():
            if quantity not in WORDS:
                raise ArgumentError(f"{quantity!r} is not a quantity of a log; known: {', '.join(WORDS)}")


def _check_kinds(written: Mapping[str, str | None], names: Sequence[str]) -> None:
    """Refuse efforts that are currents of some joints and torques of others."""
    currents = [
        name
        for name in names
        if (written[name] or "").lower() in AMPERES or CURRENTS & set(re.split(r"[ 0-9]+", _letters(name)))
    ]
    others = [name for name in names if name not in currents]
    if currents and others:
        raise LogError(
            f"efforts are a current in column {shown(currents[0])} and a torque in {shown(others[0])}; "
            'name the columns of one kind, columns={"effort": [...]}, and say gain=[...] for currents'
        )


def numbers_of(table: LogTable, name: str) -> Any:
    """Return a chosen column, which must hold numbers and have rows."""
    whole = _whole(table, name)
    values = table[name] if name == whole else table[whole][:, int(name[len(whole) + 1 : -1])]
    if values.dtype.kind not in "fiub":
        raise LogError(f"column {name!r} holds {values.dtype}, not numbers; convert it")
    if values.ndim not in (1, 2) or not np.isfinite(values.shape).all():
        hint = "; call its compute_chunk_sizes()" if hasattr(values, "compute") else ""
        raise LogError(f"column {name!r} has shape {values.shape}; expected (rows,) or (rows, joints){hint}")
    return values


def _list(table: LogTable) -> str:
    return listed([repr(name) for name in table], 12) or "no columns"


def _agreed(covered: Mapping[str, tuple[str, ...]], joints: Sequence[str]) -> tuple[str, ...]:
    """Return the joints that have positions and efforts, or say which lack one of them."""
    position, effort = covered["position"], covered["effort"]
    for one, other, lacks in ((position, effort, "effort"), (effort, position, "position")):
        without = [name for name in one if name not in other]
        if without:
            raise LogError(
                f"joint(s) {', '.join(without)} have no column of {lacks}; add it, or remove the other ones"
            )
    return tuple(name for name in joints if name in position)


def named_columns(
    table: LogTable, quantity: str, given: Any, joints: Sequence[str]
) -> tuple[list[str], list[int]]:
    """Return the columns the caller named: one per joint, or those of the joints in a mapping."""
    if isinstance(given, Mapping):
        unknown = [name for name in given if name not in joints]
        if unknown:
            meant = similar(unknown[0], joints)
            raise LogError(f"columns: {shown(unknown[0])} is not a joint{meant}; joints: {', '.join(joints)}")
        indices = sorted(list(joints).index(name) for name in given)
        names = [given[joints[k]] for k in indices]
    else:
        if not isinstance(given, str | int | list | tuple | range):
            raise ArgumentError(f"columns: {quantity} is {shown(given)}; expected names of columns")
        names = [given] if isinstance(given, str | int) else list(given)
        indices = list(range(len(names)))
        if (
            quantity != "time"
            and len(names) != len(joints)
            and not (len(names) == 1 and _wide(table, _at_index(table, quantity, names[0])))
        ):
            raise LogError(
                f"columns: {len(names)} names of {quantity} for {len(joints)} joints; name one each, "
                "or give a mapping from joints to columns"
            )
    names = [_at_index(table, quantity, name) for name in names]
    for name in names:
        if not isinstance(name, str):
            raise ArgumentError(
                f"columns: {quantity} has {shown(name)}; expected names of columns, or indices from 0"
            )
        if _whole(table, name) not in table:
            meant = similar(name, table)
            raise LogError(
                f"column {shown(name)} of {quantity} does not exist{meant}; there are {_list(table)}"
            )
        if len(names) > 1 and _wide(table, name):
            width = table[name].shape[1]
            raise LogError(
                f"columns: {quantity} has {name!r}, a matrix of {width} columns, beside others; name one of "
                f"its columns, {name}[0] to {name}[{width - 1}]"
            )
    if len(names) == 1 and _wide(table, names[0]):
        return names, list(range(len(joints)))
    return names, indices


def _at_index(table: LogTable, quantity: str, name: Any) -> Any:
    """Return the name of the column at an index from 0; anything else as it is."""
    if isinstance(name, bool) or not isinstance(name, int | np.integer):
        return name
    if not 0 <= name < len(table):
        raise LogError(
            f"columns: {quantity} has index {shown(name)}; there are {len(table)} columns, counted from 0"
        )
    return list(table)[name]


def _whole(table: LogTable, name: str) -> str:
    """Return the name of the matrix in a table of which a name such as q[2] is a column; else the name."""
    match = re.fullmatch(r"(.*)\[([0-9]{1,6})\]", name)
    if name in table or match is None or not _wide(table, match[1]):
        return name
    return match[1] if int(match[2]) < table[match[1]].shape[1] else name


def headerless(table: LogTable) -> bool:
    """Return whether the columns are named by their index alone."""
    return bool(table) and list(table) == [str(k) for k in range(len(table))]


def _wide(table: LogTable, name: str) -> bool:
    return name in table and len(table[name].shape) == 2


def found_columns(table: LogTable, quantity: str, joints: Sequence[str]) -> tuple[list[str], list[int]]:
    """Return the columns of a quantity by their names, in the order of the joints."""
    words = WORDS[quantity]
    plain = {name: _letters(split_unit(name)[0]) for name in table}
    alone = [name for name, text in plain.items() if text in words]
    if quantity == "time":
        return alone[:1], [0]
    if alone and _wide(table, alone[0]):
        return alone[:1], list(range(len(joints)))
    either = "|".join(sorted(words, key=len, reverse=True))
    by_joint = _by_joint(plain, either, joints)
    if by_joint:
        chosen = {k: _only(found, quantity, repr(joints[k])) for k, found in sorted(by_joint.items())}
        return list(chosen.values()), list(chosen)
    numbered: dict[int, list[str]] = {}
    for name, text in plain.items():
        match = re.fullmatch(
            rf"(?:{either}) ?(?:joint ?|j)?([0-9]{{1,6}})|(?:joint|j) ?([0-9]{{1,6}}) ?(?:{either})", text
        )
        if match:
            numbered.setdefault(int(match[1] or match[2]), []).append(name)
    numbers = {number: _only(found, quantity, f"number {number}") for number, found in numbered.items()}
    shift = 0 if 0 in numbers else 1
    beyond = [number for number in numbers if number - shift >= len(joints)]
    if beyond:
        first = beyond[0]
        raise LogError(
            f"column {numbers[first]!r} would be of joint {first}, but the robot has {len(joints)} joints "
            f"({', '.join(joints)}): a log of another robot? Say columns= if not"
        )
    order = sorted(numbers)
    return [numbers[k] for k in order], [k - shift for k in order]


def joints_named(table: LogTable, quantity: str, joints: Sequence[str]) -> tuple[str, ...]:
    """Return the joints that columns of a quantity name."""
    plain = {name: _letters(split_unit(name)[0]) for name in table}
    either = "|".join(sorted(WORDS[quantity], key=len, reverse=True))
    return tuple(joints[k] for k in sorted(_by_joint(plain, either, joints)))


def width_of(table: LogTable, quantity: str, given: Any = None) -> int:
    """Return how many numbers of a quantity a row has, by columns that are given or do not name joints."""
    names: list[Any] = []
    if given is not None:
        names += [given] if isinstance(given, str | int) else list(given)
    else:
        names += found_columns(table, quantity, [""] * MOST_NUMBERED)[0]
    if len(names) == 1 and _wide(table, name := _at_index(table, quantity, names[0])):
        return int(table[name].shape[1])
    return len(names)


def _by_joint(plain: Mapping[str, str], either: str, joints: Sequence[str]) -> dict[int, list[str]]:
    """Return the columns that name each joint beside a word of the quantity.

    Columns with more in front of that ("measured elbow position") count if a joint has no other,
    unless they are those of another joint.
    """
    exact: dict[int, list[str]] = {}
    longer: dict[int, list[str]] = {}
    for k, joint in enumerate(joints):
        label = re.escape(_letters(joint))
        pattern = rf"(?:{label} ?(?:{either})|(?:{either}) ?{label})"
        for name, text in plain.items():
            if label and re.fullmatch(rf"(?:.* )?{pattern}", text):
                (exact if re.fullmatch(pattern, text) else longer).setdefault(k, []).append(name)
    taken = {name for names in exact.values() for name in names}
    for k, names in longer.items():
        free = [name for name in names if name not in taken]
        if free and k not in exact:
            exact[k] = free
    return exact


def _only(found: Sequence[str], quantity: str, whose: str) -> str:
    """Return the one column found, or say that there is a choice."""
    if len(found) > 1:
        raise LogError(
            f"columns {', '.join(map(repr, found))} could all be the {quantity} of joint {whose}; "
            f'say columns={{"{quantity}": [...]}}'
        )
    return found[0]


def _letters(name: str) -> str:
    """Return a name in lower case with single spaces between its words and numbers."""
    return re.sub(r"[\W_]+", " ", name.lower()).strip()
