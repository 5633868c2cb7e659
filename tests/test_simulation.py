"""Motions of robots under laws: conserved quantities, orders, and motions known by other routes."""

from __future__ import annotations

import pickle

import casadi as ca
import numpy as np
import pinocchio as pin
import pytest
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

import closedform as cf
from closedform.report.robot.pinocchio_model import peer_of
from closedform.simulation.complementarity import give_way
from oracles.random_trees import random_tree
from tolerances import EPS, HALF_DIGITS, LONG_CHAIN, PROMISED, ROUNDING, worst

QUATERNIONS = {"ball": ("ball", "revolute"), "free": ("free",), "planar": ("planar", "ball")}


def tree(name: str) -> cf.Robot:
    """Return a small tree with joints of several degrees of freedom."""
    kinds = QUATERNIONS[name]
    return random_tree(5, bodies=len(kinds), kinds=kinds)


def block(slope: float = 0.3, mass: float = 2.0, friction: float = 0.0) -> cf.Robot:
    """Return a block that slides up a slope, with dry friction of that force."""
    screw = (0, 0, 0, np.cos(slope), 0, np.sin(slope))
    sliding = cf.Robot.from_screws([np.eye(4)], [screw], inertials=[cf.Inertial.of(mass)])
    return sliding.with_friction(friction)


def lift(lower: float = 0.0) -> cf.Robot:
    """Return a mass that falls along z onto a stop."""
    falling = cf.Robot.from_screws([np.eye(4)], [(0, 0, 0, 0, 0, 1)], inertials=[cf.Inertial.of(1.5)])
    return falling.with_joint_limits(lower=lower, upper=10.0)


# ------------------------------------------------------------------ inertias of every run


@pytest.mark.parametrize(
    ("method", "friction"),
    [("rk4", False), ("rk4", True), ("rosenbrock", False), ("variational", False), ("DOP853", False)],
)
def test_phi_of_a_run_is_that_of_a_robot_with_its_payload(method: str, friction: bool) -> None:
    arm = cf.load("2r").with_friction([8.0, 3.0])
    loaded = [arm.with_payload(mass, (0.1, 0.2, 0.0)) for mass in (0.5, 3.0)]
    law = cf.control.PDGravity(arm, kp=[50, 20], kd=[5, 2])
    q0, qd0 = arm.random_state(0, batch=2)[:2]
    given = {"law": law, "reference": np.zeros(2), "duration": 0.1, "method": method, "friction": friction}
    runs = arm.simulate(q0, qd0, phi=np.stack([each.phi for each in loaded]), **given)
    for k, robot in enumerate(loaded):
        alone = robot.simulate(q0[k], qd0[k], **given)
        for ours, theirs in ((runs.q[k], alone.q), (runs.tau[k], alone.tau), (runs.energy[k], alone.energy)):
            assert worst(ours, theirs) < LONG_CHAIN
        changes = [each.what for each in runs.transitions if each.run == k]
        assert changes == [each.what for each in alone.transitions]
    np.testing.assert_array_equal(arm.simulate(q0, qd0, phi=loaded[1].phi, **given).q[1], runs.q[1])
    assert np.abs(runs.q - arm.simulate(q0, qd0, **given).q).max() > 1e-4
    first = arm.simulate(q0[:1], qd0[:1], phi=loaded[0].phi[None], **given)
    assert worst(first.q[0], runs.q[0]) < LONG_CHAIN
    grid = arm.simulate(q0[:, None], qd0[:, None], phi=np.stack([each.phi for each in loaded]), **given)
    assert worst(grid.q[0, 0], runs.q[0]) < LONG_CHAIN
    assert worst(grid.q[1, 1], runs.q[1]) < LONG_CHAIN


# ------------------------------------------------------------------ smooth motion


def energy_error(run) -> float:
    return float(np.abs(run.energy - run.energy[0]).max() / run.kinetic_energy.max())


def test_energy_is_conserved_as_the_order_says():
    arm = cf.load("2r")
    q, qd, _ = arm.random_state(0)
    errors = {m: energy_error(arm.simulate(q, qd, duration=2.0, method=m)) for m in ("rk4", "rk6", "rk8")}
    assert errors["rk4"] < 1e-8
    assert errors["rk6"] < 1e-11
    assert errors["rk8"] < 1e-13


