"""Identification finds the parameters behind a log, and says how sure it is."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace

import dask.array as da
import numpy as np
import pytest

import closedform as cf
from closedform.description.catalogue import read_toml
from closedform.identification import (
    FrictionTerms,
    Identification,
    base_parameters,
    drive_gains,
    identify,
    identify_payload,
    lock,
    read_log,
    reduced_factor,
)
from closedform.identification.regression import rows as regression_rows
from closedform.identification.regression.friction import presliding
from closedform.identification.regression.least_squares import solve, standard_errors
from closedform.identification.regression.moments import Moments
from closedform.identification.regression.rows import Rows
from closedform.identification.regression.triangle import Triangle
from closedform.model.writing import model_toml
from closedform.programs import evaluate
from identification_logs import Losses, data, fourier_motion, noisy
from tolerances import ROUNDING, SOLVE, worst


@pytest.fixture(scope="module")
def panda_run():
    """The figure's log: 60 s at 1 kHz, 1 % noise, friction on every joint."""
    robot = cf.load("panda")
    motion = fourier_motion(robot, 3, 60, 1000)
    losses = Losses.random(7, 3)
    tau = noisy(robot.inverse_dynamics(motion.q, motion.qd, motion.qdd) + losses.torque(motion.qd), 0.01, 3)
    return robot, losses, identify(robot, {"t": motion.t, "q": motion.q, "tau": tau})


def scores(result, robot):
    """Return the errors of the base parameters in standard errors."""
    truth = result.base.matrix @ robot.phi
    return (result.base_values - truth) / result.standard_errors[: len(truth)]


def test_base_parameters_lie_within_three_standard_errors(panda_run):
    robot, losses, result = panda_run
    z = scores(result, robot)
    assert np.abs(z).max() < 3
    found = np.array([[result[f"{kind}{j + 1}"].value for j in range(7)] for kind in ("fv", "fc")])
    assert worst(found, [losses.viscous, losses.coulomb]) < 0.01


def test_the_identified_robot_gives_the_torques_of_its_drives():
    """Inertias, friction and offsets are all in the robot, also after it was saved: no column is outside."""
    arm = cf.load("2r")
    true = arm.with_damping([0.8, 0.3]).with_friction([0.5, 0.2]).with_drive_offset([1.5, -0.7])

    def torques(robot, *state):
        return np.asarray(evaluate(robot.program("drive_torque"), *state))

    motion = fourier_motion(arm, 2, 12, 500)
    tau = torques(true, motion.q, motion.qd, motion.qdd)
    result = identify(arm, {"t": motion.t, "q": motion.q, "tau": tau}, friction=FrictionTerms(coulomb=1e-3))
    assert worst(result.robot.drive_offset, true.drive_offset) < 0.01
    other = fourier_motion(arm, 3, 2, 100)
    state = [each[:-1] for each in (other.q, other.qd, other.qdd)]
    loaded = cf.Robot.from_description(read_toml(model_toml(result.robot.model).encode(), "saved"))
    assert worst(torques(loaded, *state), torques(true, *state)) < 0.01


def test_standard_errors_are_honest_over_many_logs():
    """z-scores of independent logs have unit variance: filters that correlate the noise are accounted for."""
    robot = cf.load("2r")
    squares = []
    for seed in range(30):
        motion = fourier_motion(robot, seed, 12, 500)
        tau = noisy(robot.inverse_dynamics(motion.q, motion.qd, motion.qdd), 0.05, seed)
        log = {"t": motion.t, "q": motion.q, "tau": tau}
        result = identify(
            robot, log, friction=FrictionTerms(coulomb=None), rotors=False, physical=False, cutoff=8
        )
        squares.append(scores(result, robot) ** 2)
    z2 = np.concatenate(squares)
    assert 0.7 < z2.mean() < 1.3  # chi-square of about a hundred: five standard deviations either side


