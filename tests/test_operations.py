"""Every operation a user's expression may hold: machine code, programs and exports against CasADi."""

from __future__ import annotations

import ctypes
import runpy
import shutil
import subprocess

import casadi as ca
import numpy as np
import pytest

import closedform as cf
from closedform.emit import Subject, export
from closedform.kernels import compiled
from closedform.programs import evaluate
from closedform.programs.operations import FUNCTIONS
from tolerances import EPS

A, B = ca.SX.sym("a", 1), ca.SX.sym("b", 1)
CASES = {
    "tan": ca.tan(A),
    "asin": ca.asin(A),
    "acos": ca.acos(A),
    "atan": ca.atan(A),
    "atan2": ca.atan2(A, B),
    "sinh": ca.sinh(A),
    "cosh": ca.cosh(A),
    "tanh": ca.tanh(A),
    "exp": ca.exp(A),
    "log": ca.log(ca.fabs(A) + 0.1),
    "pow": ca.fabs(A) ** B,
    "cube": A**3,
    "inverse square": (B + 2) ** -2,
    "abs": ca.fabs(A),
    "slope of abs": ca.jacobian(ca.fabs(A * B), A),
    "sign": ca.sign(A),
    "min": ca.fmin(A, B),
    "max": ca.fmax(A, B),
    "less": ca.if_else(A < B, 2 * A, 3 * B),
    "at most": ca.if_else(A <= 0.0, 2 * A, 3 * B),
    "equal": ca.if_else(A == B, 1.0, A),
    "unequal": ca.if_else(A != B, 1.0, A),
}
TOLERANCE = 8 * EPS
"""Two units in the last place of two implementations of libm, and one operation around them."""


def samples() -> tuple[np.ndarray, np.ndarray]:
    a, b = np.random.default_rng(0).uniform(-1, 1, (2, 37, 1))
    a[3] = b[3] = a[5] = 0.0
    b[6] = a[6]
    return a, b


def expected(expression: ca.SX, a, b) -> np.ndarray:
    function = ca.Function("f", [A, B], [expression])
    return np.array([float(function(x, y)) for x, y in zip(a[:, 0], b[:, 0], strict=True)])[:, None]


@pytest.mark.parametrize("name", CASES)
def test_kernels_and_programs_equal_casadi(name):
    a, b = samples()
    reference = expected(CASES[name], a, b)
    kernel = compiled("f", [("a", A), ("b", B)], [("y", CASES[name])])
    np.testing.assert_allclose(kernel(a, b), reference, rtol=TOLERANCE, atol=TOLERANCE)
    np.testing.assert_allclose(
        [kernel(x, y) for x, y in zip(a, b, strict=True)], reference, TOLERANCE, TOLERANCE
    )
    np.testing.assert_allclose(evaluate(kernel.program, a, b), reference, rtol=TOLERANCE, atol=TOLERANCE)
    single = compiled("f", [("a", A), ("b", B)], [("y", CASES[name])], dtype=np.float32)
    np.testing.assert_allclose(single(np.float32(a), np.float32(b)), reference, rtol=2e-6, atol=2e-6)


def test_every_operation_has_a_case():
    used = {name for each in CASES.values() for name, _, _ in _program(each).operations}
    assert used >= set(FUNCTIONS.values()) - {"sqrt", "sin", "cos"}


def _program(*expressions: ca.SX):
    return compiled("all", [("a", A), ("b", B)], [("y", ca.vertcat(*expressions))]).program


@pytest.mark.parametrize("language", ["numpy", "c"])
def test_exports_equal_casadi(language, tmp_path):
    if language == "c" and shutil.which("cc") is None:
        pytest.skip("no C compiler")
    program = _program(*CASES.values())
    subject = Subject("every_operation", "nobody", "Return what every operation gives.")
    paths = export(program, subject, language, tmp_path / "every")
    a, b = samples()
    reference = np.hstack([expected(each, a, b) for each in CASES.values()])
    if language == "numpy":
        found = runpy.run_path(str(paths[0]))["every"](a, b)
    else:
        flags = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-shared", "-fPIC"]
        subprocess.run(["cc", *flags, "-o", tmp_path / "every.so", paths[1], "-lm"], check=True)
        function = ctypes.CDLL(str(tmp_path / "every.so")).every
        found = np.full_like(reference, np.nan)
        for x, y, out in zip(a, b, found, strict=True):
            function(*(ctypes.c_void_p(each.ctypes.data) for each in (x, y, out)))
    np.testing.assert_allclose(found, reference, rtol=TOLERANCE, atol=TOLERANCE)


def test_numpy_code_takes_a_number_per_sample(tmp_path):
    s, x = ca.SX.sym("s"), ca.SX.sym("x", 2)
    kernel = compiled("scaled", [("factor", (), s), ("x", x)], [("y", s * x)])
    subject = Subject("scaled", "nobody", "Return factor times x.")
    (path,) = export(kernel.program, subject, "numpy", tmp_path / "scaled")
    function = runpy.run_path(str(path))["scaled"]
    for factor in (2.0, [2.0, 3.0, 4.0]):
        np.testing.assert_array_equal(function(factor, [1.0, -1.0]), kernel(factor, [1.0, -1.0]))


def test_nan_stays_in_its_sample():
    a, b = samples()
    a[4] = np.nan
    kernel = compiled("all", [("a", A), ("b", B)], [("y", ca.vertcat(*CASES.values()))])
    with np.errstate(invalid="ignore"):
        result = kernel(a, b)
    others = np.arange(len(a)) != 4
    assert np.isfinite(result[others]).all()


def test_an_unknown_operation_is_refused():
    with pytest.raises(cf.ClosedFormError, match="has no machine code"):
        compiled("f", [("a", A)], [("y", ca.erf(A))])


def test_more_arrays_than_numpy_takes_are_counted():
    symbols = [ca.SX.sym(f"x{k}") for k in range(64)]
    inputs = [(each.name(), each) for each in symbols]
    with pytest.raises(cf.ArgumentError, match="64 inputs and 1 outputs"):
        compiled("sum", inputs, [("y", ca.sum1(ca.vertcat(*symbols)))])