def test_the_variational_method_does_not_drift():
    arm = cf.load("2r")
    q, qd, _ = arm.random_state(3)
    run = arm.simulate(q, qd, duration=20.0, step=5e-3, method="variational")
    off = run.energy - run.energy[0]
    early, late = (np.abs(off[part]).max() for part in (slice(0, 1000), slice(3000, None)))
    assert late < 1.5 * early
    assert late > 1e-6 * run.kinetic_energy.max()  # or this compares round-off


def test_the_variational_method_keeps_the_momentum_of_a_symmetry():
    arm = cf.load("2r").with_gravity((0, 0, 0))
    q, qd, _ = arm.random_state(1)
    run = arm.simulate(q, 3 * qd, duration=5.0, step=5e-3, method="variational")
    momentum = np.einsum("kij,kj->ki", arm.mass_matrix(run.q), run.qd)[:, 0]
    np.testing.assert_allclose(momentum, momentum[0], rtol=ROUNDING)


@pytest.mark.parametrize(("method", "order"), [("rk4", 4), ("rosenbrock", 2), ("variational", 2)])
def test_steps_have_the_order_of_their_method(method, order):
    arm = cf.load("2r")
    q, qd, _ = arm.random_state(0)
    exact = arm.simulate(q, qd, step=1e-3, method="rk8").q[-1]
    errors = [
        np.abs(arm.simulate(q, qd, step=h, method=method).q[-1] - exact).max() for h in (0.0025, 0.00125)
    ]
    assert abs(np.log2(errors[0] / errors[1]) - order) < 0.2


def free_and_ball_rate(robot: cf.Robot, positions: int):
    """Return the rate of (q, qd) of a tree whose first joint has a quaternion, from textbook kinematics."""
    n = positions + 4

    def rate(t, x):
        q, qd = x[: robot.nq], x[robot.nq :]
        w = qd[:3]
        quaternion = q[positions:n]
        x_, y, z, s = quaternion
        spin = 0.5 * np.array([[s, -z, y], [z, s, -x_], [-y, x_, s], [-x_, -y, -z]]) @ w
        place = Rotation.from_quat(quaternion).apply(qd[3:6]) if positions else np.zeros(0)
        rest = qd[6 if positions else 3 :]
        a = robot.forward_dynamics(q, qd, np.zeros(robot.nv))
        return np.concatenate([place, spin, rest, a])

    return rate


@pytest.mark.parametrize(("name", "positions"), [("ball", 0), ("free", 3)])
def test_quaternions_follow_the_motion_to_fourth_order_and_keep_their_length(name, positions):
    robot = tree(name)
    q, qd, _ = robot.random_state(2)
    exact = solve_ivp(
        free_and_ball_rate(robot, positions),
        (0, 1),
        np.concatenate([q, 3 * qd]),
        method="DOP853",
        rtol=1e-13,
        atol=1e-13,
    ).y[:, -1]
    errors = []
    for step in (0.02, 0.01):
        run = robot.simulate(q, 3 * qd, step=step, method="rk4")
        errors.append(np.abs(np.concatenate([run.q[-1], run.qd[-1]]) - exact).max())
        lengths = np.linalg.norm(run.q[:, positions : positions + 4], axis=1)
        assert np.abs(lengths - 1).max() < 4 * EPS
    assert abs(np.log2(errors[0] / errors[1]) - 4) < 0.2


def test_joints_of_several_kinds_conserve_energy_to_fourth_order():
    robot = tree("planar")
    q, qd, _ = robot.random_state(4)
    errors = []
    exact = robot.simulate(q, 2 * qd, duration=0.5, step=1e-3)
    for step in (0.02, 0.01):
        run = robot.simulate(q, 2 * qd, duration=0.5, step=step, method="rk4")
        errors.append(np.abs(run.q[-1] - exact.q[-1]).max())
    assert abs(np.log2(errors[0] / errors[1]) - 4) < 0.25
    assert energy_error(exact) < 1e-9


