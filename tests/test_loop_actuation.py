"""Mechanisms with any set of actuated joints: fewer than degrees of freedom, or several for the same one."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import closedform as cf
from closedform.forms.tree import Tree
from closedform.loops.numbers import ClosureNumbers
from closedform.programs import evaluate
from closedform.report.mechanism import closure, torques
from closedform.report.mechanism.mechanism_study import MechanismStudy
from oracles.loop_peer import LoopPeer
from oracles.mechanisms import bars, five_bar
from tolerances import DIFFERENCE, ROUNDING, SOLVE, worst


def carried(actuated: list[str]) -> cf.ClosedRobot:
    """Return a four-bar on a swinging arm: two degrees of freedom, 0 and 1."""
    joints = [("0", "base", 0.0, 0.7, 3.0), ("1", "b0", 0.0, 1.0, 1.0), ("2", "b1", 1.0, 2.0, 2.0)]
    tree = bars("carried", [*joints, ("3", "b0", 2.2, 1.5, 1.5)])
    return tree.with_loops([cf.Loop("e2", "e3")], ["0", "1"], actuated, near=[0.3, 1.0, -0.6, 1.4])


MECHANISMS = {
    "five-bar with one crank": lambda: five_bar(["3"]),
    "five-bar with one coupler": lambda: five_bar(["2"]),
    "crank and rocker of a four-bar that swings": lambda: carried(["1", "3"]),
    "three drives of a four-bar that swings": lambda: carried(["3", "1", "2"]),
}
UNDRIVEN = {
    "five-bar with one crank": ("1",),
    "crank and rocker of a four-bar that swings": ("0",),
    "three drives of a four-bar that swings": ("0",),
}


@cache
def mechanism(name: str) -> cf.ClosedRobot:
    return MECHANISMS[name]()


class Moved:
    """States of a mechanism under torques, and its forms there, without compiling."""

    def __init__(self, name: str) -> None:
        self.closed = mechanism(name)
        self.q, self.qd, _ = self.closed.random_state(2, batch=3)
        self.tau = np.random.default_rng(3).normal(size=(3, len(self.closed.actuated_names)))
        self.qdd = self.value("forward_dynamics", self.qd, self.tau)
        self.x = self.closed.assemble(self.q)

    def value(self, form: str, *given, **options):
        return evaluate(self.closed.program(form, **options), self.q, *given)


@cache
def moved(name: str) -> Moved:
    return Moved(name)


@pytest.mark.parametrize("name", MECHANISMS)
def test_forward_dynamics_solves_the_kkt_equations_of_pinocchios_tree(name):
    at, peer = moved(name), LoopPeer(mechanism(name))
    v = at.value("joint_velocities", at.qd)
    vd = at.value("joint_accelerations", at.qd, at.qdd)
    forces = at.value("constraint_forces", at.qd, at.qdd)
    numbers = ClosureNumbers(Tree.of(at.closed.model.tree), at.closed.loops)
    for k in range(3):
        theirs, held = peer.kkt(at.x[k], v[k], at.tau[k])
        assert worst(vd[k], theirs) < SOLVE
        if len(at.closed.model.av) == len(at.closed.model.driving):  # else tau is not the one of least norm
            B = numbers.rows(at.x[k])[list(at.closed.model.rows)]
            assert worst(B.T @ forces[k], held) < SOLVE


@pytest.mark.parametrize("name", MECHANISMS)
def test_generalised_forces_of_a_motion_are_those_of_its_torques(name):
    at = moved(name)
    M, C, g = at.value("mass_matrix"), at.value("coriolis_matrix", at.qd), at.value("gravity_torque")
    f = at.value("generalized_force", at.qd, at.qdd)
    assert worst(f, (M @ at.qdd[..., None] + C @ at.qd[..., None])[..., 0] + g) < ROUNDING
    A = at.value("actuation_matrix")
    assert worst(f, np.einsum("bui,bu->bi", A, at.tau)) < SOLVE
    Y = at.value("generalized_force_regressor", at.qd, at.qdd)
    assert worst(Y @ at.closed.phi, f) < ROUNDING
    # their power changes the energy, by differences along the motion
    h = 1e-5

    def energy(s: float) -> np.ndarray:
        q, qd = at.q + s * at.qd + s * s / 2 * at.qdd, at.qd + s * at.qdd
        program = at.closed.program
        return evaluate(program("kinetic_energy"), q, qd) + evaluate(program("potential_energy"), q)

    power = np.einsum("bu,bui,bi->b", at.tau, A, at.qd)
    assert worst((energy(h) - energy(-h)) / (2 * h), power, 10.0) < DIFFERENCE


@pytest.mark.parametrize("name", MECHANISMS)
def test_torques_of_a_possible_motion_leave_nothing_and_others_come_nearest(name):
    at = moved(name)
    A = at.value("actuation_matrix")
    for qdd in (at.qdd, np.random.default_rng(7).normal(size=at.qdd.shape)):
        f = at.value("generalized_force", at.qd, qdd)
        tau, residual = at.value("least_squares_torque", at.qd, qdd)
        for k in range(3):
            least = np.linalg.pinv(A[k].T, rcond=1e-9) @ f[k]
            assert worst(tau[k], least) < SOLVE
            assert worst(residual[k], f[k] - A[k].T @ least, np.abs(f).max()) < SOLVE
        assert (worst(residual, 0 * f, np.abs(f).max()) < SOLVE) == (qdd is at.qdd)


def test_generalised_forces_are_the_torques_where_all_independent_joints_are_driven():
    closed = five_bar()
    motion = closed.random_state(4, batch=3, order=4)
    for form, count in (
        ("{}", 3),
        ("{}_rates", 5),
        ("{}_derivatives", 3),
        ("{}_dq", 3),
        ("{}_dqd", 3),
    ):
        ours, theirs = (
            evaluate(closed.program(form.format(each)), *motion[:count])
            for each in ("generalized_force", "inverse_dynamics")
        )
        assert worst(ours, theirs) == 0, form
    # and with drives elsewhere, those of the drives turned
    other = five_bar(["2", "4"])
    f, tau = (evaluate(other.program(n), *motion[:3]) for n in ("generalized_force", "inverse_dynamics"))
    A = evaluate(other.program("actuation_matrix"), motion[0])
    assert worst(f, np.einsum("bui,bu->bi", A, tau)) < ROUNDING


@pytest.mark.parametrize("name", MECHANISMS)
def test_state_derivatives_of_forward_dynamics_are_differences(name):
    at = moved(name)
    by_q, by_qd, by_tau = at.value("forward_dynamics_derivatives", at.qd, at.tau)
    program, h = at.closed.program("forward_dynamics"), 1e-5

    def slope(which: int, size: int) -> np.ndarray:
        found = []
        for step in h * np.eye(size):
            given = [[at.q, at.qd, at.tau], [at.q, at.qd, at.tau]]
            given[0][which], given[1][which] = given[0][which] + step, given[1][which] - step
            found.append((evaluate(program, *given[0]) - evaluate(program, *given[1])) / (2 * h))
        return np.stack(found, -1)

    for which, found in enumerate((by_q, by_qd, by_tau)):
        assert worst(found, slope(which, found.shape[-1])) < DIFFERENCE


@pytest.mark.parametrize("name", UNDRIVEN)
def test_torques_of_any_motion_are_refused_by_the_joints_that_nobody_drives(name):
    closed = mechanism(name)
    (joint,) = UNDRIVEN[name]
    q, qd, qdd = closed.random_state(0)
    for form, instead in (
        ("inverse_dynamics", "generalized_force,"),
        ("drive_torque", "generalized_force,"),
        ("inverse_dynamics_dq", "generalized_force_dq,"),
        ("regressor", "generalized_force_regressor,"),
    ):
        with pytest.raises(cf.ClosedFormError, match=f"{form}: nobody drives {joint} of .* use {instead}"):
            getattr(closed, form)(q, qd, qdd)
    with pytest.raises(cf.ClosedFormError, match="move 1 of 2 degrees of freedom"):
        closed.inverse_dynamics_rates(q, qd, qdd, qdd, qdd)


def test_several_drives_of_one_motion_have_a_null_space():
    at = moved("three drives of a four-bar that swings")
    A, N = at.value("actuation_matrix"), at.value("actuation_nullspace")
    assert N.shape == (3, 3, 2)
    assert worst(np.einsum("bui,bue->bie", A, N), np.zeros((3, 2, 2)), 1.0) < ROUNDING
    assert worst(np.einsum("bue,buf->bef", N, N), np.broadcast_to(np.eye(2), (3, 2, 2))) < ROUNDING
    # the torques that loop forces are told with are those of least norm
    forces = at.value("constraint_forces", at.qd, at.qdd)
    v, vd = at.value("joint_velocities", at.qd), at.value("joint_accelerations", at.qd, at.qdd)
    tree = evaluate(at.closed.tree.program("inverse_dynamics"), at.x, v, vd)
    numbers = ClosureNumbers(Tree.of(at.closed.model.tree), at.closed.loops)
    for k in range(3):
        driven = tree[k] - numbers.rows(at.x[k])[list(at.closed.model.rows)].T @ forces[k]
        least = np.linalg.pinv(A[k].T, rcond=1e-9) @ (A[k].T @ at.tau[k])
        assert worst(driven[list(at.closed.model.av)], least) < SOLVE
    with pytest.raises(cf.ClosedFormError, match=r"degrees of freedom that they move \(1\)"):
        mechanism("five-bar with one crank").program("actuation_nullspace")


def test_an_undriven_mechanism_moves_and_keeps_its_energy():
    closed = mechanism("five-bar with one crank")
    run = closed.simulate(closed.neutral(), duration=0.2, law=np.zeros(1))
    assert np.abs(run.energy - run.energy[0]).max() < 1e-8 * run.kinetic_energy.max()
    whole = five_bar().simulate(closed.neutral(), duration=0.2)
    assert worst(run.q[-1], whole.q[-1]) < ROUNDING
    assert run.tau.shape == (201, 1)


def test_base_parameters_do_not_depend_on_who_drives():
    closed = mechanism("five-bar with one crank")
    base, driven = cf.base_parameters(closed), cf.base_parameters(five_bar())
    assert (base.kept, base.count) == (driven.kept, driven.count)
    q, qd, qdd = closed.random_state(6, batch=4)
    assert worst(base.regressor(q, qd, qdd) @ base.values, closed.generalized_force(q, qd, qdd)) < ROUNDING


HOPPER = """<mujoco><worldbody><body name="trunk" pos="0 0 1"><freejoint/><geom size=".1"/>
  <body name="thigh"><joint name="hip" axis="0 1 0"/><geom type="capsule" size=".02" fromto="0 0 0 .3 0 -.3"/>
    <body name="shin" pos=".3 0 -.3"><joint name="spring" axis="0 1 0" stiffness="50"/>
      <geom type="capsule" size=".02" fromto="0 0 0 -.3 0 -.3"/>
      <body name="foot" pos="-.3 0 -.3"><joint name="ankle" axis="0 1 0"/>
        <geom type="capsule" size=".02" fromto="0 0 0 .2 0 0"/></body></body></body>
  <body name="crank" pos="0 0 -.1"><joint name="crank" axis="0 1 0"/>
    <geom type="capsule" size=".01" fromto="0 0 0 .1 0 0"/>
    <body name="rod" pos=".1 0 0"><joint name="rod" axis="0 1 0"/>
      <geom type="capsule" size=".01" fromto="0 0 0 .2 0 -.2"/></body></body></body></worldbody>
  <equality><connect body1="rod" body2="thigh" anchor=".2 0 -.2"/></equality>
  <actuator><motor joint="crank"/><motor joint="ankle"/></actuator></mujoco>"""


def test_motors_of_a_file_are_the_actuated_joints(tmp_path):
    """A leg with a spring on a floating base: two motors, nine degrees of freedom."""
    robot = cf.load(HOPPER)
    assert robot.actuated_names == ("ankle", "crank")
    assert robot.nv == 9
    assert len(robot.model.undriven) == 7
    assert "spring" in robot.model.undriven_names
    again = cf.load(robot.save(tmp_path / "hopper.toml"))
    assert again.actuated_names == robot.actuated_names
    # the base is driven too if both together move everything, as for a tree: then torques of a motion exist
    stiff = cf.load(HOPPER, locked=["spring"])
    assert stiff.actuated_names[1:] == ("ankle", "crank")
    assert not stiff.model.undriven
    # a file that says exactly which joints carry torque is taken at its word
    exact = stiff.tree.with_loops(stiff.loops, actuated=["crank", "ankle"], near=stiff.model.near)
    assert cf.load(exact.save(tmp_path / "exact.toml")).actuated_names == ("crank", "ankle")
    q, qd, _ = robot.random_state(1, batch=2)
    tau = np.array([[1.0, 2.0], [-1.0, 0.5]])
    qdd = evaluate(robot.program("forward_dynamics", springs=True), q, qd, tau)
    f = evaluate(robot.program("generalized_force", springs=True), q, qd, qdd)
    A = evaluate(robot.program("actuation_matrix"), q)
    assert worst(f, np.einsum("bui,bu->bi", A, tau)) < SOLVE


def test_the_report_shows_generalised_forces_where_nobody_drives():
    study = MechanismStudy(mechanism("five-bar with one crank"), samples=20)
    facts = torques.gather(study)
    assert facts.undriven == ("1",)
    assert facts.tau.shape == (20, 2)
    assert facts.difference < SOLVE
    assert closure.gather(study).driven is None
