"""Identification on a floating base: forces of standing feet projected out, or wrenches measured."""

from __future__ import annotations

import csv

import numpy as np
import pinocchio as pin
import pytest

import closedform as cf
from closedform import ArgumentError, UnknownNameError
from closedform.identification import (
    ExcitationError,
    FloatingIdentification,
    FrictionTerms,
    LogError,
    identify_floating,
    read_floating_log,
)
from closedform.identification.floating.noise import updated_variances
from closedform.identification.floating.pose import body_motion, filtered_rotations
from closedform.identification.floating.projection import contact_jacobian, null_bases, phases
from closedform.identification.logs.signals import zero_phase
from closedform.rotations import quaternion_of, quaternion_product
from oracles.legged_motion import LeggedMotion, quadruped_motion, skater_log
from tolerances import LONG_CHAIN, ROUNDING, SOLVE, worst

PLAIN = {"friction": None, "rotors": False, "physical": False}
ENTRIES = {"base_position": "xyz", "base_quaternion": "xyzw"}


@pytest.fixture(scope="module")
def motion() -> LeggedMotion:
    return quadruped_motion(duration=12.0)


@pytest.fixture(scope="module")
def found(motion) -> FloatingIdentification:
    return identify_floating(
        motion.robot, motion.log(0.02, seed=3), friction=None, rotors=False, physical=True
    )


@pytest.fixture(scope="module")
def skater():
    return skater_log()


def test_the_simulated_motion_balances_in_pinocchio(motion, tmp_path):
    """Forces of the feet and joint torques against Pinocchio's recursion."""
    path = motion.robot.to_urdf(tmp_path / "quadruped.urdf")
    model = pin.buildModelFromUrdf(str(path))
    data = model.createData()
    scale = np.abs(motion.torque).max()
    order = [model.joints[model.getJointId(name)].idx_v for name in motion.robot.joint_names[1:]]
    assert order == list(range(6, 18))
    for k in range(5, len(motion.time), 191):
        angles, twist, rate = motion.q[k, 7:], motion.qd[k].copy(), motion.qdd[k].copy()
        # Pinocchio has cosine and sine of joints without end stops
        q = np.concatenate([motion.q[k, :7], np.stack([np.cos(angles), np.sin(angles)], axis=1).ravel()])
        for x in (twist, rate):
            x[:6] = np.concatenate([x[3:6], x[:3]])
        tau = pin.rnea(model, data, q, twist, rate)
        pin.framesForwardKinematics(model, data, q)
        for foot, force in motion.force.items():
            J = pin.computeFrameJacobian(model, data, q, model.getFrameId(foot), pin.LOCAL_WORLD_ALIGNED)
            tau -= J[:3].T @ force[k]
            assert not motion.contact[foot][k] or np.abs(J[:3] @ twist).max() < SOLVE
        assert np.abs(tau[:6]).max() < SOLVE * scale
        assert np.abs(tau[6:] - motion.torque[k]).max() < SOLVE * scale


def test_known_contacts_give_mass_and_base_parameters(motion, found):
    """The figure: total mass within 1 %, base parameters within 3 standard errors, torque noise of 2 %."""
    assert found.rows == "rows without contact forces"
    assert abs(found.total_mass / motion.robot.phi[9::10].sum() - 1) < 0.01
    free = identify_floating(motion.robot, motion.log(0.02, seed=3), **PLAIN)
    z = (free.base_values - free.base.values) / free.standard_errors
    assert np.abs(z).max() < 3
    assert 0.6 < np.sqrt(np.mean(z**2)) < 1.2
    assert not free.doubts
    assert abs(free.total_mass - motion.robot.phi[9::10].sum()) < 3 * free.total_mass_error


def test_the_robot_found_is_physical_and_predicts(motion, found):
    robot = found.robot
    for body in robot.phi.reshape(-1, 10):
        m, c = body[9], body[6:9] / body[9]
        J = np.array([[body[0], body[1], body[2]], [body[1], body[3], body[4]], [body[2], body[4], body[5]]])
        J = J - m * (c @ c * np.eye(3) - np.outer(c, c))
        s = np.linalg.eigvalsh(np.trace(J) / 2 * np.eye(3) - J)
        assert m > 0
        assert s.min() > 0
    wrenches = {foot: np.concatenate([0 * f, f], axis=1) for foot, f in motion.force.items()}
    tau = robot.inverse_dynamics(
        motion.q, motion.qd, motion.qdd, wrenches=wrenches, reference="world_aligned"
    )
    assert np.sqrt(np.mean((tau[:, 6:] - motion.torque) ** 2)) < 0.01 * np.sqrt(np.mean(motion.torque**2))
    assert np.sqrt(np.mean(tau[:, :6] ** 2)) < 0.05


