"""Readers of logs: what no other program would read as a number is refused by place, and nothing blocks."""

from __future__ import annotations

import inspect
import os

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

import closedform as cf
from closedform.identification import (
    Identification,
    LogError,
    drive_gains,
    excitation,
    identify,
    identify_payload,
    lock,
    read_log,
    reduced_factor,
)
from closedform.identification.logs import errors
from closedform.identification.logs.options import ReadingOptions
from closedform.identification.logs.units import split_unit

HEADER = "t,q1,q2,tau1,tau2\n"
ROWS = [f"{k / 100},{np.sin(k / 9):.6f},{np.cos(k / 7):.6f},{k % 3},{k % 5}" for k in range(80)]


@pytest.fixture(scope="module")
def arm():
    return cf.load("2r")


def written(path, rows, header=HEADER):
    path.write_text(header + "\n".join(rows) + "\n", encoding="utf-8")
    return path


@pytest.mark.parametrize(
    "function", [identify, drive_gains, identify_payload, Identification.predict, Identification.validate]
)
def test_whatever_takes_a_log_takes_the_options_of_read_log(function):
    own = inspect.signature(read_log).parameters.values()
    assert {each.name for each in own if each.kind is each.KEYWORD_ONLY} == set(
        ReadingOptions.__annotations__
    )
    (rest,) = [p for p in inspect.signature(function).parameters.values() if p.kind is p.VAR_KEYWORD]
    assert rest.annotation == "Unpack[ReadingOptions]"


@pytest.mark.parametrize("cell", ["1_0", "\u0661\u0662", "\uff11", "1,0", "0x10", "1e"])
def test_cells_that_only_python_reads_are_refused_by_line_and_field(arm, tmp_path, cell):
    rows = [*ROWS[:5], f'0.05,1,2,"{cell}",4', *ROWS[6:]]
    with pytest.raises(LogError, match="line 7: field 4"):
        read_log(written(tmp_path / "log.csv", rows), arm)


@pytest.mark.parametrize("efforts", ["tau1,current2", "tau1,tau2 [A]", "i1,torque2"])
def test_currents_are_not_mixed_with_torques(arm, tmp_path, efforts):
    path = written(tmp_path / "log.csv", ROWS, f"t,q1,q2,{efforts}\n")
    with pytest.raises(LogError, match="a current in column") as caught:
        read_log(path, arm)
    assert all(repr(name) in str(caught.value) for name in efforts.split(","))
    names = ["q1", "q2"], efforts.split(",")
    read_log(path, arm, columns={"position": names[0], "effort": names[1]})  # said outright


def test_units_are_found_in_one_pass():
    """The same answers as before, of names that made a backtracking expression cubic."""
    assert split_unit("q" + " " * 100_000 + "[" * 100_000) == ("q" + " " * 100_000 + "[" * 100_000, None)
    assert split_unit("(" * 50_000 + "deg)") == ("(" * 49_999, "deg")
    for name, parts in {
        "q1 [deg]": ("q1", "deg"),
        "q[3] (rad/s) ": ("q[3]", "rad/s"),
        "q(2)": ("q(2)", None),
        "q1 deg]": ("q1 deg]", None),
        "q []": ("q []", None),
    }.items():
        assert split_unit(name) == parts


@pytest.mark.parametrize("rate", [5e-324, 1e300, 0, -1.0, np.nan, "100", True, [100]])
def test_rates_that_no_clock_has_are_refused(arm, rate):
    t = np.arange(100) / 100
    log = {"q": np.stack([t, t], axis=1), "tau": np.stack([t, t], axis=1)}
    with pytest.raises(cf.ArgumentError, match="rate"):
        read_log(log, arm, rate=rate)
    for step in (1e-300, 1e30):
        with pytest.raises(LogError, match="from row to row"):
            read_log(log | {"t": np.arange(100) * step}, arm)


def test_a_clock_that_is_mostly_gaps_is_refused_before_it_is_filled(arm):
    t = np.cumsum(np.where(np.arange(400) % 2, 1e-6, 0.5))
    q = np.stack([np.sin(t), np.cos(t)], axis=1)
    with pytest.raises(LogError, match=r"uneven|apart|samples per second"):
        identify(arm, {"t": t, "q": q, "tau": q}, plausible=False)


@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".toml"])
def test_pipes_are_not_waited_for(arm, tmp_path, suffix):
    path = tmp_path / f"pipe{suffix}"
    os.mkfifo(path)
    with pytest.raises(LogError, match="not a regular file") as caught:
        read_log(path, arm)
    assert str(caught.value).count("give the path") <= 1


def test_large_tables_are_refused_before_the_work(arm, tmp_path, monkeypatch):
    with pytest.raises(LogError, match="characters"):
        read_log(written(tmp_path / "a.csv", ROWS, "q" * 300_000 + "\n"), arm)
    with pytest.raises(LogError, match="5000 columns"):
        read_log(written(tmp_path / "b.csv", ROWS, ",".join(f"c{k}" for k in range(5000)) + "\n"), arm)
    monkeypatch.setattr(errors, "LARGEST_TEXT", 1000)
    with pytest.raises(LogError, match="at most 1000"):
        read_log(written(tmp_path / "c.csv", ROWS), arm)
    monkeypatch.setattr(errors, "MOST_CELLS", 100)
    parquet.write_table(pa.table({"t": np.arange(200.0)}), tmp_path / "d.parquet")
    with pytest.raises(LogError, match="200 rows of 1 columns"):
        read_log(tmp_path / "d.parquet", arm)


