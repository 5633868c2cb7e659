"""A form is one function and one line of a catalogue: everything else finds it, for every owner."""

from __future__ import annotations

import copy
import pickle

import casadi as ca
import numpy as np
import pytest

import closedform as cf
from closedform import elastic, flexible
from closedform.forms import Quantity
from tolerances import LAST_DIGITS

SPEED = Quantity("w", "w", "rad^2/s^2 or m^2/s^2", "sum of squared velocities")


def squared_speed(basis, *inputs: ca.SX) -> ca.SX:
    """Return the sum of the squared velocities, w = qd . qd."""
    qd = inputs[-1]
    return ca.dot(qd, qd)


def both(basis, *inputs: ca.SX) -> tuple[ca.SX, ca.SX]:
    """Return twice the velocities, and their sum."""
    qd = inputs[-1]
    return 2 * qd, ca.sum1(qd)


OWNERS = {
    "rigid": (lambda: cf.load("2r"), "v", "kinetic_energy"),
    "flexible": (cf.FlexibleArm.deluca_siciliano, "N", "kinetic_energy"),
    "elastic": (lambda: cf.ElasticJointRobot(cf.load("2r"), 1e3, 0.1, 1.0), "v", "energy"),
}


@pytest.fixture(params=OWNERS)
def owner(request):
    """An owner whose catalogue has two forms more, until the test is over."""
    make, letter, moving = OWNERS[request.param]
    it = make()
    forms, takes = it.FORMS, it.FORMS[moving].takes[:2]
    velocity = takes[1].quantity
    forms.add(squared_speed, takes, SPEED.array())
    forms.add(both, takes, (velocity.array(letter, name="twice"), velocity.array(name="total")))
    yield it
    for name in ("squared_speed", "both"):
        forms.remove(name)
        assert not hasattr(type(it), name)


def test_a_form_added_at_run_time_is_everywhere(owner, tmp_path):
    rng = np.random.default_rng(0)
    kernel = owner.kernel("squared_speed")
    q, qd = (rng.normal(size=(5, *shape)) for shape in kernel.input_shapes)
    expected = (qd**2).sum(-1)
    assert np.allclose(owner.squared_speed(q, qd), expected, rtol=LAST_DIGITS)
    assert np.allclose(owner.squared_speed(q=q, qd=qd, threads=2), expected, rtol=LAST_DIGITS)
    assert np.allclose(kernel(q, qd), expected, rtol=LAST_DIGITS)
    assert np.allclose(pickle.loads(pickle.dumps(kernel))(q, qd), expected, rtol=LAST_DIGITS)
    assert owner.kernel("squared_speed", dtype=np.float32)(q, qd).dtype == np.float32
    header, _ = owner.export("squared_speed", "c", tmp_path)
    assert "sum of squared velocities [rad^2/s^2 or m^2/s^2]" in header.read_text()
    w = owner.equations("squared_speed")
    assert np.allclose(w.evaluate(q, qd), expected, rtol=LAST_DIGITS)
    assert str(w).startswith("w = qd1**2 + ")
    assert str(w.dot()).startswith("wd = 2*qd1*qdd1 + ")


def test_several_outputs_are_a_named_tuple(owner):
    q, qd = (np.ones(shape) for shape in owner.kernel("both").input_shapes)
    result = owner.both(q, qd)
    assert result._fields == ("twice", "total")
    assert result.total == qd.size
    out = (np.empty_like(qd), np.empty(()))
    written = owner.both(q, qd, out=out)
    assert written.twice is out[0]
    for again in (pickle.loads(pickle.dumps(result)), copy.deepcopy(result)):
        assert again._fields == result._fields
        assert np.array_equal(again.twice, result.twice)


def test_machine_code_of_another_builder_is_not_taken_for_it():
    """The cache knows the library's own builders by its source; others by their programs."""

    def builder(factor: float):
        def scaled(model, q: ca.SX) -> ca.SX:
            """Return the coordinates times a factor."""
            return factor * q

        return scaled

    robot, takes = cf.load("2r"), cf.FORMS["mass_matrix"].takes
    for factor in (2.0, 3.0):
        cf.FORMS.add(builder(factor), takes, takes[0].quantity.array("q"))
        try:
            assert cf.Kernel(cf.kernels.FormRecipe(robot.model, "scaled"))(np.ones(2))[0] == factor
            assert robot.kernel("scaled")(np.ones(2))[0] == factor  # of a robot that knew the one before
            assert robot.scaled(np.ones(2))[0] == factor
        finally:
            cf.FORMS.remove("scaled")
        assert not hasattr(robot, "scaled")


def test_a_robot_need_not_be_hashable():
    class Compared(cf.Robot):
        def __eq__(self, other: object) -> bool:
            return isinstance(other, cf.Robot) and self.model.digest == other.model.digest

        __hash__ = None

    robot = cf.load("2r")
    assert Compared(robot.model) == robot


@pytest.mark.parametrize("forms", [cf.FORMS, flexible.catalogue.FORMS, elastic.catalogue.FORMS])
def test_a_form_without_a_quantity_a_name_or_a_claim_is_refused(forms):
    takes = next(iter(forms.values())).takes

    def silent(basis, *inputs: ca.SX) -> ca.SX:
        return inputs[0]

    with pytest.raises(cf.ArgumentError, match="'silent' has no docstring"):
        forms.add(silent, takes, SPEED.array())
    with pytest.raises(cf.ArgumentError, match="'v' is no array of a quantity"):
        forms.add(squared_speed, takes, ("v",))
    taken = next(iter(forms.values())).build
    with pytest.raises(cf.ArgumentError, match="in the catalogue already"):
        forms.add(taken, takes, SPEED.array())


def test_every_array_of_every_form_has_a_symbol_a_unit_and_a_meaning():
    for kind in (cf.Robot, cf.FlexibleArm, cf.ElasticJointRobot):
        for form in kind.FORMS.values():
            for each in (*form.takes, *form.gives, *form.constants, *form.optional):
                it = each.quantity
                assert all((it.symbol, it.dotted, it.unit, it.meaning)), (form.name, each.name)


def test_derivatives_of_quantities_follow_from_an_algebra():
    q, M = cf.FORMS["mass_matrix"].takes[0].quantity, cf.FORMS["mass_matrix"].gives[0].quantity
    assert [q.rate(k).symbol for k in range(6)] == ["q", "qd", "qdd", "qddd", "q4", "q5"]
    assert q.rate(2).meaning == "joint accelerations"
    assert q.rate(2).unit == "rad/s^2 or m/s^2"
    assert M.rate().unit == "kg m^2/s, kg m/s or kg/s"
    assert M.rate().rate() == M.rate(2)
    assert M.rate(2).dotted == r"\ddot{M}"
    assert M.by(q).meaning == "derivative (last axis) by the joint coordinates of the mass matrix"
    assert M.by(q.rate()).symbol == "M_dqd"
