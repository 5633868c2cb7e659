"""Methods say what they take: in Python's own words, in errors and in the stubs."""

from __future__ import annotations

import ast
import inspect
import pydoc
from typing import Any

import numpy as np
import pytest

import closedform as cf
from test_precision import EVERY_FORM, owners
from tools.write_stubs import stubs


def in_stubs() -> dict[str, ast.FunctionDef]:
    """Return the stub of every method by owner and name."""
    kinds = dict(zip(stubs().values(), owners(), strict=True))
    return {
        f"{kind}.{method.name}": method
        for text, kind in kinds.items()
        for node in ast.parse(text).body
        if isinstance(node, ast.ClassDef)
        for method in node.body
        if isinstance(method, ast.FunctionDef)
    }


STUBS = in_stubs()


@pytest.mark.parametrize(("kind", "form"), EVERY_FORM)
def test_a_signature_is_that_of_the_stub(kind: str, form: Any) -> None:
    owner = owners()[kind]
    arguments = STUBS[f"{kind}.{form.name}"].args
    signature = inspect.signature(getattr(owner, form.name))
    kinds = inspect.Parameter
    by_kind: dict[Any, list[str]] = {}
    for each in signature.parameters.values():
        by_kind.setdefault(each.kind, []).append(each.name)
    constants = [each.name for each in form.constants]
    stubbed = [each.arg for each in arguments.args[1:]]
    ours = by_kind[kinds.POSITIONAL_OR_KEYWORD]
    assert [name for name in stubbed if name not in constants] == [n for n in ours if n not in constants]
    assert {each.arg for each in arguments.kwonlyargs} == set(by_kind[kinds.KEYWORD_ONLY])
    assert (arguments.vararg is not None) == (kinds.VAR_POSITIONAL in by_kind)
    assert (arguments.kwarg is not None) == (kinds.VAR_KEYWORD in by_kind)
    unbound = inspect.signature(getattr(type(owner), form.name))
    assert next(iter(unbound.parameters)) == "self"
    assert set(signature.parameters) <= set(unbound.parameters)


def test_a_method_shows_its_form_its_robot_and_its_arguments() -> None:
    robot = cf.load("2r")
    assert repr(robot.mass_matrix) == "<form mass_matrix(q, *, out=None, threads=1) of '2r'>"
    assert repr(robot.pose) == "<form pose(q, frame=None, *, out=None, threads=1) of '2r'>"
    assert robot.mass_matrix.__name__ == "mass_matrix"
    assert robot.mass_matrix.__doc__ == cf.FORMS["mass_matrix"].doc
    assert callable(robot.mass_matrix)
    assert robot.mass_matrix is robot.mass_matrix


def test_help_shows_the_arguments_and_the_claim() -> None:
    robot = cf.load("2r")
    text = pydoc.render_doc(robot.pose, renderer=pydoc.plaintext)
    assert "pose(q, frame=None, *, out=None, threads=1)\n    Return the 4x4 pose of a frame" in text
    text = pydoc.render_doc(cf.Robot, renderer=pydoc.plaintext)
    assert "gravity_torque(self, /, q, *, out=None, threads=1)" in text


def test_choices_may_be_lists_and_texts_of_other_classes() -> None:
    robot, q = cf.load("2r"), np.array([0.1, 0.2])
    expected = robot.task_inertia_inverse(q, "tool", rows="xy")
    for rows in (["x", "y"], ("x", "y"), np.str_("xy")):
        given = robot.task_inertia_inverse(q, np.str_("tool"), rows=rows)
        np.testing.assert_array_equal(given, expected)
    with pytest.raises(cf.ClosedFormError, match="rows"):
        robot.task_inertia_inverse(q, rows=[["x"]])


def test_a_form_may_be_called_through_the_class() -> None:
    robot, q = cf.load("2r"), np.array([0.1, 0.2])
    np.testing.assert_array_equal(cf.Robot.mass_matrix(robot, q=q), robot.mass_matrix(q))


