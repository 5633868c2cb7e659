"""Claims of the exact inverse kinematics, each by a route that shares no code with the solver."""

from __future__ import annotations

import mpmath as mp
import numpy as np
import pytest
from scipy.optimize import minimize_scalar

import closedform as cf
from closedform import redundancy
from oracles.redundant_arms import (
    GUESS,
    PRINTED,
    VERTICES,
    gradient,
    null_space,
    planar,
    spatial,
    square,
    task_jacobian,
    volume,
)
from tolerances import ITERATED, LAST_DIGITS, PRINTED_DIGITS, PROMISED, ROUNDING, SHORT_CHAIN

XY = [3, 4]

ZH_BY_DIFFERENCES = 1e-8
"""Central differences of sixth order through singular values: 1e-12 seen near unit scale."""


@pytest.fixture(scope="module")
def chang():
    return cf.load("chang3r")


def test_printed_angles_follow_from_the_printed_guess(chang):
    found = redundancy.solve(chang, VERTICES, task="xy", criterion="manipulability", q0=GUESS)
    assert np.abs(np.rad2deg(found.q) - PRINTED).max() < PRINTED_DIGITS
    assert (found.kind == "maximum").all()
    assert found.converged.all()
    assert found.task_error.max() < LAST_DIGITS
    assert found.stationarity.max() < LAST_DIGITS


def test_solution_solves_the_printed_equations_to_fifty_digits(chang):
    """The root of (30) and (32), by mpmath, from the solution: it moves by rounding only."""
    q = redundancy.solve(chang, VERTICES[0], task="xy", q0=GUESS).q
    with mp.workdps(50):
        l1, l2, l3 = mp.mpf("0.6"), mp.mpf("0.85"), mp.mpf("0.2")
        u, v = l2 / l1, l3 / l1
        x, y = (mp.mpf(float(value)) for value in VERTICES[0])

        def conditions(a, b, c):
            def s(*angles):
                return mp.sin(sum(angles))

            def k(*angles):
                return mp.cos(sum(angles))

            zh = (
                2 * u**2 * v**3 * (s(b, c) * s(c, c) - k(b, c) * s(c) ** 2)
                + u * v**3 * (2 * s(b, c) * s(b, c, c) - 3 * s(b, b, c, c) * s(c))
                + 2 * u**3 * v**2 * s(b) * s(c, c)
                + u**2 * v**2 * (k(c, c) - k(b, b))
                + 2 * u * v**2 * (s(b) * s(b, b, c, c) - k(b) * s(b, c) ** 2)
                - u**3 * v * s(b, b) * s(c)
                - 2 * u**2 * v * s(b) * s(c)
            )
            return (
                l1 * s(a) + l2 * s(a, b) + l3 * s(a, b, c) - x,
                l1 * k(a) + l2 * k(a, b) + l3 * k(a, b, c) - y,
                zh,
            )

        root = mp.findroot(conditions, [mp.mpf(float(angle)) for angle in q])
        assert max(abs(mp.mpf(float(a)) - b) for a, b in zip(q, root, strict=True)) < LAST_DIGITS