@pytest.mark.parametrize(
    "values",
    [
        np.array(["1"] * 100),
        np.ones(100) * 1j,
        np.array([object()] * 100),
        [[1.0], [1.0, 2.0]] * 50,
        {"a": 1},
        "text",
        [10**400] * 100,
    ],
    ids=lambda value: type(value).__name__,
)
def test_columns_of_the_wrong_kind_are_named(arm, values):
    t = np.arange(100) / 100
    log = {"t": t, "q1": np.sin(t), "q2": np.cos(t), "tau1": t, "tau2": values}
    with pytest.raises(cf.ClosedFormError, match="tau2"):
        read_log(log, arm)


def test_archives_of_objects_are_named(arm, tmp_path):
    t = np.arange(100) / 100
    np.savez(tmp_path / "log.npz", t=t, q=np.array([{}] * 100, dtype=object), tau=np.stack([t, t], 1))
    with np.load(tmp_path / "log.npz") as archive, pytest.raises(LogError, match="'q'"):
        read_log(archive, arm)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('file = "log.csv"\nmotor_positions = "false"', "motor_positions is 'false'; expected True or False"),
        ('file = "log.csv"\nrate = "100"', "rate is '100'"),
        ("file = 5", "`file` is 5"),
        ('position = ["a.csv"]', "`position` is"),
        ("a = " + "[" * 5000, "not TOML"),
    ],
)
def test_descriptions_are_taken_at_their_word(arm, tmp_path, text, words):
    written(tmp_path / "log.csv", ROWS)
    (tmp_path / "log.toml").write_text(text)
    with pytest.raises(cf.ClosedFormError) as caught:
        read_log(tmp_path / "log.toml", arm)
    assert words in str(caught.value)


WRONG = (None, "x", -1, 0, 10**7, 10**400, 5e-324, np.nan, 1j, object(), [1], {"a": 1}, True, b"x", lambda: 0)


@pytest.mark.parametrize(
    "option", ["period", "terms", "starts", "iterations", "seed", "workspace", "progress"]
)
def test_what_an_excitation_is_asked_for_is_bounded(arm, option):
    fine = {
        "seed": (0, 10**7, None),
        "workspace": (None,),
        "progress": (None,),
        "starts": (),
        "iterations": (),
    }
    for value in WRONG:
        if not any(value is each or value == each for each in fine.get(option, ())):
            if option == "period" and value is True:
                continue
            with pytest.raises(cf.ClosedFormError):
                excitation(arm, **{"starts": 1, "iterations": 1, "terms": 2, option: value})
    with pytest.raises(cf.ArgumentError, match="from 2 to 50"):
        excitation(arm, terms=10**7)


def test_wrong_arguments_of_identification_are_refused_as_such(arm):
    t = np.arange(2000) / 100
    q = np.stack([np.sin(t), np.cos(2 * t)], axis=1)
    log = {"t": t, "q": q, "tau": q}
    fine = {"cutoff": (None,), "hold_out": (None,), "physical": (None, True), "progress": (None,)}
    fine |= {"friction": (None,), "rotors": (True,), "plausible": (True,), "locked": ()}
    options = ["cutoff", "friction", "rotors", "method", "hold_out", "locked", "undetermined", "physical"]
    for option in [*options, "plausible", "progress"]:
        for value in WRONG:
            if not any(value is each for each in fine.get(option, ())):
                with pytest.raises(cf.ClosedFormError):
                    identify(arm, log, **{option: value})
    for value in WRONG:
        for call in (
            lambda value=value: lock(arm, value),
            lambda value=value: lock(arm, {"joint1": str(value)}),
            lambda value=value: reduced_factor(cf.base_parameters(arm), value, q, q),
            lambda value=value: read_log(value, arm),
            lambda value=value: read_log(log, value),
        ):
            with pytest.raises(cf.ClosedFormError):
                call()


def test_single_columns_of_matrices_are_chosen(tmp_path):
    """A log of seven joints of which two are wanted, as arrays or records."""
    arm, t = cf.load("2r"), np.arange(200) / 100
    q = np.sin(t[:, None] * np.arange(1, 8))
    table = {"t": t, "position [deg]": np.degrees(q), "effort": 2 * q}
    columns = {"position": ["position [deg][1]", "position [deg][3]"], "effort": ["effort[1]", "effort[3]"]}
    log = read_log(table, arm, columns=columns)
    np.testing.assert_allclose(log.samples().position, q[:, [1, 3]], rtol=0, atol=1e-14)
    np.testing.assert_allclose(log.samples().effort, 2 * q[:, [1, 3]], rtol=0, atol=1e-14)
    np.savez(tmp_path / "position.npz", q=q)
    np.savez(tmp_path / "effort.npz", tau=2 * q)
    files = {name: tmp_path / f"{name}.npz" for name in ("position", "effort")}
    each = {"position": ["q[1]", "q[3]"], "effort": ["tau[1]", "tau[3]"]}
    apart = read_log(files, arm, columns=each, rate=100)
    np.testing.assert_array_equal(apart.samples().position, q[:, [1, 3]])


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ([1, 2], "'position', a matrix of 7 columns, beside others; name one of its columns, position.0. to"),
        (["position[0]", "position[7]"], r"column 'position\[7\]' of position does not exist"),
        (["t[0]", "t[1]"], r"column 't\[0\]' of position does not exist"),
    ],
)
def test_columns_that_a_matrix_does_not_have_are_refused(given, words):
    t = np.arange(200) / 100
    q = np.sin(t[:, None] * np.arange(1, 8))
    with pytest.raises(LogError, match=words):
        read_log({"t": t, "position": q, "effort": q}, cf.load("2r"), columns={"position": given})
