"""Robots with closed loops: closure, minimal coordinates and every derivative, as claims."""

from __future__ import annotations

import pickle
from dataclasses import replace
from functools import cache
from itertools import pairwise

import casadi as ca
import numpy as np
import pytest

import closedform as cf
from closedform.description.loop import LOOP_KINDS
from closedform.forms.tree import Tree
from closedform.loops import AssemblyError, cut_joints
from closedform.loops.linear import BlockSystem
from closedform.loops.numbers import ClosureNumbers
from closedform.programs import Program, evaluate
from oracles.mechanisms import bars, five_bar, four_bar, gough_stewart
from tolerances import DIFFERENCE, ITERATED, ROUNDING, SOLVE, worst

CHAIN = [("1", "base", 0.0, 1.0, 1.0), ("2", "b1", 1.0, 1.0, 1.0), ("3", "b2", 1.0, 1.0, 1.0)]

MECHANISMS = {
    "four-bar by formula": four_bar,
    "four-bar by search": lambda: searched(four_bar()),
    "five-bar": five_bar,
    "five-bar driven at its couplers": lambda: five_bar(["2", "4"]),
    "five-bar with three drives": lambda: five_bar(["1", "2", "3"]),
    "coupled arm": lambda: bars("chain", CHAIN).with_loops(
        [cf.JointCoupling("3", "1", (0.1, 0.4, -0.3, 0.2))]
    ),
    "platform by its legs": gough_stewart,
    "platform by its pose": lambda: gough_stewart("platform"),
}
SMALL = [name for name in MECHANISMS if "platform" not in name]
FEW = ["four-bar by search", "five-bar with three drives", "coupled arm"]


def searched(closed: cf.ClosedRobot) -> cf.ClosedRobot:
    """Return a mechanism whose formulas are not used."""
    return cf.ClosedRobot(replace(closed.model, dyads=()))


@cache
def mechanism(name: str) -> cf.ClosedRobot:
    return MECHANISMS[name]()


@cache
def motion(name: str) -> tuple[np.ndarray, ...]:
    """Return q (or coordinates of all joints, if no formula gives them), qd, qdd, ... of some states."""
    closed = mechanism(name)
    q, *rates = closed.random_state(7, batch=4, order=4)
    return (q if closed.model.explicit else closed.assemble(q), *rates)


@cache
def program(name: str, form: str, **options) -> Program:
    """Return the program of a form, traced once."""
    return mechanism(name).program(form, **options)


def value(name: str, form: str, *given, **options):
    """Return a form without compiling it."""
    return evaluate(program(name, form, **options), *(given or motion(name)))


def at(name: str, form: str, count: int, **options):
    return value(name, form, *motion(name)[:count], **options)


def moved(name: str, s: float) -> tuple[np.ndarray, ...]:
    """Return the states a time s later, of motions that are polynomials of the independent coordinates."""
    closed = mechanism(name)
    x, *rates = motion(name)
    q = x if closed.model.explicit else x[:, list(closed.model.iq)]
    powers = [s**k / np.prod(range(1, k + 1)) for k in range(5)]
    later = q + sum(powers[k + 1] * rate for k, rate in enumerate(rates))
    after = [sum(powers[k - j] * rates[k] for k in range(j, 4)) for j in range(4)]
    return (later if closed.model.explicit else closed.assemble(later, near=x), *after)


def rate(name: str, form: str, count: int, **options) -> np.ndarray:
    """Return the time derivative of a form along the motion by central differences of eighth order."""
    weights = {1: 4 / 5, 2: -1 / 5, 3: 4 / 105, 4: -1 / 280}
    h = 2e-3
    total = 0.0
    for k, weight in weights.items():
        ahead, behind = (value(name, form, *moved(name, s * k * h)[:count], **options) for s in (1, -1))
        total = total + weight * (np.array(ahead) - np.array(behind)) / h
    return total