@pytest.mark.parametrize(
    ("robot", "task", "rows", "count"),
    [
        ("panda", "pose", slice(None), 200),
        ("iiwa14", "pose", slice(None), 200),
        (spatial(8), "pose", slice(None), 40),
        (spatial(10), "pose", slice(None), 20),
        (planar(10), "xy", XY, 30),
    ],
    ids=["panda", "iiwa14", "8 dof", "10 dof", "planar 10R"],
)
def test_random_reachable_poses_are_met_at_certified_maxima(robot, task, rows, count):
    robot = cf.load(robot) if isinstance(robot, str) else robot
    poses = robot.pose(robot.random_state(6, batch=count)[0])
    found = redundancy.solve(robot, poses, task=task)
    assert found.converged.mean() >= 0.995
    q, held = found.q[found.converged], found.held[found.converged]
    assert (found.kind[found.converged] == "maximum").all()
    assert found.stationarity[found.converged].max() < PROMISED
    T = robot.pose(q)
    wanted = poses[found.converged]
    error = (T - wanted)[:, :3, 3] if task == "pose" else (T - wanted)[:, :2, 3]
    assert np.abs(error).max() < ITERATED
    if task == "pose":
        assert np.abs(T - wanted).max() < ITERATED
    lower, upper = robot.lower_limits, robot.upper_limits
    assert (q >= lower).all()
    assert (q <= upper).all()
    assert ((q == lower) | (q == upper))[held].all()

    def w(angles):
        return volume(robot, angles, rows)

    h, J = gradient(w, q), task_jacobian(robot, q, rows)
    assert np.allclose(found.value[found.converged], w(q), rtol=PROMISED)
    _stationary_over_free_joints(J, h, held, q <= lower)
    _lower_all_around(robot, q, held, J, w, rows, wanted)


def _stationary_over_free_joints(J, h, held, at_lower):
    """Zh = 0 without the held joints; at those the criterion pushes outwards."""
    for k in range(len(h)):
        free = ~held[k]
        Jf = J[k][:, free]
        if free.sum() > len(Jf):
            assert np.abs(null_space(Jf) @ h[k][free]).max() < ZH_BY_DIFFERENCES
        multipliers = -np.linalg.lstsq(Jf.T, h[k][free], rcond=None)[0]
        push = (h[k] + J[k].T @ multipliers)[held[k]]
        outwards = np.where(at_lower[k][held[k]], -1.0, 1.0)
        assert (push * outwards > -ZH_BY_DIFFERENCES).all()


def _lower_all_around(robot, q, held, J, w, rows, wanted):
    """A small self-motion of the free joints, brought back to the task, lowers the criterion."""
    rng = np.random.default_rng(0)
    best = w(q)
    for k in range(len(q)):
        free = ~held[k]
        N = null_space(J[k][:, free]) if free.sum() > J.shape[-2] else None
        if N is None:
            continue
        for size in (0.01, -0.01):
            moved = q[k].copy()
            moved[free] += size * (rng.normal(size=len(N)) @ N) / np.sqrt(len(N))
            for _ in range(4):
                step = np.linalg.pinv(task_jacobian(robot, moved, rows)[:, free]) @ _short(
                    robot.pose(moved), wanted[k], rows
                )
                moved[free] -= step
            assert w(moved) < best[k] + ROUNDING


def _short(T, wanted, rows):
    """Return the error of a pose as a rotation vector and a displacement, to first order."""
    Y = T[:3, :3] @ wanted[:3, :3].T
    turn = 0.5 * np.array([Y[2, 1] - Y[1, 2], Y[0, 2] - Y[2, 0], Y[1, 0] - Y[0, 1]])
    return np.concatenate([turn, T[:3, 3] - wanted[:3, 3]])[rows]


def test_kinds_are_those_of_a_scan_along_the_self_motion(chang):
    """The highest and lowest of the criterion on a closed curve are found, each as its kind."""
    curves = redundancy.self_motion(chang, VERTICES[2], task="xy", step=0.02)
    for curve in curves:
        assert curve.closed
        for kind, place in (("maximum", curve.value.argmax()), ("minimum", curve.value.argmin())):
            found = redundancy.solve(chang, VERTICES[2], task="xy", q0=curve.q[place], kind=kind)
            assert found.kind == kind
            assert found.converged
            assert np.abs(found.q - curve.q[place]).max() < 0.05
            assert np.isclose(volume(chang, found.q, XY), found.value, rtol=ROUNDING)
            extreme = curve.value.max() if kind == "maximum" else curve.value.min()
            assert abs(found.value - extreme) < 1e-3