def test_an_arm_moves_as_pinocchio_and_scipy_say():
    arm = cf.load("scara").with_armature(0.02).with_damping(0.3)
    peer = peer_of(arm.model)
    q, qd, _ = arm.random_state(7)
    push = np.array([0.3, -0.2, 5.0, 0.1])

    def rate(t, x):
        tau = push * np.sin(3 * t) - 0.3 * x[4:]
        return np.concatenate([x[4:], pin.aba(peer.model, peer.data, x[:4], x[4:], tau)])

    exact = solve_ivp(rate, (0, 1), np.concatenate([q, qd]), method="DOP853", rtol=1e-12, atol=1e-12).y[:, -1]
    times = np.linspace(0, 1, 1001)
    law = cf.control.ExpressionLaw(arm, lambda q, qd, t: ca.DM(push) * ca.sin(3 * t), timed=True)
    ours = arm.simulate(q, qd, law, friction=True)
    adaptive = arm.simulate(q, qd, law, friction=True, method="DOP853", rtol=1e-12)
    np.testing.assert_array_equal(ours.t, times)
    for run in (ours, adaptive):
        reached = np.concatenate([run.q[-1], run.qd[-1]])
        np.testing.assert_allclose(reached, exact, rtol=0, atol=HALF_DIGITS)


# ------------------------------------------------------------------ friction


def test_a_block_on_a_slope_stops_and_stays_exactly_there():
    slope, mass, friction, v = 0.3, 2.0, 8.0, 1.5
    assert friction > mass * 9.81 * np.sin(slope)
    run = block(slope, mass, friction).simulate([0.0], [v], duration=1.0, step=7e-3, friction=True)
    slowing = 9.81 * np.sin(slope) + friction / mass
    (stuck,) = run.transitions
    assert stuck.what == "sticks"
    np.testing.assert_allclose(stuck.time, v / slowing, rtol=ROUNDING)
    after = run.q[run.t > stuck.time]
    assert len(np.unique(after)) == 1
    np.testing.assert_allclose(after[0, 0], v**2 / (2 * slowing), rtol=ROUNDING)
    assert (run.qd[run.t > stuck.time] == 0).all()


def test_a_block_on_a_steep_slope_turns_and_slides_back():
    slope, mass, friction, v = 0.8, 2.0, 5.0, 1.5
    run = block(slope, mass, friction).simulate([0.0], [v], duration=1.0, step=7e-3, friction=True)
    up, down = 9.81 * np.sin(slope) + friction / mass, 9.81 * np.sin(slope) - friction / mass
    turn = v / up
    t = run.t
    exact = np.where(t < turn, v * t - up * t**2 / 2, v**2 / (2 * up) - down * (t - turn) ** 2 / 2)
    np.testing.assert_allclose(run.q[:, 0], exact, rtol=0, atol=ROUNDING)


def test_a_pushed_block_breaks_away_when_the_push_exceeds_friction():
    """A force c t sets a block of friction F in motion at F / c, with the speed (c/m) (t - F/c)^2 / 2."""
    mass, friction, rate = 2.0, 3.0, 10.0
    flat = block(0.0, mass, friction)
    nodes = rate * np.linspace(0, 1, 101)[:, None]
    run = flat.simulate([0.0], None, nodes, duration=1.0, step=0.01, friction=True)
    start = friction / rate
    after = np.maximum(run.t - start, 0)
    np.testing.assert_allclose(run.qd[:, 0], rate / mass * after**2 / 2, rtol=0, atol=PROMISED)
    assert (run.q[run.t < start] == 0).all()


def test_an_arm_under_pd_sticks_bit_for_bit_where_friction_can_hold_it():
    arm = cf.load("2r").with_friction([3.0, 1.0]).with_damping(0.4)
    law = cf.control.PDGravity(arm, [60, 40], [20, 8])
    run = arm.simulate([0, 0], law=law, duration=6.0, reference=[1.0, 0.5], friction=True)
    last = max(each.time for each in run.transitions)
    assert last < 5
    still = run.t > last
    assert (run.q[still] == run.q[-1]).all()
    assert (run.qd[still] == 0).all()
    held = np.abs(run.tau[-1] - arm.gravity_torque(run.q[-1]))
    assert (held <= arm.friction * (1 + PROMISED)).all()
    assert held.max() > 0.01


