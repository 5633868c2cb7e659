"""float32 in gives float32 out, for every form of every owner; what is mixed or exact is double."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

import closedform as cf
from closedform.form_methods import FormKernels
from closedform.forms import Form
from kernel_inputs import SINGLE


@cache
def owners() -> dict[str, Any]:
    """Return a small owner of each kind."""
    rigid = cf.load("2r")
    return {
        "rigid": rigid,
        "flexible": cf.FlexibleArm([cf.FlexibleLink(1.0, 0.5, 2.0, modes=1)]),
        "elastic": cf.ElasticJointRobot(rigid, "variable", 0.1, 1.0),
        "closed": rigid.with_loops([cf.JointCoupling("joint2", "joint1")], actuated=rigid.joint_names),
        "touching": rigid.with_contacts([cf.Contact("tool", "surface", (1, 0, 0))]),
    }


EVERY_FORM = [
    pytest.param(kind, form, id=f"{kind}.{form.name}")
    for kind, owner in owners().items()
    for form in owner.FORMS.values()
]


class Asked(Exception):  # noqa: N818 (an answer, not an error)
    """The kernel that a method asked for."""


@pytest.fixture(name="asked")
def fixture_asked(monkeypatch: pytest.MonkeyPatch):
    """Return a function that says which precision a call asks for, without compiling anything."""

    def find(self: FormKernels, name: str, **chosen: Any) -> None:
        raise Asked(chosen["dtype"])

    monkeypatch.setattr(FormKernels, "find", find)

    def ask(owner: Any, form: Form, arrays: list[Any], **named: Any) -> np.dtype[Any]:
        method = form_method(owner, form)
        with pytest.raises(Asked) as caught:
            method(*arrays, **named)
        return caught.value.args[0]

    return ask


def form_method(owner: Any, form: Form) -> Any:
    """Return a method that knows no call yet."""
    vars(owner).pop(form.name, None)
    owner._methods.pop(form.name, None)
    return getattr(owner, form.name)


def zeros(owner: Any, form: Form, dtype: Any) -> list[np.ndarray]:
    return [np.zeros((3, *shape), dtype) for shape in form.input_shapes(owner.model)]


@pytest.mark.parametrize(("kind", "form"), EVERY_FORM)
def test_every_form_takes_the_precision_of_its_arrays(kind: str, form: Form, asked) -> None:
    owner = owners()[kind]
    single, double = zeros(owner, form, "f4"), zeros(owner, form, "f8")
    names = [each.name for each in form.arrays(owner.model)]
    frame = {"frame": owner.frame_names[0]} if form.framed else {}
    assert asked(owner, form, single, **frame) == np.float32
    assert asked(owner, form, [], **dict(zip(names, single, strict=True)), **frame) == np.float32
    assert asked(owner, form, double, **frame) == np.float64
    for k in range(len(single)):
        mixed = [double[k] if i == k else x for i, x in enumerate(single)]
        assert asked(owner, form, mixed) == np.float64
    assert asked(owner, form, single, out=np.zeros(3)) == np.float32, "the inputs decide"


def test_numbers_without_a_precision_take_that_of_the_others(asked) -> None:
    owner, form = owners()["rigid"], cf.FORMS["inverse_dynamics"]
    q = np.zeros(2, "f4")
    for weak in ([0, 1.5], (0.5, 2), range(2)):
        assert asked(owner, form, [q, weak, weak]) == np.float32
        assert asked(owner, form, [q.astype("f8"), weak, weak]) == np.float64
        assert asked(owner, form, [weak] * 3) == np.float64
    for low in ("f4", ">f4", "f2"):
        assert asked(owner, form, [q.astype(low)] * 3) == np.float32
    for exact in ("f8", ">f8", "i1", "u8", "?", "g"):
        assert asked(owner, form, [q, q, q.astype(exact)]) == np.float64


CASES = {
    "plain": ("mass_matrix", ()),
    "framed": ("pose", ("link1",)),
    "number": ("kinetic_energy", ()),
    "several": ("inverse_dynamics_derivatives", ()),
    "family": ("inverse_dynamics_rates", ()),
}


@pytest.mark.parametrize("batch", [(), (4,), (2, 3)])
@pytest.mark.parametrize("case", CASES)
def test_single_precision_is_double_to_its_rounding(case: str, batch: tuple[int, ...]) -> None:
    name, words = CASES[case]
    robot = owners()["rigid"]
    state = robot.random_state(0, batch=batch)[: len(cf.FORMS[name].takes)]
    single = [x.astype("f4") for x in state]
    method = getattr(robot, name)
    for _ in range(2):  # the first time through Python
        given, expected = method(*single, *words), method(*state, *words)
        several = isinstance(given, tuple)
        for one, other in zip(given, expected, strict=True) if several else [(given, expected)]:
            assert one.dtype == np.float32
            assert type(one) is type(other) or not batch
            scale = max(1.0, float(np.abs(other).max()))
            np.testing.assert_allclose(one, other, rtol=0, atol=SINGLE * scale)


def test_an_output_is_rounded_or_widened_after_the_computation() -> None:
    robot = owners()["rigid"]
    q = robot.random_state(0)[0]
    single = q.astype("f4")
    wide, narrow = np.zeros((2, 2)), np.zeros((2, 2), "f4")
    for _ in range(2):
        np.testing.assert_array_equal(
            robot.mass_matrix(single, out=wide), robot.mass_matrix(single).astype("f8")
        )
        np.testing.assert_array_equal(robot.mass_matrix(q, out=narrow), robot.mass_matrix(q).astype("f4"))
    for wrong in ("i8", "?", "c16", "O", "U4"):
        with pytest.raises(cf.ArgumentError, match=r"mass_matrix: out has dtype .*; expected float64"):
            robot.mass_matrix(q, out=np.zeros((2, 2), wrong))


def test_wrenches_count_as_arrays(asked) -> None:
    robot = owners()["rigid"]
    form = cf.FORMS["external_torque"]
    q, wrenches = np.zeros(2, "f4"), np.zeros((2, 6), "f4")
    assert asked(robot, form, [q, wrenches]) == np.float32
    assert asked(robot, form, [q, wrenches.astype("f8")]) == np.float64


def test_objects_without_joints_keep_the_precision_too(tmp_path) -> None:
    (tmp_path / "cup.urdf").write_text(
        '<robot name="cup"><link name="cup"/><link name="ear"/>'
        '<joint name="glue" type="fixed"><parent link="cup"/><child link="ear"/></joint></robot>'
    )
    cup = cf.load(tmp_path / "cup.urdf")
    assert cup.pose(np.zeros(0, "f4"), "ear").dtype == np.float32
    assert cup.pose(np.zeros((3, 0)), frame="ear").dtype == np.float64
    assert cup.pose(q=[], frame="ear").dtype == np.float64
    with pytest.raises(cf.ArgumentError, match=r"'frme' \(did you mean 'frame'\?\)"):
        cup.pose([], frme="ear")
    with pytest.raises(cf.ArgumentError, match=r"out has shape \(3, 3\); expected \(4, 4\)"):
        cup.pose([], out=np.zeros((3, 3)))