@pytest.mark.parametrize("name", MECHANISMS)
def test_assembled_loops_are_closed_to_round_off(name):
    closed = mechanism(name)
    q = closed.random_state(1, batch=(3, 4))[0]
    x = closed.assemble(q)
    assert x.shape == (3, 4, closed.tree.nq)
    assert (closed.closure_residual(x) < ROUNDING).all()
    assert np.array_equal(x[..., list(closed.model.iq)], q)
    numbers = ClosureNumbers(Tree.of(closed.model.tree), closed.loops)
    assert max(np.linalg.norm(numbers.residual(each)) for each in x.reshape(-1, closed.tree.nq)) < ROUNDING


def apart(x: np.ndarray, y: np.ndarray) -> float:
    """Return the largest difference of angles, whole turns apart."""
    return float(np.abs(np.angle(np.exp(1j * (x - y)))).max())


def test_a_formula_and_a_search_find_the_same_posture():
    q = np.linspace(-3, 3, 25)[:, None]
    assert apart(four_bar().assemble(q), searched(four_bar()).assemble(q)) < ITERATED


@pytest.mark.parametrize("kind", LOOP_KINDS)
def test_rows_are_rates_of_what_they_hold(kind):
    arm = cf.load("iiwa14").with_frame("b", "link7", (0.1, 0, 0.2))
    q0, goal = arm.random_state(3, batch=2)[0]
    robot = arm.with_frame("a", "base", arm.pose(goal, "b"))
    loop = cf.Loop("a", "b", kind, 0.4 if kind == "distance" else None)
    tree = Tree.of(robot.model)
    numbers = ClosureNumbers(tree, [loop])
    x, gap = numbers.closed(goal + 0.3 * (q0 - goal))
    assert gap < ITERATED
    v, vd = np.random.default_rng(4).normal(size=(2, robot.nv))
    q, rates = ca.SX.sym("q", robot.nq), [ca.SX.sym(name, robot.nv) for name in ("v", "vd")]
    f = ca.Function("f", [q, *rates], [ca.densify(each) for each in cut_joints.rates(tree, q, rates, loop)])
    B, Bd, Bdd = (np.array(each) for each in f(x, v, vd))
    h = 1e-5
    there = [numbers.residual(x + s * h * v) for s in (1, -1)]
    assert worst(B @ v, (there[0] - there[1]) / (2 * h), 1.0) < DIFFERENCE

    def later(s: float) -> list[np.ndarray]:
        return [np.array(each) for each in f(x + s * v + s**2 / 2 * vd, v + s * vd, vd)]

    assert worst(Bd, (later(h)[0] - later(-h)[0]) / (2 * h), 1.0) < DIFFERENCE
    assert worst(Bdd, (later(h)[1] - later(-h)[1]) / (2 * h), 1.0) < DIFFERENCE


@pytest.mark.parametrize("name", MECHANISMS)
def test_all_joints_move_as_their_coordinates_change(name):
    closed = mechanism(name)
    if closed.tree.nq != closed.tree.nv:
        pytest.skip("quaternions are no velocities")

    def places(s: float) -> np.ndarray:
        x = moved(name, s)[0]
        return closed.assemble(x) if closed.model.explicit else x

    h = 1e-4
    v = at(name, "joint_velocities", 2)
    assert worst(v, (places(h) - places(-h)) / (2 * h)) < DIFFERENCE


@pytest.mark.parametrize("name", MECHANISMS)
def test_mass_matrix_is_that_of_the_kinetic_energy(name):
    closed, qd = mechanism(name), motion(name)[1]
    M = at(name, "mass_matrix", 1)
    assert worst(M, np.swapaxes(M, 1, 2)) == 0
    assert (np.linalg.eigvalsh(M) > 0).all()
    x = closed.assemble(motion(name)[0]) if closed.model.explicit else motion(name)[0]
    energy = evaluate(closed.tree.program("kinetic_energy"), x, at(name, "joint_velocities", 2))
    assert worst(0.5 * np.einsum("bi,bij,bj->b", qd, M, qd), energy) < ROUNDING
    assert worst(at(name, "kinetic_energy", 2), energy) < ROUNDING


