"""Robots with closed loops against Pinocchio and MuJoCo, by three routes that share no code with them."""

from __future__ import annotations

from functools import cache

import casadi as ca
import numpy as np
import pytest

import closedform as cf
from closedform.loops.linear import BlockSystem
from closedform.programs import evaluate
from oracles.loop_mechanisms import delta, five_bar, four_bar, gough_stewart, planar_3rrr
from oracles.loop_peer import LoopPeer, MujocoLoops
from oracles.parallel_robots import ParallelRobot

MECHANISMS = {
    "four_bar": four_bar,
    "four_bar of balls": lambda: four_bar("ball"),
    "five_bar": five_bar,
    "planar_3rrr": planar_3rrr,
    "gough_stewart": gough_stewart,
    "delta": delta,
}

PEER = 1e-9
"""Relative difference from Pinocchio that is promised away from singular postures; it is about 1e-14."""

SOFT = 1e-4
"""Relative difference from MuJoCo that is promised."""


class States:
    """Some states of a mechanism: forms are evaluated as programs, so that nothing is compiled."""

    def __init__(self, closed) -> None:
        self.closed = closed
        self.programs = {}
        self.q, self.qd, self.qdd = closed.random_state(3, batch=3)
        self.x = closed.assemble(self.q)
        self.tau = 10 * np.random.default_rng(4).normal(size=(3, len(closed.actuated_names)))

    def value(self, form: str, *rates: np.ndarray) -> np.ndarray:
        q = self.q if self.closed.model.explicit else self.x
        if form not in self.programs:
            self.programs[form] = self.closed.program(form)
        return evaluate(self.programs[form], q, *rates)


@cache
def states(name: str) -> States:
    return States(MECHANISMS[name]())


@cache
def peer(name: str) -> LoopPeer:
    return LoopPeer(states(name).closed)


def difference(ours: np.ndarray, theirs: np.ndarray) -> float:
    return float(np.abs(ours - theirs).max() / np.abs(theirs).max())


@pytest.mark.parametrize("name", MECHANISMS)
def test_mass_matrix_is_that_of_pinocchios_tree_on_the_null_space_of_the_loops(name):
    at = states(name)
    M = at.value("mass_matrix")
    for ours, x in zip(M, at.x, strict=True):
        assert difference(ours, peer(name).mass_matrix(x)) < PEER


@pytest.mark.parametrize("name", MECHANISMS)
def test_forward_dynamics_solves_the_kkt_equations_of_pinocchios_tree(name):
    at = states(name)
    v = at.value("joint_velocities", at.qd)
    vd = at.value("joint_accelerations", at.qd, at.value("forward_dynamics", at.qd, at.tau))
    for k, ours in enumerate(vd):
        assert difference(ours, peer(name).kkt(at.x[k], v[k], at.tau[k])[0]) < PEER


@pytest.mark.parametrize("name", MECHANISMS)
def test_torques_and_loop_forces_balance_pinocchios_tree(name):
    at = states(name)
    v = at.value("joint_velocities", at.qd)
    vd = at.value("joint_accelerations", at.qd, at.qdd)
    tau = at.value("inverse_dynamics", at.qd, at.qdd)
    forces = at.value("constraint_forces", at.qd, at.qdd)
    for k in range(len(tau)):
        torques, held = peer(name).inverse_dynamics(at.x[k], v[k], vd[k])
        assert difference(tau[k], torques) < PEER
        B = peer(name).rows(at.x[k], v[k])[0][list(at.closed.model.rows)]
        assert difference(B.T @ forces[k], held) < PEER


@pytest.mark.parametrize("name", ["four_bar of balls", "gough_stewart", "delta"])
def test_forward_dynamics_is_pinocchios_constraint_dynamics(name):
    at = states(name)
    v = at.value("joint_velocities", at.qd)
    vd = at.value("joint_accelerations", at.qd, at.value("forward_dynamics", at.qd, at.tau))
    for k, ours in enumerate(vd):
        assert difference(ours, peer(name).constraint_dynamics(at.x[k], v[k], at.tau[k])) < PEER


@pytest.mark.parametrize("name", ["four_bar of balls", "gough_stewart", "delta"])
def test_forward_dynamics_is_mujocos_with_stiff_equalities(name):
    at, rest = states(name), 0 * states(name).qd
    mujoco = MujocoLoops(at.closed)
    vd = at.value("joint_accelerations", rest, at.value("forward_dynamics", rest, at.tau))
    for k, ours in enumerate(vd):
        assert difference(ours, mujoco.forward_dynamics(at.x[k], at.tau[k])) < SOFT