def test_base_rows_with_measured_wrenches_give_the_base_parameters(motion):
    log = motion.log(0.02, seed=5, wrenches=True, force_noise=0.02)
    result = identify_floating(motion.robot, log, wrench_axes="world", rows="base", **PLAIN)
    z = (result.base_values - result.base.values) / result.standard_errors
    assert np.abs(z).max() < 4
    assert 0.5 < np.sqrt(np.mean(z**2)) < 1.3
    assert abs(result.total_mass / 2.499544 - 1) < 0.01


def test_measured_wrenches_give_the_truth_by_all_rows_and_by_the_base(skater):
    robot, log = skater
    truth = cf.base_parameters(robot).values
    for rows in ("all", "base"):
        result = identify_floating(robot, log, rows=rows, **PLAIN)
        assert worst(result.base_values, truth) < 1e-5
        assert result.total_mass == pytest.approx(6.3, rel=1e-5)
    rng = np.random.default_rng(1)
    noisy = {
        name: values + 0.05 * rng.normal(size=values.shape) * (name in ("tau", "wrench_sole"))
        for name, values in log.items()
    }
    result = identify_floating(robot, noisy, **PLAIN)
    z = (result.base_values - truth) / result.standard_errors
    assert np.abs(z).max() < 3
    assert worst(result.scatter[6:], result.scatter[6:].mean()) < 0.3


def test_a_flat_foot_hides_what_its_ground_carries(skater):
    """The ground may apply any wrench to the last link, so that joint torques show nothing of it."""
    robot, log = skater
    flat = {name: values for name, values in log.items() if name != "wrench_sole"}
    with pytest.raises(ExcitationError) as caught:
        identify_floating(robot, flat, contacts=["sole"], flat=["sole"], **PLAIN)
    assert {"MR1", "ZZR3"} <= set(caught.value.parameters)
    wrong = cf.Robot(robot.model.with_phi(1.2 * robot.phi))
    result = identify_floating(wrong, flat, contacts=["sole"], flat=["sole"], undetermined="prior", **PLAIN)
    assert result.fitted.total < 1e-4
    point = identify_floating(wrong, flat, contacts=["sole"], undetermined="prior", **PLAIN)
    assert point.fitted.total > 0.01  # a point holds no moment
    assert point.doubts


def test_axes_of_wrenches_and_twists_are_told_apart(skater):
    robot, log = skater
    R = robot.pose(log["q"], "sole")[:, :3, :3]
    turned = np.concatenate(
        [np.einsum("nij,nj->ni", R, log["wrench_sole"][:, part]) for part in (slice(3), slice(3, 6))], axis=1
    )
    B = robot.pose(log["q"], "body")[:, :3, :3]
    world = np.concatenate(
        [np.einsum("nij,nj->ni", B, log["qd"][:, part]) for part in (slice(3), slice(3, 6))], axis=1
    )
    mixed = np.concatenate([log["qd"][:, :3], world[:, 3:]], axis=1)
    same = {**log, "wrench_sole": turned, "base_twist": world, "qd": log["qd"][:, 6:]}
    result = identify_floating(robot, same, wrench_axes="world", twist="world", **PLAIN)
    assert worst(result.base_values, cf.base_parameters(robot).values) < 1e-5
    read = read_floating_log({**same, "base_twist": mixed}, robot, twist="mixed")
    assert worst(read.twist, log["qd"][:, :6]) < ROUNDING
    for given, wrong in ((world, "body"), (mixed, "world"), (mixed, "body")):
        with pytest.raises(LogError, match=r'say twist="'):
            read_floating_log({**same, "base_twist": given}, robot, twist=wrong)


def test_friction_and_rotors_of_legs_are_found(skater):
    robot, log = skater
    speed = log["qd"][:, 6:]
    spread = 0.01 * np.random.default_rng(0).normal(size=speed.shape)
    rubbing = {**log, "tau": log["tau"] + 0.3 * speed + 0.2 * np.tanh(speed / 0.1) + 0.05 + spread}
    result = identify_floating(robot, rubbing, physical=False)
    assert result.friction.coulomb == 0.1
    for name, value in (("fv2", 0.3), ("fc3", 0.2), ("of2", 0.05)):
        assert abs(result[name].value - value) < 0.002
    assert result.robot.damping[6] == pytest.approx(0.3, rel=0.02)