def test_one_joint_may_stick_while_another_slides():
    arm = cf.load("2r").with_friction([0.0, 1e3])
    run = arm.simulate([0.3, 0.7], [0.5, 0.0], duration=1.0, friction=True)
    assert (run.q[:, 1] == 0.7).all()
    rest = arm.locked({arm.joint_names[1]: 0.7})
    locked = rest.simulate([0.3], [0.5], duration=1.0, method="rk4")
    np.testing.assert_allclose(run.q[:, 0], locked.q[:, 0], rtol=ROUNDING)


def test_stiff_gains_are_taken_implicitly():
    """m x'' = kp (1 - x) - kd x' with kd h / m = 15: the fast mode dies at once, the slow one is followed."""
    light = block(0.0, 1e-3)
    law = cf.control.PDGravity(light, 50.0, 15.0)
    run = light.simulate([0.0], law=law, reference=[1.0], method="rosenbrock")
    fast, slow = np.sort(np.roots([1e-3, 15.0, 50.0]))
    exact = 1 + (slow * np.exp(fast * run.t) - fast * np.exp(slow * run.t)) / (fast - slow)
    np.testing.assert_allclose(run.q[:, 0], exact, rtol=0, atol=1e-4)  # of steps of second order
    with pytest.raises(cf.ClosedFormError, match="no longer finite"):
        light.simulate([0.0], law=law, reference=[1.0])


def test_gains_too_high_for_the_step_are_warned_of():
    """kd h / m is 15, where steps of fourth order are stable up to 2.8."""
    light = block(0.0, 1e-3, 0.5)
    law = cf.control.PDGravity(light, 50.0, 15.0)
    with pytest.warns(RuntimeWarning, match=r"stick or slip in most steps around t = .*with_armature"):
        light.simulate([0.0], law=law, reference=[1.0], duration=0.6, friction=True)


def test_friction_takes_the_energy_that_is_lost():
    arm = cf.load("2r").with_friction([0.5, 0.3]).with_damping(0.1)
    run = arm.simulate([0.4, 0.2], [2.0, -1.0], duration=0.3, step=1e-3, friction=True)
    power = np.sum(np.abs(run.qd) * arm.friction + arm.damping * run.qd**2, axis=1)
    lost = np.sum((power[1:] + power[:-1]) / 2 * np.diff(run.t))
    np.testing.assert_allclose(run.energy[0] - run.energy[-1], lost, rtol=1e-5)  # of the trapezoidal rule


def test_the_order_is_four_between_changes_of_friction():
    arm = cf.load("2r").with_friction([0.5, 0.3])
    errors = []
    exact = arm.simulate([0.4, 0.2], [1.0, -1.0], duration=0.6, step=5e-4, friction=True)
    assert exact.transitions
    for step in (0.02, 0.01):
        run = arm.simulate([0.4, 0.2], [1.0, -1.0], duration=0.6, step=step, friction=True)
        errors.append(np.abs(run.q[-1] - exact.q[-1]).max())
    assert np.log2(errors[0] / errors[1]) > 3


@pytest.mark.parametrize("seed", range(20))
def test_held_joints_and_joints_that_give_way_are_complementary(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 9))
    A = rng.normal(size=(n, n))
    M, f = A @ A.T + 0.1 * np.eye(n), 3 * rng.normal(size=n)
    candidates = rng.random(n) < 0.8
    most = np.where(rng.random(n) < 0.2, np.inf, rng.uniform(0, 3, n))
    least = np.where(rng.random(n) < 0.2, -np.inf, -rng.uniform(0, 3, n))
    moves, a, r = give_way(M, f, candidates, least, most)
    np.testing.assert_allclose(M @ a, f + r, rtol=0, atol=PROMISED)
    assert (r[~candidates] == 0).all()
    held = candidates & (moves == 0)
    assert (a[held] == 0).all()
    assert ((r >= least - PROMISED) & (r <= most + PROMISED))[held].all()
    up, down = candidates & (moves == 1), candidates & (moves == -1)
    assert (a[up] >= 0).all()
    assert (r[up] == least[up]).all()
    assert (a[down] <= 0).all()
    assert (r[down] == most[down]).all()


# ------------------------------------------------------------------ stops