@pytest.mark.parametrize(("kind", "form"), EVERY_FORM)
def test_unknown_names_say_which_was_meant(kind: str, form: Any) -> None:
    owner = owners()[kind]
    *others, last = [each.name for each in form.arrays(owner.model)]
    arrays = {name: np.zeros(1) for name in others}
    if form.ordered:
        return  # further derivatives have names of their own
    with pytest.raises(
        cf.ArgumentError, match=rf"{form.name}: .*did you mean 'threads'.*\).* takes .*{last}"
    ):
        getattr(owner, form.name)(**arrays, **{last: np.zeros(1)}, thread=1)


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda r, q: r.gravity_torque(Q=q), r"'Q' \(did you mean 'q'"),
        (lambda r, q: r.inverse_dynamics(q, dq=q, qdd=q), r"'dq' \(did you mean 'qd'"),
        (lambda r, q: r.inverse_dynamics_rates(q, q, q, qdddd=q), r"'qdddd' \(did you mean 'qddd'"),
        (lambda r, q: r.pose(q, "link_1"), r"'link_1' \(did you mean 'link1'"),
        (lambda r, q: r.kernel("mas_matrix"), r"\(did you mean 'mass_matrix'"),
        (lambda r, q: r.kernel("mass_matrix", frmae="tool"), r"'frmae' \(did you mean 'frame'"),
        (lambda r, q: cf.load("pandda"), r"\(did you mean 'panda'"),
        (lambda r, q: r.pose(q, "tool", frame="tool"), "frame is given twice"),
        (lambda r, q: r.gravity_torque(q, q=q), "q is given twice"),
        (
            lambda r, q: r.inverse_dynamics(q=q, qdd=q),
            r"takes 3 array\(s\) \(q, qd, qdd\); 2 given, without qd",
        ),
    ],
)
def test_a_wrong_name_is_answered_with_the_right_one(call: Any, says: str) -> None:
    with pytest.raises(cf.ClosedFormError, match=says):
        call(cf.load("2r"), np.zeros(2))


@pytest.mark.parametrize(
    ("named", "says"),
    [
        ({"out": np.zeros((3, 3))}, r"out has shape \(3, 3\); expected \(5, 2\)"),
        ({"out": np.zeros(2)}, r"out has shape \(2,\); expected \(5, 2\)"),
        ({"out": np.zeros((4, 2))}, r"out has shape \(4, 2\); expected \(5, 2\)"),
        ({"out": np.zeros((5, 2), int)}, "out has dtype int64; expected float64"),
        ({"out": np.broadcast_to(np.zeros(2), (5, 2))}, "entries of out share memory"),
        ({"out": [np.zeros((5, 2))]}, "out is .*; expected an array of shape"),
        ({"out": ()}, "out has 0 arrays; expected 1"),
        ({"out": (np.zeros((5, 2)),) * 2}, "outputs overlap|out has 2 arrays; expected 1"),
        ({"qd": np.zeros((4, 2))}, r"batches do not broadcast: q \(5, 2\) has batch \(5,\), .*batch \(4,\)"),
        ({"qd": np.zeros((5, 3))}, r"qd has shape \(5, 3\); expected \(\.\.\., 2\)"),
    ],
)
@pytest.mark.parametrize("threads", [1, 2])
def test_batches_and_outputs_are_refused_in_the_words_of_the_arguments(
    named: dict[str, Any], says: str, threads: int
) -> None:
    q = np.zeros((5, 2))
    arguments = {"q": q, "qd": q, "qdd": q, **named}
    with pytest.raises(cf.ArgumentError, match=f"inverse_dynamics: ({says})") as caught:
        cf.load("2r").inverse_dynamics(**arguments, threads=threads)
    assert "remapped" not in str(caught.value)
    assert "operand" not in str(caught.value)


@pytest.mark.parametrize(
    ("out", "says"),
    [
        (np.zeros((2, 2)), "expected a tuple of 2 arrays"),
        ([np.zeros((2, 2)), np.zeros((2, 2))], "expected a tuple of 2 arrays"),
        ((np.zeros((2, 2)),), "out has 1 arrays; expected 2"),
        ((np.zeros((2, 2)), 3), r"out\[1\] is 3; expected an array of shape \(2, 2\)"),
        ((np.zeros((2, 2)), np.zeros(2)), r"out\[1\] has shape \(2,\); expected \(2, 2\)"),
    ],
)
def test_several_outputs_are_named_by_their_place(out: Any, says: str) -> None:
    with pytest.raises(cf.ArgumentError, match=says):
        cf.load("2r").inverse_dynamics_derivatives(*[np.zeros(2)] * 3, out=out)
