"""Programs too large for straight-line code are refused before they are built; huge ones are right."""

from __future__ import annotations

import sys

import casadi as ca
import numpy as np
import pytest

import closedform as cf
from closedform.forms import Form, Variant, form
from closedform.kernels import compiled, single_sample
from closedform.programs import size, trace


def chain(count: int, parents: list[int] | None = None) -> cf.Robot:
    """Return bodies in a row, or as `parents` say, on axes that are not parallel."""
    rng = np.random.default_rng(0)
    placements, screws = [], []
    for k in range(count):
        T = np.eye(4)
        T[:3, :3] = np.linalg.qr(rng.normal(size=(3, 3)))[0]
        T[:3, :3] *= np.sign(np.linalg.det(T[:3, :3]))
        T[:3, 3] = rng.uniform(-0.3, 0.3, 3)
        placements.append(T)
        screws.append(np.eye(6)[k % 3])
    inertial = cf.Inertial.of(1.0, (0.1, 0.05, 0.02), np.diag([0.1, 0.12, 0.13]))
    tree = {} if parents is None else {"parents": parents}
    return cf.Robot.from_screws(placements, screws, inertials=[inertial] * count, **tree)


def refuse(*_: object, **__: object) -> None:
    raise AssertionError("nothing should be built")


@pytest.fixture(scope="module")
def large() -> cf.Robot:
    """Return a chain of 700 bodies."""
    return chain(700)


@pytest.mark.parametrize(
    "name", ["mass_matrix", "forward_dynamics", "mass_matrix_dq", "regressor", "inverse_dynamics_derivatives"]
)
def test_a_form_beyond_the_limit_is_refused_before_it_is_built(
    name: str, large: cf.Robot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Form, "expression", refuse)
    says = rf"{name} of robot 'robot': .* limited to \d+; use a smaller robot"
    with pytest.raises(cf.ProgramSizeError, match=says):
        large.kernel(name)


def test_the_size_of_the_tree_counts_not_that_of_the_matrix(large: cf.Robot) -> None:
    star = chain(480, parents=[-1] * 480)
    size.check_size(form("mass_matrix"), star.model)
    size.check_size(form("forward_dynamics"), star.model)
    size.check_size(form("inverse_dynamics"), large.model)


@pytest.mark.parametrize(
    "name",
    [
        *sorted(set(size.PER_PAIR) - {"coriolis_matrix_ddot", "forward_dynamics_derivatives"}),
        "mass_matrix_dq",
    ],
)
def test_what_is_foreseen_is_near_what_is_built(name: str) -> None:
    robot = chain(6)
    built = trace(robot.model, name, closed=False).counts.total
    assert 1 / 3 < size.foreseen(form(name), robot.model) / built < 3


@pytest.mark.parametrize("order", [0, 2, 5])
@pytest.mark.parametrize("name", [name for name, it in cf.FORMS.items() if it.ordered])
def test_what_is_foreseen_of_a_family_is_near_what_is_built(name: str, order: int) -> None:
    robot = chain(4)
    built = trace(robot.model, name, Variant(order=order), closed=False).counts.total
    assert 1 / 3 < size.foreseen(form(name, order), robot.model) / built < 3


def test_what_is_foreseen_of_a_long_chain_is_near_what_is_built() -> None:
    robot = chain(60)
    built = trace(robot.model, "mass_matrix").counts.total
    assert 0.5 < size.foreseen(form("mass_matrix"), robot.model) / built < 2


def test_expressions_beyond_the_limit_are_refused_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules["closedform.programs.from_casadi"], "MAX_OPERATIONS", 10)
    x = ca.SX.sym("x", 20)
    with pytest.raises(cf.ProgramSizeError, match=r"squares: \d+ operations; .* limited to 10;"):
        compiled("squares", [("x", x)], [("y", x * x)])


@pytest.mark.parametrize("local", [0, single_sample.LOCAL_BYTES])
@pytest.mark.parametrize("name", ["mass_matrix", "inverse_dynamics"])
def test_single_samples_through_the_vector_code_are_the_same(
    name: str, local: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    robot = cf.load("spherical_pendulum")
    states = robot.random_state(0, batch=(3,))
    kernel = robot.kernel(name)
    arrays = states[: len(kernel.input_names)]
    expected = kernel(*arrays)
    monkeypatch.setenv("CLOSEDFORM_CACHE", "")
    monkeypatch.setattr("closedform.kernels.module.HUGE", 0)
    monkeypatch.setattr(single_sample, "LOCAL_BYTES", local)
    huge = cf.load("spherical_pendulum").kernel(name)
    np.testing.assert_allclose(huge(*arrays), expected, rtol=0, atol=1e-13)
    for k in range(3):
        sample = [array[k].copy() for array in arrays]
        np.testing.assert_allclose(huge.fast(*sample), expected[k], rtol=0, atol=1e-13)
        out = np.empty(kernel.output_shape)
        huge.bind(*sample, out=out)()
        np.testing.assert_allclose(out, expected[k], rtol=0, atol=1e-13)
