"""Runge-Kutta steps, inputs, events and SciPy's methods on systems with known motions."""

from __future__ import annotations

import pickle

import casadi as ca
import numpy as np
import pytest

import closedform as cf
from closedform.integration import Event, System, simulate
from tolerances import HALF_DIGITS, ITERATED, LAST_DIGITS, PROMISED, ROUNDING


def oscillator() -> System:
    """x'' = u - p x."""
    x, u, p = ca.SX.sym("x", 2), ca.SX.sym("u", 1), ca.SX.sym("p", 1)
    return System("oscillator", x, ca.vertcat(x[1], u - p * x[0]), u, p)


def free_motion(t):
    return np.stack([np.cos(2 * t), -2 * np.sin(2 * t)], axis=-1)


def test_runge_kutta_is_of_fourth_order():
    errors = []
    for step in (0.04, 0.02, 0.01):
        run = simulate(oscillator(), [1.0, 0.0], None, 2.0, step, parameters=[4.0])
        errors.append(np.abs(run.x - free_motion(run.t)).max())
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    np.testing.assert_allclose(orders, 4.0, atol=0.1)


def test_inputs_that_vary_within_a_step_keep_the_order():
    errors = []
    for step in (0.04, 0.02, 0.01):
        run = simulate(oscillator(), [0.0, 0.0], lambda t: [3 * np.cos(t)], 2.0, step, parameters=[4.0])
        exact = np.cos(run.t) - np.cos(2 * run.t)
        errors.append(np.abs(run.x[:, 0] - exact).max())
    np.testing.assert_allclose(np.log2(np.array(errors[:-1]) / errors[1:]), 4.0, atol=0.15)


def test_a_batch_runs_as_its_members_do():
    rng = np.random.default_rng(0)
    x0, p = rng.normal(size=(3, 1, 2)), rng.uniform(1, 4, (5, 1))
    u = rng.normal(size=(5, 50, 1))
    together = simulate(oscillator(), x0, u, 0.5, 0.01, parameters=p)
    assert together.x.shape == (3, 5, 51, 2)
    for i, j in np.ndindex(3, 5):
        alone = simulate(oscillator(), x0[i, 0], u[j], 0.5, 0.01, parameters=p[j])
        np.testing.assert_allclose(together.x[i, j], alone.x, rtol=LAST_DIGITS, atol=1e-15)


@pytest.mark.parametrize("kind", ["constant", "held", "sampled", "function"])
def test_every_kind_of_input_gives_the_forced_motion(kind):
    steps = 100
    given = {
        "constant": [2.0],
        "held": np.full((steps, 1), 2.0),
        "sampled": np.full((steps + 1, 1), 2.0),
        "function": lambda t: [2.0],
    }[kind]
    run = simulate(oscillator(), [0.0, 0.0], given, 1.0, 1.0 / steps, parameters=[4.0])
    np.testing.assert_allclose(run.x[:, 0], 0.5 * (1 - np.cos(2 * run.t)), atol=HALF_DIGITS)
    assert run.u.shape == (steps + 1, 1)


@pytest.mark.parametrize("method", ["DOP853", "Radau"])
def test_adaptive_methods_agree(method):
    u = np.random.default_rng(1).normal(size=(40, 1))
    fixed = simulate(oscillator(), [1.0, 0.0], np.repeat(u, 25, axis=0), 1.0, 1e-3, parameters=[4.0])
    run = simulate(oscillator(), [1.0, 0.0], u, 1.0, 0.025, parameters=[4.0], method=method)
    np.testing.assert_allclose(run.x, fixed.x[::25], atol=2e-7)


@pytest.mark.parametrize("method", ["DOP853", "RK45", "Radau"])
@pytest.mark.parametrize("kind", ["held", "sampled", "function"])
def test_adaptive_methods_do_not_step_over_a_pulse(method, kind):
    """At rest a solver's steps grow without bound; the impulse of a short push must not be lost."""
    steps, push = 400, np.zeros((401, 1))
    push[200:203] = 5.0
    given = {
        "held": push[:steps],
        "sampled": push,
        "function": lambda t: [np.interp(4 * t, [2, 2.02, 2.04], [0, 5, 0])],
    }
    run = simulate(oscillator(), [0.0, 0.0], given[kind], 4.0, 0.01, parameters=[0.0], method=method)
    impulse = {"held": 0.15, "sampled": 0.15, "function": 5 * 0.02 / 4}[kind]
    np.testing.assert_allclose(run.x[-1, 1], impulse, rtol=1e-4)


