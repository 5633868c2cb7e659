"""Forms as CasADi functions: values, first and second derivatives, maps, C code, serialisation."""

from __future__ import annotations

import pickle
import shutil
import subprocess
from itertools import pairwise
from pathlib import Path

import casadi as ca
import numpy as np
import pytest

import closedform as cf
from basic_forms import EVERYWHERE
from closedform.forms import Variant
from closedform.programs import evaluate, expressions, trace
from closedform.programs.program import Program
from oracles.casadi_recursions import compact
from oracles.random_trees import random_tree
from tolerances import ROUNDING, SOLVE, worst

CLOSED = (
    "center_of_mass",
    "com_jacobian",
    "coriolis_matrix",
    "dynamic_matrices",
    "external_torque",
    "forward_dynamics",
    "gravity_torque",
    "inverse_dynamics",
    "jacobian",
    "jacobian_dot",
    "mass_matrix",
    "potential_energy",
)
"""Forms whose derivatives by q are in the catalogue."""


def arrays(robot, traced: Program, seed: int = 0) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    (q,) = robot.random_state(rng, order=0)
    return [q if name == "q" else rng.normal(size=shape) for name, shape in traced.inputs]


def matrix(x: np.ndarray) -> np.ndarray:
    """Return an array as a CasADi matrix: rows are all axes but the last."""
    return np.reshape(x, (-1, 1) if x.ndim < 2 else (-1, x.shape[-1]))


def plain(traced: Program) -> ca.Function:
    """Return what CasADi makes of the expressions by itself, entries row by row."""
    symbols, results = expressions(traced)
    return ca.Function("plain", [ca.vertcat(*symbols)], [ca.vertcat(*results)])


def row_major(shapes) -> list[int]:
    """Return where row-major entries of arrays are among the column-major ones of matrices."""
    found, start = [], 0
    for _, shape in shapes:
        places = matrix(np.zeros(shape))
        rows, columns = places.shape
        found += (start + np.arange(rows * columns).reshape(columns, rows).T.ravel()).tolist()
        start += rows * columns
    return found


def in_a_graph(f: ca.Function) -> tuple[ca.MX, ca.MX]:
    """Return all inputs as a column and all outputs as a column, of a call in an MX graph."""
    x = ca.MX.sym("x", sum(f.numel_in(k) for k in range(f.n_in())))
    starts = np.cumsum([0, *(f.numel_in(k) for k in range(f.n_in()))]).tolist()
    given = [ca.reshape(x[a:b], *f.size_in(k)) for k, (a, b) in enumerate(pairwise(starts))]
    return x, ca.veccat(*f.call(given))


def check_derivatives(robot, f: ca.Function, traced: Program, bound: float) -> None:
    """Compare J, and the Hessian of a weighted sum of the outputs, with CasADi's own of the expressions."""
    inputs = arrays(robot, traced)
    columns, rows = row_major(traced.inputs), row_major(traced.outputs)
    flat = np.concatenate([each.ravel() for each in inputs])
    point = np.empty(len(flat))
    point[columns] = flat
    x, y = in_a_graph(f)
    J = np.array(ca.Function("J", [x], [ca.jacobian(y, x)])(point))[rows][:, columns]
    reference = plain(traced)
    s = ca.SX.sym("s", len(flat))
    z = reference(s)
    assert worst(J, ca.Function("J", [s], [ca.jacobian(z, s)])(flat)) < bound
    w = np.random.default_rng(1).normal(size=len(rows))
    v = np.empty(len(w))
    v[rows] = w
    H = np.array(ca.Function("H", [x], [ca.hessian(ca.dot(v, y), x)[0]])(point))[columns][:, columns]
    exact = np.array(ca.Function("H", [s], [ca.hessian(ca.dot(w, z), s)[0]])(flat))
    assert worst(H, exact) < bound


