"""Logs as they come: columns that could be meant, pauses, blanks, odd tables; nothing is guessed silently."""

from __future__ import annotations

import dask.array as da
import numpy as np
import pyarrow as pa
import pytest

import closedform as cf
from closedform.identification import FrictionTerms, LogError, identify, read_log
from closedform.identification.logs import signals
from closedform.identification.logs.log import PAUSE

VISCOUS = FrictionTerms(coulomb=None)


@pytest.fixture(scope="module")
def arm():
    return cf.load("2r")


@pytest.fixture(scope="module")
def good(arm):
    """A log of 20 s at 250 Hz whose torques the model explains up to a little noise."""
    t = np.arange(5000) / 250
    q = np.stack([np.sin(t) + np.sin(2.7 * t), np.cos(1.3 * t) - np.sin(3.1 * t)], axis=1)
    qd = np.stack([np.cos(t) + 2.7 * np.cos(2.7 * t), -1.3 * np.sin(1.3 * t) - 3.1 * np.cos(3.1 * t)], axis=1)
    qdd = np.stack([-np.sin(t) - 7.29 * np.sin(2.7 * t), -1.69 * np.cos(1.3 * t) + 9.61 * np.sin(3.1 * t)], 1)
    noise = 0.01 * np.random.default_rng(0).normal(size=q.shape)
    return {"t": t, "q": q, "tau": arm.inverse_dynamics(q, qd, qdd) + 0.5 * qd + noise}


def by_columns(good, position="q{}", effort="tau{}"):
    table = {"t": good["t"]}
    for j in (0, 1):
        table[position.format(j + 1)] = good["q"][:, j]
        table[effort.format(j + 1)] = good["tau"][:, j]
    return table


def test_measured_columns_are_not_taken_for_desired_ones(arm, good):
    table = by_columns(good, "joint{}_position", "joint{}_effort")
    table |= {f"desired_joint{j}_position": 0 * good["t"] for j in (1, 2)}
    assert np.array_equal(read_log(table, arm).samples().position, good["q"])


def test_words_in_front_of_a_joint_are_allowed(arm, good):
    table = by_columns(good, "state joint{} pos", "state joint{} eff")
    assert np.array_equal(read_log(table, arm).samples().position, good["q"])


@pytest.mark.parametrize(
    ("position", "effort", "more", "words"),
    [
        ("q{}", "tau{}", "current{}", ["'tau1'", "'current1'", "effort of joint number 1"]),
        (
            "a_joint{}_pos",
            "joint{}_effort",
            "b_joint{}_pos",
            ["'a_joint1_pos'", "'b_joint1_pos'", "'joint1'"],
        ),
    ],
)
def test_a_choice_of_columns_is_left_to_the_user(arm, good, position, effort, more, words):
    table = by_columns(good, position, effort) | {more.format(j): 0 * good["t"] for j in (1, 2)}
    with pytest.raises(LogError) as caught:
        read_log(table, arm)
    assert all(word in str(caught.value) for word in [*words, "columns="])


def test_joints_may_be_named_in_any_script(good):
    arm = cf.Robot.from_mdh([(0, 0, 0, 0, 0), (0, 0, 1.0, 0, 0)], joint_names=["肩", "локоть"])
    names = arm.joint_names
    table = {"t": good["t"]}
    table |= {f"{name}_position": good["q"][:, j] for j, name in enumerate(names)}
    table |= {f"{name}_effort": good["tau"][:, j] for j, name in enumerate(names)}
    log = read_log(table, arm).samples()
    assert np.array_equal(log.position, good["q"])
    assert np.array_equal(log.effort, good["tau"])


def test_columns_that_nobody_asked_for_may_hold_words(arm, good):
    mode = np.array(["auto"] * len(good["t"]))
    assert np.array_equal(read_log(good | {"mode": mode}, arm).samples().position, good["q"])
    table = pa.table(by_columns(good) | {"mode": mode})
    assert np.array_equal(read_log(table, arm).samples().position, good["q"])
    with pytest.raises(LogError, match="'tau1' holds <U4"):
        read_log(by_columns(good) | {"tau1": mode}, arm)


def test_a_pause_is_not_filled_with_inventions(arm, good):
    """Two recordings in one log, years apart: as many rows as both have, and no memory for the years."""
    t = good["t"] + np.where(np.arange(5000) >= 2000, 1e8, 0.0)
    log = read_log(good | {"t": t}, arm)
    assert log.runs == ((0, 2000), (2000, 5000))
    result = identify(arm, log, friction=VISCOUS)
    whole = identify(arm, good, friction=VISCOUS)
    lost = 2 * whole.filters.settling * whole.filters.rate / (whole.filters.first * whole.filters.second)
    assert whole.fitted.rows - lost - 4 < result.fitted.rows < whole.fitted.rows
    assert result.fitted.total < 1e-3
    first = t.copy()
    first[0] = -1.7e9  # a clock that was set after the first row
    assert identify(arm, good | {"t": first}, friction=VISCOUS).fitted.total < 1e-3


