"""Joint friction as a choice of the dynamics: by hand, in derivatives, equations and exported code."""

from __future__ import annotations

import ctypes
import shutil
import subprocess

import numpy as np
import pytest

import closedform as cf
from closedform.forms import Variant, form
from closedform.forms.friction import CURVE
from closedform.kernels import FormRecipe
from closedform.programs import evaluate, trace
from conftest import make
from tolerances import LAST_DIGITS, ROUNDING, SOLVE, worst


@pytest.fixture(scope="module", params=["tree4", "spherical_pendulum"])
def robot(request):
    """Joints of one or three dofs, each with a friction of its own."""
    tree = make(request.param)
    numbers = np.linspace(0.1, 0.8, len(tree.joint_names))
    damping, friction = (dict(zip(tree.joint_names, each, strict=True)) for each in (numbers, numbers[::-1]))
    offset = dict(zip(tree.joint_names, numbers - 0.45, strict=True))
    curve = dict.fromkeys(("smooth_friction", "stribeck_friction", "damping_asymmetry"), friction)
    rubbing = tree.with_damping(damping).with_friction(friction).with_drive_offset(offset)
    return rubbing.with_friction_curve(**curve, smooth_speed=0.7, stribeck_speed=1.3)


def value(robot, name, states, **choices):
    inputs = form(name, **choices).inputs
    program = trace(robot.model, name, Variant(**choices))
    return evaluate(program, *(states[each] for each in inputs))


def states(robot):
    named = dict(zip(("q", "qd", "qdd", "qddd"), robot.random_state(4, batch=3, order=3), strict=True))
    named["qd"][0, 0] = 0.0
    return {**named, "tau": 10 * named["qdd"]}


def by_hand(robot, qd):
    """Return damping qd + friction sign(qd) + drive_offset and the curve, velocity by velocity."""
    d, f, c = robot.damping, robot.friction, robot.drive_offset
    sign = [[1 if v > 0 else -1 if v < 0 else 0 for v in row] for row in qd]
    smooth, peak, asymmetry = (robot.model.joint_array(name) for name in CURVE[::2])
    rise = (1 - np.exp(-2 * qd / 0.7)) / (1 + np.exp(-2 * qd / 0.7))  # tanh
    hump = (2 * np.e) ** 0.5 * qd / 1.3 * np.exp(-((qd / 1.3) ** 2))
    return d * qd + f * np.array(sign) + c + smooth * rise + peak * hump + asymmetry * np.sqrt(qd**2)


def test_friction_torque_is_damping_dry_friction_and_offset(robot):
    it = states(robot)
    tau = value(robot, "friction_torque", it)
    assert worst(tau, by_hand(robot, it["qd"])) < LAST_DIGITS
    assert tau[0, 0] == robot.drive_offset[0]  # at rest


def test_inverse_dynamics_adds_friction_and_forward_dynamics_takes_it_away(robot):
    it = states(robot)
    free, rubbing = (value(robot, "inverse_dynamics", it, friction=on) for on in (False, True))
    assert worst(rubbing - free, by_hand(robot, it["qd"]), np.abs(free).max()) < ROUNDING
    tau = {**it, "tau": it["tau"] - by_hand(robot, it["qd"])}
    rubbing = value(robot, "forward_dynamics", it, friction=True)
    assert worst(rubbing, value(robot, "forward_dynamics", tau)) < SOLVE
    bias = value(robot, "bias_force", it, friction=True) - value(robot, "bias_force", it)
    assert worst(bias, by_hand(robot, it["qd"]), np.abs(free).max()) < ROUNDING


def slope(robot, qd):
    """Return the derivative of friction by the speed, without that of dry friction, by differences."""
    smooth, h = robot.with_friction(0.0), 1e-5
    return (by_hand(smooth, qd + h) - by_hand(smooth, qd - h)) / (2 * h)


def test_rates_and_state_derivatives_have_the_slope_of_friction(robot):
    it = states(robot)
    free, rubbing = (value(robot, "inverse_dynamics_rates", it, order=1, friction=on) for on in (False, True))
    by_speed = slope(robot, it["qd"])
    assert worst(rubbing[1] - free[1], by_speed * it["qdd"], np.abs(free[1]).max()) < 1e-9
    free, rubbing = (value(robot, "inverse_dynamics_derivatives", it, friction=on) for on in (False, True))
    assert np.array_equal(free[0], rubbing[0])
    assert worst(rubbing[1] - free[1], by_speed[..., None] * np.eye(robot.nv), np.abs(free[1]).max()) < 1e-9


