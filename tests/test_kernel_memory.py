"""Calls allocate their results and little more."""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Callable

import numpy as np
import pytest

import closedform as cf
from kernel_inputs import inputs, kernel


def peak_beyond_result(call: Callable[[], np.ndarray]) -> int:
    """Return the bytes a call allocates at its peak beyond what it returns."""
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        tracemalloc.reset_peak()
        result = call()
        return tracemalloc.get_traced_memory()[1] - before - result.nbytes
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("threads", [1, 2])
def test_a_million_inverse_dynamics_allocate_their_output_and_little_more(threads: int) -> None:
    it = kernel("2r", "inverse_dynamics")
    q, qd, qdd = np.zeros((3, 1_000_000, 2))
    assert peak_beyond_result(lambda: it(q, qd, qdd, threads=threads)) < 10e6
    assert peak_beyond_result(lambda: it(q, qd[0], qdd[::-1], threads=threads)) < 10e6


def test_columns_of_a_million_samples_are_not_copied_whole() -> None:
    it = kernel("2r", "inverse_dynamics")
    q, qd, qdd = np.zeros((3, 2, 1_000_000))
    assert peak_beyond_result(lambda: it(q.T, qd.T, qdd.T)) < 10e6


def test_many_calls_leave_no_memory_behind() -> None:
    it = kernel("2r", "inverse_dynamics")
    arrays, out = inputs("2r", "inverse_dynamics", ()), np.zeros(2)
    transposed = [np.asfortranarray(np.tile(x, (20, 1))) for x in arrays]
    evaluate = it.bind(*arrays, out=out)

    def work(count: int) -> None:
        for _ in range(count):
            evaluate()
            it(*arrays, out=out)
            it(*transposed)
            it.bind(*arrays, out=out)

    work(100)
    tracemalloc.start()
    try:
        levels = []
        for _ in range(5):
            work(500)
            gc.collect()
            levels.append(tracemalloc.get_traced_memory()[0])
        assert min(np.diff(levels)) < 500  # a leak of a byte per round shows in every difference
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("threads", [1, 2])
def test_a_batch_beyond_memory_is_refused(threads: int) -> None:
    q = np.broadcast_to(np.zeros(2), (2**44, 2))
    says = "mass_matrix: the result does not fit in memory .*split the batch"
    with pytest.raises(cf.ArgumentError, match=says):
        kernel("2r", "mass_matrix")(q, threads=threads)
