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
    return tree.with_damping(damping).with_friction(friction)


def value(robot, name, states, **choices):
    inputs = form(name, **choices).inputs
    program = trace(robot.model, name, Variant(**choices))
    return evaluate(program, *(states[each] for each in inputs))


def states(robot):
    named = dict(zip(("q", "qd", "qdd", "qddd"), robot.random_state(4, batch=3, order=3), strict=True))
    named["qd"][0, 0] = 0.0
    return {**named, "tau": 10 * named["qdd"]}


def by_hand(robot, qd):
    """Return damping qd + friction sign(qd), velocity by velocity."""
    d, f = robot.damping, robot.friction
    sign = [[1 if v > 0 else -1 if v < 0 else 0 for v in row] for row in qd]
    return d * qd + f * np.array(sign)


def test_friction_torque_is_damping_and_dry_friction(robot):
    it = states(robot)
    tau = value(robot, "friction_torque", it)
    assert worst(tau, by_hand(robot, it["qd"])) < LAST_DIGITS
    assert tau[0, 0] == 0  # at rest


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
