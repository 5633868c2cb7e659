"""Laws with states: adaptive control by its Lyapunov function and its regressor, and states over a motion."""

from __future__ import annotations

import ctypes
import subprocess

import numpy as np
import pinocchio as pin
import pytest
from scipy.integrate import solve_ivp

import closedform as cf
from closedform import control
from closedform.model.inertia import NAMES, pseudo_inertia
from closedform.programs import evaluate, trace
from closedform.report.robot.pinocchio_model import peer_of
from emitted import CC, STRICT
from oracles.random_trees import random_tree
from tolerances import HALF_DIGITS, LAST_DIGITS, ROUNDING, worst

SPACE = np.diag([0.02, 0.03, 0.04])
"""Inertia of a body that fills space, so that the natural metric can begin there."""


def planar() -> cf.Robot:
    """Return two links whose bodies fill space."""
    return (
        cf.load("2r")
        .with_payload(0.5, (0.1, 0.02, 0.03), SPACE)
        .with_payload(0.4, (0, 0, 0.1), SPACE, "link1")
    )


def swing(t) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return q_d, qd_d and qdd_d of a motion from rest."""
    t = np.asarray(t, dtype=float)[..., None]
    w, size = np.array([3.0, 4.7]), np.array([0.9, -0.8])
    return size * (1 - np.cos(w * t)), size * w * np.sin(w * t), size * w**2 * np.cos(w * t)


REFERENCE = {f"q{'d' * k}_d": (lambda t, k=k: swing(t)[k]) for k in range(3)}


# ------------------------------------------------------------------ the law itself


@pytest.mark.parametrize(
    ("name", "metric"),
    [
        ("panda", "euclidean"),
        ("tree", "natural"),
        ("ball and free", "euclidean"),
        ("ball and free", "natural"),
    ],
)
def test_one_recursion_gives_the_products_with_the_regressor_and_its_transpose(name, metric):
    robot = cf.load("panda").with_armature(0.1) if name == "panda" else random_tree(3, bodies=5)
    if name == "ball and free":
        robot = random_tree(5, bodies=3, kinds=("free", "ball", "revolute"))
    n, h = robot.nv, 1e-3
    rng = np.random.default_rng(4)
    q, qd, _ = robot.random_state(6)
    q_d, *_ = robot.random_state(7)
    qd_d, qdd_d = rng.normal(size=(2, n))
    bandwidth, kd = rng.uniform(1, 5, size=(2, n))
    law = control.AdaptiveControl(robot, bandwidth, kd, 0.3, metric=metric)
    phi = law.states["phi"] * (1 + 0.1 * rng.normal(size=law.states["phi"].shape))
    tau, then = evaluate(law.program(), q, qd, q_d, qd_d, qdd_d, phi, h)

    def error(q, q_d):
        zero = np.zeros(n)
        weigh = control.PDGravity(robot.with_gravity((0, 0, 0)), 1.0, 0.0).program()
        return evaluate(weigh, q, zero, q_d, zero)

    e, small = error(q, q_d), 1e-6
    ahead, behind = (
        error(robot.integrate(q, s * qd), robot.integrate(q_d, s * qd_d)) for s in (small, -small)
    )
    rate = qd_d - qd if name == "panda" else (ahead - behind) / (2 * small)
    qdr, qddr = qd_d + bandwidth * e, qdd_d + bandwidth * rate
    Y = evaluate(trace(robot.model, "slotine_li_regressor"), q, qd, qdr, qddr)
    s = qd - qdr
    M, C, g = (
        evaluate(trace(robot.model, name), *given)
        for name, given in (("mass_matrix", [q]), ("coriolis_matrix", [q, qd]), ("gravity_torque", [q]))
    )
    rotors = M @ qddr + C @ qdr + g - Y @ robot.phi
    tolerance = ROUNDING if name == "panda" else HALF_DIGITS  # differences, of a rotation's error
    assert worst(tau, Y @ phi + rotors - kd * s) < tolerance
    if metric == "euclidean":
        assert worst((phi - then) / h, 0.3 * Y.T @ s) < max(tolerance, 1e-10)
        return
    for k in range(len(robot.model.bodies)):
        own = slice(10 * k, 10 * k + 10)
        P, g = pseudo_inertia(phi[own]), 0.3 * h * (Y.T @ s)[own]
        units = [pseudo_inertia(unit) for unit in np.eye(10)]
        A = np.array([unit.ravel() for unit in units])
        G = np.linalg.lstsq(A, g, rcond=None)[0].reshape(4, 4)  # tr(P G) = g . phi, symmetric
        after = P - P @ G @ P + P @ G @ P @ G @ P
        np.testing.assert_allclose(pseudo_inertia(then[own]), after, rtol=0, atol=1e-8 * np.abs(P).max())


def lyapunov(law: control.AdaptiveControl, plant: cf.Robot, run) -> tuple[np.ndarray, np.ndarray]:
    """Return the Lyapunov function over a run, and the power that its dampers take."""
    q_d, qd_d, _ = swing(run.t)
    s = run.qd - (qd_d + law.gains["bandwidth"] * (q_d - run.q))
    V = 0.5 * np.einsum("ti,tij,tj->t", s, plant.mass_matrix(run.q), s)
    gamma, phi, true = law.gains["adaptation"], run.states["phi"], plant.phi[list(law.estimates.places)]
    if law.metric == "euclidean":
        V = V + 0.5 * ((phi - true) ** 2 / gamma).sum(axis=1)
    else:
        for k in range(len(gamma)):
            own = slice(10 * k, 10 * k + 10)
            ratio = np.array(
                [np.linalg.solve(pseudo_inertia(each), pseudo_inertia(true[own])) for each in phi[:, own]]
            )
            distance = np.trace(ratio, axis1=1, axis2=2) - np.linalg.slogdet(ratio)[1] - 4
            V = V + distance / gamma[k]
    return V, (law.gains["kd"] * s**2).sum(axis=1)


@pytest.mark.parametrize("options", [{"metric": "natural"}, {"bodies": ["link2"], "armature": 0.2}])
def test_the_energy_of_the_errors_goes_into_the_dampers_and_nowhere_else(options):
    arm = planar().with_armature(options.pop("armature", 0.0))
    plant = arm.with_payload(3.0, (0.05, 0.1, 0.2), SPACE)
    law = control.AdaptiveControl(arm, 4.0, [8.0, 6.0], 0.05, **options)
    run = plant.simulate([0.2, -0.1], law=law, reference=REFERENCE, method="rk4")
    V, power = lyapunov(law, plant, run)
    lost = np.concatenate([[0.0], np.cumsum((power[:-1:2] + 4 * power[1::2] + power[2::2]) * 2e-3 / 6)])
    np.testing.assert_allclose(V[::2], V[0] - lost, rtol=0, atol=1e-7 * V[0])
    assert V[-1] < 0.99 * V[0]


def test_an_unknown_tool_is_learnt_and_the_error_falls_a_hundred_times():
    arm = cf.load("2r")
    loaded = arm.with_payload(3.0, (0.05, 0.02, 0.0), SPACE)
    law = control.AdaptiveControl(arm, 10.0, 20.0, 2.0, bodies=["link2"])
    run = loaded.simulate([0.0, 0.0], law=law, reference=REFERENCE, duration=12.0, step=2e-3, method="rk4")
    error = np.abs(run.q - swing(run.t)[0]).max(axis=1)
    assert error[run.t > 10].max() < 0.01 * error[run.t < 2].max()
    felt = [5, 6, 7]  # ZZ, MX and MY: what a planar arm feels of its last link
    np.testing.assert_allclose(
        run.states["phi"][-1, felt], loaded.model.bodies[1].phi[felt], rtol=0, atol=1e-3
    )
    assert np.array_equal(law.states["phi"], arm.model.bodies[1].phi)  # a run leaves the law as it is


def test_base_parameters_are_enough_to_learn_and_bounds_hold():
    arm = cf.load("2r")
    base = cf.base_parameters(arm)
    start = dict(zip(base.names, base.values, strict=True))
    q, qd, qdr, qddr = np.array([[0.3, 0.7], [0.5, -1.0], [0.2, 0.1], [-0.4, 1.0]])
    Y, s, h = evaluate(trace(arm.model, "slotine_li_regressor"), q, qd, qdr, qddr), qd - qdr, 1e-3
    wanted = q, qdr, qddr + 5.0 * s  # that have these reference velocities and accelerations
    law = control.AdaptiveControl(arm, 5.0, 10.0, 2.0, parameters=start)
    tau, then = evaluate(law.program(), q, qd, *wanted, base.values, h)
    np.testing.assert_allclose(tau, Y @ arm.phi - 10.0 * s, rtol=ROUNDING)
    descent = 2.0 * Y[:, list(base.kept)].T @ s
    np.testing.assert_allclose(then, base.values - h * descent, rtol=ROUNDING)
    near = base.values - 2e-3, base.values + 2e-3
    law = control.AdaptiveControl(arm, 5.0, 10.0, 2.0, parameters=start, bounds=near)
    assert np.array_equal(
        evaluate(law.program(), q, qd, *wanted, base.values, h)[1], np.clip(base.values - h * descent, *near)
    )
    run = arm.with_payload(1.0).simulate([0.2, 0.1], law=law, reference=REFERENCE, duration=0.5, method="rk4")
    phi = run.states["phi"]
    over, step = np.maximum(near[0] - phi, phi - near[1]).max(), np.abs(np.diff(phi, axis=0)).max()
    assert 0 <= over <= step  # a step may end beyond a bound, the next does not go on


def test_a_robot_without_inertias_is_controlled_by_parameters_alone():
    bare = cf.Robot.from_mdh([(0, 0, 0, 0, 0), (0, 0, 0.5, 0, 0)])
    numbers = {"ZZR1": 0.7, "ZZ2": 0.4, "MX2": 0.3, "MY2": 0.1}
    phi = np.zeros(20)
    phi[[5, 15, 16, 17]] = [*numbers.values()]
    q, qd, q_d, qd_d, qdd_d = np.random.default_rng(8).normal(size=(5, 2))
    Y = evaluate(trace(bare.with_phi(phi).model, "slotine_li_regressor"), q, qd, qd, qdd_d)
    law = control.ComputedTorque(bare, 0.0, 0.0, parameters=numbers)
    np.testing.assert_allclose(evaluate(law.program(), q, qd, q_d, qd_d, qdd_d), Y @ phi, rtol=ROUNDING)
    adaptive = control.AdaptiveControl(bare, 0.0, 0.0, 0.0, parameters=numbers)
    tau, then = evaluate(adaptive.program(), q, qd, q_d, qd, qdd_d, [*numbers.values()], 1e-3)
    np.testing.assert_allclose(tau, Y @ phi, rtol=ROUNDING)
    assert np.array_equal(then, [*numbers.values()])
    with pytest.raises(cf.ClosedFormError, match="has no inertias"):
        control.AdaptiveControl(bare, 0.0, 0.0, 0.0)


@pytest.mark.skipif(CC is None, reason="no C compiler")
def test_calls_bound_calls_and_exported_code_take_the_same_step(tmp_path):
    arm = planar()
    law = control.AdaptiveControl(arm, 5.0, 10.0, 0.5, metric="natural")
    rng = np.random.default_rng(0)
    arrays = [rng.normal(size=2) for _ in range(5)]
    phi, h = law.states["phi"].copy(), 1e-6
    tau, then = evaluate(law.program(), *arrays, phi, h)
    now, rate = law(*arrays)
    np.testing.assert_allclose(now, tau, rtol=ROUNDING)
    np.testing.assert_allclose(
        rate, (then - phi) / h, rtol=0, atol=1e-3 * np.abs(rate).max()
    )  # of first order
    batch = law(arrays[0], rng.normal(size=(3, 2)), *arrays[2:], phi=np.stack([phi] * 3))
    assert [each.shape for each in batch] == [(3, 2), (3, 20)]
    out = np.empty(2)
    control_step = law.bind(*arrays, out=out, step=h)
    control_step()
    np.testing.assert_allclose(out, tau, rtol=ROUNDING)
    np.testing.assert_allclose(law.states["phi"], then, rtol=ROUNDING)
    control_step()
    again = evaluate(law.program(), *arrays, then, h)
    np.testing.assert_allclose(law.states["phi"], again[1], rtol=ROUNDING)
    _, code = law.export("c", tmp_path)
    library = tmp_path / "law.so"
    subprocess.run([CC, *STRICT, "-O1", "-shared", "-fPIC", str(code), "-o", str(library), "-lm"], check=True)
    step = ctypes.CDLL(str(library))[code.stem]
    given = [*arrays, phi, np.array([h]), np.empty(2), np.empty(20)]
    step(*(ctypes.c_void_p(each.ctypes.data) for each in given))
    np.testing.assert_allclose(given[-2], tau, rtol=LAST_DIGITS, atol=1e-13)
    np.testing.assert_allclose(given[-1], then, rtol=LAST_DIGITS, atol=1e-13)


def test_computed_torque_on_base_parameters_is_the_same_law_in_fewer_operations():
    arm = cf.load("puma560").with_armature(0.3)
    base = cf.base_parameters(arm)
    every = {f"{name}{k + 1}": arm.phi[10 * k + i] for k in range(6) for i, name in enumerate(NAMES)}
    few = control.ComputedTorque(arm, 30.0, parameters=dict(zip(base.names, base.values, strict=True)))
    all_of_them = control.ComputedTorque(arm, 30.0, parameters=every)
    rng = np.random.default_rng(1)
    q, qd, q_d, qd_d, qdd_d = rng.normal(size=(5, 6))
    peer = peer_of(arm.model)
    a = qdd_d + 2 * np.sqrt(30.0) * (qd_d - qd) + 30.0 * (q_d - q)
    exact = pin.rnea(peer.model, peer.data, q, qd, a)
    for law in (few, all_of_them):
        assert worst(evaluate(law.program(), q, qd, q_d, qd_d, qdd_d), exact) < ROUNDING
    assert few.program("input").counts.total < 0.9 * all_of_them.program("input").counts.total
    doubled = few.gains["parameters"] * 2  # numbers of the law, not of its code
    given = evaluate(
        few.program("input"), q, qd, q_d, qd_d, qdd_d, *[few.gains[k] for k in ("kp", "kd")], doubled
    )
    assert worst(given, 2 * exact - 0.3 * a) < ROUNDING


# ------------------------------------------------------------------ states over a motion


def servo(arm: cf.Robot, start=(3.0, -1.0)) -> control.ExpressionLaw:
    """Return PID control, whose integral is a state."""

    def build(q, qd, q_d, pull):
        return 60 * (q_d - q) - 12 * qd + pull, 80 * (q_d - q)

    return control.ExpressionLaw(arm, build, references={"q_d": 2}, states={"pull": start}, name="servo")


def exact_servo(arm: cf.Robot, x0: np.ndarray, goal: np.ndarray, duration: float) -> np.ndarray:
    """Return (q, qd, pull) after a time, by SciPy on Pinocchio's forward dynamics."""
    peer = peer_of(arm.model)

    def rate(t, x):
        q, qd, pull = x[:2], x[2:4], x[4:]
        tau = 60 * (goal - q) - 12 * qd + pull
        return np.concatenate([qd, pin.aba(peer.model, peer.data, q, qd, tau), 80 * (goal - q)])

    return solve_ivp(rate, (0, duration), x0, method="DOP853", rtol=1e-12, atol=1e-12).y[:, -1]


