"""Closed loops: chains of integrators, exact feedforward, rigid control, plants unlike the model."""

from __future__ import annotations

import numpy as np
import pytest

import closedform as cf
from closedform.elastic import (
    ComputedTorque,
    Decoupling,
    ElasticJointRobot,
    Feedforward,
    Spread,
    chain_motion,
    monte_carlo,
    natural_frequencies,
    resolving_step,
    state_on,
    track,
)
from closedform.integration import simulate
from closedform.trajectory import cosine, polynomial
from oracles.elastic_robots import two_links
from tolerances import HALF_DIGITS, PROMISED, SOLVE, worst

POLES = [-30, -35, -40, -45]
MOVE = polynomial([0.3, -0.4], [1.1, 0.5], 1.0, degree=7)


@pytest.fixture(scope="module")
def iiwa():
    """The iiwa on springs from soft to stiff, with a septic move of one second."""
    springs = np.linspace(5e3, 2e4, 7)[[3, 0, 5, 1, 6, 2, 4]]
    robot = ElasticJointRobot(cf.load("iiwa14"), springs, 1e-4, 0.01, spring_at="link")
    start, end = np.random.default_rng(0).uniform(-1, 1, (2, 7))
    return robot, polynomial(start, end, 1.0, degree=7)


def off(robot, move, size):
    """Return a start off the trajectory by `size` in every angle and velocity of the links."""
    x = state_on(robot, move)
    shift = np.random.default_rng(1).uniform(-size, size, (2, robot.nv))
    return x + np.concatenate([*shift, *(shift / robot.drives.gear_ratio)])


def test_decoupled_iiwa_moves_like_four_integrators(iiwa):
    robot, move = iiwa
    control = Decoupling(robot, POLES)
    start = off(robot, move, 0.02)
    errors = []
    for step in (4e-4, 2e-4, 1e-4):
        run = track(control, move, step=step, start=start, off_trajectory=True)
        errors.append(np.abs(run.q - chain_motion(control, move, start, run.t)).max())
    assert errors[-1] < PROMISED
    assert np.abs(run.error).max() > 0.01  # it began off the trajectory
    assert 3.8 < np.log2(errors[0] / errors[1]) < 4.2


def test_feedforward_tracks_the_iiwa_exactly_and_rigid_control_does_not(iiwa):
    robot, move = iiwa
    exact = track(Feedforward(robot, [-30 + 30j, -30 - 30j]), move, step=2e-4)
    rigid = track(ComputedTorque(robot, [-30, -30]), move, step=2e-4)
    assert exact.worst < HALF_DIGITS
    assert rigid.worst > 1000 * exact.worst
    assert rigid.worst < 0.1  # and yet it is a controller


def test_runge_kutta_converges_with_order_four():
    robot = two_links()
    control = Decoupling(robot, POLES)
    start = off(robot, MOVE, 0.05)
    errors = []
    for step in (4e-3, 2e-3, 1e-3):
        run = track(control, MOVE, step=step, start=start, off_trajectory=True)
        errors.append(np.abs(run.q[-1] - chain_motion(control, MOVE, start, run.t)[-1]).max())
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    assert (np.abs(orders - 4) < 0.3).all()


def test_damped_joints_move_like_three_integrators():
    robot = two_links(damping=[4e-3, 3e-3])
    control = Decoupling(robot, POLES[:3])
    start = off(robot, MOVE, 0.05)
    run = track(control, MOVE, step=2e-4, start=start, off_trajectory=True)
    assert np.abs(run.q - chain_motion(control, MOVE, start, run.t)).max() < PROMISED


def test_a_moving_stiffness_is_followed_exactly():
    robot = two_links(stiffness="variable")
    spring = cosine([0.4, 0.3], [0.1, 0.05], [1.0, 1.5], duration=1.0)
    control = Feedforward(robot, [-30, -30])
    run = track(control, MOVE, stiffness=spring, step=2e-4)
    assert run.worst < HALF_DIGITS
    sampled = track(control, MOVE, stiffness=spring, step=2e-4, rate=5000.0)
    assert sampled.worst < 1e-3
    with pytest.raises(cf.ArgumentError, match="variable; give a trajectory of it"):
        control.reference(MOVE, 0.0)


def test_rigid_control_errs_by_the_wind_up():
    """Twice the stiffness, half the error: the rigid law misses what the springs yield."""
    gaps = [
        track(ComputedTorque(two_links(stiffness=[K, K]), [-15, -15]), MOVE, step=5e-4).worst
        for K in (4.0, 8.0)
    ]
    assert 1.8 < gaps[0] / gaps[1] < 2.2


