"""Chang's conditions in letters and as numbers at one q: Z, h, Zh, n_J, extended Jacobian, joint rates."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp
from casadi import SX, Function
from scipy.optimize import root

import closedform as cf
from closedform import redundancy
from closedform.redundancy.cofactors import cleared_rows, null_vector
from oracles import chang_printed as printed
from oracles.redundant_arms import GUESS, PRINTED, VERTICES, gradient, planar, task_jacobian, volume
from tolerances import HALF_DIGITS, ITERATED, PRINTED_DIGITS, ROUNDING, SHORT_CHAIN

XY = [3, 4]
PAPERS = redundancy.manipulability(squared=True, length=0.6)


@pytest.fixture(scope="module")
def chang():
    return cf.load("chang3r")


@pytest.fixture(scope="module")
def letters(chang):
    return redundancy.equations(chang, "xy", redundancy.manipulability(squared=True))


def same(ours, theirs):
    """Whether two expressions are one function, the paper's lengths being in units of the first link."""
    ours = ours.subs({sp.Symbol("L1"): 1, sp.Symbol("L2"): printed.U, sp.Symbol("L3"): printed.V})
    return sp.expand((ours - theirs).rewrite(sp.exp)) == 0


def test_the_printed_formulas_come_out(letters):
    """(29) to (32): J, H, h, Z and Zh, letter by letter."""
    assert (letters.columns, letters.others) == ((0, 1), (2,))
    for ours, theirs in (
        (letters.J.entries, printed.J),
        (letters.H.entries, [printed.H]),
        (letters.h.entries, printed.GRADIENT),
        (letters.Z.entries, printed.Z),
        (letters.Zh.entries, [printed.ZH]),
    ):
        assert len(ours) == len(theirs)
        assert all(same(a, b) for a, b in zip(ours, theirs, strict=True))
    assert not same(letters.Zh.entries[0], printed.ZH + printed.V * printed.S2)
    assert r"L_{2} L_{3} \sin{\left(q_{3} \right)}" in letters.Z.latex()


def test_the_first_joint_drops_out(chang, letters):
    """Two equations in q2 and q3, then q1 in closed form: the printed angles."""
    reduced = letters.reduced
    q2, q3, x, y = sp.symbols("q2 q3 x y")
    lengths = {symbol: sp.Float(value) for symbol, value in letters.Zh.values.items()}
    assert sp.Symbol("q1") not in reduced.r2.entries[0].free_symbols | reduced.Zh.entries[0].free_symbols
    pair = sp.lambdify([q2, q3], [each.entries[0].subs(lengths) for each in (reduced.r2, reduced.Zh)])
    first = sp.lambdify([q2, q3, x, y], reduced.first.subs(lengths))
    for place, angles in zip(VERTICES, PRINTED, strict=True):
        target = np.array([place @ place, 0.0])
        found = root(lambda b, target=target: np.array(pair(*b)) - target, GUESS[1:], tol=1e-14)
        q = np.array([first(*found.x, *place), *found.x])
        assert np.abs(np.rad2deg(q) - angles).max() < PRINTED_DIGITS
    assert redundancy.equations(chang, "xy", "joint_centering").reduced is None  # it depends on q1


def test_letters_have_the_numbers_of_the_robot():
    """A planar arm of four links: two rows, by numbers of another route."""
    robot = planar(4)
    found = redundancy.equations(robot, "xy", redundancy.manipulability(squared=True), columns=(1, 3))
    assert found.others == (0, 2)
    q = np.array([0.4, -0.7, 1.1, 0.6])
    J = task_jacobian(robot, q, XY)
    D = np.linalg.det(J[:, [1, 3]])
    Z = np.zeros((2, 4))
    Z[:, [1, 3]] = np.linalg.solve(J[:, [1, 3]], J[:, [0, 2]]).T
    Z[:, [0, 2]] = -np.eye(2)
    h = gradient(lambda angles: volume(robot, angles, XY) ** 2, q)
    assert np.allclose(found.x.evaluate(q), robot.pose(q)[:2, 3], atol=SHORT_CHAIN)
    assert np.allclose(found.J.evaluate(q), J, atol=SHORT_CHAIN)
    assert np.isclose(found.D.evaluate(q), D, rtol=ROUNDING)
    assert np.allclose(found.Z.evaluate(q), D * Z, atol=SHORT_CHAIN)
    assert np.allclose(found.Zh.evaluate(q), D * Z @ h, atol=ITERATED)


