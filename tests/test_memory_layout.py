"""Offsets into NumPy objects are tested before they are trusted; otherwise kernels are plain gufuncs."""

from __future__ import annotations

import warnings
from collections.abc import Iterator

import numpy as np
import pytest

import closedform as cf
from closedform.kernels import memory_layout

STRIDES = 40
"""Where an array keeps the pointer to its strides: another pointer, which can be followed."""

MOVED = {
    "TYPE": 0,
    "DATA": memory_layout.DIMENSIONS,
    "NDIM": memory_layout.NDIM + 4,
    "DIMENSIONS": STRIDES,
    "DESCRIPTOR": memory_layout.DESCRIPTOR - 8,
    "FLAGS": memory_layout.FLAGS + 4,
    "CONTIGUOUS": 0x0002,
    "ALIGNED": 0x0400,
    "FAST_CODE": memory_layout.FAST_TABLE,
    "TUPLE_ITEMS": memory_layout.TYPE,
    "CTYPES_BUFFER": memory_layout.TYPE,
    "UFUNC_OBJECT": memory_layout.UFUNC_OBJECT - 8,
}
"""Wrong values of every offset, each within the object it reads."""


@pytest.fixture(name="forget")
def fixture_forget(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    """Let the offsets be tested anew, now and after the test."""
    memory_layout.trusted.cache_clear()
    yield monkeypatch
    monkeypatch.undo()
    memory_layout.trusted.cache_clear()


def test_the_offsets_hold_here(forget: pytest.MonkeyPatch) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert memory_layout.trusted()


@pytest.mark.parametrize("name", MOVED)
def test_a_field_that_moved_is_found_and_named(name: str, forget: pytest.MonkeyPatch) -> None:
    forget.setattr(memory_layout, name, MOVED[name])
    says = rf"NumPy {np.__version__} .* keeps the \w+ .* elsewhere than expected.*install"
    with pytest.warns(RuntimeWarning, match=says):
        assert not memory_layout.trusted()


def answers(robot: cf.Robot) -> list[np.ndarray]:
    """Return results of every way to call two kernels: a method, a batch, bound arrays."""
    found = []
    for name in ("mass_matrix", "inverse_dynamics"):
        kernel = robot.kernel(name)
        arrays = robot.random_state(0)[: len(kernel.input_names)]
        out = np.full(kernel.output_shape, np.nan)
        kernel.bind(*arrays, out=out)()
        found += [getattr(robot, name)(*arrays), kernel(*(np.tile(x, (11, 1)) for x in arrays)), out]
    return found


def test_kernels_of_an_unknown_layout_are_right_and_warn_once(forget: pytest.MonkeyPatch) -> None:
    expected = answers(cf.load("2r"))
    forget.setattr(memory_layout, "DIMENSIONS", STRIDES)
    memory_layout.trusted.cache_clear()
    robot = cf.load("2r")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        given = answers(robot)
    for one, other in zip(given, expected, strict=True):
        np.testing.assert_array_equal(one, other)
    kernel = robot.kernel("mass_matrix")
    assert kernel.fast is kernel, "nothing is read in place"
    (warning,) = caught
    assert "keeps the shape of an array elsewhere than expected" in str(warning.message)
    assert warning.filename == __file__


def test_another_binary_interface_of_numpy_is_refused(forget: pytest.MonkeyPatch) -> None:
    forget.setattr(memory_layout, "ABI", 0x03000000)
    with pytest.raises(cf.ClosedFormError, match=r"binary interface 0x2000000; expected 0x3000000: install"):
        memory_layout.ufunc_function(memory_layout.UFUNC_FROM_LOOP)
