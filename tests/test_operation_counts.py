"""No form of the robots that are timed may cost more operations than the table says."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import closedform as cf
from closedform.forms import Form, Variant
from closedform.programs import trace
from oracles.timed_robots import humanoid, panda

TABLE = Path(__file__).with_name("operation_counts.json")
"""Robot, form and route: additions, multiplications, divisions, square roots, sines and cosines."""

ROBOTS = {
    "panda": lambda: panda().robot,
    "iiwa14": lambda: cf.load("iiwa14"),
    "talos": lambda: humanoid().robot,
}
STATE = ("dq", "dqd", "dphi", "derivatives", "regressor", "dtau")
BEYOND = {
    "iiwa14": STATE,
    "talos": (
        *STATE,
        "inverse",
        "projector",
        "matrix_rates",
        "torque_rates",
        "ddot",
    ),
}
"""Endings of forms that are not counted. Talos is too large for them: tracing them takes minutes. Those of
the iiwa14 come from the same builders as the Panda's. The rates of matrices and torques are the forms ending
in dot and ddot."""

FAMILY = (2,)
"""Orders of the families of forms that are counted: the work of lower ones is part of it."""


@cache
def robot(name: str) -> cf.Robot:
    """Return a robot, made once."""
    return ROBOTS[name]()


def members(name: str, route: str) -> Iterator[tuple[str, str, int | None]]:
    """Yield (label, form, order) of every form of a robot that is counted.

    The papers' block matrices are there to be read and to check with; nothing is computed through them. With
    the parameters as an input, derivatives by the state are differentiated like those without.
    """
    beyond = (*BEYOND.get(name, ()), *(STATE if route == "phi" else ()))
    for form in cf.FORMS.values():
        if form.group != "blocks" and not form.name.endswith(beyond):
            for order in FAMILY if form.ordered else [None]:
                yield form.name if order is None else f"{form.name} {order}", form.name, order


ROUTES = {"recursion": False, "block": True, "phi": False}
"""Ways to build a form, and whether that is the block matrices' route."""

CASES = [(name, route) for name in ROBOTS for route in ROUTES if (name, route) != ("talos", "block")]
CASES.remove(("talos", "phi"))  # the same builders on another tree: one robot shows what they cost there
CASES.remove(("iiwa14", "phi"))
CASES.remove(("iiwa14", "block"))


def has_route(form: Form, route: str) -> bool:
    """Return whether a form can be built that way."""
    if route == "phi":
        return form.may_take("phi")
    return route == "recursion" or form.closed is not None


def counted(name: str, route: str) -> dict[str, list[int]]:
    """Return the operations of every form of a robot by one route."""
    found = {}
    for label, form, order in members(name, route):
        if has_route(cf.FORMS[form], route):
            counts = trace(
                robot(name).model, form, Variant(order=order, phi=route == "phi"), closed=ROUTES[route]
            ).counts
            assert counts.others == 0 or cf.FORMS[form].frictional  # dry friction has a sign
            found[label] = list(vars(counts).values())[:5]
    return found


@pytest.mark.parametrize(("name", "route"), CASES)
def test_no_count_of_operations_rises(name, route, update):
    found = counted(name, route)
    table = json.loads(TABLE.read_text()) if TABLE.exists() else {}
    if update:
        table.setdefault(name, {})[route] = found
        TABLE.write_text(written(table))
    known = table[name][route]
    assert found.keys() == known.keys(), "run with --update to write the table anew"
    risen = {
        label: (now, known[label])
        for label, now in found.items()
        if any(a > b for a, b in zip(now, known[label], strict=True))
    }
    assert not risen


def written(table: dict[str, dict[str, dict[str, list[int]]]]) -> str:
    """Return the table as JSON, a form a line."""
    text = json.dumps(table, indent=2)
    return re.sub(r"\[[^]]*\]", lambda counts: json.dumps(json.loads(counts[0])), text) + "\n"