@pytest.mark.parametrize(("method", "order"), [("rk4", 4), ("rosenbrock", 2), ("variational", 2)])
def test_states_of_a_law_have_the_order_of_the_method(method, order):
    arm, goal = cf.load("2r"), np.array([0.5, 0.3])
    exact = exact_servo(arm, np.array([0.1, -0.2, 1.0, 0.5, 3.0, -1.0]), goal, 0.5)
    errors = []
    for step in (0.002, 0.001):
        run = arm.simulate([0.1, -0.2], [1.0, 0.5], servo(arm), 0.5, step, reference=goal, method=method)
        found = np.concatenate([run.q[-1], run.qd[-1], run.states["pull"][-1]])
        errors.append(np.abs(found - exact))
    assert abs(np.log2(errors[0][4:].max() / errors[1][4:].max()) - order) < 0.3
    assert abs(np.log2(errors[0].max() / errors[1].max()) - order) < 0.3


def test_states_are_carried_by_scipys_methods_batches_and_friction_alike():
    arm, goal = cf.load("2r"), np.array([0.5, 0.3])
    law, start = servo(arm), np.array([0.1, -0.2, 1.0, 0.5, 3.0, -1.0])
    exact = exact_servo(arm, start, goal, 0.5)
    run = arm.simulate([0.1, -0.2], [1.0, 0.5], law, 0.5, reference=goal, method="DOP853")
    np.testing.assert_allclose(run.states["pull"][-1], exact[4:], rtol=1e-7)
    many = arm.simulate(
        np.array([[0.0, 0.0], [0.1, -0.2]]), [1.0, 0.5], law, 0.5, reference=goal, method="rk4"
    )
    assert many.states["pull"].shape == (2, 501, 2)
    np.testing.assert_allclose(many.states["pull"][1, -1], exact[4:], rtol=1e-7)
    tau = 60 * (goal - many.q) - 12 * many.qd + many.states["pull"]
    np.testing.assert_allclose(many.tau, tau, rtol=0, atol=1e-11)
    rough = arm.with_friction(1e-9)
    held = rough.simulate([0.1, -0.2], [1.0, 0.5], law, 0.5, reference=goal, friction=True)
    np.testing.assert_allclose(held.states["pull"][-1], exact[4:], rtol=1e-6)
    half = cf.integration.Event(lambda t, x: x[4] - 6.0, terminal=True)
    cut = arm.simulate([0.1, -0.2], [1.0, 0.5], law, 0.5, reference=goal, events=[half])
    assert cut.t[-1] < 0.5
    np.testing.assert_allclose(cut.states["pull"][-1, 0], 6.0, rtol=1e-9)


