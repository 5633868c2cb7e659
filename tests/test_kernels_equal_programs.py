"""Machine code gives what the program says, for every form, robot and precision."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

import closedform as cf
from closedform.programs import evaluate
from conftest import ROBOTS, make
from tolerances import EPS, ROUNDING, worst


def arguments(robot, form, batch, seed=0):
    rng = np.random.default_rng(seed)
    q, qd, qdd = robot.random_state(rng, batch=batch)
    wrenches = rng.normal(size=(*q.shape[:-1], len(robot.body_names), 6))
    inputs = {"q": q, "qd": qd, "qdd": qdd, "tau": 10 * qdd, "wrenches": wrenches}
    return [inputs[name] for name in form.inputs]


@pytest.mark.parametrize("name", ROBOTS)
def test_kernel_equals_program(name):
    robot = make(name)
    for form in cf.FORMS.values():
        kernel = robot.kernel(form.name)
        arrays = arguments(robot, form, (3, 7))
        expected = evaluate(kernel.program, *arrays)
        assert worst(kernel(*arrays), expected) < ROUNDING, form.name
        assert kernel(*arrays).shape == (3, 7, *kernel.output_shape)


@pytest.mark.parametrize("name", ["panda", "quadruped"])
def test_single_precision_kernel_is_close(name):
    robot = make(name)
    for form in cf.FORMS.values():
        kernel = robot.kernel(form.name, dtype=np.float32)
        arrays = [array.astype(np.float32) for array in arguments(robot, form, (37,))]
        result = kernel(*arrays)
        assert result.dtype == np.float32
        exact = robot.kernel(form.name)(*(array.astype(float) for array in arrays))
        condition = 1e4 if form.name == "forward_dynamics" else 1e2
        assert worst(result, exact) < condition * np.finfo(np.float32).eps, form.name


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