def test_rows_taken_for_independent_would_promise_too_much():
    """The lagged products matter: without them standard errors of oversampled rows shrink."""
    rng = np.random.default_rng(0)
    ratios = []
    for _ in range(200):
        noise = np.convolve(rng.normal(size=2010), np.ones(5) / 5, mode="same")[:2000]
        W = np.column_stack([np.ones(2000), np.sin(np.arange(2000) / 40)])
        tau = (W @ [1.0, 2.0] + noise)[:, None]
        rows = Rows(np.arange(2000.0), (W,), tau, 0 * tau, np.zeros(2000, dtype=int))
        moments = Moments([np.arange(2)], 2)
        moments.add(rows)
        fit = solve(moments.triangles([0]), moments.active, 2)
        ratios.append((fit.values - [1, 2]) / standard_errors(fit, moments))
    spread = np.std(ratios, axis=0)
    assert (spread > 0.8).all()
    assert (spread < 1.2).all()


def test_reweighting_is_more_precise_than_ordinary_least_squares():
    robot = cf.load("2r")
    motion = fourier_motion(robot, 5, 20, 500)
    clean = robot.inverse_dynamics(motion.q, motion.qd, motion.qdd)
    tau = clean + np.random.default_rng(0).normal(size=clean.shape) * [5.0, 0.01]
    options = {"friction": None, "rotors": False, "physical": False, "plausible": False}
    log = {"t": motion.t, "q": motion.q, "tau": tau}
    errors = {m: identify(robot, log, method=m, **options) for m in ("ordinary", "weighted", "reweighted")}
    seen = [name.endswith("2") for name in errors["ordinary"].base.names]  # by both joints, one of them quiet
    size = {m: np.abs(scores_of(result, robot))[seen].max() for m, result in errors.items()}
    assert size["reweighted"] < 0.2 * size["ordinary"]
    assert size["weighted"] < 0.2 * size["ordinary"]


def scores_of(result, robot):
    return result.base_values - result.base.matrix @ robot.phi


def test_rotor_inertias_are_told_from_links_where_they_can_be():
    robot = cf.load("puma560")
    armature = np.linspace(0.2, 0.7, 6)
    bodies = tuple(replace(body, armature=a) for body, a in zip(robot.model.bodies, armature, strict=True))
    geared = cf.Robot(replace(robot.model, bodies=bodies))
    motion = fourier_motion(geared, 1, 30, 500)
    tau = geared.inverse_dynamics(motion.q, motion.qd, motion.qdd)
    result = identify(robot, {"t": motion.t, "q": motion.q, "tau": tau}, friction=None, physical=False)
    rotors = {name: result[name].value for name in result.names if name.startswith("Ia")}
    assert "Ia1" not in rotors  # adds to ZZ1, which turns with it
    assert len(rotors) >= 4
    for name, value in rotors.items():
        assert value == pytest.approx(armature[int(name[2:]) - 1], rel=1e-3)
    again = result.robot.inverse_dynamics(motion.q, motion.qd, motion.qdd)
    assert worst(again[1000:-1000], tau[1000:-1000]) < 1e-3


def test_presliding_is_dahls_differential_equation():
    """z along a path, against integration of dz/dt = (qd - |qd| z) / length by small steps."""
    t = np.linspace(0, 3, 30_001)
    x = 0.002 * np.sin(3 * t) + 0.001 * np.sin(7.1 * t)
    z, length = 0.0, 5e-4
    rates = np.gradient(x, t)
    for k in range(len(t) - 1):
        v, h = rates[k], t[1]
        z += h * (v - abs(v) * z) / length
    assert presliding(x[:, None], length)[-1, 0] == pytest.approx(z, abs=2e-3)