def test_adaptive_methods_take_a_function_as_it_is():
    """Not as what its samples at the steps would tell."""
    run = simulate(
        oscillator(), [0.0, 0.0], lambda t: [3 * np.cos(t)], 2.0, 0.5, parameters=[4.0], method="DOP853"
    )
    np.testing.assert_allclose(run.x[:, 0], np.cos(run.t) - np.cos(2 * run.t), atol=PROMISED)


def test_numbers_of_numpy_are_numbers():
    run = simulate(oscillator(), [1.0, 0.0], None, np.int64(1), np.float32(0.5), parameters=[4.0])
    assert run.t.tolist() == [0.0, 0.5, 1.0]


def test_events_are_found_and_end_the_run():
    falls = Event(lambda t, x: x[0], direction=-1)
    run = simulate(oscillator(), [1.0, 0.0], None, 4.0, 0.01, parameters=[4.0], events=[falls])
    np.testing.assert_allclose(run.events[0], [np.pi / 4, np.pi / 4 + np.pi], atol=1e-7)
    ended = simulate(
        oscillator(),
        [1.0, 0.0],
        None,
        4.0,
        0.01,
        parameters=[4.0],
        events=[Event(falls.function, terminal=True)],
    )
    assert abs(ended.t[-1] - np.pi / 4) < 1e-7
    assert abs(ended.x[-1, 0]) < 1e-7


def test_an_event_within_a_step_of_held_inputs_has_the_state_of_that_step():
    """x'' = u with u = 1, -1 in turn: the input jumps at the end of the step."""
    u = np.tile([[1.0], [-1.0]], (5, 1))
    event = Event(lambda t, x: x[0] - 0.08, terminal=True)
    run = simulate(oscillator(), [0.0, 0.0], u, 5.0, 0.5, parameters=[0.0], events=[event])
    assert abs(run.t[-1] - 0.4) < ROUNDING
    np.testing.assert_allclose(run.x[-1], [0.08, 0.4], atol=ROUNDING)
    assert run.held


def blow_up() -> System:
    x = ca.SX.sym("x", 1)
    return System("blow-up", x, x * x)


def test_a_run_that_diverges_says_when_and_a_batch_keeps_it_to_itself():
    with pytest.raises(cf.ClosedFormError, match=r"blow-up.*t = 1\.0"):
        simulate(blow_up(), [1.0], None, 2.0, 1e-3)
    run = simulate(blow_up(), [[1.0], [0.1]], None, 2.0, 1e-3)
    assert not np.isfinite(run.x[0, -1, 0])
    np.testing.assert_allclose(run.x[1, -1, 0], 1 / (10 - 2), rtol=ITERATED)


def test_watch_and_progress_are_called():
    seen, heard = [], []
    simulate(
        blow_up(), [0.1], None, 1.0, 1e-3, watch=lambda t, x: seen.append(float(t)), progress=heard.append
    )
    assert seen[-1] == 1.0
    assert heard == sorted(heard)


def test_a_system_pickles():
    again = pickle.loads(pickle.dumps(oscillator()))
    np.testing.assert_array_equal(again.rate([1.0, 2.0], [3.0], [4.0]), [2.0, -1.0])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"step": 0.0}, "step is 0; expected a positive"),
        ({"duration": float("nan")}, "duration is nan"),
        ({"x0": [1.0]}, r"initial state has shape \(1,\)"),
        ({"inputs": np.zeros((7, 1))}, r"inputs have shape \(7, 1\)"),
        ({"parameters": None}, "needs its 1 parameters"),
        ({"method": "euler"}, "euler"),
        ({"inputs": [np.nan]}, r"inputs\[0\] is nan"),
        ({"inputs": [[0.0]] * 9 + [[np.inf]]}, r"inputs\[9, 0\] is inf"),
        ({"inputs": lambda t: [np.nan if t > 0.05 else 0.0]}, "input function gave .nan. at t = 0.06"),
        ({"inputs": lambda t: ["a"]}, "value at t = 0 has dtype"),
        ({"events": [lambda t, x: x[0]]}, "expected a list of Event"),
        ({"events": Event(lambda t, x: x[0])}, "expected a list of Event"),
        ({"step": True}, "step is True"),
        ({"x0": np.zeros((2, 2)), "parameters": np.ones((3, 1))}, "do not broadcast"),
    ],
)
def test_mistakes_are_named(options, message):
    given = {"x0": [0.0, 0.0], "inputs": None, "duration": 0.1, "step": 0.01, "parameters": [1.0]} | options
    with pytest.raises(cf.ClosedFormError, match=message):
        simulate(oscillator(), **given)