@pytest.mark.parametrize(("name", "forms"), [("2r", CLOSED), ("spherical_pendulum", EVERYWHERE)])
def test_values_names_and_shapes_are_those_of_the_forms(name, forms):
    robot = cf.load(name)
    for form in forms:
        traced = trace(robot.model, form)
        f = robot.casadi(form)
        assert f.name_in() == [each for each, _ in traced.inputs]
        assert f.name_out() == [each for each, _ in traced.outputs]
        given = arrays(robot, traced)
        expected = evaluate(traced, *given)
        expected = expected if isinstance(expected, tuple) else (expected,)
        for mine, exact in zip(f.call([matrix(each) for each in given]), expected, strict=True):
            assert mine.shape == matrix(exact).shape, form
            assert worst(np.array(mine), matrix(exact)) < ROUNDING, form


@pytest.mark.parametrize("form", CLOSED)
def test_derivatives_are_those_of_the_expression(form):
    """Closed forms against CasADi's differentiation, on a tree with oblique axes, screws and slides."""
    robot = random_tree(3, 3, ("revolute", "prismatic", "helical"))
    f = robot.casadi(form)
    check_derivatives(robot, f, trace(robot.model, form), SOLVE if form == "forward_dynamics" else ROUNDING)


CHOICES = [
    ("inverse_dynamics", {"friction": True, "springs": True, "wrenches": True}),
    ("inverse_dynamics", {"wrenches": ("tip",), "reference": "world"}),
    ("inverse_dynamics", {"phi": True}),
    ("inverse_dynamics", {"geometry": True}),
    ("forward_dynamics", {"friction": True, "springs": True}),
    ("forward_dynamics", {"wrenches": True}),
    ("mass_matrix", {"phi": True}),
    ("potential_energy", {"phi": True}),
    ("potential_energy", {"springs": True}),
    ("coriolis_matrix", {"factorisation": "garofalo"}),
    ("jacobian", {"frame": "tip", "reference": "world"}),
    ("jacobian_rates", {"frame": "tip", "order": 1}),
]


@pytest.mark.parametrize(("form", "chosen"), CHOICES)
def test_derivatives_of_variants_are_those_of_the_expression(form, chosen):
    robot = random_tree(5, 2, ("revolute", "prismatic")).with_damping(0.2).with_springs(3.0, rest=0.1)
    robot = robot.with_frame("tip", robot.body_names[-1], (0.1, 0.2, 0.3))
    traced = trace(robot.model, form, Variant(**chosen))
    bound = SOLVE if form == "forward_dynamics" else ROUNDING
    check_derivatives(robot, robot.casadi(form, **chosen), traced, bound)


def test_jacobians_of_an_arm_are_the_closed_forms():
    """Entry by entry against the forms, which CasADi did not differentiate."""
    robot = cf.load("panda")
    q, qd, qdd = robot.random_state(0)
    J = robot.casadi("inverse_dynamics").jacobian()(q, qd, qdd, 0)
    exact = [*evaluate(trace(robot.model, "inverse_dynamics_derivatives"), q, qd, qdd)]
    exact.append(evaluate(trace(robot.model, "mass_matrix"), q))
    for mine, each in zip(J, exact, strict=True):
        assert worst(np.array(mine), each) < ROUNDING
    f = robot.casadi("mass_matrix")
    tensor = evaluate(trace(robot.model, "mass_matrix_dq"), q)
    mine = np.array(f.jacobian()(q, 0))
    assert worst(mine.reshape(7, 7, 7), tensor.transpose(1, 0, 2)) < ROUNDING


@pytest.mark.parametrize("name", ["scara", "ur5"])
@pytest.mark.parametrize("form", ["inverse_dynamics", "mass_matrix"])
def test_derivatives_cost_no_more_than_those_of_casadi(name, form):
    """Closed forms win on arms with oblique axes, CasADi on the SCARA: the cheaper one is taken."""
    robot = cf.load(name)
    closed, traced = robot.casadi(form), robot.program(form)
    symbols, results = expressions(traced)
    own = ca.Function("own", symbols, results)
    assert closed.jacobian().n_instructions() <= own.jacobian().n_instructions()
    if name == "ur5":  # the SCARA's second derivatives are a dozen operations
        assert closed.reverse(1).jacobian().n_instructions() < own.reverse(1).jacobian().n_instructions()