def test_a_mass_that_falls_on_a_stop_rests_exactly_at_it():
    run = lift(0.1).simulate([1.0], duration=1.0, step=3e-3, stops=True)
    hit = np.sqrt(2 * 0.9 / 9.81)
    assert run.q.min() == 0.1
    assert (run.q[run.t > hit] == 0.1).all()
    np.testing.assert_allclose(run.transitions[-1].time, hit, rtol=ROUNDING)


def test_a_mass_rebounds_with_its_restitution_and_comes_to_rest():
    e, height = 0.6, 1.0
    run = lift(0.0).simulate([height], duration=4.0, step=1e-3, stops=True, restitution=e)
    first = np.sqrt(2 * height / 9.81)
    apex = run.q[(run.t > first) & (run.t < first * (1 + 2 * e))].max()
    np.testing.assert_allclose(apex, e**2 * height, rtol=1e-5)  # of sampling the apex at the steps
    assert run.q.min() >= 0
    assert (run.q[-100:] == 0).all()
    rest = first * (1 + 2 * e / (1 - e))
    np.testing.assert_allclose(run.transitions[-1].time, rest, atol=5e-3)


def test_an_impact_at_a_stop_obeys_newtons_law_and_moves_the_other_joint():
    arm = cf.load("2r").with_gravity((0, 0, 0)).with_joint_limits(upper={"joint2": 0.5})
    run = arm.simulate([0.1, 0.4], [0.2, 1.5], duration=0.3, step=1e-3, stops=True, restitution=0.5)
    k = int(np.argmax(run.qd[:, 1] < 0))
    assert run.q[:, 1].max() <= 0.5
    before, after = run.qd[k - 1], run.qd[k]
    np.testing.assert_allclose(after[1], -0.5 * before[1], rtol=5e-3)  # of the motion within the step
    impulse = arm.mass_matrix(run.q[k]) @ (after - before)
    assert abs(impulse[0]) < 5e-3 * abs(impulse[1])


def test_a_joint_pushed_against_its_stop_stays_and_leaves_it_when_pulled():
    arm = lift(0.0)
    force = np.concatenate([np.full(50, 0.0), np.full(50, 30.0)])[:, None]
    run = arm.simulate([0.0], None, force, duration=1.0, step=0.01, stops=True)
    assert (run.q[:51] == 0).all()
    rise = 30 / 1.5 - 9.81
    np.testing.assert_allclose(run.q[51:, 0], rise * (run.t[51:] - 0.5) ** 2 / 2, rtol=0, atol=ROUNDING)


# ------------------------------------------------------------------ laws, wrenches, batches


def test_computed_torque_gives_the_error_its_two_poles():
    arm = cf.load("2r")
    law = cf.control.ComputedTorque(arm, kp=100.0)
    move = cf.trajectory.polynomial([0.0, 0.0], [1.0, -0.5], duration=1.0)
    run = arm.simulate([0.1, -0.2], law=law, reference=move)
    exact = np.array([0.1, -0.2]) * ((1 + 10 * run.t) * np.exp(-10 * run.t))[:, None]
    np.testing.assert_allclose(run.q - move(run.t), exact, rtol=0, atol=HALF_DIGITS)
    np.testing.assert_allclose(run.tau[0], law([0.1, -0.2], [0, 0], *law.reference(move, 0.0)), rtol=ROUNDING)


@pytest.mark.parametrize("rate", [100.0, 1000.0])
def test_a_function_and_a_compiled_law_at_the_same_rate_give_the_same_motion(rate):
    """At 1000 per second the law is sampled within the machine code, at 100 between its calls."""
    arm = cf.load("2r").with_friction(0.5)
    law = cf.control.PDGravity(arm, 50.0, 10.0)
    goal, rest = np.array([1.0, 0.5]), np.zeros(2)
    options = {"rate": rate, "friction": True, "duration": 0.8}
    sampled = arm.simulate([0, 0], law=law, reference=goal, **options)
    called = arm.simulate([0, 0], law=lambda t, q, qd: law(q, qd, goal, rest), **options)
    assert sampled.transitions
    np.testing.assert_allclose(sampled.q, called.q, rtol=0, atol=ROUNDING)
    np.testing.assert_allclose(sampled.tau, called.tau, rtol=0, atol=1e-10)
    assert len(np.unique(sampled.tau[:, 0])) == rate * 0.8
    both = arm.simulate(np.zeros((2, 2)), law=law, reference=goal, **options)
    np.testing.assert_allclose(both.q[1], sampled.q, rtol=0, atol=ROUNDING)