def test_kinds_are_those_of_a_differenced_hessian():
    """Maxima, minima and saddles over two self-motions, by second differences of w along the task."""
    robot, target = planar(4), np.array([0.7, 0.3])
    starts = np.random.default_rng(3).uniform(-2.5, 2.5, size=(60, 4))
    found = redundancy.solve(robot, target, "xy", q0=starts, kind="stationary")
    assert set(found.kind[found.converged].tolist()) == {"maximum", "minimum", "saddle"}
    for q, kind in zip(found.q[found.converged], found.kind[found.converged], strict=True):
        N = null_space(task_jacobian(robot, q, XY))

        def w(a, b, q=q, N=N):
            moved = q + np.array([a, b]) @ N
            for _ in range(6):
                J = task_jacobian(robot, moved, XY)
                moved = moved - np.linalg.pinv(J) @ (robot.pose(moved)[:2, 3] - target)
            return volume(robot, moved, XY)

        d = 1e-3
        cross = (w(d, d) - w(d, -d) - w(-d, d) + w(-d, -d)) / 4
        twice = [w(d, 0) - 2 * w(0, 0) + w(-d, 0), w(0, d) - 2 * w(0, 0) + w(0, -d)]
        low, high = np.linalg.eigvalsh([[twice[0], cross], [cross, twice[1]]])
        assert kind == ("maximum" if high < 0 else "minimum" if low > 0 else "saddle")


def test_solver_leaves_the_wrong_extremum(chang):
    lowest = redundancy.solve(chang, VERTICES[2], task="xy", kind="minimum", q0=GUESS)
    found = redundancy.solve(chang, VERTICES[2], task="xy", kind="maximum", q0=lowest.q)
    assert found.kind == "maximum"
    assert found.value > lowest.value
    stays = redundancy.solve(chang, VERTICES[2], task="xy", kind="stationary", q0=lowest.q)
    assert stays.kind == "minimum"
    assert np.abs(stays.q - lowest.q).max() < ROUNDING


def test_global_maximum_of_a_planar_arm_is_found(chang):
    """Against a search over the angle of the last link, for which two links remain, in closed form."""
    x = VERTICES[1]

    def two_links(angle, elbow):
        wrist = x - 0.2 * np.array([np.sin(angle), np.cos(angle)])
        r = np.linalg.norm(wrist)
        cosine = (r * r - 0.6**2 - 0.85**2) / (2 * 0.6 * 0.85)
        if abs(cosine) > 1:
            return None
        second = elbow * np.arccos(cosine)
        first = np.arctan2(*wrist) - np.arctan2(0.85 * np.sin(second), 0.6 + 0.85 * np.cos(second))
        return np.array([first, second, angle - first - second])

    def lost(angle, elbow):
        q = two_links(angle, elbow)
        return 0.0 if q is None else -volume(chang, q, XY)

    grid = np.linspace(-np.pi, np.pi, 721)
    best = 0.0
    for elbow in (1, -1):
        k = min(range(len(grid)), key=lambda k: lost(grid[k], elbow))
        refined = minimize_scalar(lost, (grid[k] - 0.01, grid[k] + 0.01), args=(elbow,), tol=1e-10)
        best = max(best, -refined.fun)
    assert abs(redundancy.solve(chang, x, task="xy", starts=32).value - best) < PROMISED


def test_z_is_the_null_space_of_the_appendices():
    robot = cf.load("panda")
    q = robot.random_state(3)[0]
    at = redundancy.orthogonality(robot, q)
    J = task_jacobian(robot, q)
    assert np.abs(J @ at.Z.T).max() < SHORT_CHAIN
    cofactors = np.array([(-1) ** k * np.linalg.det(np.delete(J, k, axis=1)) for k in range(7)])
    other = at.others[0]
    assert np.allclose(at.Z[0], -cofactors / cofactors[other], rtol=PROMISED)  # (40)
    projected = (np.eye(7) - np.linalg.pinv(J) @ J) @ at.h
    assert np.allclose(at.Z.T @ np.linalg.solve(at.Z @ at.Z.T, at.Zh), projected, atol=ROUNDING)  # (45)
    assert np.allclose(at.h, gradient(lambda angles: volume(robot, angles), q), atol=PROMISED)