def test_physical_inertias_have_positive_pseudo_inertias_and_keep_the_fit():
    robot = cf.load("ur5")
    motion = fourier_motion(robot, 2, 15, 250)
    tau = noisy(robot.inverse_dynamics(motion.q, motion.qd, motion.qdd), 0.3, 2)
    log = {"t": motion.t, "q": motion.q, "tau": tau}
    free = identify(robot, log, friction=None, physical=False, rotors=False)
    held = identify(robot, log, friction=None, physical=True, rotors=False)
    for phi in held.robot.phi.reshape(-1, 10):
        xx, xy, xz, yy, yz, zz, mx, my, mz, m = phi
        J = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        P = np.block(
            [[np.trace(J) / 2 * np.eye(3) - J, np.array([[mx], [my], [mz]])], [np.array([mx, my, mz, m])]]
        )
        assert np.linalg.eigvalsh(P)[0] > 0
    assert free.fitted.total <= held.fitted.total < 1.05 * free.fitted.total
    truth = free.base.matrix @ robot.phi
    information = np.linalg.norm((held.base_values - truth) / free.standard_errors)
    assert information < np.linalg.norm((free.base_values - truth) / free.standard_errors)
    assert any("no rigid body has the inertias of" in note for note in free.notes)  # as asked for


def test_a_payload_is_weighed():
    robot = cf.load("ur5")
    motion = fourier_motion(robot, 4, 20, 250)
    load = np.array([0.012, 0.001, -0.002, 0.015, 0.0005, 0.01, 0.03, -0.02, 0.1, 1.7])
    phi = robot.phi.copy()
    phi[-10:] += load
    friction = 0.4 * np.sign(motion.qd) + 0.7 * motion.qd
    states = (motion.q, motion.qd, motion.qdd)
    empty = noisy(robot.inverse_dynamics(*states) + friction, 0.005, 1)
    full = noisy(robot.with_phi(phi).inverse_dynamics(*states) + friction, 0.005, 2)
    result = identify(
        robot, {"t": motion.t, "q": motion.q, "tau": empty}, friction=FrictionTerms(coulomb=1e-5)
    )
    payload = identify_payload(result, {"t": motion.t, "q": motion.q, "tau": full}, physical=True)
    assert payload.inertial.mass == pytest.approx(1.7, rel=0.01)
    assert worst(payload.inertial.com, load[6:9] / 1.7) < 0.03
    assert payload.errors.total < 0.2 * payload.unloaded.total
    assert payload.physical


def test_drive_gains_and_their_signs_follow_from_described_inertias():
    robot = cf.load("puma560")
    motion = fourier_motion(robot, 4, 20, 250)
    gains = np.array([60.0, -45, 30, 0.5, -2, 1])
    current = (robot.inverse_dynamics(motion.q, motion.qd, motion.qdd) + 0.3 * np.sign(motion.qd)) / gains
    found = drive_gains(robot, {"t": motion.t, "q": motion.q, "current": current})
    sure = found.explained > 0.5
    assert sure[:3].all()
    assert found.values[sure] == pytest.approx(gains[sure], rel=0.02)


def test_saved_robots_and_results_come_back(panda_run, tmp_path):
    _, _, result = panda_run
    result.save_robot(tmp_path / "arm.toml")
    robot = cf.load(tmp_path / "arm.toml")
    assert worst(robot.phi, result.robot.phi) < ROUNDING
    for name in ("armature", "damping", "friction", "lower_limits"):
        assert np.array_equal(getattr(robot, name), getattr(result.robot, name))
    assert robot.frame_names == result.robot.frame_names
    states = robot.random_state(0, batch=20)
    assert worst(robot.inverse_dynamics(*states), result.robot.inverse_dynamics(*states)) < ROUNDING
    result.save(tmp_path / "result.json")
    again = Identification.load(tmp_path / "result.json")
    assert again.names == result.names
    assert np.array_equal(again.values, result.values)
    assert again.friction == result.friction
    assert again.fitted.total == result.fitted.total


@pytest.mark.parametrize("name", ["scara", "screw_lift", "quadruped", "spherical_pendulum"])
def test_every_kind_of_joint_survives_a_toml_file(name, tmp_path):
    robot = cf.load(name)
    path = tmp_path / "robot.toml"
    path.write_text(model_toml(robot.model))
    again = cf.load(path)
    assert again.model.bodies[0].joint.kind == robot.model.bodies[0].joint.kind
    q, qd, qdd = robot.random_state(1, batch=5)
    assert worst(again.inverse_dynamics(q, qd, qdd), robot.inverse_dynamics(q, qd, qdd)) < ROUNDING
    assert again.joint_names == robot.joint_names