def test_a_force_that_carries_the_weight_lets_a_body_drift():
    body = tree("free")
    q, qd, _ = body.random_state(1)
    com = body.center_of_mass(body.neutral())
    held = body.with_frame("middle", "link0", com - body.neutral()[:3])
    weight = -held.mass * held.gravity
    run = held.simulate(
        q, qd, wrenches={"middle": np.concatenate([np.zeros(3), weight])}, wrench_reference="world_aligned"
    )
    path = held.center_of_mass(run.q)
    np.testing.assert_allclose(path - path[0], run.t[:, None] * (path[-1] - path[0]), rtol=0, atol=PROMISED)


def test_wrenches_of_all_bodies_act_like_joint_forces():
    arm = cf.load("2r")
    wrenches = np.random.default_rng(0).normal(size=(2, 6))
    pushed = arm.simulate([0.2, 0.3], duration=0.2, wrenches=lambda t: wrenches * (1 + t))
    tau = lambda t, q, qd: arm.external_torque(q, wrenches * (1 + t))  # noqa: E731
    called = arm.simulate([0.2, 0.3], None, tau, duration=0.2, step=1e-4)
    np.testing.assert_allclose(pushed.q[-1], called.q[-1], rtol=0, atol=1e-4)  # of holding the torques
    assert np.abs(pushed.q[-1] - arm.simulate([0.2, 0.3], duration=0.2).q[-1]).max() > 1e-3


@pytest.mark.parametrize("friction", [False, True])
def test_a_batch_moves_as_its_members_do(friction):
    arm = cf.load("2r").with_friction([0.8, 0.5])
    law = cf.control.PDGravity(arm, 50.0, 10.0)
    q, qd, _ = arm.random_state(0, batch=(3, 2))
    options = {"law": law, "reference": [1.0, 0.5], "friction": friction, "duration": 0.5, "step": 5e-3}
    together = arm.simulate(q, qd, **options)
    assert together.q.shape == (3, 2, 101, 2)
    assert together.tau.shape == (3, 2, 101, 2)
    for index in np.ndindex(3, 2):
        alone = arm.simulate(q[index], qd[index], **options)
        np.testing.assert_allclose(together.q[index], alone.q, rtol=0, atol=ROUNDING)
        np.testing.assert_allclose(together.tau[index], alone.tau, rtol=0, atol=1e-10)
    whats = {(each.run, each.what) for each in together.transitions}
    assert bool(whats) == friction


def test_joint_forces_are_clipped_at_the_efforts_if_asked_for():
    arm = cf.load("2r").with_joint_limits(effort=3.0)
    law = cf.control.PDGravity(arm, 500.0, 50.0)
    run = arm.simulate([0, 0], law=law, reference=[1.0, 1.0], effort_limits=True, duration=0.1)
    assert np.abs(run.tau).max() == 3.0
    held = arm.simulate([0, 0], None, np.full((100, 2), 3.0), duration=0.1)
    np.testing.assert_allclose(run.q[:10], held.q[:10], rtol=ROUNDING)


def test_events_are_found_and_may_end_a_run():
    falling = lift(-5.0)
    through = cf.integration.Event(lambda t, x: x[0] - 0.5, terminal=True, direction=-1)
    run = falling.simulate([1.0], duration=2.0, step=0.01, events=[through])
    np.testing.assert_allclose(run.events[0], [np.sqrt(2 * 0.5 / 9.81)], rtol=PROMISED)
    np.testing.assert_allclose(run.q[-1], [0.5], rtol=PROMISED)
    assert run.t[-1] == run.events[0][0]
    assert run.tau.shape == run.qd.shape


def test_progress_comes_to_the_whole():
    seen = []
    cf.load("2r").simulate([0, 0], duration=0.5, progress=seen.append)
    assert seen == sorted(seen)
    assert seen[-1] == 1.0
    assert len(seen) > 10


# ------------------------------------------------------------------ what is refused