@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_cofactors_are_the_null_vector_of_the_appendix(n):
    """(28) and (40); for even n the signs of (38) and (39) are the opposite of the printed ones."""
    J = SX.sym("J", n - 1, n)
    Z, D = cleared_rows(J, range(n - 1), (n - 1,))
    A = np.random.default_rng(n).normal(size=(n - 1, n))
    vector, rows, det = (np.array(each).ravel() for each in Function("f", [J], [null_vector(J), Z, D])(A))
    expected = [(-1) ** k * np.linalg.det(np.delete(A, k, axis=1)) for k in range(n)]
    assert np.allclose(vector, expected, atol=SHORT_CHAIN)
    assert np.allclose(rows / det, -vector / vector[-1], atol=ROUNDING)  # (40)
    assert np.isclose(vector[-1], (-1) ** (n + 1) * det, atol=SHORT_CHAIN)  # (39), with its sign


def test_equations_refuse_what_they_cannot_write(chang):
    with pytest.raises(cf.ArgumentError, match="expected 2 different joints"):
        redundancy.equations(chang, "xy", columns=(0, 0))
    with pytest.raises(cf.ArgumentError, match="more of them than rows"):
        redundancy.equations(cf.load("2r"), "xy")
    with pytest.raises(cf.ClosedFormError, match="operations; equations are printed up to"):
        redundancy.equations(cf.load("panda"))


@pytest.mark.parametrize(("name", "task"), [("chang3r", "xy"), ("panda", "pose")])
def test_numbers_at_one_configuration(name, task):
    """n_J by determinants, the projected gradient by the pseudoinverse, rates by (19)."""
    robot = cf.load(name)
    q = robot.random_state(3)[0]
    rows = XY if task == "xy" else slice(None)
    at = redundancy.orthogonality(robot, q, task)
    J = task_jacobian(robot, q, rows)
    n = robot.nv
    assert np.allclose(at.J, J, atol=SHORT_CHAIN)
    expected = [(-1) ** k * np.linalg.det(np.delete(J, k, axis=1)) for k in range(n)]
    assert np.allclose(at.n_J, expected, atol=ROUNDING)
    plus = np.linalg.pinv(J)
    along = (np.eye(n) - plus @ J) @ at.h
    assert np.allclose(at.projected, along, atol=ROUNDING)
    xd = np.linspace(-0.1, 0.2, len(J))
    qd = redundancy.joint_rates(robot, np.stack([q, q]), xd, task, gain=3.0)
    assert qd.shape == (2, n)
    assert np.allclose(qd, plus @ xd + 3.0 * along, atol=ROUNDING)
    damped = redundancy.joint_rates(robot, q, xd, task, method="damped", gain=0.0, damping=0.1)
    assert np.allclose(damped, J.T @ np.linalg.solve(J @ J.T + 0.01 * np.eye(len(J)), xd), atol=ROUNDING)


def test_the_gradient_splits_as_in_the_second_appendix(chang):
    """(41) to (46): h is J^T h1 + Z^T h2; at rest, resolved motion is the second part."""
    at = redundancy.orthogonality(chang, GUESS, "xy", PAPERS)
    J, Z, h = at.J, at.Z, at.h
    assert np.abs(J @ Z.T).max() < SHORT_CHAIN  # (41)
    first, second = np.linalg.solve(J @ J.T, J @ h), np.linalg.solve(Z @ Z.T, Z @ h)  # (43), (44)
    assert np.allclose(J.T @ first + Z.T @ second, h, atol=ROUNDING)  # (42)
    still = redundancy.joint_rates(chang, GUESS, [0.0, 0.0], "xy", PAPERS, gain=2.5)
    assert np.allclose(still, 2.5 * Z.T @ second, atol=ROUNDING)  # (46), with the gain that it leaves out
    best = redundancy.orthogonality(chang, np.deg2rad(PRINTED[0]), "xy", PAPERS)
    multipliers = -np.linalg.solve(best.J[:, :2].T, best.h[:2])  # (7)
    assert np.abs(best.J.T @ multipliers + best.h).max() < 1e-5  # (6), at angles of four decimals


def test_extended_jacobian_is_the_derivative_of_the_conditions(chang):
    """By differences of Zh with the same J_m, and of n_J h at an optimum."""
    q = np.array([0.3, 1.2, 0.9])
    at = redundancy.orthogonality(chang, q, "xy", PAPERS)
    E = redundancy.extended_jacobian(chang, q, "xy", PAPERS)

    def conditions(angles, vector=False):
        each = [redundancy.orthogonality(chang, row, "xy", PAPERS) for row in np.atleast_2d(angles)]
        if vector:
            return np.array([it.n_J @ it.h for it in each])
        assert all(it.columns == at.columns for it in each)
        return np.array([it.Zh[0] for it in each])

    assert np.allclose(E[:2], task_jacobian(chang, q, XY), atol=SHORT_CHAIN)
    assert np.allclose(E[2], gradient(conditions, q)[0], atol=HALF_DIGITS)
    best = redundancy.solve(chang, VERTICES[0], "xy", PAPERS, GUESS).q
    there = redundancy.orthogonality(chang, best, "xy", PAPERS)
    last = redundancy.extended_jacobian(chang, best, "xy", PAPERS)[2]
    slope = gradient(lambda angles: conditions(angles, True), best)[0]
    assert np.allclose(slope, -there.n_J[there.others[0]] * last, atol=HALF_DIGITS)  # (27)


