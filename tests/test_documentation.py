"""Written documents follow the catalogues: method stubs and the tables of forms."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import closedform as cf
from tools.write_stubs import stubs

DOCS = Path(cf.__file__).parents[2] / "docs"

HEAD = """# Forms

Every form is a method of its owner, broadcasts over leading batch axes, takes arrays in order or by
name, `out=` and `threads=`; a form of several outputs gives a named tuple. A form that ends in `_rates`
exists to any order up to 12: for each order it takes one more derivative of the motion (and of the
wrenches) and gives one more derivative. Written by `python -m pytest tests/test_documentation.py --update`.

"""
OWNERS = {
    "Robot": (
        cf.Robot,
        "q has nq entries, v (qd, qdd, tau) nv, p phi; b counts moving bodies, s six for each, f frames, "
        "t rows of a task.",
    ),
    "FlexibleArm": (cf.FlexibleArm, "N counts coordinates, n joints, 2N the state, p parameters."),
    "ElasticJointRobot": (
        cf.ElasticJointRobot,
        "v counts joints. If the stiffness is variable, `stiffness` and its rates are the last inputs.",
    ),
}


def forms_table() -> str:
    """Return docs/forms.md from the catalogues."""
    parts = []
    for name, (owner, note) in OWNERS.items():
        parts.append(f"## {name}\n\n{note}\n")
        for group in dict.fromkeys(form.group for form in owner.FORMS.values()):
            lines = [f"### {group.capitalize()}", "", "| form | takes | gives | |", "|---|---|---|---|"]
            for form in owner.FORMS.values():
                if form.group == group:
                    more = ["..."] if form.ordered else []
                    more += ["frame"] if form.framed else []
                    takes = ", ".join(dict.fromkeys([*form.inputs, *more, *form.choices]))
                    gives = "; ".join(
                        f"{each.quantity.symbol} ({', '.join(map(str, each.shape))}) [{each.quantity.unit}]"
                        for each in form.gives
                    )
                    gives += "; ..." if form.ordered else ""
                    lines.append(f"| `{form.name}` | {takes} | {gives} | {form.summary} |")
            parts.append("\n".join(lines) + "\n")
    return HEAD + "\n".join(parts)


def check(path: Path, text: str, update: bool) -> None:
    if update:
        path.write_text(text, encoding="utf-8")
    assert path.read_text(encoding="utf-8") == text, f"{path.name} is stale; run with --update"


def test_method_stubs_follow_the_catalogues(update):
    for path, text in stubs().items():
        check(path, text, update)


def test_tables_of_forms_follow_the_catalogues(update):
    check(DOCS / "forms.md", forms_table(), update)


@cache
def owners() -> dict[str, object]:
    """Return a small owner of each kind, by the class of its methods."""
    rigid = cf.load("pendulum")
    pair = cf.load("2r").with_loops([cf.JointCoupling("joint2", "joint1")], actuated=["joint1", "joint2"])
    return {
        "RobotForms": rigid,
        "ArmForms": cf.FlexibleArm([cf.FlexibleLink(1.0, 0.5, 2.0, modes=1)]),
        "ElasticForms": cf.ElasticJointRobot(rigid, "variable", 0.1, 1.0),
        "ClosedForms": pair,
        "ContactForms": rigid.with_contacts([cf.Contact(rigid.frame_names[-1], "surface", (1, 0, 0))]),
    }


def stub_methods() -> list:
    """Return (class, method) of every form in the stubs."""
    classes = [
        node
        for path in stubs()
        for node in ast.parse(path.read_text()).body
        if isinstance(node, ast.ClassDef)
    ]
    return [
        pytest.param(kind.name, method, id=f"{kind.name}.{method.name}")
        for kind in classes
        for method in kind.body
        if isinstance(method, ast.FunctionDef) and method.name != "__init__"
    ]


@pytest.mark.parametrize(("kind", "method"), stub_methods())
def test_a_stub_names_the_arrays_of_its_form(kind, method):
    owner = owners()[kind]
    form = owner.FORMS[method.name]
    names = [each.arg for each in method.args.args if each.arg not in ("self", "frame", "relative_to")]
    assert names == [each.name for each in form.arrays(owner.model)]
    named = [each.arg for each in method.args.kwonlyargs]
    assert ("frame" in named + [each.arg for each in method.args.args]) == form.framed
    assert named[-2:] == ["out", "threads"]


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("RobotForms", "pose"),
        ("RobotForms", "gravity_torque"),
        ("RobotForms", "inverse_dynamics_rates"),
        ("RobotForms", "dynamic_matrices"),
        ("ArmForms", "mass_matrix"),
        ("ArmForms", "state_matrices"),
        ("ElasticForms", "energy"),
        ("ElasticForms", "forward_dynamics"),
        ("ClosedForms", "inverse_dynamics_rates"),
        ("ClosedForms", "actuation_nullspace"),
    ],
)
def test_every_kind_of_method_takes_arrays_by_name(kind, name):
    owner = owners()[kind]
    form = owner.FORMS[name]
    arrays = zip(form.arrays(owner.model), form.input_shapes(owner.model), strict=True)
    given = {each.name: np.full(shape, 0.3) for each, shape in arrays}
    frame = {"frame": owner.frame_names[0]} if form.framed else {}
    result = getattr(owner, name)(**given, **frame, threads=1)
    several = len(form.gives) > 1 or form.ordered
    assert not several or result._fields == form.outputs
    in_order = getattr(owner, name)(*given.values(), **frame)
    pairs = zip(result, in_order, strict=True) if several else [(result, in_order)]
    assert all(np.array_equal(one, other) for one, other in pairs)
