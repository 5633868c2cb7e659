"""Springs of joints: MuJoCo's numbers, the energy that they keep, derivatives, files, and what is refused."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

import closedform as cf
from closedform.programs import evaluate
from oracles.random_trees import random_tree
from tolerances import DIFFERENCE, PROMISED, ROUNDING, worst

SPRUNG = """
<mujoco>
  <compiler angle="radian"/>
  <option><flag contact="disable"/></option>
  <worldbody>
    <body name="a">
      <joint name="turn" type="hinge" axis="0 1 0" pos="0.1 0 0" stiffness="30" springref="0.4" ref="0.2"
        damping="0.3"/>
      <geom size="0.1" pos="0.2 0 0.1"/>
      <body name="b" pos="0.5 0 0">
        <joint name="slide" type="slide" axis="1 0 0.5" stiffness="70" springref="-0.1" armature="0.2"/>
        <geom size="0.1 0.2" type="capsule"/>
        <body name="c" pos="0 0 0.4">
          <joint name="plain" type="hinge" axis="1 0 0"/>
          <geom size="0.1 0.1 0.3" type="box"/>
        </body>
      </body>
    </body>
  </worldbody>
</mujoco>
"""


@pytest.fixture(scope="module")
def arm(tmp_path_factory) -> cf.Robot:
    path = tmp_path_factory.mktemp("springs") / "sprung.xml"
    path.write_text(SPRUNG)
    return cf.load(path)


def run(robot: cf.Robot, name: str, *arrays: np.ndarray, **choices):
    """Return a form by its program, without compiling it."""
    return evaluate(robot.program(name, **choices), *arrays)


def test_springs_of_a_file_are_mujocos(arm, tmp_path):
    assert arm.stiffness.tolist() == [30.0, 70.0, 0.0]
    assert arm.spring_rest.tolist() == [0.4, -0.1, 0.0]
    written = arm.to_mjcf(tmp_path / "again.xml")
    for model in (mujoco.MjModel.from_xml_string(SPRUNG), mujoco.MjModel.from_xml_path(str(written))):
        model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT
        model.opt.enableflags |= mujoco.mjtEnableBit.mjENBL_ENERGY
        data = mujoco.MjData(model)
        q, qd, qdd = arm.random_state(3)
        data.qpos[:], data.qvel[:], data.qacc[:] = q, qd, qdd
        mujoco.mj_inverse(model, data)
        tau = run(arm, "inverse_dynamics", q, qd, qdd, springs=True, friction=True)
        assert worst(tau, data.qfrc_inverse) < ROUNDING
        mujoco.mj_energyPos(model, data)
        still = data.energy[0]
        data.qpos[:] = q + 0.3
        mujoco.mj_forward(model, data)
        mujoco.mj_energyPos(model, data)
        grown = run(arm, "potential_energy", q + 0.3, springs=True) - run(
            arm, "potential_energy", q, springs=True
        )
        assert abs(grown - (data.energy[0] - still)) < ROUNDING * abs(still)


def test_the_torque_is_the_gradient_of_the_energy_and_a_choice():
    robot = random_tree(8, bodies=5).with_springs(12.0, 0.3)
    q, qd, qdd = robot.random_state(1)
    single = [body for body in robot.model.independent if body.joint.nv == 1]
    wanted = np.zeros(robot.nv)
    for body in single:
        wanted[body.iv] = 12.0 * (q[body.iq] - 0.3)
    assert single
    np.testing.assert_allclose(run(robot, "spring_torque", q), wanted, rtol=ROUNDING)
    plain = run(robot, "inverse_dynamics", q, qd, qdd)
    np.testing.assert_allclose(
        run(robot, "inverse_dynamics", q, qd, qdd, springs=True),
        plain + wanted,
        rtol=0,
        atol=1e-12 * np.abs(plain).max(),
    )
    back = run(robot, "forward_dynamics", q, qd, plain + wanted, springs=True)
    np.testing.assert_allclose(back, qdd, rtol=0, atol=1e-8)
    bias = run(robot, "bias_force", q, qd, springs=True) - run(robot, "bias_force", q, qd)
    np.testing.assert_allclose(bias, wanted, rtol=0, atol=1e-12 * np.abs(plain).max())


def test_derivatives_and_rates_know_the_springs(arm):
    q, qd, qdd = arm.random_state(5)
    by_q = run(arm, "inverse_dynamics_dq", q, qd, qdd, springs=True) - run(
        arm, "inverse_dynamics_dq", q, qd, qdd
    )
    np.testing.assert_allclose(by_q, np.diag(arm.stiffness), rtol=0, atol=1e-12 * 70)
    jerk = np.array([0.3, -1.0, 0.5])
    rates = run(arm, "inverse_dynamics_rates", q, qd, qdd, jerk, order=1, springs=True)
    small = 1e-5
    ahead, behind = (
        run(
            arm,
            "inverse_dynamics",
            q + s * qd + s**2 / 2 * qdd + s**3 / 6 * jerk,
            qd + s * qdd + s**2 / 2 * jerk,
            qdd + s * jerk,
            springs=True,
        )
        for s in (small, -small)
    )
    assert worst(rates[1], (ahead - behind) / (2 * small)) < DIFFERENCE


def test_the_spring_of_a_joint_that_follows_acts_on_its_driver(tmp_path):
    gear = '<equality><joint joint1="slide" joint2="turn" polycoef="0.1 2 0 0 0"/></equality>'
    path = tmp_path / "geared.xml"
    path.write_text(SPRUNG.replace("</mujoco>", f"{gear}</mujoco>"))
    robot = cf.load(path)
    assert robot.nv == 2
    (body,) = [each for each in robot.model.bodies if each.coupling is not None]
    q = np.array([0.5, 0.1])
    follows = body.ratio * q[0] + body.coupling.offset
    torque = 30 * (q[0] - 0.4) + body.ratio * 70 * (follows + 0.1)
    np.testing.assert_allclose(run(robot, "spring_torque", q), [torque, 0.0], rtol=ROUNDING)
    energy = 15 * (q[0] - 0.4) ** 2 + 35 * (follows + 0.1) ** 2
    own = run(robot, "potential_energy", q, springs=True) - run(robot, "potential_energy", q)
    np.testing.assert_allclose(own, energy, rtol=PROMISED)


def test_a_mass_on_a_spring_swings_as_it_should():
    mass = cf.Robot.from_screws([np.eye(4)], [(0, 0, 0, 0, 0, 1)], inertials=[cf.Inertial.of(2.0)])
    mass = mass.with_springs(50.0, rest=0.3)
    level, w = 0.3 - 2.0 * 9.81 / 50.0, 5.0
    for method in ("rk6", "rosenbrock"):
        motion = mass.simulate([0.1], [0.2], duration=1.0, springs=True, method=method)
        t = motion.t
        exact = level + (0.1 - level) * np.cos(w * t) + 0.2 / w * np.sin(w * t)
        assert np.abs(motion.q[:, 0] - exact).max() < (1e-12 if method == "rk6" else 1e-4)
    falling = mass.simulate([0.1], [0.2], duration=1.0)
    np.testing.assert_allclose(falling.q[-1], 0.1 + 0.2 - 9.81 / 2, rtol=PROMISED)
    stiff = mass.with_springs(1e9, rest=0.1).simulate([0.1], duration=0.1, springs=True, method="rosenbrock")
    assert np.abs(stiff.q - 0.1).max() < 1e-6


def test_springs_are_saved_and_kernels_know_them_apart(arm, tmp_path):
    again = cf.load(arm.save(tmp_path / "arm.toml"))
    assert np.array_equal(again.stiffness, arm.stiffness)
    assert np.array_equal(again.spring_rest, arm.spring_rest)
    q = np.array([0.3, 0.2, 0.1])
    assert np.array_equal(again.spring_torque(q), arm.spring_torque(q))
    softer = arm.with_springs({"turn": 10.0})
    np.testing.assert_allclose(
        softer.spring_torque(q), [10 * (0.3 - 0.4), 70 * (0.2 + 0.1), 0.0], rtol=ROUNDING
    )
    with pytest.warns(cf.ModelWarning, match="no place for the armature and stiffness"):
        arm.to_urdf(tmp_path / "arm.urdf")


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda arm: arm.with_springs(-1.0), r"joint 'turn'"),
        (lambda arm: arm.with_springs({"elbow": 1.0}), r"elbow"),
        (lambda arm: arm.with_springs([1.0]), r"expected one number, \(3,\) or a mapping"),
        (lambda arm: arm.inverse_dynamics(*np.zeros((3, 3)), springs=2), r"springs"),
        (lambda arm: arm.gravity_torque(np.zeros(3), springs=True), r"springs"),
        (lambda arm: arm.simulate(np.zeros(3), springs="yes"), r"simulate: springs"),
    ],
)
def test_springs_that_make_no_sense_are_refused(arm, make, message):
    with pytest.raises(cf.ClosedFormError, match=message):
        make(arm)


def test_a_ball_has_no_spring():
    robot = random_tree(5, bodies=2, kinds=("ball", "revolute"))
    assert np.count_nonzero(robot.with_springs(3.0).stiffness) == 1
    name = robot.joint_names[0]
    with pytest.raises(cf.ClosedFormError, match="has several dofs; springs are of joints with one"):
        robot.with_springs({name: 3.0})
