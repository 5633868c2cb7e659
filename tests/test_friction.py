"""Joint friction as a choice of the dynamics: by hand, in derivatives, equations and exported code."""

from __future__ import annotations

import ctypes
import shutil
import subprocess

import numpy as np
import pytest

import closedform as cf
from closedform.forms import Variant, form
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
    return tree.with_damping(damping).with_friction(friction).with_drive_offset(offset)


def value(robot, name, states, **choices):
    inputs = form(name, **choices).inputs
    program = trace(robot.model, name, Variant(**choices))
    return evaluate(program, *(states[each] for each in inputs))


def states(robot):
    named = dict(zip(("q", "qd", "qdd", "qddd"), robot.random_state(4, batch=3, order=3), strict=True))
    named["qd"][0, 0] = 0.0
    return {**named, "tau": 10 * named["qdd"]}


def by_hand(robot, qd):
    """Return damping qd + friction sign(qd) + drive_offset, velocity by velocity."""
    d, f, c = robot.damping, robot.friction, robot.drive_offset
    sign = [[1 if v > 0 else -1 if v < 0 else 0 for v in row] for row in qd]
    return d * qd + f * np.array(sign) + c


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


def test_rates_and_state_derivatives_have_the_damping(robot):
    it = states(robot)
    free, rubbing = (value(robot, "inverse_dynamics_rates", it, order=1, friction=on) for on in (False, True))
    assert worst(rubbing[1] - free[1], robot.damping * it["qdd"], np.abs(free[1]).max()) < ROUNDING
    free, rubbing = (value(robot, "inverse_dynamics_derivatives", it, friction=on) for on in (False, True))
    assert np.array_equal(free[0], rubbing[0])
    damping = np.broadcast_to(np.diag(robot.damping), free[1].shape)
    assert worst(rubbing[1] - free[1], damping, np.abs(free[1]).max()) < ROUNDING


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