@pytest.mark.parametrize("name", MECHANISMS)
def test_mdot_minus_2c_is_skew_and_the_torques_are_their_sum(name):
    _, qd, qdd, *_ = motion(name)
    M, C, g = at(name, "mass_matrix", 1), at(name, "coriolis_matrix", 2), at(name, "gravity_torque", 1)
    S = at(name, "mass_matrix_dot", 2) - 2 * C
    assert worst(S, -np.swapaxes(S, 1, 2), np.abs(C).max()) < ROUNDING
    forces = np.einsum("bij,bj->bi", M, qdd) + np.einsum("bij,bj->bi", C, qd) + g
    tau, A = at(name, "inverse_dynamics", 3), at(name, "actuation_matrix", 1)
    assert worst(np.einsum("bui,bu->bi", A, tau), forces) < ROUNDING
    assert worst(value(name, "forward_dynamics", *motion(name)[:2], tau), qdd) < SOLVE


@pytest.mark.parametrize("name", SMALL)
def test_the_power_of_the_drives_changes_the_energy(name):
    tau, A, qd = at(name, "inverse_dynamics", 3), at(name, "actuation_matrix", 1), motion(name)[1]
    power = np.einsum("bu,bui,bi->b", tau, A, qd)
    change = rate(name, "kinetic_energy", 2) + rate(name, "potential_energy", 1)
    assert worst(power, change) < HALF


HALF = 1e-8
"""Eighth-order differences with steps of 2 ms: truncation 1e-22 times ninth derivatives, round-off 1e-12."""


@pytest.mark.parametrize("name", FEW)
@pytest.mark.parametrize(
    ("form", "count", "below", "lower"),
    [
        ("mass_matrix_dot", 2, "mass_matrix", 1),
        ("mass_matrix_ddot", 3, "mass_matrix_dot", 2),
        ("coriolis_matrix_dot", 3, "coriolis_matrix", 2),
        ("coriolis_matrix_ddot", 4, "coriolis_matrix_dot", 3),
        ("gravity_torque_dot", 2, "gravity_torque", 1),
        ("gravity_torque_ddot", 3, "gravity_torque_dot", 2),
        ("jacobian_dot", 2, "jacobian", 1),
        ("jacobian_ddot", 3, "jacobian_dot", 2),
        ("joint_accelerations", 3, "joint_velocities", 2),
    ],
)
def test_time_derivatives_are_rates(name, form, count, below, lower):
    assert worst(at(name, form, count), rate(name, below, lower), 1.0) < HALF


@pytest.mark.parametrize("name", FEW)
def test_rates_of_inverse_dynamics_are_rates(name):
    tau, tau_d, tau_dd = at(name, "inverse_dynamics_rates", 5)
    assert worst(tau, at(name, "inverse_dynamics", 3)) < ROUNDING
    assert worst(tau_d, rate(name, "inverse_dynamics", 3)) < HALF
    first = rate(name, "inverse_dynamics_rates", 4, order=1)[1]
    assert worst(tau_dd, first) < HALF