def test_second_rates_have_the_curvature_of_friction():
    """f'' = f_vv qdd^2 + f_v qddd, with the derivatives of the curve by differences."""
    robot = cf.load("2r").with_friction_curve(
        smooth_friction=[0.5, 0.2], smooth_speed=0.7, stribeck_friction=[0.3, -0.4], stribeck_speed=1.3
    )
    rng = np.random.default_rng(0)
    q, qd, qdd, q3, q4 = rng.normal(size=(5, 4, 2))
    bent = (slope(robot, qd + 1e-4) - slope(robot, qd - 1e-4)) / 2e-4
    free, rubbing = (robot.inverse_dynamics_rates(q, qd, qdd, q3, q4, friction=on)[2] for on in (False, True))
    assert worst(rubbing - free, bent * qdd**2 + slope(robot, qd) * q3, np.abs(free).max()) < 1e-6


def test_forward_dynamics_derivatives_have_the_damping():
    robot = cf.load("2r").with_damping([0.3, 0.5]).with_friction(0.2)
    it = states(robot)
    by_q, by_qd, inverse = value(robot, "forward_dynamics_derivatives", it, friction=True)
    tau = {**it, "tau": it["tau"] - by_hand(robot, it["qd"])}
    plain_q, plain_qd, _ = value(robot, "forward_dynamics_derivatives", tau)
    assert worst(by_q, plain_q) < ROUNDING
    assert worst(by_qd, plain_qd - inverse @ np.diag(robot.damping)) < ROUNDING


def test_a_mimic_joint_has_the_friction_of_the_joint_that_drives_it():
    robot = make("tree0").with_damping(0.3).with_friction(0.2)
    assert robot.model.coupled
    it = states(robot)
    assert worst(value(robot, "friction_torque", it), 0.3 * it["qd"] + 0.2 * np.sign(it["qd"])) < LAST_DIGITS


def test_nan_stays_nan_and_rest_stays_rest():
    robot = cf.load("2r").with_damping(0.3).with_friction(0.2)
    tau = robot.friction_torque([[np.nan, 1.0], [0.0, -0.0]])
    assert np.isnan(tau[0, 0])
    assert tau[0, 1] == 0.5
    assert np.array_equal(tau[1], [0, 0])


def test_kernels_are_shared_unless_friction_counts():
    """Robots that differ only in friction have one kernel of inverse dynamics, and two with friction."""
    smooth, rough = (cf.load("2r").with_damping(0.3).with_friction(dry).model for dry in (0.1, 0.2))

    def same(name, variant):
        return FormRecipe(smooth, name, variant).identity == FormRecipe(rough, name, variant).identity

    assert same("inverse_dynamics", Variant())
    assert same("inverse_dynamics", Variant(wrenches=True))
    assert not same("inverse_dynamics", Variant(friction=True))
    assert not same("friction_torque", Variant())


def test_friction_in_equations_is_a_letter_or_a_number():
    robot = cf.load("pendulum").with_damping(0.3).with_friction(0.2)
    assert str(robot.equations("friction_torque", symbolic=True)) == "tau_f[1] = fc1*sign(qd1) + fv1*qd1"
    assert str(robot.equations("friction_torque")) == "tau_f[1] = 0.3*qd1 + 0.2*sign(qd1)"
    motion = robot.equations("inverse_dynamics", symbolic="friction", friction=True)
    assert "fc1*sign(qd1) + fv1*qd1" in str(motion)
    assert "fv1" not in str(robot.equations("inverse_dynamics", symbolic=True))


@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")
def test_exported_c_has_friction_and_wrenches_of_a_frame(tmp_path):
    robot = cf.load("2r").with_damping([0.3, 0.5]).with_friction([0.2, 0.0])
    header, source = robot.export(
        "inverse_dynamics", "c", tmp_path, wrenches=("tool",), reference="world_aligned", friction=True
    )
    text = " ".join(header.read_text().replace("*", "").split())
    assert "at frames, each in the base's axes about its frame's origin" in text
    library = tmp_path / "law.so"
    subprocess.run(["cc", "-O1", "-shared", "-fPIC", source, "-o", library, "-lm"], check=True)
    function = getattr(ctypes.CDLL(str(library)), header.stem)
    q, qd, qdd = robot.random_state(0)
    w, tau = np.arange(6.0), np.empty(2)
    pointer = ctypes.POINTER(ctypes.c_double)
    function(*(each.ctypes.data_as(pointer) for each in (q, qd, qdd, w, tau)))
    chosen = {"wrenches": {"tool": w}, "reference": "world_aligned", "friction": True}
    assert worst(tau, robot.inverse_dynamics(q, qd, qdd, **chosen)) < ROUNDING


def test_drive_torque_is_all_that_drives_apply(robot):
    """Rotors, friction, offsets and springs, each by hand."""
    single = [body.joint_name for body in robot.model.independent if body.joint.nv == 1]
    sprung = robot.with_springs(dict.fromkeys(single, 3.0), dict.fromkeys(single, 0.2)).with_armature(0.5)
    it = states(robot)
    plain = value(robot.with_armature(0.5), "inverse_dynamics", it)
    expected = plain + by_hand(robot, it["qd"])
    for body in robot.model.independent:
        if body.joint_name in single:
            expected[:, body.iv] += 3.0 * (it["q"][:, body.iq] - 0.2)
    assert worst(value(sprung, "drive_torque", it), expected) < ROUNDING


