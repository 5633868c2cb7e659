"""Forms as CasADi functions: values, first and second derivatives, maps, C code, serialisation."""

from __future__ import annotations

from itertools import pairwise

import casadi as ca
import numpy as np
import pytest

import closedform as cf
from basic_forms import EVERYWHERE
from closedform.programs import evaluate, expressions, trace
from closedform.programs.program import Program
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


@pytest.mark.parametrize("name", ["scara", "spherical_pendulum"])
def test_values_names_and_shapes_are_those_of_the_forms(name):
    robot = cf.load(name)
    for form in EVERYWHERE:
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
    robot = random_tree(3, 4, ("revolute", "prismatic", "helical"))
    f = robot.casadi(form)
    assert f.is_a("MXFunction")
    check_derivatives(robot, f, trace(robot.model, form), SOLVE if form == "forward_dynamics" else ROUNDING)