def test_a_known_mass_binds(skater):
    robot, log = skater
    result = identify_floating(robot, log, total_mass=6.0, friction=None, rotors=False)
    assert result.total_mass == pytest.approx(6.0, rel=1e-4)
    loose = identify_floating(robot, log, total_mass=(6.0, 100.0), **PLAIN)
    assert loose.total_mass == pytest.approx(6.3, rel=1e-3)


def test_what_the_motion_does_not_show_is_named(skater):
    robot, log = skater
    still = {**log, "q": log["q"].copy()}
    still["q"][:, 3:7] = [0, 0, 0, 1]
    del still["qd"]
    with pytest.raises(ExcitationError, match="every leg swings") as caught:
        identify_floating(robot, still, **PLAIN)
    assert "XZR1" in caught.value.parameters or "XZ1" in caught.value.parameters
    result = identify_floating(robot, still, undetermined="prior", **PLAIN)
    assert len(result.values) == result.base.count


def test_rotations_are_filtered_as_their_angles():
    t = np.arange(4000) / 200
    axis = np.array([0.36, 0.48, 0.8])
    angle = 1.2 * np.sin(2 * np.pi * 0.7 * t) + 0.05 * np.sin(2 * np.pi * 40 * t) + 0.4 * t
    smooth = filtered_rotations(quaternion_of(angle[:, None] * axis), 10.0, 200.0)
    expected = quaternion_of(zero_phase(angle[:, None], 10.0, 200.0) * axis)
    off = np.abs(np.abs(np.sum(smooth * expected, axis=1)) - 1)[200:-200]
    assert off.max() < 1e-7
    # constant rotations on either side pass through
    turn = quaternion_of(np.array([0.3, -1.0, 0.5]))
    q = quaternion_of(angle[:, None] * axis)
    both = filtered_rotations(quaternion_product(np.broadcast_to(turn, q.shape), q), 10.0, 200.0)
    assert (
        worst(np.abs(both), np.abs(quaternion_product(np.broadcast_to(turn, q.shape), smooth))) < LONG_CHAIN
    )


def test_twists_of_poses_are_those_of_the_motion(skater):
    _, log = skater
    twist, rate = body_motion(log["q"][:, :3], log["q"][:, 3:7], 200.0)
    inner = slice(10, -10)
    assert worst(twist[inner], log["qd"][inner, :6]) < 1e-7
    acceleration = np.gradient(log["qd"][:, :6], 1 / 200.0, axis=0)
    assert worst(rate[inner], acceleration[inner]) < 1e-3


def test_null_bases_are_orthonormal_smooth_and_see_no_contact_force(motion):
    q = motion.q[:400]
    J = contact_jacobian(motion.robot, q, tuple(motion.contact), frozenset())
    stretches = list(null_bases(J))
    assert [stretches[0][0], stretches[-1][1]] == [0, 400]
    for start, stop, Z in stretches:
        assert Z.shape == (stop - start, 18, 6)
        assert np.abs(J[start:stop] @ Z).max() < ROUNDING
        assert np.abs(np.swapaxes(Z, 1, 2) @ Z - np.eye(6)).max() < ROUNDING
        steps = np.linalg.norm(np.diff(Z, axis=0), axis=(1, 2))
        assert steps.max() < 0.2  # 4 ms of motion turn no basis by more
    (start, stop, Z), *_ = null_bases(np.zeros((7, 0, 5)))
    assert (start, stop, Z.shape) == (0, 7, (7, 5, 5))


def test_phases_part_the_log_where_contacts_change():
    left, right = np.array([1, 1, 1, 0, 0, 1], bool), np.array([1, 0, 0, 0, 1, 1], bool)
    found = phases({"left": left, "right": right}, 6)
    assert [(p.start, p.stop) for p in found] == [(0, 1), (1, 3), (3, 4), (4, 5), (5, 6)]
    assert [p.feet for p in found] == [("left", "right"), ("left",), (), ("right",), ("left", "right")]


def test_scatter_is_found_behind_projections():
    rng = np.random.default_rng(0)
    true = np.array([1.0, 1.0, 0.3, 2.0])
    Z = np.linalg.qr(rng.normal(size=(6000, 4, 3)))[0]
    noise = rng.normal(size=(6000, 4)) * true
    e = np.einsum("nij,ni->nj", Z, noise)
    variances = np.ones(4)
    for _ in range(20):
        variances = updated_variances(variances, [Z], [e], [slice(0, 2)])
    assert np.abs(np.sqrt(variances) / true - 1).max() < 0.08


