"""CasADi functions of many samples: the map of the function of one, evaluated by machine code."""

from __future__ import annotations

import copy
import gc
import pickle
from concurrent.futures import ThreadPoolExecutor

import casadi as ca
import numpy as np
import pytest

import closedform as cf
from closedform.guests import casadi_batches
from closedform.kernels import FormRecipe
from closedform.programs import evaluate
from examples.optimal_control_casadi import END, SHARE, START, main, problem
from oracles.random_trees import random_tree
from tolerances import ROUNDING, SOLVE, worst

BATCH = 3


def interpreted(program):
    """Return a program as a function of arrays, without compiling it."""

    def call(*arrays, out):
        for k in range(len(out[0])):
            found = evaluate(program, *(each[k] for each in arrays))
            for into, value in zip(out, found if isinstance(found, tuple) else (found,), strict=True):
                into[k] = value

    return call


def functions(robot, form, compiled=interpreted, batch=BATCH):
    """Return the function of a batch, as no one else has it, and the map that it should equal."""
    recipe = FormRecipe(robot.model, form)
    return casadi_batches.FormBatch(recipe, batch, compiled), robot.casadi(form).map(batch)


def numbers(f, seed=0):
    rng = np.random.default_rng(seed)
    return [rng.normal(size=f.size_in(k)) for k in range(f.n_in())]


def derivatives(f):
    """Return J of all entries, the Hessian of a sum with squares of them, and products, as one function."""
    starts = np.cumsum([0, *(f.numel_in(k) for k in range(f.n_in()))]).tolist()
    flat = ca.MX.sym("x", starts[-1])
    parts = ca.vertsplit(flat, starts)
    y = ca.veccat(*f.call([ca.reshape(each, *f.size_in(k)) for k, each in enumerate(parts)]))
    weights = np.random.default_rng(1).normal(size=y.numel())
    lagrangian = ca.dot(weights, y) + ca.sumsqr(y)
    many = ca.jtimes(y, flat, np.random.default_rng(2).normal(size=(y.numel(), 2)), True)
    results = [
        ca.jacobian(y, flat),
        ca.hessian(lagrangian, flat)[0],
        ca.jtimes(y, flat, flat),
        ca.jtimes(y, flat, y, True),
        many,
    ]
    return ca.Function("derivatives", [flat], results)


def check(f, g, bound=ROUNDING):
    """Compare values, patterns, names, first and second derivatives."""
    assert (f.name_in(), f.name_out()) == (g.name_in(), g.name_out())
    x = numbers(f)
    for mine, exact in zip(f.call(x), g.call(x), strict=True):
        assert mine.sparsity() == exact.sparsity()
        assert worst(np.array(mine), np.array(exact)) < bound
    found = [derivatives(each)(ca.veccat(*x)) for each in (f, g)]
    assert found[0][0].nnz() <= found[1][0].nnz()
    for mine, exact in zip(*found, strict=True):
        assert worst(np.array(mine), np.array(exact)) < bound


@pytest.mark.parametrize(
    "form", ["inverse_dynamics", "mass_matrix", "dynamic_matrices", "jacobian_dot", "potential_energy"]
)
def test_a_batch_is_the_map_of_the_function(form):
    """On a tree with oblique axes and a screw: matrices, numbers and several outputs."""
    check(*functions(random_tree(3, 2, ("revolute", "helical")), form))


def test_it_is_of_forward_dynamics_too():
    check(*functions(cf.load("2r"), "forward_dynamics"), SOLVE)


def test_quaternions_are_differentiated_by_their_entries():
    check(*functions(cf.load("spherical_pendulum"), "inverse_dynamics"))


CALLBACK = "CallbackInternal"
"""CasADi's name of what runs machine code."""


def test_first_and_second_derivatives_are_machine_code_too():
    f, _ = functions(cf.load("2r"), "inverse_dynamics")
    made = (f, f.jacobian(), f.reverse(1), f.reverse(1).jacobian())
    assert {each.class_name() for each in made} == {CALLBACK}


@pytest.mark.parametrize("limit", ["MAX_COMPILED", "MAX_SECOND", "MAX_ARRAYS"])
def test_derivatives_that_are_too_large_are_left_to_casadi(limit, monkeypatch):
    monkeypatch.setattr(casadi_batches, limit, 1)
    f, g = functions(cf.load("2r"), "inverse_dynamics")
    check(f, g)
    large = f.reverse(1) if limit == "MAX_SECOND" else f.jacobian()
    assert large.class_name() != CALLBACK


def test_third_derivatives_are_those_of_the_map():
    q = ca.MX.sym("q", 2, BATCH)
    found = []
    for f in functions(cf.load("2r"), "inverse_dynamics"):
        J = ca.jacobian(ca.vec(f(q, 1, 1)), q)
        H = ca.hessian(ca.sum1(ca.vec(f(q, 1, 1))), q)[0]
        found.append(
            ca.Function("third", [q], [ca.hessian(ca.sumsqr(J), q)[0], ca.gradient(ca.sumsqr(H), q)])
        )
    at = numbers(found[0])
    for mine, exact in zip(found[0](*at), found[1](*at), strict=True):
        assert worst(np.array(mine), np.array(exact)) < ROUNDING