def diverging(t, q, qd):
    return 1e9 * qd + 1e9


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"q0": [0.0]}, r"q0 has shape \(1,\); expected \(..., 2\)"),
        ({"qd0": [0.0]}, r"qd0 has shape \(1,\); expected \(..., 2\)"),
        ({"step": 0.0}, r"step is 0; expected a positive number"),
        ({"duration": -1.0}, r"duration is -1; expected a positive number"),
        ({"duration": 1e9}, r"1e\+12 steps; at most"),
        ({"duration": 4e4}, r"4e\+07 steps; at most 33554432"),
        ({"method": "rk5"}, r"did you mean .*'rk8'"),
        ({"law": lambda t, q, qd: [1.0]}, r"gave shape \(1,\) at t = 0 s; expected \(2,\)"),
        ({"law": lambda t, q, qd: None}, r"gave None at t = 0 s"),
        ({"law": lambda t, q, qd: [np.nan if t > 0.05 else 0.0, 0.0]}, r"\[nan +0.\] at t = 0.051 s"),
        ({"law": lambda t: [0.0, 0.0]}, r"expected a function of time, q and qd"),
        ({"law": np.zeros((7, 2))}, r"torques: inputs have shape \(7, 2\)"),
        ({"law": cf.control.PDGravity(cf.load("2r"), 1.0, 1.0)}, r"needs a reference \(q_d, qd_d\)"),
        ({"reference": [0, 0]}, r"a reference is that of a law"),
        ({"rate": 10.0}, r"rate is that of a law"),
        ({"law": diverging}, r"no longer finite at t = .* take shorter steps"),
        ({"wrenches": {"hand": np.zeros(6)}}, r"unknown frame 'hand'"),
        ({"restitution": 2.0}, r"restitution is 2.0; expected a number from 0 to 1"),
        ({"stops": True, "q0": [9.0, 0.0]}, r"joint 'joint1' is at 9, beyond its limits"),
        ({"method": "Radau", "friction": True}, r"Radau cannot hold joints"),
    ],
)
def test_what_cannot_be_simulated_is_named(options, message):
    arm = cf.load("2r").with_friction(0.1).with_joint_limits(lower=-3.0, upper=3.0)
    with pytest.raises(cf.ClosedFormError, match=message):
        arm.simulate(**{"q0": [0.0, 0.0], "duration": 0.1, **options})


def test_quaternions_must_have_unit_length_and_variational_steps_plain_joints():
    body = tree("free")
    with pytest.raises(cf.ClosedFormError, match=r"quaternion of joint 'joint0' has length 2; expected 1"):
        body.simulate([0, 0, 0, 0, 0, 0, 2])
    with pytest.raises(cf.ClosedFormError, match=r"joint 'joint0' has 6; take rk4"):
        body.simulate(body.neutral(), method="variational")


def test_a_run_says_what_it_is():
    run = cf.load("2r").simulate(np.zeros((4, 2)), duration=0.1)
    assert repr(run) == "<motion of '2r': 0.1 s in 100 steps, rk6, batch (4,)>"


def test_a_run_and_its_law_travel_between_processes():
    arm = cf.load("2r").with_friction(0.5)
    law = cf.control.PDGravity(arm, 50.0, 5.0)
    run = arm.simulate([0, 0], law=law, reference=[1.0, 0.5], duration=0.1, friction=True)
    called = arm.simulate([0, 0], law=lambda t, q, qd: [t, 0.0], duration=0.1)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(called)).tau, called.tau)
    again, same = pickle.loads(pickle.dumps((run, law)))
    np.testing.assert_array_equal(again.tau, run.tau)
    np.testing.assert_array_equal(same(*np.ones((4, 2))), law(*np.ones((4, 2))))


@pytest.mark.parametrize(
    ("robot", "message"),
    [
        (cf.Robot.from_mdh([(0, 0, 0, 0, 0)]), "simulate: robot 'robot' has no inertias"),
        (cf.load("2r").locked({"joint1": 0.0, "joint2": 0.0}), "simulate: no joint of '2r' moves"),
    ],
)
def test_robots_without_inertia_or_motion_are_refused(robot, message):
    with pytest.raises(cf.ClosedFormError, match=message):
        robot.simulate(robot.neutral())