def test_a_short_gap_is_no_pause(arm, good):
    t = good["t"] + np.where(np.arange(5000) >= 2000, 0.9 * PAUSE, 0.0)
    assert read_log(good | {"t": t}, arm).runs == ((0, 5000),)


def test_rows_dropped_at_an_end_do_not_spoil_the_rest(arm, good):
    q = good["q"].copy()
    q[:2500] = np.nan
    result = identify(arm, good | {"q": q}, missing="drop", friction=VISCOUS)
    assert result.fitted.total < 1e-3
    with pytest.raises(LogError, match="0 usable row"):
        identify(arm, good | {"q": np.nan * q}, missing="drop", friction=VISCOUS)


def test_samples_are_valid_where_the_filters_have_settled(arm, good):
    filters = signals.Filters(250.0, 5.0)
    found = signals.condition_signals(read_log(good, arm).samples(), filters)
    inside = (found.time >= filters.settling) & (found.time <= found.time[-1] - filters.settling)
    assert np.count_nonzero(found.valid != inside) <= 2


@pytest.mark.parametrize(
    ("change", "options", "words"),
    [
        ({"t": 5.0}, {}, ["'t'", "shape ()"]),
        ({"t": np.arange(4999) / 250}, {}, ["'t' has 4999", "'q' has 5000"]),
        ({}, {"units": "deg"}, ["units", "mapping"]),
        ({}, {"units": {"position": 3}}, ["position", "3", "deg"]),
        ({}, {"columns": "q"}, ["columns", "mapping"]),
        ({}, {"columns": {"position": 5.0}}, ["position", "5.0", "names"]),
        ({}, {"locked": 5}, ["locked", "5"]),
        ({}, {"locked": {"joint2": "x"}}, ["'joint2'", "'x'"]),
        ({}, {"locked": {"joint2": np.nan}}, ["'joint2'", "nan"]),
        ({}, {"physical": "no"}, ["physical", "'no'"]),
        ({}, {"hold_out": 0.001}, ["hold_out", "0.001", "no rows"]),
    ],
)
def test_mistakes_of_type_are_named_too(arm, good, change, options, words):
    with pytest.raises(cf.ClosedFormError) as caught:
        identify(arm, good | change, friction=VISCOUS, **options)
    assert all(word in str(caught.value) for word in words), str(caught.value)


def test_tables_of_nothing_are_named(arm):
    with pytest.raises(LogError, match="no columns"):
        read_log({}, arm)


def test_lazy_columns_need_known_sizes(arm, good):
    q = da.from_array(good["q"], chunks=1000)
    with pytest.raises(LogError, match="compute_chunk_sizes"):
        read_log(good | {"q": q[q[:, 0] > -9]}, arm)


def test_options_of_reading_are_not_ignored_for_a_log_that_was_read(arm, good):
    log = read_log(good, arm)
    for options in ({"units": {"position": "deg"}}, {"missing": "drop"}, {"motor_positions": False}):
        with pytest.raises(cf.ArgumentError, match="has been read"):
            identify(arm, log, friction=VISCOUS, **options)


def test_a_log_read_for_another_robot_is_refused(arm, good):
    with pytest.raises(LogError, match="joint1, joint2"):
        identify(cf.load("pendulum"), read_log(good, arm))


def test_text_files_of_any_make(arm, good, tmp_path):
    rows = np.column_stack([good["t"], good["q"], good["tau"]])
    body = "\n".join(",".join(map(repr, row)) for row in rows.tolist())
    path = tmp_path / "log.csv"
    path.write_text(f"t,q1,q2,tau1,tau2\n-1,,,,\n\n{body}\n\n")  # a blank row, blank lines
    assert np.array_equal(read_log(path, arm, missing="drop").samples().position, good["q"])
    path.write_text(f"t,q1,q2,tau1,tau2\n{body}\n\n1,2,3,x,5\n")
    with pytest.raises(LogError, match="line 5003: field 4 is 'x'"):
        read_log(path, arm)
    path.write_text("x" * 200_000 + "\n1\n")
    with pytest.raises(LogError, match="header"):
        read_log(path, arm)
    path.write_text("t,q1\n" + "x" * 200_000 + "\n")
    with pytest.raises(LogError, match="line 2"):
        read_log(path, arm)
    with pytest.raises(cf.ArgumentError, match="expected a path"):
        read_log("a\0b.csv", arm)
    (tmp_path / "own.toml").write_text('file = "own.toml"')
    with pytest.raises(LogError, match="`file` is"):
        read_log(tmp_path / "own.toml", arm)