def test_pivots_survive_where_the_printed_choice_fails(chang):
    """With the tip on the line of the first link, the first two joints alone are singular, J is not."""
    second = 0.15
    q = np.array([0.4, second, np.pi + np.arcsin(0.85 * np.sin(second) / 0.2) - second])
    J = task_jacobian(chang, q, XY)
    assert abs(np.linalg.det(J[:, :2])) < ROUNDING
    assert np.linalg.cond(J) < 20
    at = redundancy.orthogonality(chang, q, task="xy")
    assert at.columns != (0, 1)
    assert np.abs(J @ at.Z.T).max() < SHORT_CHAIN
    assert np.abs(at.Z).max() < 2


def test_minpack_agrees(chang):
    for target, printed in zip(VERTICES, PRINTED, strict=True):
        q, success, evaluations = redundancy.hybrid(chang, target, "xy", q0=GUESS)
        assert success
        assert evaluations < 40
        assert np.abs(np.rad2deg(q) - printed).max() < PRINTED_DIGITS


def test_joints_at_limits_are_let_go_where_the_criterion_pulls_inside():
    robot = cf.load("iiwa14")
    q = robot.random_state(2, batch=100)[0]
    edge = q.copy()
    edge[:, 2] = robot.upper_limits[2]
    found = redundancy.solve(robot, robot.pose(edge), q0=edge)
    assert found.converged.all()
    assert 0.2 < found.held[:, 2].mean() < 0.98
    assert (found.q[:, 2] < robot.upper_limits[2] - 1e-6).any()


def test_several_limits_at_once():
    """Limits of 1.2 rad on every joint: one or two of the eight are held at nearly every optimum."""
    robot, limit = spatial(8), 1.2
    poses = robot.pose(np.random.default_rng(1).uniform(-limit, limit, size=(60, 8)))
    found = redundancy.solve(robot, poses, limits=(-limit, limit))
    assert found.converged.all()
    assert (found.held.sum(axis=-1) == 2).mean() > 0.3
    assert np.abs(found.q).max() == limit

    def w(angles):
        return volume(robot, angles)

    J = task_jacobian(robot, found.q)
    _stationary_over_free_joints(J, gradient(w, found.q), found.held, found.q == -limit)
    _lower_all_around(robot, found.q, found.held, J, w, slice(None), poses)


def test_answers_do_not_depend_on_the_company_they_keep():
    robot = cf.load("iiwa14")
    poses = robot.pose(robot.random_state(4, batch=12)[0])
    together = redundancy.solve(robot, poses.reshape(3, 4, 4, 4))
    assert together.q.shape == (3, 4, 7)
    assert together.kind.shape == together.converged.shape == together.task_error.shape == (3, 4)
    for k in range(3):
        alone = redundancy.solve(robot, poses[4 * k + 1])
        assert alone.q.shape == (7,)
        assert alone.kind == "maximum"
        assert np.abs(alone.q - together.q[k, 1]).max() < PROMISED


def test_repeatability_over_a_hundred_cycles_both_ways(chang):
    once = square(25)
    there = redundancy.follow(chang, np.concatenate([once[:1], *[once[1:]] * 100]), "xy", q0=GUESS)
    back = redundancy.follow(chang, np.concatenate([once[:1], *[once[-2::-1]] * 100]), "xy", q0=GUESS)
    period = len(once) - 1
    for path, reference in ((there, there.q[: period + 1]), (back, there.q[period::-1])):
        assert path.converged.all()
        assert path.jumps == ()
        cycles = path.q[1:].reshape(100, period, 3)
        assert np.rad2deg(np.abs(cycles - reference[1:]).max()) < ITERATED
