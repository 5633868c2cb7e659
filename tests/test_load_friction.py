"""Friction by load in motions: gears that slide, hold and break away as `drive_torque` and hand say."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest
from casadi import SX
from scipy.optimize import root

import closedform as cf
from closedform.simulation.contact import Contact
from closedform.simulation.plant import Plant
from oracles.random_trees import random_tree
from tolerances import ITERATED, LONG_CHAIN, SOLVE, worst

M, L, G = 2.0, 0.5, 9.81
"""Mass and length of the pendulum, and gravity."""

STEP = 1e-3


def pendulum(fc: float, fl: float, rotor: float = 0.0) -> cf.Robot:
    """Return a pendulum whose weight pulls with M G L cos(q) towards positive q."""
    inertial = cf.Inertial.of(M, (L, 0, 0), np.diag([0.001, 0.02, 0.02]))
    swinging = cf.Robot.from_screws([np.eye(4)], [(0, 1, 0, 0, 0, 0)], inertials=[inertial])
    return swinging.with_friction(fc).with_friction_curve(load_friction=fl).with_armature(rotor)


def geared(name: str) -> cf.Robot:
    """Return an arm of the catalogue with rotors and friction of all kinds; its last joint loses nothing."""
    arm = cf.load(name)
    n = arm.nv
    return (
        arm.with_armature(np.linspace(0.5, 0.1, n))
        .with_friction(np.linspace(0.6, 0.2, n))
        .with_damping(0.2)
        .with_drive_offset(np.linspace(-0.1, 0.2, n))
        .with_friction_curve(load_friction=[*np.linspace(0.3, 0.15, n - 1), 0.0], damping_asymmetry=0.05)
    )


def transmitted(robot: cf.Robot, q, qd, qdd, **acting) -> np.ndarray:
    """Return what gears transmit to the links."""
    return robot.with_armature(0.0).inverse_dynamics(q, qd, qdd, springs=True, **acting)


FREE = 7
"""The seed of a tree with a free joint, whose armature has forces of velocity too."""


def random_gears(seed: int) -> tuple[cf.Robot, np.random.Generator]:
    """Return a small tree of any joints, with mimic joints, most of them with rotors and lossy gears."""
    rng = np.random.default_rng(seed)
    tree = random_tree(seed, bodies=3 + seed % 3, kinds=("free", "revolute") if seed == FREE else None)

    def some(most: float) -> dict[str, float]:
        names = (body.joint_name for body in tree.model.independent)
        return {name: float(rng.integers(0, 4) > 0) * rng.uniform(0, most) for name in names}

    tree = tree.with_friction(some(3.0)).with_armature(some(2.0))
    return tree.with_friction_curve(load_friction=some(0.6)), rng


def acceleration(robot: cf.Robot):
    """Return the function (q, qd, tau, mode) -> qdd that the steps of a motion call."""
    plant = Plant(robot.model, driven=True, contact=True, geared=True)
    q, qd, tau = SX.sym("q", robot.nq), SX.sym("qd", robot.nv), SX.sym("tau", robot.nv)
    mode, dry = SX.sym("mode", robot.nv), SX(ca.DM(robot.friction))
    qdd = plant.acceleration(q, qd, SX(0, 1), tau, {}, mode, dry)[0]
    compiled = ca.Function("acceleration", [q, qd, tau, mode], [qdd])
    return lambda *state: np.array(compiled(*state))[:, 0]


# ------------------------------------------------------------------ sliding


@pytest.mark.parametrize("seed", range(8))
def test_accelerations_are_the_one_root_of_the_torques_that_drives_apply(seed):
    robot, rng = random_gears(seed)
    found, reached = acceleration(robot), 0
    for _ in range(5):
        q, qd, _ = robot.random_state(rng)
        tau = robot.bias_force(q, qd) + 10 * rng.normal(size=robot.nv)
        qdd = found(q, qd, tau, np.sign(qd))
        scale = np.abs(robot.mass_matrix(q) @ qdd).max() + np.abs(tau).max()
        assert worst(robot.drive_torque(q, qd, qdd), tau, scale) < SOLVE
        start = robot.forward_dynamics(q, qd, tau, friction=True)
        other = root(lambda a, x, v, t: robot.drive_torque(x, v, a) - t, start, (q, qd, tau), tol=1e-12)
        if other.success:  # Powell's method may stall at a kink
            reached += 1
            assert worst(qdd, other.x) < 1e-6  # its differences have half of the digits, times those of M
    assert reached > 1


@pytest.mark.parametrize(("name", "springs"), [("2r", True), ("puma560", False)])
def test_a_sliding_motion_takes_the_torques_that_drives_apply(name, springs):
    """By differences of the motion, to what they and steps of a millisecond allow."""
    arm = geared(name).with_springs(8.0, rest=0.2)
    law = cf.control.PDGravity(arm, kp=30.0, kd=3.0)
    push = {arm.frame_names[-1]: [0.3, -0.2, 0.5, 3.0, -4.0, 5.0]}
    q0, qd0, _ = arm.random_state(3)
    run = arm.simulate(
        *(q0, 2 * qd0, law, 0.4, STEP), reference=q0 + 1, friction=True, springs=springs, wrenches=push
    )
    if not springs:
        arm = arm.with_springs(0.0)
    weights = np.array([1 / 280, -4 / 105, 1 / 5, -4 / 5, 0, 4 / 5, -1 / 5, 4 / 105, -1 / 280]) / STEP
    inner = slice(4, -4)
    qdd = np.stack([np.convolve(v, weights[::-1], "valid") for v in run.qd.T], axis=1)
    frames = {"wrenches": push}
    state = run.q[inner], run.qd[inner], qdd
    link = transmitted(arm, *state, **frames)
    smooth = np.ones(len(run.t), dtype=bool)
    for k in (np.round(each.time / STEP).astype(int) for each in run.transitions):
        smooth[max(0, k - 8) : k + 9] = False
    kinks = np.flatnonzero((np.diff(np.sign(link), axis=0) != 0).any(axis=1)) + 4
    for k in kinks:
        smooth[max(0, k - 8) : k + 10] = False
    smooth = smooth[inner] & (state[1] != 0).all(axis=1)
    assert smooth.sum() > 100
    applied, tau = arm.drive_torque(*state, **frames)[smooth], run.tau[inner][smooth]
    lost = np.abs(arm.load_friction * link)[smooth].max(axis=0)
    assert (lost[:-1] > 0.03).all()
    assert worst(applied, tau) < 1e-6


@pytest.mark.parametrize(("method", "order"), [("rk4", 4), ("rk6", 6), ("rosenbrock", 2)])
def test_steps_of_lossy_gears_have_the_order_of_their_method_while_they_slide(method, order):
    arm = geared("2r")
    given = ([0.3, 0.2], [1.5, 1.0], [80.0, 30.0], 0.2)
    exact = arm.simulate(*given, 1e-3, friction=True, method="rk8")
    assert not exact.transitions
    assert (exact.qd > 0).all()
    steps = (0.02, 0.01) if order > 2 else (0.002, 0.001)
    errors = [
        np.abs(arm.simulate(*given, h, friction=True, method=method).q[-1] - exact.q[-1]).max() for h in steps
    ]
    assert abs(np.log2(errors[0] / errors[1]) - order) < 0.3


def test_energy_is_what_drives_give_less_what_friction_and_gears_take():
    """Of one joint gears lose fl of the variation of the energy of its links, friction fc of its way."""
    fc, fl, rotor, tau = 0.2, 0.2, 0.5, -3.0
    swing = pendulum(fc, fl, rotor)
    h = 4e-4
    run = swing.simulate([-0.5], [1.0], [tau], 6.0, h, friction=True)
    assert len(run.transitions) > 3
    links = swing.with_armature(0.0)
    energy = links.kinetic_energy(run.q, run.qd) + links.potential_energy(run.q)
    way = np.abs(np.diff(run.q[:, 0])).sum()
    lost = fc * way + fl * np.abs(np.diff(energy)).sum()
    given = tau * (run.q[-1, 0] - run.q[0, 0]) - (run.energy[-1] - run.energy[0])
    assert lost > 5
    assert abs(given - lost) < 10 * h**2 * lost  # a turn within a step hides h^2 of the variation


@pytest.mark.parametrize("method", ["rk4", "rosenbrock"])
def test_gears_that_lose_next_to_nothing_change_nothing(method):
    arm = cf.load("2r").with_friction([2.0, 1.0]).with_damping(0.3).with_armature(0.2)
    law = cf.control.PDGravity(arm, kp=[600, 300], kd=[40, 15])
    given = {"law": law, "reference": [1.0, 0.5], "duration": 1.5, "friction": True, "method": method}
    plain = arm.simulate([0.0, 0.0], **given)
    least = arm.with_friction_curve(load_friction=1e-300).simulate([0.0, 0.0], **given)
    none = arm.with_friction_curve(load_friction=0.0).simulate([0.0, 0.0], **given)
    assert worst(least.q, plain.q) < LONG_CHAIN
    assert [each[1:] for each in least.transitions] == [each[1:] for each in plain.transitions]
    np.testing.assert_array_equal(none.q, plain.q)
    assert len(plain.transitions) > 1
    lossy = arm.with_friction_curve(load_friction=0.2).simulate([0.0, 0.0], **given)
    assert worst(lossy.q, plain.q) > 1e-3


def test_rosenbrock_steps_are_stable_where_gears_pass_on_more_than_drives_apply():
    """A weight that pulls its gear along: gains that no explicit step takes, and k = 1 / (1 - fl) of them."""
    fl, kp, kd = 0.5, 1e4, 4e3
    arm = pendulum(0.0, fl)
    law = cf.control.ExpressionLaw(arm, lambda q, qd, q_d: kp * (q_d - q) - kd * qd, references={"q_d": 1})
    run = arm.simulate([0.0], law=law, reference=[0.5], duration=2.5, friction=True, method="rosenbrock")
    late = run.t > 1.5
    weight = M * G * L * np.cos(run.q[late, 0])
    creeping = np.abs(run.qd[late, 0]).max() * kp / kd  # how fast the joint slows down
    assert np.abs(run.tau[late, 0] + (1 - fl) * weight).max() < creeping
    assert creeping < 0.01 * weight.min()


# ------------------------------------------------------------------ held, and breaking away


@pytest.mark.parametrize("rotor", [0.0, 0.3])
@pytest.mark.parametrize(("fc", "fl"), [(0.4, 0.2), (0.0, 0.3), (0.4, 0.95)])
def test_a_pendulum_is_held_between_the_torques_that_lift_and_lower_it(fc, fl, rotor):
    """t = -M G L -+ (fc + fl M G L): the weight pulls forth, so that a drive holds with less than lifts."""
    arm, load = pendulum(fc, fl, rotor), M * G * L
    lifts, lowers = -load - fc - fl * load, -load + fc + fl * load
    bit = 1e-6
    for tau, way in ((lifts + bit, 0), (lowers - bit, 0), (lifts - bit, -1), (lowers + bit, 1)):
        run = arm.simulate([0.0], law=[tau], duration=0.02, friction=True)
        assert np.sign(run.qd[-1, 0]) == way
        assert way or not run.q.any()


def test_a_gear_that_is_hard_to_drive_back_holds_a_weight_without_a_drive():
    """At t = 0 friction fc holds up to fc / (1 - fl): the load presses the gear that it turns."""
    fc, load = 0.4, M * G * L
    edge = 1 - fc / load
    for fl, moves in ((edge - 1e-6, True), (edge + 1e-6, False)):
        run = pendulum(fc, fl).simulate([0.0], duration=0.1, friction=True)
        assert bool(run.q.any()) == moves
    assert pendulum(fc, 0.0).simulate([0.0], duration=0.1, friction=True).q[-1, 0] > 1e-3


@pytest.mark.parametrize("speed", [0.5, -0.5])
def test_a_joint_without_other_friction_comes_to_rest_in_its_gear(speed):
    run = pendulum(0.0, 0.3, 0.1).simulate([0.0], [speed], [-M * G * L], friction=True)
    assert [each.what for each in run.transitions] == ["sticks"]
    last = run.t > run.transitions[0].time
    assert not run.qd[last].any()
    assert (run.q[last] == run.q[-1]).all()
    assert np.sign(run.q[-1, 0]) == np.sign(speed)


def test_a_ramp_breaks_away_at_the_time_that_hand_gives():
    fc, fl, rate = 0.4, 0.25, 20.0
    arm, load = pendulum(fc, fl, 0.1), M * G * L
    for sign, edge in ((1, -load + fc + fl * load), (-1, -load - fc - fl * load)):
        ramp = cf.control.ExpressionLaw(
            arm, lambda q, qd, t, rise=sign * rate: rise * t - load, references={"t": 1}
        )
        run = arm.simulate([0.0], law=ramp, reference=lambda t: [t], duration=0.2, friction=True)
        first = run.transitions[0]
        assert first.what == "slips"
        assert abs(first.time - (edge + load) / (sign * rate)) < 1e-8  # reactions may be 1e-9 beyond
        assert np.sign(run.qd[-1, 0]) == sign
        assert not run.q[run.t < first.time].any()


@pytest.mark.parametrize("seed", range(10))
def test_joints_at_rest_are_held_or_move_as_the_torques_of_drives_say(seed):
    """Held joints get less than what moves them forth, and more than what moves them back."""
    robot, rng = random_gears(seed)
    contact, found, dry = Contact.of(robot.model, True, False, 0.0), acceleration(robot), robot.friction > 0
    dry |= robot.load_friction > 0
    counts = np.zeros(2, dtype=int)  # of joints that are held, and that break away
    tiny = 1e-200  # has a sign, and no square
    for _ in range(40):
        q, qd, _ = robot.random_state(rng)
        qd = np.where(dry & (rng.random(robot.nv) < 0.7), 0.0, qd)
        bias = robot.bias_force(q, qd)
        tau = bias + rng.choice([4, 20]) * rng.normal(size=robot.nv)
        t = tau - floating_rotors(robot, q, qd)
        mode = contact.decided(q, qd, robot.mass_matrix(q), tau - bias, t).mode
        qdd = found(q, qd, tau, mode)
        rest, held = qd == 0, mode == 0
        counts += [held.sum(), (rest & dry & ~held).sum()]
        assert not qdd[held].any()
        assert (mode * qdd >= 0)[rest & dry].all()
        forth, back = (
            robot.drive_torque(q, np.where(held, s, qd) + (rest & ~held) * tiny * mode, qdd)
            for s in (tiny, -tiny)
        )
        bit = SOLVE * (np.abs(tau).max() + np.abs(robot.mass_matrix(q) @ qdd).max())
        assert (forth - tau >= -bit).all()
        assert (tau - back >= -bit).all()
        np.testing.assert_allclose(forth[~held & dry], tau[~held & dry], atol=bit)
    assert counts.all()


def floating_rotors(robot: cf.Robot, q, qd) -> np.ndarray:
    """Return the forces of velocity that the armatures of free joints take: a w x v."""
    return robot.bias_force(q, qd) - robot.with_armature(0.0).bias_force(q, qd)


def test_runs_of_a_batch_are_the_runs_alone_and_stops_hold():
    arm = geared("2r").with_joint_limits(lower=-0.4, upper=0.6)
    q0, qd0 = np.array([[0.3, 0.2], [-0.2, 0.5]]), np.array([[1.0, -2.0], [0.0, 0.5]])
    given = {"law": [20.0, -5.0], "duration": 0.3, "friction": True, "stops": True}
    both = arm.simulate(q0, qd0, **given)
    for k in range(2):
        alone = arm.simulate(q0[k], qd0[k], **given)
        assert worst(both.q[k], alone.q) < ITERATED
        assert alone.q.min() >= -0.4
        assert alone.q.max() <= 0.6
    assert {each.what for each in both.transitions} >= {"stops"}


# ------------------------------------------------------------------ refusals


def test_what_cannot_count_friction_by_load_says_so():
    arm = cf.load("2r").with_friction_curve(load_friction={"joint2": 0.1})
    with pytest.raises(cf.ClosedFormError, match=r"variational.*'joint2'.*take rk4, rk6 or rosenbrock"):
        arm.simulate([0.0, 0.0], friction=True, method="variational")
    with pytest.raises(cf.ClosedFormError, match=r"DOP853 cannot hold joints by friction.*take rk4"):
        arm.simulate([0.0, 0.0], friction=True, method="DOP853")
    all_of_it = arm.with_friction_curve(load_friction={"joint1": 1.0})
    with pytest.raises(cf.ClosedFormError, match=r"'joint1' loses the part 1 of.*below 1"):
        all_of_it.simulate([0.0, 0.0], friction=True)
    for robot in (arm, all_of_it):
        free = robot.simulate([0.0, 0.0], duration=0.05, method="variational")
        plain = cf.load("2r").simulate([0.0, 0.0], duration=0.05, method="variational")
        np.testing.assert_array_equal(free.q, plain.q)