def test_sampling_errors_vanish_with_the_period():
    control = Feedforward(two_links(), [-30, -30])
    coarse, fine = (track(control, MOVE, rate=rate).worst for rate in (500.0, 1000.0))
    assert fine < 5e-3
    assert 1.7 < coarse / fine < 2.3


def test_batches_of_starts_are_single_runs_side_by_side():
    robot = two_links()
    control = Feedforward(robot, [-30, -30])
    starts = np.stack([off(robot, MOVE, size) for size in (0.0, 0.05)])
    for options in ({}, {"rate": 1000.0}):
        runs = track(control, MOVE, step=5e-4, start=starts, off_trajectory=True, **options)
        assert runs.x.shape[0] == 2
        for k, start in enumerate(starts):
            one = track(control, MOVE, step=5e-4, start=start, off_trajectory=True, **options)
            assert worst(runs.x[k], one.x) < SOLVE
            assert worst(runs.u[k], one.u) < SOLVE


def test_free_motion_keeps_its_energy():
    robot = two_links()
    x = simulate(robot.system(), off(robot, MOVE, 0.2), None, 1.0, 2e-4).x
    energy = robot.energy(*np.split(x, 4, axis=-1))
    assert np.ptp(energy) < 1e-6 * np.abs(energy).max()
    assert np.ptp(x[:, 0]) > 0.1


@pytest.mark.parametrize("law", ["encoders", "torque sensors", "motor PD"])
def test_every_run_of_a_study_is_that_plant_under_that_law(law):
    """A drawn plant is the robot with those numbers, simulated on its own."""
    robot = two_links()
    control = {
        "encoders": Decoupling(robot, [-100] * 4),
        "torque sensors": Decoupling(robot, [-100] * 4, torque_sensors=True),
        "motor PD": Feedforward(robot, [-30, -30]),
    }[law]
    spread = Spread(stiffness=0.1, motor_inertia=0.1, inertia=0.05, payload=0.3, payload_at=(0.75, 0.1, 0))
    study = monte_carlo({law: control}, MOVE, spread, runs=4, step=2.5e-4, seed=3)
    assert study.bands(law).shape == (3, 1001)
    for k in range(4):
        K, B, phi = np.split(study.parameters[k], [2, 4])
        plant = robot.changed(robot=robot.robot.with_phi(phi), stiffness=K, motor_inertia=B)
        one = track(
            control,
            MOVE,
            plant=plant,
            rate=1000.0,
            step=2.5e-4,
            start=state_on(robot, MOVE),
            off_trajectory=True,
        )
        assert worst(study.errors[law][k], one.error) < 1e-6
    assert study.peaks(law).min() > 1e-5


def test_payload_is_a_point_mass_at_the_tool():
    robot = two_links()
    drawn = Spread(payload=2.0, payload_at=(0.75, 0.0, 0.0)).draw(robot, 3, np.random.default_rng(0))
    masses = drawn[:, -1] - 1.5
    assert ((masses > 0) & (masses < 2)).all()
    for row, mass in zip(drawn, masses, strict=True):
        heavier = robot.robot.with_phi(row[4:])
        q = np.array([0.2, 0.9])
        J = robot.robot.jacobian(q)
        wanted = robot.robot.mass_matrix(q) + mass * J[3:].T @ J[3:]
        assert worst(heavier.mass_matrix(q), wanted) < SOLVE


def test_torque_sensors_spare_a_law_the_errors_of_stiffness():
    robot = two_links()
    laws = {
        "encoders": Decoupling(robot, [-60] * 4),
        "torque sensors": Decoupling(robot, [-60] * 4, torque_sensors=True),
    }
    study = monte_carlo(laws, MOVE, Spread(stiffness=0.2), runs=20)
    medians = {name: np.median(study.peaks(name)) for name in laws}
    assert medians["torque sensors"] < medians["encoders"] / 3


def test_a_diverging_run_leaves_the_others_alone():
    robot = two_links()
    law = {"hasty": Decoupling(robot, [-900] * 4)}
    study = monte_carlo(law, MOVE, Spread(stiffness=0.5), runs=30)
    peaks = study.peaks("hasty")
    assert not np.isnan(peaks).any()
    assert np.isinf(peaks).any()
    quiet = monte_carlo({"calm": Feedforward(robot, [-30, -30])}, MOVE, Spread(stiffness=0.5), runs=30)
    assert np.isfinite(quiet.peaks("calm")).all()


def test_resolving_step_keeps_the_amplitude_of_the_fastest_oscillation():
    robot = two_links()
    h = resolving_step(robot, MOVE(np.linspace(0, 1, 5)))
    z = 0.5j
    assert 1 - abs(1 + z + z**2 / 2 + z**3 / 6 + z**4 / 24) < 2e-4
    assert 1e-4 < h < 1e-2


