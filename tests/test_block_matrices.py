"""The papers' block matrices by their letters: the printed formulas, corrected, one by one."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import closedform as cf
from closedform.forms import Variant
from closedform.programs import evaluate, trace
from closedform.rotations import adjoint, inverse
from oracles.random_trees import random_tree
from tolerances import ROUNDING, worst

LETTERS = [name for name, form in cf.FORMS.items() if form.group == "blocks"]
ROBOTS = {
    "2r": lambda: cf.load("2r"),
    "one-dof joints": lambda: random_tree(8, bodies=4, kinds=("revolute", "prismatic", "helical")),
    "free and ball joints, and a mimic": lambda: random_tree(
        3, bodies=4, kinds=("free", "revolute", "ball", "helical")
    ),
}
ONE_DOF = [name for name in ROBOTS if "ball" not in name]
PAPER = "mueller-kumar-22"


class Letters:
    """Values of the block matrices of a robot at a random motion, each computed once."""

    def __init__(self, robot: cf.Robot) -> None:
        self.robot = robot
        self.state = dict(zip(("q", "qd", "qdd", "qddd"), robot.random_state(9, order=3), strict=True))
        self.found: dict[tuple[str, ...], np.ndarray] = {}

    def __call__(self, name: str, factorisation: str = "", rate: str = "qd") -> np.ndarray:
        """Return a form at the motion; `rate` stands in for the velocity qd."""
        key = (name, factorisation, rate)
        if key not in self.found:
            variant = Variant(factorisation=factorisation) if factorisation else Variant()
            program = trace(self.robot.model, name, variant, closed=False)
            given = {**self.state, "qd": self.state[rate]}
            self.found[key] = evaluate(program, *(given[each] for each, _ in program.inputs))
        return self.found[key]

    def block(self, letter: str, factorisation: str = "") -> np.ndarray:
        """Return a block matrix by its letter."""
        return self(f"block_{letter}", factorisation)

    def a(self, rate: str) -> np.ndarray:
        """Return a(x) of a rate of q."""
        return self("block_a", "", rate)


@cache
def letters(name: str) -> Letters:
    return Letters(ROBOTS[name]())


def ad(V: np.ndarray) -> np.ndarray:
    """Return diag(ad_V1, ...) of stacked twists, from (w x w'; v x w' + w x v') column by column."""
    found = np.zeros((len(V), len(V)))
    for i in range(0, len(V), 6):
        for k in range(6):
            e = np.eye(6)[k]
            w, v = V[i : i + 3], V[i + 3 : i + 6]
            found[i : i + 6, i + k] = [*np.cross(w, e[:3]), *(np.cross(v, e[:3]) + np.cross(w, e[3:]))]
    return found


@pytest.mark.parametrize("name", ROBOTS)
def test_kinematics_in_blocks(name):
    """Eqs. (8)-(19) and (26): A = (1 - D)^-1, J = A X, V = J qd, blocks Ad of relative poses."""
    at = letters(name)
    X, D, A, J, U, V = (at.block(letter) for letter in "XDAJUV")
    q, qd, qdd = (at.state[each] for each in ("q", "qd", "qdd"))
    one = np.eye(len(A))
    assert worst(A @ (one - D), one) < ROUNDING
    assert worst(J, A @ X) < ROUNDING
    assert worst(V, J @ qd) < ROUNDING
    assert worst(at.block("b"), ad(V)) < ROUNDING
    assert worst(at.block("a"), ad(X @ qd)) < ROUNDING
    poses = at("body_poses")
    for i, body in enumerate(at.robot.model.bodies):
        rows = slice(6 * i, 6 * i + 6)
        assert worst(U[rows], adjoint(inverse(poses[i]))) < ROUNDING
        relative = adjoint(inverse(poses[i]) @ poses[body.parent]) if body.parent >= 0 else np.zeros((6, 6))
        assert worst(D[rows, 6 * body.parent :][:, :6], relative, 1.0) < ROUNDING or body.parent < 0
        for found, form, given in (
            (J, "jacobian", (q,)),
            (V, "frame_velocity", (q, qd)),
            (at.block("V_dot"), "frame_acceleration", (q, qd, qdd)),
        ):
            program = trace(at.robot.model, form, Variant(at.robot.body_names[i]))
            assert worst(found[rows], evaluate(program, *given)) < ROUNDING, form


@pytest.mark.parametrize("name", ROBOTS)
def test_rates_of_the_kinematics_in_blocks(name):
    """Eqs. (12), (15), (18), (19): A' = A D' A = A a - A a A, D' = -a D, J' = A' X, V' = J qdd - A a V."""
    at = letters(name)
    X, D, A, J, V, a = (at.block(letter) for letter in "XDAJVa")
    assert worst(at.block("A_dot"), A @ a - A @ a @ A) < ROUNDING
    assert worst(at.block("A_dot"), -A @ a @ D @ A) < ROUNDING
    assert worst(at.block("J_dot"), A @ a @ X - A @ a @ J) < ROUNDING
    if name in ONE_DOF:
        assert np.abs(a @ X).max() < ROUNDING
        assert worst(at.block("J_dot"), -A @ a @ J) < ROUNDING
    assert worst(at.block("V_dot"), J @ at.state["qdd"] - A @ a @ V) < ROUNDING


@pytest.mark.parametrize("name", ROBOTS)
def test_projections_are_the_forms_of_the_robot(name):
    """J^T Y J for Y = M, M1, M2, C, C1, C2: Eqs. (20), (29), (31), (40), (45)."""
    at = letters(name)
    J = at.block("J")
    plain = Letters(at.robot.with_armature(0.0))
    for letter, form in (("M", "mass_matrix"), ("M1", "mass_matrix_dot"), ("M2", "mass_matrix_ddot")):
        assert worst(J.T @ at.block(letter) @ J, plain(form)) < ROUNDING, letter
    for factorisation in ("mueller-kumar", PAPER):
        for letter, form in (
            ("C", "coriolis_matrix"),
            ("C1", "coriolis_matrix_dot"),
            ("C2", "coriolis_matrix_ddot"),
        ):
            found = J.T @ at.block(letter, factorisation) @ J
            assert worst(found, plain(form, factorisation)) < ROUNDING, (letter, factorisation)


@pytest.mark.parametrize("name", ONE_DOF)
def test_the_printed_block_matrices_of_m(name):
    """Eqs. (30), (39) and (41)-(44), corrected: (43) begins with M1 of qdd."""
    at = letters(name)
    M, A, a, a1 = at.block("M"), at.block("A"), at.a("qd"), at.a("qdd")
    MA, Aa = M @ A, A @ a
    M1, first = (-(MA @ x) - (MA @ x).T for x in (a, a1))
    assert worst(at.block("M1"), M1) < ROUNDING
    inner = M @ (A @ a @ A - A @ a) @ a
    rate = first + inner + inner.T
    assert worst(rate, first - MA @ a @ a + MA @ a @ Aa + (MA @ a @ Aa - MA @ a @ a).T) < ROUNDING
    assert worst(at.block("M2"), rate - M1 @ Aa - Aa.T @ M1) < ROUNDING
    explicit = first + 2 * (M @ Aa @ Aa + (M @ Aa @ Aa).T + Aa.T @ M @ Aa) - MA @ a @ a - (MA @ a @ a).T
    assert worst(at.block("M2"), explicit) < ROUNDING


@pytest.mark.parametrize("name", ONE_DOF)
@pytest.mark.parametrize("factorisation", ["mueller-kumar", PAPER])
def test_the_printed_block_matrices_of_c(name, factorisation):
    """Eqs. (22), (32)-(35), (46)-(51) and (54), corrected; the recursions hold with + M b too."""
    at = letters(name)
    M, A, V, Vd = (at.block(each) for each in ("M", "A", "V", "V_dot"))
    qdd, qddd = at.state["qdd"], at.state["qddd"]
    a, a1, a2 = (at.a(each) for each in ("qd", "qdd", "qddd"))
    Ad = at.block("A_dot")
    J = at.block("J")
    Vdd = J @ qddd - A @ a @ J @ qdd - (Ad @ a + A @ a1) @ V - A @ a @ Vd
    MA, Aa, Aa1, Aaa = M @ A, A @ a, A @ a1, A @ a @ a
    extra = 0.0 if factorisation == PAPER else 1.0

    def C_of(x, twists):
        b = ad(twists)
        return -MA @ x - b.T @ M + extra * (M @ b)

    C = C_of(a, V)
    assert worst(at.block("C", factorisation), C) < ROUNDING
    Cd = C_of(a1, Vd) + MA @ a @ Aa - MA @ a @ a
    assert worst(at.block("C_dot", factorisation), Cd) < ROUNDING
    C1 = Cd - C @ Aa - Aa.T @ C
    assert worst(at.block("C1", factorisation), C1) < ROUNDING
    Cdd = C_of(a2, Vdd) + MA @ a1 @ Aa + 2 * MA @ a @ Aa1 - 2 * MA @ a @ Aa @ Aa
    Cdd += 2 * MA @ a @ Aaa - 3 * MA @ a @ a1 - MA @ a @ a @ a + MA @ a @ a @ Aa
    assert worst(at.block("C_ddot", factorisation), Cdd) < ROUNDING
    C1d = Cdd - (C1 + Aa.T @ C) @ Aa - Aa.T @ (C1 + C @ Aa) - C @ Aa1 - Aa1.T @ C - C @ Aaa - Aaa.T @ C
    assert worst(at.block("C2", factorisation), C1d - C1 @ Aa - Aa.T @ C1) < ROUNDING
    C2 = Cdd - 2 * (C1 @ Aa + Aa.T @ C1 + Aa.T @ C @ Aa) - C @ Aa1 - Aa1.T @ C - C @ Aaa - Aaa.T @ C
    assert worst(at.block("C2", factorisation), C2) < ROUNDING
    if factorisation != PAPER:
        return
    b, b1, b2 = ad(V), ad(Vd), ad(Vdd)
    long = -MA @ a1 - b1.T @ M + b.T @ MA @ a + Aa.T @ b.T @ M + Aa.T @ MA @ a + 2 * M @ Aa @ Aa - MA @ a @ a
    assert worst(C1, long) < ROUNDING
    long = -MA @ a2 - b2.T @ M + 2 * b1.T @ MA @ a + 2 * Aa.T @ b1.T @ M + 3 * MA @ a1 @ Aa + 2 * MA @ a @ Aa1
    long += (
        2 * Aa.T @ MA @ a1 - C @ Aa1 - Aa1.T @ C + 2 * C @ Aa @ Aa + 2 * Aa.T @ C @ Aa + 2 * (Aa @ Aa).T @ C
    )
    long += -4 * M @ Aa @ Aa @ Aa - 2 * Aa.T @ M @ Aa @ Aa + 2 * MA @ a @ a @ Aa + 2 * Aa.T @ MA @ a @ a
    long += 2 * MA @ a @ Aaa - 3 * MA @ a @ a1 - MA @ a @ a @ a + MA @ a @ a @ Aa - C @ Aaa - Aaa.T @ C
    assert worst(C2, long) < ROUNDING


@pytest.mark.parametrize("name", ONE_DOF)
def test_gravity_and_wrenches_in_blocks(name):
    """Eqs. (25), (27), (36), (37), (52) and (53), corrected: (A a')^T once."""
    at = letters(name)
    robot, (q, qd, qdd) = at.robot, (at.state[each] for each in ("q", "qd", "qdd"))
    J, M, U, A = (at.block(each) for each in "JMUA")
    G = np.concatenate([np.zeros(3), -robot.gravity])
    for Y, form in (
        (M, "gravity_torque"),
        (at.block("M1"), "gravity_torque_dot"),
        (at.block("M2"), "gravity_torque_ddot"),
    ):
        assert worst(J.T @ Y @ U @ G, at(form), 1.0) < ROUNDING, form
    W, Wd, Wdd = np.random.default_rng(1).normal(size=(3, len(robot.body_names), 6))
    Aa, Aa1, Aaa = A @ at.a("qd"), A @ at.a("qdd"), A @ at.a("qd") @ at.a("qd")
    w, wd, wdd = (each.ravel() for each in (W, Wd, Wdd))
    values = [
        evaluate(trace(robot.model, f"external_torque{end}"), *given)
        for end, given in (("", (q, W)), ("_dot", (q, qd, W, Wd)), ("_ddot", (q, qd, qdd, W, Wd, Wdd)))
    ]
    assert worst(values[0], J.T @ w) < ROUNDING
    assert worst(values[1], J.T @ (wd - Aa.T @ w)) < ROUNDING
    assert worst(values[2], J.T @ (wdd - 2 * Aa.T @ wd + (2 * (Aa @ Aa).T - Aa1.T - Aaa.T) @ w)) < ROUNDING


def test_inertias_as_inputs_and_letters_give_the_same_blocks():
    robot = cf.load("stanford")
    q, qd, _ = robot.random_state(3)
    for name, given in (("block_M", (q,)), ("block_C", (q, qd))):
        ours = evaluate(trace(robot.model, name), *given)
        symbolic = evaluate(trace(robot.model, name, Variant(phi=True)), *given, robot.phi)
        assert worst(symbolic, ours) < ROUNDING, name


def test_blocks_of_the_planar_arm_in_letters():
    """Section 6.1: B_2 = (1, L1 e_x), so that v of frame 2 is (L1 sin(q2), L1 cos(q2)) qd1.

    A point mass at L1 e_x has no inertia about x, where the print has L1^2 m1.
    """
    robot = cf.load("2r")
    J = str(robot.equations("block_J", symbolic=True)).splitlines()
    assert J == ["J[3,1] = 1", "J[9,1] = 1", "J[9,2] = 1", "J[10,1] = L1*sin(q2)", "J[11,1] = L1*cos(q2)"]
    M = str(robot.equations("block_M", symbolic=True)).splitlines()
    assert M[:4] == [
        "M[2,2] = L1**2*m1",
        "M[2,6] = M[6,2] = -L1*m1",
        "M[3,3] = L1**2*m1",
        "M[3,5] = M[5,3] = L1*m1",
    ]
    C = robot.equations("block_C", symbolic=True, factorisation=PAPER)
    assert str(C).splitlines()[:2] == ["C[1,2] = C[2,1] = -L1**2*m1*qd1", "C[1,6] = C[6,1] = L1*m1*qd1"]


def test_a_block_matrix_is_code_too(tmp_path):
    robot = cf.load("2r")
    (path,) = robot.export("block_A", "numpy", tmp_path)
    space: dict = {}
    exec(path.read_text(), space)
    q = np.array([0.3, -0.8])
    assert worst(space["robot_2r_block_A"](q), robot.block_A(q)) < ROUNDING


def test_a_long_tree_is_refused_before_the_work():
    chain = cf.Robot.from_mdh(
        [[0, 1, 0.1, 0, 0.1]] * 40, inertials=[cf.Inertial(1, np.ones(3), np.eye(3))] * 40
    )
    with pytest.raises(cf.ProgramSizeError, match=r"block_C2.*operations"):
        trace(chain.model, "block_C2")