def test_only_what_is_asked_for_is_compiled():
    """Without second derivatives, as with L-BFGS, no one waits for their machine code."""
    compiled = []

    def noted(program):
        compiled.append(program.name)
        return interpreted(program)

    f, _ = functions(cf.load("2r"), "inverse_dynamics", noted)
    q = ca.MX.sym("q", 2, BATCH)
    J = ca.Function("J", [q], [ca.jacobian(ca.vec(f(q, 0, 0)), q)])
    assert compiled == []
    J(1)
    assert compiled == ["inverse_dynamics", "jac_inverse_dynamics"]


@pytest.fixture(scope="module", name="robot")
def fixture_robot():
    return cf.load("2r")


def test_machine_code_gives_the_values_and_derivatives_of_the_methods(robot):
    f = robot.casadi("inverse_dynamics", batch=5)
    q, qd, qdd = robot.random_state(0, batch=5)
    given = [each.T for each in (q, qd, qdd)]
    assert worst(np.array(f(*given)).T, robot.inverse_dynamics(q, qd, qdd)) < ROUNDING
    J = np.array(f.jacobian()(*given, 0)[0])
    for k, exact in enumerate(robot.inverse_dynamics_dq(q, qd, qdd)):
        assert worst(J[2 * k : 2 * k + 2, 2 * k : 2 * k + 2], exact) < ROUNDING
    check(f, robot.casadi("inverse_dynamics").map(5))


def test_graphs_outlive_what_they_were_made_of():
    """Nothing of Python's is left but the graph; CasADi would say that the callback has been deleted."""

    def graph():
        f = cf.load("2r").with_payload(0.3, (0, 0, 0.1)).casadi("gravity_torque", batch=2)
        q = ca.MX.sym("q", 2, 2)
        return ca.Function("g", [q], [ca.hessian(ca.sumsqr(f(q)), q)[0]])

    made = graph()
    gc.collect()
    assert np.isfinite(np.array(made(1.0))).all()


def test_one_function_per_form_batch_and_robot(robot):
    f = robot.casadi("gravity_torque", batch=2)
    assert f is cf.load("2r").casadi("gravity_torque", batch=2)
    assert f is not robot.casadi("gravity_torque", batch=3)
    heavier = robot.with_payload(1.0, (0, 0, 0.1)).casadi("gravity_torque", batch=2)
    assert worst(np.array(heavier(1)), np.array(f(1))) > 0.1


def test_threads_call_it_at_once(robot):
    """CasADi's own threads, and Python's."""
    f = robot.casadi("gravity_torque", batch=2)
    q = np.random.default_rng(0).normal(size=(2, 8))
    exact = robot.gravity_torque(q.T).T
    assert worst(np.array(f.map(4, "thread", 2)(q)), exact) < ROUNDING
    with ThreadPoolExecutor(4) as pool:
        for k, found in enumerate(pool.map(lambda k: np.array(f(q[:, 2 * k : 2 * k + 2])), range(4))):
            assert worst(found, exact[:, 2 * k : 2 * k + 2]) < ROUNDING


def test_a_bad_sample_is_nan_in_its_own_column(robot):
    q = np.array([[0.1, np.nan, 0.3], [0.2, 0.3, 0.4]])
    found = np.array(robot.casadi("gravity_torque", batch=3)(q))
    assert np.isnan(found).any(axis=0).tolist() == [False, True, False]


def test_copies_are_itself_and_pickles_are_recipes(robot):
    f = robot.casadi("gravity_torque", batch=2)
    assert copy.copy(f) is f
    assert copy.deepcopy(f) is f
    assert pickle.loads(pickle.dumps(f)) is f


def test_what_machine_code_cannot_do_is_said(robot, tmp_path):
    f = robot.casadi("gravity_torque", batch=2)
    for refused in (f.serialize, lambda: f.save(str(tmp_path / "f")), lambda: f.generate("f.c")):
        with pytest.raises(cf.ClosedFormError, match=r"robot.casadi\('gravity_torque'\).map\(2\)"):
            refused()


@pytest.mark.parametrize("batch", [0, -1, 2.0, True, "3", 10**9])
def test_a_batch_is_a_number_of_samples(robot, batch):
    with pytest.raises(cf.ClosedFormError, match=r"casadi: batch is .*; expected a whole number from 1 to"):
        robot.casadi("gravity_torque", batch=batch)


def test_the_example_finds_the_optimum_of_the_plain_function(tmp_path, capsys):
    """From start to end within the torques; CasADi's evaluation of the same problem takes the same steps."""
    page = tmp_path / "torques.html"
    q, share = main(str(page), intervals=8)
    words = capsys.readouterr().out
    assert page.exists()
    np.testing.assert_allclose(q[[0, -1]], [START, END], atol=1e-7)
    assert np.abs(share).max() <= 1 + 1e-6
    robot = cf.load("panda")
    limits = SHARE * np.asarray(robot.effort_limits)
    plain = problem(robot.casadi("forward_dynamics").map(8), limits, 8)
    np.testing.assert_allclose(q, plain.opti.solve().value(plain.q).T, atol=1e-9)
    assert words.startswith(f"{plain.opti.stats()['iter_count']} iterations")