def test_joints_of_several_dofs_are_left_to_casadi():
    """Forms that end in _dq are along joint velocities; CasADi's are by the entries of a quaternion."""
    robot = cf.load("spherical_pendulum")
    f = robot.casadi("inverse_dynamics")
    assert f.jacobian().size_out(0) == (3, 4)
    check_derivatives(robot, f, trace(robot.model, "inverse_dynamics"), ROUNDING)


def test_flexible_arms_and_elastic_joints_have_them_too():
    arm = cf.FlexibleArm([cf.FlexibleLink(1.0, 0.5, 2.0, modes=1)], payload=(0.1, 0.0))
    q = np.array([0.3, 0.01])
    assert worst(np.array(arm.casadi("mass_matrix")(q)), arm.mass_matrix(q)) < ROUNDING
    springy = cf.ElasticJointRobot(cf.load("2r"), 1e3, 0.1, 1.0)
    f = springy.casadi("forward_dynamics")
    assert f.name_out() == ["qdd", "thetadd"]
    state = np.random.default_rng(0).normal(size=(5, 2))
    for mine, exact in zip(f(*state), springy.forward_dynamics(*state), strict=True):
        assert worst(np.array(mine).ravel(), exact) < ROUNDING


def test_maps_copies_and_expressions_keep_values_and_derivatives():
    robot = cf.load("2r")
    f = robot.casadi("inverse_dynamics")
    state = [each.T for each in robot.random_state(0, batch=3)]
    x = ca.MX.sym("x", 6)
    mapped = f.map(3)(ca.reshape(x, 2, 3), *state[1:])
    J = np.array(ca.Function("J", [x], [ca.jacobian(ca.vec(mapped), x)])(ca.vec(ca.DM(state[0]))))
    dq = robot.inverse_dynamics_dq(*(each.T for each in state))
    for k, exact in enumerate(dq):
        assert worst(J[2 * k : 2 * k + 2, 2 * k : 2 * k + 2], exact) < ROUNDING
    assert np.count_nonzero(J) <= 12
    for copy in (ca.Function.deserialize(f.serialize()), pickle.loads(pickle.dumps(f))):
        one = [each[:, 0] for each in state]
        assert worst(np.array(copy(*one)), np.array(f(*one))) < ROUNDING
        assert copy.jacobian().n_instructions() == f.jacobian().n_instructions()
    symbol = ca.SX.sym("q", 2)
    assert ca.Function("g", [symbol], [f(symbol, 0, 0)]).is_a("SXFunction")


@pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler")
def test_generated_code_has_the_closed_derivatives(tmp_path, monkeypatch):
    """CasADi writes C for the function and its Jacobian; what the compiler makes of it is the same."""
    monkeypatch.chdir(tmp_path)
    robot = cf.load("2r")
    f = robot.casadi("forward_dynamics")
    generator = ca.CodeGenerator("forward.c")
    generator.add(f)
    generator.add(f.jacobian())
    generator.generate()
    subprocess.run(["cc", "-shared", "-fPIC", "forward.c", "-o", "forward.so", "-lm"], check=True)
    state = robot.random_state(0)
    library = str(Path("forward.so").resolve())
    outside = ca.external("forward_dynamics", library)
    assert worst(np.array(outside(*state)), np.array(f(*state))) < ROUNDING
    for mine, exact in zip(outside.jacobian()(*state, 0), f.jacobian()(*state, 0), strict=True):
        assert worst(np.array(mine), np.array(exact)) < ROUNDING


def test_a_robot_that_cannot_move_is_refused():
    still = cf.load("2r").locked(["joint1", "joint2"])
    with pytest.raises(cf.ClosedFormError, match="no joint of"):
        still.casadi("pose")


def test_the_recursion_of_the_bench_is_inverse_dynamics(tmp_path):
    pin = pytest.importorskip("pinocchio")
    robot = cf.load("panda")
    model = pin.buildModelFromUrdf(str(robot.to_urdf(tmp_path / "panda.urdf")))
    state = robot.random_state(0)
    exact = evaluate(trace(robot.model, "inverse_dynamics"), *state)
    assert worst(np.array(compact(model)(*state)).ravel(), exact) < ROUNDING