def test_a_friction_that_holds_lets_the_integral_grow_until_it_slips():
    arm = cf.load("2r").with_gravity((0, 0, 0)).with_friction(5.0)
    run = arm.simulate([0.0, 0.0], None, servo(arm, [0.0, 0.0]), 3.0, reference=[0.02, 0.0], friction=True)
    slip = run.transitions[0]
    assert (slip.joint, slip.what) == ("joint1", "slips")
    assert abs(slip.time - (5.0 - 60 * 0.02) / (80 * 0.02)) < 1e-8  # the slack of friction


def test_a_sampled_law_remembers_what_a_control_loop_does():
    arm, goal = cf.load("2r"), np.array([0.5, 0.3])
    for substeps in (1, 4):
        law, h = servo(arm), 2e-3
        run = arm.simulate([0.1, -0.2], [1.0, 0.5], law, 0.1, h / substeps, reference=goal, rate=1 / h)
        q, qd, tau = np.zeros(2), np.zeros(2), np.empty(2)
        step = law.bind(q, qd, goal, out=tau, step=h)
        for k in range(0, len(run.t) - 1, substeps):
            np.testing.assert_allclose(
                run.states["pull"][k : k + substeps], np.tile(law.states["pull"], (substeps, 1))
            )
            q[:], qd[:] = run.q[k], run.qd[k]
            step()
            np.testing.assert_allclose(run.tau[k : k + substeps], np.tile(tau, (substeps, 1)), rtol=ROUNDING)
        np.testing.assert_allclose(run.states["pull"][-1], law.states["pull"], rtol=ROUNDING)
    many = arm.simulate(np.zeros((3, 2)), [1.0, 0.5], servo(arm), 0.1, reference=goal, rate=1000.0)
    assert many.states["pull"].shape == (3, 101, 2)
    assert np.isfinite(many.states["pull"]).all()