def test_offsets_are_kept_in_files_and_change_kernels_only_with_friction(tmp_path):
    arm = cf.load("2r").with_drive_offset({"joint2": -0.25})
    assert arm.drive_offset.tolist() == [0.0, -0.25]
    assert cf.load(arm.save(tmp_path / "arm.toml")).drive_offset.tolist() == [0.0, -0.25]
    with pytest.warns(cf.ModelWarning, match="no place for the drive_offset and gravity of '2r'.*save"):
        arm.to_urdf(tmp_path / "arm.urdf")
    with pytest.warns(cf.ModelWarning, match="no place for the drive_offset of '2r'.*save"):
        arm.to_mjcf(tmp_path / "arm.xml")
    plain = cf.load("2r").model
    for name, same in (("inverse_dynamics", True), ("friction_torque", False), ("drive_torque", False)):
        recipes = (FormRecipe(model, name, Variant()) for model in (plain, arm.model))
        assert len({recipe.identity for recipe in recipes}) == (1 if same else 2)


@pytest.mark.parametrize("method", ["rk4", "DOP853"])
def test_a_simulated_drive_that_applies_its_offset_does_nothing_else(method):
    """Torques c of drives with the offsets c move a robot as no torques move it without offsets."""
    arm, c = cf.load("2r").with_damping(0.1), [0.4, -0.3]
    start, options = ([0.3, -0.2], [0.5, 0.1]), {"duration": 0.2, "step": 0.01, "friction": True}
    free = arm.simulate(*start, method=method, **options)
    driven = arm.with_drive_offset(c).simulate(*start, c, method=method, **options)
    assert worst(driven.q, free.q) < ROUNDING
    assert worst(arm.with_drive_offset(c).simulate(*start, method=method, **options).q, free.q) > 1e-3


def test_gears_lose_a_part_of_the_torque_of_the_links(robot):
    """Of the links alone: rotors are driven before the gears."""
    it = states(robot)
    lossy = robot.with_armature(0.5).with_friction_curve(load_friction=0.2)
    links = value(robot.with_armature(0.0), "inverse_dynamics", it)
    lost = value(lossy, "drive_torque", it) - value(robot.with_armature(0.5), "drive_torque", it)
    assert worst(lost, 0.2 * np.abs(links) * np.sign(it["qd"])) < ROUNDING
    for name in ("inverse_dynamics", "forward_dynamics"):
        same = (value(each, name, it, friction=True) for each in (lossy, robot.with_armature(0.5)))
        assert np.array_equal(*same)


def test_the_curve_of_friction_is_saved_and_told_where_it_is_lost(tmp_path):
    numbers = {name: 0.1 * (k + 1) for k, name in enumerate((*CURVE, "load_friction"))}
    arm = cf.load("2r").with_friction_curve(**numbers)
    again = cf.load(arm.save(tmp_path / "arm.toml"))
    for name, number in numbers.items():
        assert again.model.joint_array(name).tolist() == [number] * 2
    with pytest.warns(cf.ModelWarning, match="no place for the smooth_friction.*load_friction"):
        arm.to_mjcf(tmp_path / "arm.xml")
    with pytest.raises(cf.ClosedFormError, match="joint 'joint1' has smooth_friction without a speed"):
        cf.load("2r").with_friction_curve(smooth_friction=1.0)
    (tmp_path / "arm.toml").write_text((tmp_path / "arm.toml").read_text().replace("smooth_speed = 0.2", ""))
    with pytest.raises(cf.ClosedFormError):
        cf.load(tmp_path / "arm.toml")


@pytest.mark.parametrize("method", ["rk4", "rosenbrock"])
def test_a_simulated_joint_loses_the_power_of_its_friction(method):
    """A flywheel that slows down: I qdd = -f(qd), integrated by hand over the speed."""
    curve = {"smooth_friction": 0.4, "smooth_speed": 0.5, "stribeck_friction": 0.3, "stribeck_speed": 0.2}
    arm = cf.load("2r", gravity=(0, 0, 0)).locked({"joint2": 0.3})
    rubbing = arm.with_friction_curve(**curve, damping_asymmetry=0.1)
    run = rubbing.simulate([0.0], [0.6], duration=1.0, step=1e-3, method=method, friction=True)
    inertia = float(arm.mass_matrix([0.0])[0, 0])
    v = run.qd[:, 0]
    slowed = np.gradient(v, run.t, edge_order=2)
    assert worst(inertia * slowed, -by_curve(v, curve, 0.1)) < 1e-3
    assert v[-1] < 0.55


def by_curve(v, curve, asymmetry):
    """Return the torque of friction at speeds v."""
    r = v / curve["stribeck_speed"]
    hump = (2 * np.e) ** 0.5 * r * np.exp(-(r**2))
    rise = np.tanh(v / curve["smooth_speed"])
    return curve["smooth_friction"] * rise + curve["stribeck_friction"] * hump + asymmetry * np.abs(v)