@pytest.mark.parametrize("name", FEW)
def test_state_derivatives_are_differences(name):
    closed = mechanism(name)
    x, qd, qdd = motion(name)[:3]
    q = x if closed.model.explicit else x[:, list(closed.model.iq)]
    tau = at(name, "inverse_dynamics", 3)
    h = 1e-5

    def place(step: np.ndarray) -> np.ndarray:
        return q + step if closed.model.explicit else closed.assemble(q + step, near=x)

    def slopes(form: str, last: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        by_q, by_qd = [], []
        for step in h * np.eye(closed.nv):
            ends = [value(name, form, place(s * step), qd, last) for s in (1, -1)]
            by_q.append((ends[0] - ends[1]) / (2 * h))
            ends = [value(name, form, x, qd + s * step, last) for s in (1, -1)]
            by_qd.append((ends[0] - ends[1]) / (2 * h))
        return np.stack(by_q, -1), np.stack(by_qd, -1)

    for form, last in (("inverse_dynamics", qdd), ("forward_dynamics", tau)):
        found = value(name, f"{form}_derivatives", x, qd, last)
        by_q, by_qd = slopes(form, last)
        assert worst(found[0], by_q) < DIFFERENCE, form
        assert worst(found[1], by_qd) < DIFFERENCE, form
    M, A = at(name, "mass_matrix", 1), at(name, "actuation_matrix", 1)
    assert worst(np.einsum("bij,bju->biu", M, found[2]), np.swapaxes(A, 1, 2)) < SOLVE


@pytest.mark.parametrize("name", SMALL)
def test_tensors_of_state_derivatives_give_rates(name):
    qd = motion(name)[1]
    M_dq = at(name, "mass_matrix_dq", 1)
    assert worst(M_dq @ qd[:, None, :, None], at(name, "mass_matrix_dot", 2)[..., None]) < ROUNDING
    C_dqd = at(name, "coriolis_matrix_dqd", 2)
    assert worst(C_dqd @ qd[:, None, :, None], at(name, "coriolis_matrix", 2)[..., None], 1.0) < ROUNDING
    g_dq = at(name, "gravity_torque_dq", 1)
    assert worst(g_dq @ qd[..., None], at(name, "gravity_torque_dot", 2)[..., None]) < ROUNDING
    assert worst(g_dq, np.swapaxes(g_dq, 1, 2)) < ROUNDING


@pytest.mark.parametrize("name", SMALL)
def test_everything_is_linear_in_phi(name):
    phi = mechanism(name).phi
    _, qd, qdd, *_ = motion(name)
    for form, count, below in (
        ("regressor", 3, "inverse_dynamics"),
        ("mass_matrix_dphi", 1, "mass_matrix"),
        ("coriolis_matrix_dphi", 2, "coriolis_matrix"),
        ("gravity_torque_dphi", 1, "gravity_torque"),
        ("kinetic_energy_regressor", 2, "kinetic_energy"),
        ("potential_energy_regressor", 1, "potential_energy"),
    ):
        assert worst(at(name, form, count) @ phi, at(name, below, count), 1.0) < ROUNDING, form
    Y = value(name, "slotine_li_regressor", *motion(name)[:2], qdd, qd)
    M, C, g = at(name, "mass_matrix", 1), at(name, "coriolis_matrix", 2), at(name, "gravity_torque", 1)
    assert worst(Y @ phi, (M @ qd[..., None] + C @ qdd[..., None])[..., 0] + g) < ROUNDING


@pytest.mark.parametrize("name", ["four-bar by search", "five-bar with three drives", "platform by its legs"])
def test_constraint_forces_complete_the_equations_of_the_tree(name):
    closed = mechanism(name)
    x = closed.assemble(motion(name)[0]) if closed.model.explicit else motion(name)[0]
    v, vd = at(name, "joint_velocities", 2), at(name, "joint_accelerations", 3)
    tau = evaluate(closed.tree.program("inverse_dynamics"), x, v, vd)
    driven = np.zeros_like(tau)
    driven[:, list(closed.model.av)] = at(name, "inverse_dynamics", 3)
    numbers = ClosureNumbers(Tree.of(closed.model.tree), closed.loops)
    forces = at(name, "constraint_forces", 3)
    for k in range(len(x)):
        B = numbers.rows(x[k])[list(closed.model.rows)]
        assert worst(driven[k] + B.T @ forces[k], tau[k]) < ROUNDING


def test_redundant_drives_share_the_load_with_least_norm():
    name = "five-bar with three drives"
    tau, A, N = (
        at(name, "inverse_dynamics", 3),
        at(name, "actuation_matrix", 1),
        at(name, "actuation_nullspace", 1),
    )
    assert worst(np.einsum("bui,bue->bie", A, N), 0 * A[:, :1, :1], 1.0) < ROUNDING
    assert worst(np.einsum("bu,bue->be", tau, N), 0 * N[:, 0], np.abs(tau).max()) < ROUNDING
    with pytest.raises(cf.ClosedFormError, match="as many actuators"):
        four_bar().actuation_nullspace([1.0])


def test_wrenches_and_friction_act_through_the_loops():
    closed = four_bar()
    q, qd, qdd = closed.random_state(5, batch=3)
    W = np.random.default_rng(6).normal(size=(3, 3, 6))
    free, loaded = closed.inverse_dynamics(q, qd, qdd), closed.inverse_dynamics(q, qd, qdd, wrenches=W)
    assert worst(free - loaded, closed.external_torque(q, W)) < ROUNDING
    x, v = closed.assemble(q), closed.joint_velocities(q, qd)
    power = np.einsum("bi,bi->b", closed.tree.external_torque(x, W), v)
    assert worst((closed.external_torque(q, W) * qd)[:, 0], power) < ROUNDING
    rubbing = cf.ClosedRobot(
        replace(closed.model, tree=closed.tree.with_friction(0.3).with_damping(0.2).model)
    )
    lost = (rubbing.drive_torque(q, qd, qdd) - free) * qd
    assert worst(lost[:, 0], (0.3 * np.abs(v) + 0.2 * v**2).sum(axis=1)) < ROUNDING


def test_a_planar_mechanism_in_space_is_closed_by_rank():
    ball, hinge = four_bar("ball"), four_bar("hinge")
    assert len(ball.model.rows) == len(hinge.model.rows) == 2
    q, qd, qdd = ball.random_state(8, batch=4)
    assert worst(ball.inverse_dynamics(q, qd, qdd), hinge.inverse_dynamics(q, qd, qdd)) < ROUNDING


def test_a_motion_keeps_its_energy_and_its_loops():
    closed = four_bar()
    run = closed.simulate([1.0], [1.0], duration=10.0, step=1e-3)
    energy = run.energy
    assert np.abs(energy - energy[0]).max() < 1e-8 * run.kinetic_energy.max()
    assert run.closure_residual.max() < ROUNDING
    assert apart(closed.assemble(run.q), run.q_all) < ITERATED


def test_a_law_is_asked_once_a_step():
    closed = five_bar()
    goal = closed.neutral()
    run = closed.simulate(
        goal + 0.1,
        law=lambda t, q, qd: closed.gravity_torque(q) - 40 * (q - goal) - 12 * qd,
        duration=4.0,
        step=4e-3,
    )
    assert worst(run.q[-1], goal) < 1e-3
    assert run.tau.shape == (1001, 2)


def test_methods_take_batches_out_float32_names_and_all_coordinates():
    closed = searched(five_bar())
    q, qd, qdd = closed.random_state(9, batch=(2, 3))
    tau = closed.inverse_dynamics(q, qd, qdd)
    x = closed.assemble(q)
    assert np.array_equal(closed.inverse_dynamics(x, qd, qdd), tau)
    assert np.array_equal(closed.inverse_dynamics(qdd=qdd, q=q, qd=qd), tau)
    out = np.empty_like(tau)
    assert closed.inverse_dynamics(q, qd, qdd, out=out) is out
    assert np.array_equal(out, tau)
    again = pickle.loads(pickle.dumps(closed))
    assert np.array_equal(again.inverse_dynamics(q, qd, qdd), tau)
    assert closed.inverse_dynamics(*(each.astype(np.float32) for each in (q, qd, qdd))).dtype == np.float32
    by_formula = five_bar()
    short = by_formula.inverse_dynamics(*(each.astype(np.float32) for each in (q, qd, qdd)))
    assert short.dtype == np.float32
    assert worst(short, tau) < 1e-4
    assert by_formula.pose(q, "e2").shape == (2, 3, 4, 4)


def test_equations_and_source_code_say_the_same(tmp_path):
    closed = five_bar()
    q, qd, qdd = closed.random_state(12)
    (path,) = closed.export("inverse_dynamics", "numpy", tmp_path)
    there: dict = {}
    exec(path.read_text(), there)
    written = there["five_bar_inverse_dynamics"](q, qd, qdd)
    assert worst(written, closed.inverse_dynamics(q, qd, qdd)) < ROUNDING
    x = closed.assemble(q)
    equations = closed.equations("joint_velocities").matrix
    symbols = {str(each): each for each in equations.free_symbols}
    values = {f"q{k + 1}": x[k] for k in range(4)} | {"qd1": qd[0], "qd2": qd[1]}
    found = equations.subs({symbols[name]: value for name, value in values.items() if name in symbols})
    assert worst(np.array(found, dtype=float).ravel(), closed.joint_velocities(q, qd)) < ITERATED


def test_phi_can_be_an_input():
    closed = five_bar()
    q, qd, qdd = closed.random_state(10, batch=2)
    kernel = closed.kernel("inverse_dynamics", phi=True)
    assert worst(kernel(q, qd, qdd, closed.phi), closed.inverse_dynamics(q, qd, qdd)) < ROUNDING


@pytest.mark.parametrize("lower", [True, False])
def test_square_systems_are_solved_whatever_their_pivots_and_blocks(lower):
    rng = np.random.default_rng(11)
    A = rng.normal(size=(9, 9))
    A[np.diag_indices(9)] = 0
    ends = [0, 1, 3, 7, 9]
    for start, stop in pairwise(ends):  # a block is full but for its diagonal, one entry is kept
        A[start:stop, stop:] = 0
        A[start, start] = 1.0
    A[4:, 1] = 0
    A = (A if lower else A.T)[rng.permutation(9)][:, rng.permutation(9)]
    B = rng.normal(size=(9, 2))
    system = BlockSystem(ca.SX(ca.sparsify(ca.DM(A))))
    assert len(system.blocks) > 1
    assert worst(np.array(ca.evalf(system.solve(ca.SX(B)))), np.linalg.solve(A, B)) < ITERATED
    assert worst(np.array(ca.evalf(system.solve_transposed(ca.SX(B)))), np.linalg.solve(A.T, B)) < ITERATED


LONG = [("1", "base", 0.0, 1.0, 1.0), ("2", "b1", 1.0, 1.0, 1.0), ("3", "base", 9.0, 1.0, 1.0)]


@pytest.mark.parametrize(
    ("loops", "options", "kind", "message"),
    [
        ([], {}, cf.ArgumentError, "no loops"),
        ([cf.Loop("e2", "nowhere")], {}, cf.UnknownNameError, "nowhere"),
        ([cf.Loop("e2", "e3"), cf.Loop("e2", "e3")], {}, cf.ArgumentError, "there twice"),
        ([cf.Loop("e2", "b2")], {}, cf.ArgumentError, "both frames of 'e2-b2' are fixed to body 'b2'"),
        ([cf.Loop("e2", "e3")], {"independent": ["1", "2"]}, cf.ArgumentError, "1 degree"),
        ([cf.Loop("e2", "e3")], {"independent": ["elbow"]}, cf.UnknownNameError, "elbow"),
        ([cf.Loop("e2", "e3")], {"near": [0.0, 0.0]}, cf.ArgumentError, "near has shape"),
        (
            [cf.JointCoupling("2", "1"), cf.JointCoupling("3", "1"), cf.JointCoupling("1", "3", (0.3, 2.0))],
            {},
            cf.ClosedFormError,
            "nothing can move",
        ),
        ([cf.JointCoupling("2", "elbow")], {}, cf.UnknownNameError, "elbow"),
    ],
)
def test_loops_that_make_no_sense_are_named(loops, options, kind, message):
    with pytest.raises(kind, match=message):
        four_bar().tree.with_loops(loops, **options)


def test_loops_that_cannot_be_assembled_say_how_far_they_stay_open():
    with pytest.raises(AssemblyError, match=r"'e2-e3' stays 6 "):
        bars("apart", LONG).with_loops([cf.Loop("e2", "e3", "ball")])
    closed = five_bar()
    with pytest.raises(AssemblyError, match=r"cannot be assembled: loop 'e2-e4' stays"):
        closed.assemble([3.0, 0.0])
    with pytest.warns(cf.ModelWarning, match="1 of 2 samples are NaN"):
        x = closed.assemble([[3.0, 0.0], closed.neutral()])
    assert np.isnan(x[0]).any()
    assert np.isfinite(x[1]).all()


def test_singular_postures_and_open_loops_are_refused():
    square = [("1", "base", 0.0, 1.0, 1.0), ("2", "b1", 1.0, 2.0, 1.0), ("3", "base", 2.0, 1.0, 1.0)]
    tree = bars("square", square)
    with pytest.raises(cf.ClosedFormError, match="singular"):
        tree.with_loops([cf.Loop("e2", "e3", "ball")], near=[0.0, 0.0, 0.0])
    with pytest.raises(cf.ArgumentError, match="loops are open"):
        searched(four_bar()).mass_matrix([0.3, 0.2, 0.1])
    with pytest.raises(cf.ArgumentError, match="expected"):
        searched(four_bar()).mass_matrix([0.3, 0.2])