def test_a_robot_without_inertias_gets_them_from_its_log():
    arm = cf.load("ur5")
    bare = cf.Robot(replace(arm.model, has_inertia=False).with_gravity(arm.gravity))
    motion = fourier_motion(arm, 6, 20, 250)
    tau = arm.inverse_dynamics(motion.q, motion.qd, motion.qdd)
    result = identify(bare, {"t": motion.t, "q": motion.q, "tau": tau}, friction=None, rotors=False)
    states = arm.random_state(3, batch=20)
    assert worst(result.robot.inverse_dynamics(*states), arm.inverse_dynamics(*states)) < 1e-3


def test_locked_joints_carry_their_inertias():
    robot = cf.load("panda")
    names = robot.joint_names
    angles = {names[1]: 0.4, names[4]: -1.1}
    shorter = lock(robot, angles)
    free = [0, 2, 3, 5, 6]
    q, qd, qdd = np.zeros((3, 10, 7))
    parts = shorter.random_state(0, batch=10)
    for whole, part in zip((q, qd, qdd), parts, strict=True):
        whole[:, free] = part
    q[:, 1], q[:, 4] = 0.4, -1.1
    tau = robot.inverse_dynamics(q, qd, qdd)[:, free]
    assert worst(shorter.inverse_dynamics(*parts), tau) < ROUNDING
    assert worst(shorter.pose(parts[0], "link7"), robot.pose(q, "link7")) < ROUNDING


def test_blocked_qr_equals_normal_equations_in_small_memory():
    robot = cf.load("panda")
    base = base_parameters(robot)
    q, qd, qdd = robot.random_state(0, batch=20_000)
    tau = robot.inverse_dynamics(q, qd, qdd)
    reduced_factor(base, q[:10], qd[:10], qdd[:10], tau[:10])
    tracemalloc.start()
    R = reduced_factor(base, q, qd, qdd, tau, block=500)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8e6  # the whole regressor would be 48 MB
    A = np.column_stack([base.regressor(q, qd, qdd).reshape(-1, base.count), tau.ravel()])
    assert worst(R.T @ R, A.T @ A) < ROUNDING
    assert worst(np.linalg.solve(R[:-1, :-1], R[:-1, -1]), base.matrix @ robot.phi) < SOLVE


def test_factors_joined_in_any_order_are_the_same():
    A = np.random.default_rng(0).normal(size=(300, 5))
    whole, left, right = Triangle(5), Triangle(5), Triangle(5)
    whole.add(A)
    left.add(A[:120])
    right.add(A[120:])
    right.join(left)
    assert right.rows == whole.rows
    assert worst(right.R.T @ right.R, whole.R.T @ whole.R) < ROUNDING


def test_long_and_lazy_logs_give_the_same_result(monkeypatch):
    robot = cf.load("2r")
    motion = fourier_motion(robot, 7, 40, 500)
    tau = noisy(robot.inverse_dynamics(motion.q, motion.qd, motion.qdd) + 0.3 * motion.qd, 0.01, 7)
    options = {"cutoff": 8, "friction": FrictionTerms(coulomb=None), "physical": False}
    whole = identify(robot, {"t": motion.t, "q": motion.q, "tau": tau}, **options)
    monkeypatch.setattr(regression_rows, "SEGMENT", 4000)
    parts = identify(robot, {"t": motion.t, "q": motion.q, "tau": tau}, **options)
    chunks = {"t": motion.t, "q": da.from_array(motion.q, (3000, 2)), "tau": da.from_array(tau, (3000, 2))}
    lazy = identify(robot, chunks, **options)
    assert worst(parts.values, lazy.values) < ROUNDING
    assert (np.abs(parts.values - whole.values) < 0.2 * whole.standard_errors).all()
    assert abs(parts.fitted.rows - whole.fitted.rows) < 10