# ------------------------------------------------------------------ what is refused


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda arm: control.AdaptiveControl(arm, 1.0, 1.0, -1.0), r"adaptation\[0\] is -1; expected"),
        (lambda arm: control.AdaptiveControl(arm, 1.0, 1.0, [1.0, 2.0]), r"adaptation has shape \(2,\)"),
        (lambda arm: control.AdaptiveControl(arm, 1.0, 1.0, 1.0, bodies=["arm"]), r"unknown body"),
        (
            lambda arm: control.AdaptiveControl(arm, 1.0, 1.0, 1.0, bodies="link2"),
            r"expected a list of names",
        ),
        (lambda arm: control.AdaptiveControl(arm, 1.0, 1.0, 1.0, bodies=[]), r"expected different bodies"),
        (
            lambda arm: control.AdaptiveControl(arm, 1.0, 1.0, 1.0, metric="natural"),
            r"mass in a plane at most",
        ),
        (lambda arm: control.AdaptiveControl(arm, 1.0, 1.0, 1.0, parameters={"ZZ3": 1}), r"body from 1 to 2"),
        (
            lambda arm: control.AdaptiveControl(arm, 1.0, 1.0, 1.0, parameters={"IZ1": 1}),
            r"names such as XX1",
        ),
        (
            lambda arm: control.AdaptiveControl(arm, 1.0, 1.0, 1.0, parameters={"ZZ1": 1, "ZZR1": 2}),
            r"ZZR1 is given twice",
        ),
        (
            lambda arm: control.AdaptiveControl(arm, 1.0, 1.0, 1.0, bodies=["link1"], parameters={"ZZ1": 1}),
            r"either bodies or parameters",
        ),
        (
            lambda arm: control.AdaptiveControl(arm, 1.0, 1.0, 1.0, bounds=(1.0, 2.0)),
            r"the estimate begins with",
        ),
        (
            lambda arm: control.AdaptiveControl(planar(), 1.0, 1.0, 1.0, metric="natural", bounds=(0, 1)),
            r"bounds need metric='euclidean'",
        ),
        (
            lambda arm: control.AdaptiveControl(arm, 1.0, 1.0, 1.0, metric="natural", parameters={"ZZ1": 1}),
            r"take metric='euclidean'",
        ),
        (lambda arm: control.AdaptiveControl(arm, 1.0, 1.0, 1.0, metric="manhattan"), r"metric"),
        (lambda arm: servo(arm).bind(*np.zeros((3, 2)), out=np.zeros(2)), r"say step=, the time between"),
        (
            lambda arm: control.PDGravity(arm, 1.0, 1.0).bind(*np.zeros((4, 2)), out=np.zeros(2), step=0.1),
            r"has no states, so it takes no step",
        ),
        (lambda arm: control.PDGravity(arm, 1.0, 1.0).step_kernel, r"has no states"),
        (lambda arm: control.ExpressionLaw(arm, lambda q, qd, z: q, states={"z": [0.0]}), r"gave 1 columns"),
        (
            lambda arm: control.ExpressionLaw(arm, lambda q, qd, z: (q, q), states={"z": [0.0]}),
            r"gave shape \(2, 1\) of the rate of z; expected \(1, 1\)",
        ),
        (
            lambda arm: control.ExpressionLaw(arm, lambda q, qd, z: (q, z), states={"z": 0.0}),
            r"expected \(n,\)",
        ),
        (lambda arm: control.ExpressionLaw(arm, lambda q, qd, h: (q, h), states={"h": [0.0]}), r"two arrays"),
        (lambda arm: control.ComputedTorque(arm, 1.0, parameters={}), r"expected names and values"),
    ],
)
def test_states_and_parameters_that_make_no_sense_are_refused(make, message):
    with pytest.raises(cf.ClosedFormError, match=message):
        make(cf.load("2r"))
