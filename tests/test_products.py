"""Vector-Jacobian and Jacobian-vector products: against closed-form derivatives and each other."""

from __future__ import annotations

import pickle

import casadi as ca
import numpy as np
import pytest

import closedform as cf
from basic_forms import BASIC
from closedform.kernels import compiled
from closedform.programs import PRODUCTS, evaluate, expressions, program, trace
from closedform.programs.operations import NUMPY
from closedform.programs.to_casadi import CASADI
from tolerances import worst

ROBOTS = ("scara", "spherical_pendulum")
EXACT = 1e-12


def arrays(robot: cf.Robot, traced, rng) -> list[np.ndarray]:
    (q,) = robot.random_state(rng, order=0)
    return [q if name == "q" else rng.normal(size=shape) for name, shape in traced.inputs]


def as_list(results) -> list[np.ndarray]:
    return [np.asarray(each) for each in (results if isinstance(results, tuple) else (results,))]


def along(products: list[np.ndarray], directions: list[np.ndarray]) -> float:
    return sum(float(np.vdot(one, other)) for one, other in zip(products, directions, strict=True))


@pytest.mark.parametrize("name", ROBOTS)
@pytest.mark.parametrize("form", BASIC)
def test_the_two_products_are_each_others_adjoint(name, form):
    """w . (J v) = (J^T w) . v, forward mode against reverse mode, for every form."""
    robot = cf.load(name)
    traced = trace(robot.model, form)
    if len(traced.operations) > 3000:
        pytest.skip("takes long to differentiate")
    rng = np.random.default_rng(0)
    inputs = arrays(robot, traced, rng)
    tangents = [rng.normal(size=each.shape) for each in inputs]
    cotangents = [rng.normal(size=shape) for _, shape in traced.outputs]
    rates = as_list(evaluate(PRODUCTS["jvp"].of(traced), *inputs, *tangents))
    gradients = as_list(evaluate(PRODUCTS["vjp"].of(traced), *inputs, *cotangents))
    forward, backward = along(rates, cotangents), along(gradients, tangents)
    scale = sum(float(np.abs(a * b).sum()) for a, b in zip(rates, cotangents, strict=True))
    assert abs(forward - backward) <= EXACT * max(scale, 1e-3)
    for each, other in zip(inputs, gradients, strict=True):
        assert each.shape == other.shape


@pytest.mark.parametrize("name", ["panda", "scara"])
def test_gradients_are_the_closed_form_derivatives(name):
    """The closed-form derivatives share nothing with reverse mode."""
    robot = cf.load(name)

    def value(form: str, *state: np.ndarray):
        return evaluate(trace(robot.model, form), *state)

    rng = np.random.default_rng(1)
    q, qd, qdd = robot.random_state(rng)
    w = rng.normal(size=robot.nv)
    traced = PRODUCTS["vjp"].of(trace(robot.model, "inverse_dynamics"))
    found = evaluate(traced, q, qd, qdd, w)
    by_q, by_qd = value("inverse_dynamics_derivatives", q, qd, qdd)
    assert worst(found[0], w @ by_q) < EXACT
    assert worst(found[1], w @ by_qd) < EXACT
    assert worst(found[2], w @ value("mass_matrix", q)) < EXACT
    tau = value("inverse_dynamics", q, qd, qdd)
    derivatives = value("forward_dynamics_derivatives", q, qd, tau)
    found = evaluate(PRODUCTS["vjp"].of(trace(robot.model, "forward_dynamics")), q, qd, tau, w)
    for mine, exact in zip(found, derivatives, strict=True):
        assert worst(mine, w @ exact) < 1e-9  # the condition of M


def test_gradients_by_phi_are_the_regressor():
    robot = cf.load("2r")
    rng = np.random.default_rng(2)
    q, qd, qdd = robot.random_state(rng)
    w = rng.normal(size=2)
    gradients = robot.kernel("inverse_dynamics", phi=True).vjp(q, qd, qdd, robot.phi, w)
    assert worst(gradients.phi_gradient, w @ robot.regressor(q, qd, qdd)) < EXACT