@pytest.mark.parametrize(
    ("kind", "length"), [("universal", None), ("distance", 0.7), ("cylindrical", None), ("planar", None)]
)
def test_every_kind_of_cut_joint_is_what_relative_motion_says(kind, length):
    """Two arms of four joints in space, held together by one cut joint: rows that planes do not have."""
    rng = np.random.default_rng(1)
    rows = [(0, *rng.uniform(-1, 1, 4)) for _ in range(8)]
    inertials = [cf.Inertial.of(1 + rng.random(), rng.normal(size=3), np.diag([2, 2.5, 3.0]))] * 8
    arms = cf.Robot.from_mdh(rows, parents=[-1, 0, 1, 2, -1, 4, 5, 6], inertials=inertials)
    arms = arms.with_frame("a", "link4", (0.3, 0.1, 0)).with_frame("b", "link8", (0, 0.2, 0.1))
    at = States(arms.with_loops([cf.Loop("a", "b", kind, length)]))
    theirs = LoopPeer(at.closed)
    v = at.value("joint_velocities", at.qd)
    vd = at.value("joint_accelerations", at.qd, at.value("forward_dynamics", at.qd, at.tau))
    for k, ours in enumerate(vd):
        assert difference(ours, theirs.kkt(at.x[k], v[k], at.tau[k])[0]) < PEER


def test_entries_that_vanish_at_one_posture_leave_a_regular_system_regular():
    """A rotation of two zeros is none: else it makes both rows zero, and the solution is not a number."""
    values = np.array([[0.0, 1, 2, 0], [0, 3, 1, 1], [1, 0, 1, 0], [0, 2, 0, 5]])
    A, b = ca.SX.sym("A", 4, 4), np.array([1.0, 2, 3, 4])
    system = BlockSystem(A)
    solve = ca.Function("f", [A], [system.solve(ca.SX(b)), system.solve_transposed(ca.SX(b))])
    x, y = (np.array(each).ravel() for each in solve(values))
    assert np.allclose(values @ x, b, atol=1e-13)
    assert np.allclose(values.T @ y, b, atol=1e-13)


def link(name: str, x: float = 0.1) -> str:
    inertia = 'ixx="0.02" ixy="0.001" ixz="0" iyy="0.03" iyz="0.002" izz="0.025"'
    return (
        f'<link name="{name}"><inertial><origin xyz="{x} 0.02 -0.1"/><mass value="1.3"/>'
        f"<inertia {inertia}/></inertial></link>"
    )


def joint(name: str, parent: str, child: str, origin: str, kind: str = "continuous") -> str:
    return (
        f'<joint name="{name}" type="{kind}"><origin {origin}/><parent link="{parent}"/>'
        f'<child link="{child}"/><axis xyz="0 1 0"/></joint>'
    )


ROD = "".join(
    [
        '<robot name="rod"><link name="base"/><link name="end_a"/><link name="end_b"/>',
        *(link(name) for name in ("crank", "yoke", "upper", "rocker", "lower")),
        joint("turn", "base", "crank", 'xyz="0 0 0.1"'),
        joint("hook", "crank", "yoke", 'xyz="0.2 0 0"'),
        joint("ball", "yoke", "upper", 'xyz="0.1 0 0"'),
        joint("swing", "base", "rocker", 'xyz="0.1 0.1 -0.5"'),
        joint("other", "rocker", "lower", 'xyz="0.2 0 0" rpy="0.7 0.2 0.1"'),
        joint("at_a", "upper", "end_a", 'xyz="0 0 -0.3"', "fixed"),
        joint("at_b", "lower", "end_b", 'xyz="0.1 0.1 0.25" rpy="0.1 0.3 -0.5"', "fixed"),
        "</robot>",
    ]
)
ROD_LIST = """closed_loop: [['end_a', 'end_b']]
type: ['6d']
name_mot: ['turn', 'hook']
joint_name: ['ball', 'other', 'hook']
joint_type: ['SPHERICAL', 'SPHERICAL', 'UJOINT_YX']
"""


def test_a_urdf_with_a_list_of_loops_moves_as_in_pinocchio(tmp_path):
    """From the files on both sides: a rod that a 6d loop cuts, whose ball is three hinges here."""
    path, constraints = tmp_path / "rod.urdf", tmp_path / "robot.yaml"
    path.write_text(ROD)
    constraints.write_text(ROD_LIST)
    closed = cf.load(path, constraints=constraints)
    assert [name for name in closed.joint_names if "/3" in name]
    at, theirs = States(closed), ParallelRobot(path, constraints)
    assert theirs.closest() < 1e-12
    v = at.value("joint_velocities", at.qd)
    vd = at.value("joint_accelerations", at.qd, at.value("forward_dynamics", at.qd, at.tau))
    for k, ours in enumerate(vd):
        forces = np.zeros(closed.model.tree.nv)
        forces[list(closed.model.av)] = at.tau[k]
        *state, same = theirs.state(closed, at.x[k], v[k], forces)
        assert np.abs(theirs.slope(state[0])[0]).max() < 1e-13
        a = theirs.constraint_dynamics(*state)[list(same.values())]
        assert difference(ours[list(same)], a) < PEER