def test_starts_off_the_trajectory_are_refused_unless_meant():
    robot = two_links()
    control = Feedforward(robot, [-30, -30])
    x = state_on(robot, MOVE)
    x[3 * 2 - 1] += 0.5
    with pytest.raises(cf.ArgumentError, match=r"theta of joint 'joint2' should be .* off by 0.5"):
        track(control, MOVE, start=x)
    track(control, MOVE, start=state_on(robot, MOVE), step=1e-3)
    with pytest.raises(cf.ArgumentError, match=r"start has shape \(3,\); expected \(..., 8\)"):
        track(control, MOVE, start=[0.0] * 3)
    with pytest.raises(cf.ArgumentError, match=r"start\[0\] is nan"):
        track(control, MOVE, start=[np.nan] * 8)


def test_trajectories_that_do_not_fit_are_refused():
    control = Feedforward(two_links(), [-30, -30])
    with pytest.raises(cf.ArgumentError, match="trajectory of 3 coordinates; expected 2"):
        track(control, polynomial([0] * 3, [1] * 3, 1.0))
    rough = cf.trajectory.profile([0.0, 0.0], [1.0, 1.0], velocity=1.0, acceleration=5.0, jerk=100.0)
    with pytest.raises(cf.ArgumentError, match=r"derivative 3 \(jerk\) of coordinate 0 .* jumps"):
        track(control, rough)
    assert track(ComputedTorque(two_links(), [-30, -30]), rough, step=1e-3).worst < 0.5
    with pytest.raises(cf.ArgumentError, match="step is -1"):
        track(control, MOVE, step=-1)
    with pytest.raises(cf.ArgumentError, match="rate is 0"):
        track(control, MOVE, rate=0)
    with pytest.raises(cf.ArgumentError, match="constant; give no trajectory of it"):
        track(control, MOVE, stiffness=MOVE)
    with pytest.raises(cf.ArgumentError, match="track: trajectory is 3"):
        track(control, 3)
    assert track(control, MOVE, rate=np.int64(1000), step=np.float32(1e-3)).t.size == 1001


def test_steps_too_long_for_the_springs_are_named():
    stiff = two_links(stiffness=400.0)
    with pytest.raises(cf.ClosedFormError, match=r"springs oscillate at up to .* rad/s.*spring_at='link'"):
        track(Feedforward(stiff, [-30, -30]), MOVE, step=5e-3)


@pytest.mark.parametrize(
    ("spread", "words"),
    [
        (Spread(stiffness=1.5), "stiffness is 1.5; expected a number from 0 to 0.99"),
        (Spread(payload=-1.0), "payload is -1.0"),
        (Spread(payload_at=(0, 0)), r"payload_at has shape \(2,\)"),
    ],
)
def test_spreads_that_make_no_robot_are_refused(spread, words):
    with pytest.raises(cf.ArgumentError, match=words):
        monte_carlo({"PD": Feedforward(two_links(), [-30, -30])}, MOVE, spread, runs=2)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"rate": 0}, "rate is 0"),
        ({"rate": -5.0}, "rate is -5"),
        ({"rate": np.nan}, "rate is nan"),
        ({"step": 0.0}, "step is 0"),
        ({"step": -1.0}, "step is -1"),
        ({"seed": -1}, "seed is -1"),
        ({"runs": 0}, "runs is 0"),
    ],
)
def test_studies_that_cannot_be_run_are_refused(options, words):
    with pytest.raises(cf.ArgumentError, match=words):
        monte_carlo({"PD": Feedforward(two_links(), [-30, -30])}, MOVE, Spread(), **{"runs": 2, **options})


def test_what_is_no_chain_or_no_stiffness_is_refused():
    robot = two_links()
    with pytest.raises(cf.ArgumentError, match="Feedforward makes no chains"):
        chain_motion(Feedforward(robot, [-30, -30]), MOVE, state_on(robot, MOVE), [0.0, 1.0])
    with pytest.raises(cf.ArgumentError, match=r"start has shape \(7,\); expected \(8,\)"):
        chain_motion(Decoupling(robot, [-30] * 4), MOVE, np.zeros(7), [0.0, 1.0])
    with pytest.raises(cf.ArgumentError, match="stiffness is -1 somewhere"):
        natural_frequencies(robot, [0.0, 0.0], [1.0, -1.0])
    with pytest.raises(cf.ArgumentError, match="ragged"):
        Feedforward(robot, [[-1.0], [-1.0, -2.0]])


def test_studies_need_one_model():
    with pytest.raises(cf.ArgumentError, match="no controls"):
        monte_carlo({}, MOVE, Spread())
    laws = {name: Feedforward(two_links(), [-30, -30]) for name in "ab"}
    with pytest.raises(cf.ArgumentError, match="different models"):
        monte_carlo(laws, MOVE, Spread())
