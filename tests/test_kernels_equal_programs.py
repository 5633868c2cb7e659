"""Machine code gives what the program says, for every form, robot and precision."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

import closedform as cf
from basic_forms import BASIC, EVERYWHERE
from closedform.kernels.fastest_order import fastest_code
from closedform.programs import evaluate
from conftest import make
from tolerances import EPS, ROUNDING, worst

SMALL = ("2r", "spherical_pendulum", "screw_lift", "scara")


def arguments(robot, kernel, batch, seed=0):
    """Return random inputs of a kernel by the names of its inputs."""
    rng = np.random.default_rng(seed)
    q, *rates = robot.random_state(rng, batch=batch, order=6)
    values = []
    for name, shape in zip(kernel.input_names, kernel.input_shapes, strict=True):
        if name == "q":
            values.append(q)
        elif name.startswith("q") and name.count("d") and "r" not in name:
            values.append(rates[name.count("d") - 1])
        else:
            values.append(rng.normal(size=(*batch, *shape)))
    return values


def assert_equals_program(robot, name, batch):
    kernel = robot.kernel(name)
    arrays = arguments(robot, kernel, batch)
    results, expected = kernel(*arrays), evaluate(kernel.program, *arrays)
    if len(kernel.output_shapes) == 1:
        results, expected = (results,), (expected,)
    scale = 1e-3 * max(np.abs(each).max() for each in expected)
    for result, reference, shape in zip(results, expected, kernel.output_shapes, strict=True):
        assert worst(result, reference, scale) < ROUNDING, name
        assert result.shape == (*batch, *shape)


ROBOTS = [name for name in cf.catalogue(loops=False) if name != "ur10"]  # whose programs are those of the ur5


@pytest.mark.parametrize("name", [*ROBOTS, "tree0", "tree5"])
def test_kernel_equals_program(name):
    for form in ("inverse_dynamics", "mass_matrix") if name == "humanoid" else BASIC:
        assert_equals_program(make(name), form, (3, 7))


DERIVATIVES = [
    (form, name)
    for form in EVERYWHERE
    if form not in BASIC
    for name in SMALL
    if name != "scara" or cf.FORMS[form].group != "blocks"  # those of four bodies take seconds each
]


@pytest.mark.parametrize(("form", "name"), DERIVATIVES)
def test_kernel_of_a_derivative_equals_its_program(name, form):
    assert_equals_program(make(name), form, (11,))


def test_orders_that_are_timed_give_the_same_numbers(monkeypatch, tmp_path):
    tmp_path.chmod(0o700)
    monkeypatch.setenv("CLOSEDFORM_CACHE", str(tmp_path))
    program = make("2r").program("inverse_dynamics")
    assert fastest_code(program, 4, "double") == fastest_code(program, 4, "double")  # one order, not timed
    monkeypatch.delenv("CLOSEDFORM_TUNE")
    for form in BASIC:
        assert_equals_program(cf.load("2r"), form, (3, 7))


def test_sine_and_cosine_are_within_two_ulp():
    robot = make("pendulum")
    rng = np.random.default_rng(0)
    angles = np.concatenate(
        [rng.uniform(-10, 10, 2000), rng.uniform(-1e9, 1e9, 500), np.arange(-40, 41) * np.pi / 4, [0.0, -0.0]]
    )
    T = robot.pose(angles[:, None])
    entries = np.sort(np.abs(T[:, :3, :3].reshape(-1, 9)), axis=1)
    with mpmath.workdps(50):
        exact = [(abs(mpmath.sin(mpmath.mpf(x))), abs(mpmath.cos(mpmath.mpf(x)))) for x in angles.tolist()]
    for row, (s, c) in zip(entries, exact, strict=True):
        low, high = sorted((float(s), float(c)))
        for value, reference in ((row[4], low), (row[7], high)):
            assert abs(value - reference) <= 2 * EPS * max(reference, 1e-15), reference
