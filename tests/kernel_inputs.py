"""Kernels of catalogue robots, random inputs for them, and arrays of every layout in memory."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import closedform as cf
from basic_forms import BASIC

ROBOTS = ("2r", "panda", "quadruped", "spherical_pendulum")

ROUNDING = 1e-13
"""Vector and scalar code may contract products and sums differently: up to 3e3 roundings of 1e-16."""

SOLVED = 1e-11
"""Forward dynamics divides by pivots of M, which range over two decades in these robots."""

SINGLE = 5e-6
"""float32 rounds at 6e-8; a hundred such roundings in a row are allowed."""

SINGLE_SOLVED = 5e-4
"""The same over the pivots of M."""

COMBINATIONS = [(robot, form) for robot in ROBOTS for form in BASIC]

every_kernel = pytest.mark.parametrize(("robot", "form"), COMBINATIONS)


@cache
def load(name: str) -> cf.Robot:
    return cf.load(name)


def kernel(robot: str, form: str, dtype: type = np.float64) -> cf.Kernel:
    return load(robot).kernel(form, dtype=dtype)


def inputs(robot: str, form: str, batch: tuple[int, ...], seed: int = 0) -> list[np.ndarray]:
    """Return random inputs of a form; q is a valid configuration."""
    rng = np.random.default_rng(seed)
    it = kernel(robot, form)
    (q,) = load(robot).random_state(rng, batch=batch, order=0)
    return [
        q if name == "q" else rng.normal(size=(*batch, *shape))
        for name, shape in zip(it.input_names, it.input_shapes, strict=True)
    ]


def assert_same(
    given: np.ndarray, expected: np.ndarray, form: str, exact: float = ROUNDING, solved: float = SOLVED
) -> None:
    """Fail unless equal to rounding, relative to the largest entry."""
    assert np.shape(given) == np.shape(expected)
    scale = max(1.0, float(np.abs(expected).max(initial=0)))
    bound = solved if form == "forward_dynamics" else exact
    np.testing.assert_allclose(given, expected, rtol=0, atol=bound * scale)


def fortran(x: np.ndarray) -> np.ndarray:
    return np.asfortranarray(x)


def every_second_column(x: np.ndarray) -> np.ndarray:
    wide = np.full((*x.shape[:-1], 2 * x.shape[-1]), np.nan)
    wide[..., ::2] = x
    return wide[..., ::2]


def every_third_row(x: np.ndarray) -> np.ndarray:
    long = np.full((3 * len(x), *x.shape[1:]), np.nan)
    long[::3] = x
    return long[::3]


def reversed_columns(x: np.ndarray) -> np.ndarray:
    return x[..., ::-1].copy()[..., ::-1]


def reversed_rows(x: np.ndarray) -> np.ndarray:
    return x[::-1].copy()[::-1]


def last_axes_swapped(x: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(x.swapaxes(-1, -2)).swapaxes(-1, -2)


def misaligned(x: np.ndarray) -> np.ndarray:
    raw = np.zeros(x.nbytes + 1, np.uint8)
    view = raw[1:].view(np.float64).reshape(x.shape)
    view[...] = x
    assert not view.flags.aligned
    return view


def field_of_packed_records(x: np.ndarray) -> np.ndarray:
    records = np.zeros(x.shape, np.dtype([("tag", "u1"), ("x", "f8"), ("end", "u2")]))
    records["x"] = x
    return records["x"]


def huge_strides(x: np.ndarray) -> np.ndarray:
    rows = np.zeros((len(x), 2**17, *x.shape[1:]))[:, 12345]
    rows[...] = x
    return rows


def big_endian(x: np.ndarray) -> np.ndarray:
    return x.astype(">f8")


def read_only(x: np.ndarray) -> np.ndarray:
    x = x.copy()
    x.flags.writeable = False
    return x


LAYOUTS = (
    fortran,
    every_second_column,
    every_third_row,
    reversed_columns,
    reversed_rows,
    last_axes_swapped,
    misaligned,
    field_of_packed_records,
    huge_strides,
    big_endian,
    read_only,
)