def test_files_with_one_column_per_entry_are_read(motion, tmp_path):
    log = motion.log()
    table = {"time [s]": log["time"]}
    for k, joint in enumerate(motion.robot.joint_names[1:]):
        table[f"{joint}_position [deg]"] = np.degrees(log["q"][:, k])
        table[f"{joint}_torque"] = log["tau"][:, k]
    for name, parts in ENTRIES.items():
        table |= {f"{name}_{part}": log[name][:, k] for k, part in enumerate(parts)}
    table |= {name: values for name, values in log.items() if name.startswith("contact_")}
    path = tmp_path / "walk.csv"
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(table)
        writer.writerows(zip(*table.values(), strict=True))
    read = read_floating_log(path, motion.robot)
    assert worst(read.joints.samples().position, log["q"]) < ROUNDING
    assert worst(read.position, log["base_position"]) < ROUNDING
    assert {foot: stands.sum() for foot, stands in read.contacts.items()} == {
        foot: stands.sum() for foot, stands in motion.contact.items()
    }
    cut = read_floating_log(path, motion.robot, window=(2.0, 5.0))
    first = int(np.searchsorted(motion.time, 2.0))
    assert worst(cut.position, log["base_position"][first : first + len(cut)]) < ROUNDING


def test_contacts_are_given_in_many_ways(skater):
    robot, log = skater
    log = {name: values for name, values in log.items() if name != "wrench_sole"}
    rows = log["t"] < 3
    for contacts in ({"sole": rows}, {"sole": lambda t: t < 3}, {"sole": "down"}):
        read = read_floating_log({**log, "down": rows.astype(float)}, robot, contacts=contacts)
        assert (read.contacts["sole"] == rows).all()
    assert read_floating_log(log, robot, contacts=[]).contacts == {}


@pytest.mark.parametrize(
    ("change", "options", "kind", "says"),
    [
        ({"wrench_sole": None}, {}, LogError, "nothing says which feet stand"),
        ({}, {"contacts": ["toe"]}, UnknownNameError, "toe"),
        ({}, {"contacts": 3}, ArgumentError, "expected frames that always stand"),
        ({}, {"flat": "sole"}, ArgumentError, "expected a list of frames"),
        ({}, {"twist": "spatial"}, ArgumentError, "twist"),
        ({"wrench_toe": 6}, {}, LogError, "has no frame 'toe'"),
        ({"force_sole": 3}, {}, LogError, "both wrench_sole and force_sole"),
        ({"wrench_sole": 5}, {}, LogError, "expected \\(rows, 6\\)"),
        ({"contact_sole": 0.3, "wrench_sole": None}, {}, LogError, "expected 0 .* or 1"),
        ({"base_quaternion": 4}, {}, LogError, "the length"),
        ({}, {"total_mass": -1.0}, ArgumentError, "total_mass"),
        ({"wrench_sole": None}, {"contacts": ["sole"], "rows": "base"}, LogError, "needs measured wrenches"),
        ({}, {"window": (0.0, 0.3), "cutoff": 4.0}, LogError, "no rows are left"),
    ],
)
def test_bad_input_is_told(skater, change, options, kind, says):
    robot, log = skater
    log = dict(log)
    for name, what in change.items():
        if what is None:
            del log[name]
        elif isinstance(what, float):
            log[name] = np.full(len(log["t"]), what)
        else:
            log[name] = np.ones((len(log["t"]), what))
    with pytest.raises(kind, match=says):
        identify_floating(robot, log, **{**PLAIN, **options})


def test_robots_without_a_floating_base_are_told():
    with pytest.raises(ArgumentError, match="no floating base; load it with floating_base=True"):
        identify_floating(cf.load("2r"), {})
    with pytest.raises(ArgumentError, match="identify_floating is for a floating base"):
        cf.identify(cf.load("quadruped"), {})


def test_results_are_shown(found, tmp_path):
    text = str(found)
    assert text.startswith("quadruped: total mass 2.")
    assert "fl_haa" in text
    assert "total mass" in repr(found)
    assert "base force" in found._repr_html_()
    found.save_robot(tmp_path / "robot.toml")
    again = cf.load(tmp_path / "robot.toml")
    assert worst(again.phi, found.robot.phi) < SOLVE
    assert found["MR1"].described == pytest.approx(2.499544)
    assert isinstance(found.friction, FrictionTerms)