def test_a_jittered_clock_is_resampled():
    robot = cf.load("2r")
    motion = fourier_motion(robot, 8, 30, 500)
    rng = np.random.default_rng(0)
    keep = np.sort(rng.choice(len(motion.t), len(motion.t) * 9 // 10, replace=False))
    tau = robot.inverse_dynamics(motion.q, motion.qd, motion.qdd)
    log = {"t": motion.t[keep], "q": motion.q[keep], "tau": tau[keep]}
    result = identify(robot, log, friction=None, rotors=False, physical=False)
    assert worst(result.base_values, result.base.matrix @ robot.phi) < 1e-4


def test_dropped_rows_leave_a_gap_not_a_lie():
    robot = cf.load("2r")
    motion = fourier_motion(robot, 9, 30, 500)
    tau = robot.inverse_dynamics(motion.q, motion.qd, motion.qdd)
    q = motion.q.copy()
    q[5000:5400] = np.nan
    log = {"t": motion.t, "q": q, "tau": tau}
    result = identify(robot, log, friction=None, rotors=False, physical=False, missing="drop")
    assert worst(result.base_values, result.base.matrix @ robot.phi) < 1e-4


STAUBLI = {
    "rate": 5000,
    "reduction": np.diag([32.0, 32, 45, -48, 45, 32]) + 32 * np.eye(6)[:, [5]] @ np.eye(6)[[4]],
    "offset": [0, -np.pi / 2, np.pi / 2, 0, 0, 0],
}
"""Gears of the TX40: motor 6 turns with joints 5 and 6; the angles of joints 2 and 3 start elsewhere."""


@pytest.fixture(scope="module")
def staubli():
    """The real log of the Staubli TX40."""
    folder = data("staubli-tx40")
    robot = cf.load(folder / "tx40_mdh_modified.urdf")
    files = {"position": folder / "pos_read_data.csv", "effort": folder / "curr_data.csv"}
    return robot, read_log(files, robot, **STAUBLI)


@pytest.mark.parametrize(("hold_out", "most"), [(0.5, 0.048), ("half", 0.08)])
def test_staubli_torques_not_fitted_are_predicted(staubli, hold_out, most):
    robot, log = staubli
    result = identify(robot, log, hold_out=hold_out)
    assert result.held_out.total < most
    assert result.friction.presliding is not None  # the arm rests for 1.5 s, where speed says nothing
    assert {"Iam6", "fvm6", "fcm6"} <= set(result.names)


def test_tiago_currents_need_drive_gains():
    folder = data("tiago")
    robot = cf.load(folder / "tiago_48_schunk.urdf")
    files = {name: folder / f"tiago_{name}.csv" for name in ("position", "effort", "velocity")}
    log = read_log(files, robot)
    assert log.joints[:5] == ("torso_lift_joint", *(f"arm_{k}_joint" for k in (1, 2, 3, 4)))
    resting = {f"arm_{k}_joint": float(log.samples().position[:, k].mean()) for k in (5, 6, 7)}
    still = {name: 0.0 for name in robot.joint_names if name not in log.joints} | resting
    with pytest.raises(cf.ClosedFormError, match="drive_gains"):
        identify(robot, log, locked=still)
    arm = lock(robot, still)
    found = drive_gains(arm, read_log(files, arm))
    assert found.unknown == ("torso_lift_joint", "arm_1_joint")  # which hardly feel their inertias
    assert "no gain of torso_lift_joint" in str(found)
    gains = np.append(np.nan_to_num(found.values, nan=15.0), np.ones(3))  # of the size of the others
    result = identify(
        robot,
        read_log(files, robot, gain=gains),
        locked=still,
        hold_out=2.0,
        friction=FrictionTerms(coulomb=0.01),
    )
    assert (result.held_out.relative[2:] < 0.25).all()