def test_second_products_are_second_derivatives():
    """The product of a product, against the closed form of the derivative of a gradient."""
    robot = cf.load("2r")
    twice = PRODUCTS["jvp"].of(PRODUCTS["vjp"].of(trace(robot.model, "potential_energy")))
    rng = np.random.default_rng(3)
    q, v = rng.normal(size=2), rng.normal(size=2)
    gradient = evaluate(twice, q, 1.0, v, 0.0)
    assert worst(gradient, robot.gravity_torque_dq(q) @ v) < EXACT


def test_products_are_kernels():
    """Batches, `out`, float32, counts, pickles, threads; each is made once."""
    robot = cf.load("2r")
    kernel = robot.kernel("inverse_dynamics")
    assert kernel.vjp is kernel.vjp
    rng = np.random.default_rng(4)
    q, qd, qdd = robot.random_state(rng, batch=(5, 1))
    w = rng.normal(size=(3, 2))
    found = kernel.vjp(q, qd, qdd, w)
    assert found._fields == ("q_gradient", "qd_gradient", "qdd_gradient")
    assert [each.shape for each in found] == [(5, 3, 2)] * 3
    again = pickle.loads(pickle.dumps(kernel.vjp))
    outs = tuple(np.empty((5, 3, 2)) for _ in range(3))
    again(q, qd, qdd, w, out=outs)
    for one, other in zip(found, outs, strict=True):
        np.testing.assert_array_equal(one, other)
    assert kernel.counts.total < kernel.vjp.counts.total < 4 * kernel.counts.total
    single = robot.kernel("inverse_dynamics", dtype=np.float32).jvp
    assert single.dtype == np.float32
    assert worst(single(q, qd, qdd, q, qd, qdd), kernel.jvp(q, qd, qdd, q, qd, qdd)) < 1e-5


def test_every_operation_goes_to_casadi_and_back():
    assert set(CASADI) == set(NUMPY)
    x = ca.SX.sym("x", 3)
    a, b, c = x.elements()
    given = [
        ca.sqrt(a) + ca.tan(b) - ca.asin(b) * ca.acos(b) / ca.atan(c),
        ca.atan2(a, b) + ca.sinh(b) + ca.cosh(b) + ca.tanh(c) + ca.exp(-b) + ca.log(a) + a**b + c**2.5,
        ca.fabs(b - c) + ca.sign(b) + ca.fmin(a, b) + ca.fmax(b, c),
        ca.if_else(a < b, a, b * c) + ca.if_else(b <= c, 2.0, c) + ca.if_else(ca.logic_not(a < c), a, b),
    ]
    traced = program("all", [("x", (3,), x)], [("y", (4,), ca.vertcat(*given))])
    symbols, (y,) = expressions(traced)
    point = np.array([0.7, 0.4, 0.9])
    there = ca.Function("f", symbols, [y])
    np.testing.assert_allclose(np.array(there(point)).ravel(), evaluate(traced, point), rtol=1e-14)


def test_products_of_own_expressions():
    x = ca.SX.sym("x", 2)
    norm = compiled("norm", [("x", x)], [("norm", (), ca.sqrt(ca.dot(x, x)))])
    np.testing.assert_allclose(norm.vjp([3.0, 4.0], 2.0), [1.2, 1.6], rtol=1e-15)
    assert float(norm.jvp([3.0, 4.0], [1.0, 0.0])) == pytest.approx(0.6, rel=1e-15)


def test_wrong_arguments_are_named():
    kernel = cf.load("2r").kernel("gravity_torque")
    with pytest.raises(
        cf.ArgumentError, match=r"gravity_torque_vjp takes .* \(q, gravity_torque_cotangent\)"
    ):
        kernel.vjp(np.zeros(2))
    with pytest.raises(cf.ArgumentError, match="gravity_torque_cotangent"):
        kernel.vjp(np.zeros(2), np.zeros(3))
