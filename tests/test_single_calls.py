"""Single calls with `out=`: evaluated in place when nothing is shared, passed on otherwise."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import closedform as cf


@pytest.fixture(scope="module")
def arm():
    return cf.load("2r")


@pytest.fixture
def state(arm):
    return [each.copy() for each in arm.random_state(0)]


def test_out_is_filled_and_returned_without_leaking_references(arm, state):
    expected = arm.inverse_dynamics(*state)
    out = np.empty(2)
    before = sys.getrefcount(out)
    for _ in range(100):
        assert arm.inverse_dynamics(*state, out=out) is out
    assert sys.getrefcount(out) == before
    assert np.array_equal(out, expected)


def test_out_may_be_an_input_or_overlap_one(arm, state):
    expected = arm.inverse_dynamics(*state)
    for k in range(3):
        given = [each.copy() for each in state]
        assert arm.inverse_dynamics(*given, out=given[k]) is given[k]
        assert np.array_equal(given[k], expected)
    for shift in (1, 2, 3):
        store = np.zeros(6)
        store[2:4] = state[1]
        given = [state[0], store[2:4], state[2]]
        assert np.array_equal(arm.inverse_dynamics(*given, out=store[shift : shift + 2]), expected)


def test_out_of_another_kind_takes_the_general_way(arm, state):
    expected = arm.inverse_dynamics(*state)
    apart = np.zeros(4)[::2]
    single = np.empty(2, np.float32)
    assert np.array_equal(arm.inverse_dynamics(*state, out=apart), expected)
    assert np.array_equal(arm.inverse_dynamics(*state, out=single), expected.astype(np.float32))
    assert np.array_equal(arm.inverse_dynamics(*state, out=None), expected)
    q, qd, qdd = state
    assert np.array_equal(arm.inverse_dynamics(q, qd, qdd=qdd, out=apart), expected)
    name = "".join(["o", "ut"])  # not interned, as names made at run time are
    assert np.array_equal(arm.inverse_dynamics(*state, **{name: np.empty(2)}), expected)


@pytest.mark.parametrize("out", [np.empty(3), "out", np.empty(2, complex)[:0]])
def test_out_that_does_not_fit_is_refused(arm, state, out):
    with pytest.raises(cf.ArgumentError, match="inverse_dynamics"):
        arm.inverse_dynamics(*state, out=out)


def test_out_that_is_read_only_is_refused_and_kept(arm, state):
    out = np.full(2, 7.0)
    out.flags.writeable = False
    with pytest.raises(cf.ArgumentError, match="read-only"):
        arm.inverse_dynamics(*state, out=out)
    assert out.tolist() == [7.0, 7.0]


def test_unknown_names_are_refused(arm, state):
    with pytest.raises(cf.ArgumentError, match="no argument has the name 'result'"):
        arm.inverse_dynamics(*state, result=np.empty(2))