def test_the_papers_criterion_has_the_papers_gradient(chang):
    """H of (29) with the J of (31), and h of the text, at the printed guess."""
    values = {printed.U: 0.85 / 0.6, printed.V: 0.2 / 0.6}
    values |= dict(zip((printed.Q1, printed.Q2, printed.Q3), GUESS, strict=True))
    at = redundancy.orthogonality(chang, GUESS, "xy", PAPERS)
    assert np.allclose(at.h, np.array(printed.GRADIENT.subs(values), dtype=float).ravel(), atol=ROUNDING)
    found = redundancy.solve(chang, VERTICES, "xy", PAPERS, GUESS)
    assert np.abs(np.rad2deg(found.q) - PRINTED).max() < PRINTED_DIGITS
    assert np.allclose(found.value, (volume(chang, found.q, XY) / 0.36) ** 2, rtol=ROUNDING)


def test_counts_follow_the_papers_formulas():
    """(14) to (18) and (21) to (25) as polynomials, with the corrected (24); the sums in the text."""
    for n, m in ((3, 2), (7, 6), (10, 6)):
        it = redundancy.paper_effort(n, m)
        assert np.isclose(
            it.proposed, 2 / 3 * m**3 + 11.5 * n**2 + 2 * n * m - m**2 / 2 - m / 6 + 96 * n - 139
        )
        both = n * m**2 + 5 * n * m + m**2
        assert np.isclose(it.predictor_corrector, 4 / 3 * m**3 + 2 * both + 111 * n - 4 / 3 * m - 186)
        assert np.isclose(it.runge_kutta, 8 / 3 * m**3 + 4 * both + 189 * n - 8 / 3 * m - 372)
    it = redundancy.paper_effort(7, 6)
    parts = (it.forward_kinematics, it.jacobian, it.conditions, it.solver)
    assert parts == (318, 222, 202, 563.5)
    with pytest.raises(cf.ArgumentError, match="more joints than rows"):
        redundancy.paper_effort(3, 3)


def test_counts_are_those_of_the_programs(chang):
    found = redundancy.effort(chang, "xy", PAPERS)
    trig = 6  # of q1, q1 + q2, q1 + q2 + q3
    assert found.forward_kinematics == chang.program("pose").counts.total - trig
    assert found.step > 4 * found.rates
    assert found.conditions < found.newton
    assert len(str(found).splitlines()) == 1 + len(found.rows)


def test_a_correction_removes_the_error_of_the_start(chang):
    """The printed start is half a millimetre off: kept without a correction, gone like exp(-20 t) with it."""
    line = np.linspace(VERTICES[0], VERTICES[1], 101)
    for method in ("pseudoinverse", "extended_jacobian"):
        off = {}
        for rate in (0.0, 20.0):
            q = redundancy.resolved_motion(chang, line, GUESS, "xy", PAPERS, method=method, correction=rate)
            off[rate] = np.linalg.norm(chang.pose(q)[:, :2, 3] - line, axis=-1)
        assert np.abs(off[0.0] - off[0.0][0]).max() < 1e-8  # of the integration
        decay = off[20.0][[10, 20]] / off[20.0][0]
        assert np.allclose(decay, np.exp([-2.0, -4.0]), rtol=0.01)
        assert off[20.0][-1] < 1e-8


def test_a_correction_follows_poses():
    """Places and two of three rotations: what a pose needs, and rows that are left out."""
    robot = cf.load("iiwa14")
    q, qd, _ = robot.random_state(3)
    poses = robot.pose(0.5 * q + np.linspace(0, 0.2, 41)[:, None] * qd / 4)
    task = ["x", "y", "z", "rx", "ry"]
    path = redundancy.resolved_motion(robot, poses, 0.5 * q + 1e-3, task, correction=20.0, gain=1.0)
    T = robot.pose(path)
    error = np.abs(T[:, :3, 3] - poses[:, :3, 3]).max(axis=-1)
    assert error[20] < 0.03 * error[0]  # exp(-4)
    turn = T[:, :3, :3] @ np.swapaxes(poses[:, :3, :3], -1, -2)
    rx = np.abs(turn[:, 2, 1] - turn[:, 1, 2])
    assert rx[20] < 0.03 * rx[0]
