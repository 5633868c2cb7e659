"""Logs that cannot be used say which column, row or joint it is, and what to do."""

from __future__ import annotations

import json
from dataclasses import asdict

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

import closedform as cf
from closedform.identification import (
    ExcitationError,
    FrictionTerms,
    LogError,
    Transmission,
    identify,
    read_log,
)
from closedform.identification.logs.units import factor, split_unit
from identification_logs import fourier_motion
from tolerances import ROUNDING


@pytest.fixture(scope="module")
def robot():
    return cf.load("panda")


@pytest.fixture(scope="module")
def columns(robot):
    """A good log by columns: t, q1 to q7, tau1 to tau7."""
    motion = fourier_motion(robot, 1, 12, 200)
    tau = robot.inverse_dynamics(motion.q, motion.qd, motion.qdd)
    table = {"t": motion.t}
    table |= {f"q{j + 1}": motion.q[:, j] for j in range(7)}
    table |= {f"tau{j + 1}": tau[:, j] for j in range(7)}
    return table


def refused(robot, log, *words, error=LogError, **options):
    with pytest.raises(error) as caught:
        identify(robot, log, **options)
    missing = [word for word in words if word not in str(caught.value)]
    assert not missing, str(caught.value)


def write(path, table, header=None):
    names = header or list(table)
    np.savetxt(
        path, np.column_stack(list(table.values())), delimiter=",", header=",".join(names), comments=""
    )
    return path


def test_the_good_log_is_good(robot, columns, tmp_path):
    from_file = read_log(write(tmp_path / "log.csv", columns), robot).samples()
    from_memory = read_log(columns, robot).samples()
    assert np.array_equal(from_file.position, from_memory.position)
    assert identify(robot, columns, friction=None, rotors=False).fitted.total < 1e-4


def test_parquet_and_csv_hold_the_same_log(robot, columns, tmp_path):
    parquet.write_table(pa.table(columns), tmp_path / "log.parquet")
    log = read_log(tmp_path / "log.parquet", robot)
    assert np.array_equal(log.samples().effort, read_log(columns, robot).samples().effort)
    assert np.array_equal(read_log(pa.table(columns), robot).time, log.time)


@pytest.mark.parametrize("style", ["{joint}_{quantity}", "- {joint}_{quantity}", "{quantity} {joint}"])
def test_columns_are_found_by_joint_names_with_units(robot, columns, style):
    table = {"time [ms]": 1000 * columns["t"]}
    for j, joint in enumerate(robot.joint_names):
        table[style.format(joint=joint, quantity="position") + " [deg]"] = np.degrees(columns[f"q{j + 1}"])
        table[style.format(joint=joint, quantity="effort")] = columns[f"tau{j + 1}"]
    log, plain = read_log(table, robot).samples(), read_log(columns, robot).samples()
    assert np.abs(log.position - plain.position).max() < ROUNDING
    assert np.abs(log.time - plain.time).max() < ROUNDING


def test_units_stand_in_brackets():
    assert split_unit("q1 (deg)") == ("q1", "deg")
    assert split_unit("q[2]") == ("q[2]", None)
    assert factor("effort", "N m") == factor("effort", "N·m") == 1
    assert factor("position", "°") == pytest.approx(np.pi / 180)
    assert split_unit("q1") == ("q1", None)


@pytest.mark.parametrize(
    ("gone", "words"),
    [
        (["tau3"], ["joint3", "effort"]),
        (["q5"], ["joint5", "position"]),
        (["t"], ["time", "rate="]),
        ([f"tau{j}" for j in range(1, 8)], ["effort", "columns="]),
    ],
)
def test_missing_columns_are_named(robot, columns, gone, words):
    refused(robot, {name: values for name, values in columns.items() if name not in gone}, *words)


def test_a_named_column_that_does_not_exist_is_named(robot, columns):
    names = [f"q{j}" for j in range(1, 7)] + ["q9"]
    refused(robot, columns, "'q9'", columns={"position": names})
    refused(robot, columns, "6 names", "7 joints", columns={"position": names[:6]})


def test_degrees_are_noticed(robot, columns):
    wrong = columns | {f"q{j}": np.degrees(columns[f"q{j}"]) for j in range(1, 8)}
    refused(robot, wrong, "degrees", "deg")
    assert identify(robot, wrong, units={"position": "deg"}, friction=None, rotors=False).fitted.total < 1e-4


def test_small_motions_in_degrees_are_noticed_by_their_speed(robot, columns):
    small = {f"q{j}": np.degrees(0.05 * columns[f"q{j}"]) for j in range(1, 8)}
    refused(robot, columns | small, "degrees")


def test_milliseconds_are_noticed(robot, columns):
    wrong = columns | {"t": 1000 * columns["t"]}
    refused(robot, wrong, "milliseconds", '"ms"')
    assert identify(robot, wrong, units={"time": "ms"}, friction=None, rotors=False).fitted.total < 1e-4


def test_degrees_per_second_are_noticed(robot, columns):
    rates = {f"qd{j}": np.degrees(np.gradient(columns[f"q{j}"], columns["t"])) for j in range(1, 8)}
    refused(robot, columns | rates, "deg/s")


def test_newton_millimetres_are_noticed(robot, columns):
    refused(robot, columns | {f"tau{j}": 1000 * columns[f"tau{j}"] for j in range(1, 8)}, "mNm")


def test_motor_side_efforts_are_noticed(robot, columns):
    refused(robot, columns | {f"tau{j}": columns[f"tau{j}"] / -50 for j in range(1, 8)}, "-50 times", "gain=")


def test_unknown_units_and_quantities_are_named(robot, columns):
    refused(robot, columns, "'furlong'", "deg", error=cf.ClosedFormError, units={"position": "furlong"})
    refused(robot, columns, "'angle'", "position", error=cf.ClosedFormError, units={"angle": "deg"})


def test_rows_that_are_not_finite_are_counted(robot, columns):
    q2 = columns["q2"].copy()
    q2[[100, 101, 500]] = np.nan
    log = columns | {"q2": q2}
    refused(robot, log, "'q2'", "3 row(s)", "row 101", 'missing="drop"', missing="error")
    result = identify(robot, log, friction=None, rotors=False)
    assert result.fitted.total < 1e-3
    assert "3 row(s) with numbers that are not finite" in result.notes[0]
    q2[:100] = np.inf  # too many to go unasked
    refused(robot, log, "'q2'", "103 row(s)")
    assert identify(robot, log, missing="drop", friction=None, rotors=False).fitted.total < 1e-3


def test_blank_cells_of_a_file_are_rows_that_are_not_finite(robot, columns, tmp_path):
    path = write(tmp_path / "log.csv", columns)
    lines = path.read_text().splitlines()
    cells = lines[10].split(",")
    cells[3] = ""
    path.write_text("\n".join([*lines[:10], ",".join(cells), *lines[11:]]))
    refused(robot, path, "'q3'", "row 10", missing="error")


def test_constant_joints_are_named_and_can_be_locked(robot, columns):
    motion = fourier_motion(robot, 1, 12, 200)
    q, qd, qdd = motion.q.copy(), motion.qd.copy(), motion.qdd.copy()
    q[:, 3], qd[:, 3], qdd[:, 3] = -1.5, 0, 0
    log = {"t": motion.t, "q": q, "tau": robot.inverse_dynamics(q, qd, qdd)}
    name = robot.joint_names[3]
    refused(robot, log, name, "do not move", f"locked={{{name!r}: -1.5}}")
    result = identify(robot, log, locked={name: -1.5}, friction=None, rotors=False)
    assert result.robot.nv == 6
    assert result.fitted.total < 1e-4


def test_too_little_excitation_names_the_parameters(robot):
    """The last joint moves alone (the others tremble along one line): inertias of the others stay unknown."""
    t = np.arange(0, 12, 0.005)
    q = 0.3 + 0 * t[:, None] + np.sin(2 * t)[:, None] * np.array([1, 0, 0, 0, 0, 0, 0])
    q = (
        q
        + 2e-4 * np.sin(2 * t)[:, None] * np.array([0, 1, 1, 1, 1, 1, 1])
        + np.array([0, 0, 0, -1.5, 0, 1.5, 0])
    )
    qd, qdd = np.gradient(q, t, axis=0), np.gradient(np.gradient(q, t, axis=0), t, axis=0)
    log = {"t": t, "q": q, "tau": robot.inverse_dynamics(q, qd, qdd)}
    with pytest.raises(ExcitationError) as caught:
        identify(robot, log, friction=None, rotors=False)
    assert {"XXR2", "ZZ7"} <= set(caught.value.parameters)
    assert "excitation" in str(caught.value)
    kept = identify(robot, log, friction=None, rotors=False, undetermined="prior")
    assert np.isfinite(kept.robot.phi).all()
    told = identify(robot, log, friction=None, rotors=False, diagnose=True)
    assert any("does not determine" in doubt for doubt in told.doubts)


def test_repeated_and_reversed_timestamps_are_located(robot, columns):
    t = columns["t"].copy()
    t[1:200:2] = t[:200:2]
    refused(robot, columns | {"t": t}, "100 timestamp(s)", "rows 1 and 2", "rate=")
    t = columns["t"].copy()
    t[300:] -= 1.0
    refused(robot, columns | {"t": t}, "backwards", "row 300")
    assert identify(robot, columns | {"t": t}, rate=200, friction=None, rotors=False).fitted.total < 1e-4


def test_logs_of_another_robot_are_noticed(columns):
    refused(cf.load("ur5"), columns, "6 joints", "another robot")
    shorter = {name: values for name, values in columns.items() if not name.endswith("7")}
    refused(cf.load("panda"), shorter, "joint7", "another robot", "locked=")
    t = columns["t"]
    refused(
        cf.load("2r"), {"t": t, "q": np.zeros((len(t), 3)), "tau": np.zeros((len(t), 3))}, "another robot"
    )


def test_files_that_are_not_what_their_suffix_says(robot, columns, tmp_path):
    write(tmp_path / "text.parquet", columns)
    refused(robot, tmp_path / "text.parquet", "not a Parquet file", "CSV")
    parquet.write_table(pa.table(columns), tmp_path / "columns.csv")
    refused(robot, tmp_path / "columns.csv", "Parquet", "rename")
    (tmp_path / "binary.csv").write_bytes(bytes(range(256)) * 4)
    refused(robot, tmp_path / "binary.csv", "binary", "CSV")
    (tmp_path / "empty.csv").write_text("")
    refused(robot, tmp_path / "empty.csv", "empty")
    (tmp_path / "header.csv").write_text("t,q1,tau1\n")
    refused(robot, tmp_path / "header.csv", "no rows")
    (tmp_path / "numbers.csv").write_text("0,1,2\n1,2,3\n")
    refused(robot, tmp_path / "numbers.csv", "header")
    (tmp_path / "words.csv").write_text("t,q1,tau1\n0,1,2\n0.1,fast,3\n")
    refused(robot, tmp_path / "words.csv", "line 3", "'fast'")
    (tmp_path / "ragged.csv").write_text("t,q1,tau1\n0,1,2\n0.1,3\n")
    refused(robot, tmp_path / "ragged.csv", "line 3", "2 fields")
    (tmp_path / "twice.csv").write_text("t,q1,q1\n0,1,2\n")
    refused(robot, tmp_path / "twice.csv", "'q1'", "twice")
    (tmp_path / "log.xlsx").write_bytes(b"PK")
    refused(robot, tmp_path / "log.xlsx", ".xlsx", ".parquet")
    (tmp_path / "damaged.parquet").write_bytes(b"PAR1 and then nothing")
    refused(robot, tmp_path / "damaged.parquet", "damaged")
    (tmp_path / "log.toml").write_text("positions = 'a.csv'")
    refused(robot, tmp_path / "log.toml", "'positions'", "position")
    refused(robot, tmp_path / "absent.csv", "absent.csv", "no such file")
    refused(robot, 42, "path", "data frame", error=cf.ClosedFormError)


def test_a_log_of_a_few_rows_is_too_short(robot, columns):
    refused(robot, {name: values[:9] for name, values in columns.items()}, "9 row(s)", "longer")
    refused(
        robot, {name: values[:60] for name, values in columns.items()}, "too short", "longer", cutoff=50.0
    )


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"cutoff": 500.0}, ["cutoff", "sampling rate"]),
        ({"cutoff": 0.5}, ["too short"]),
        ({"friction": "sticky"}, ["friction", "auto"]),
        ({"method": "magic"}, ["method", "reweighted"]),
        ({"hold_out": "third"}, ["hold_out", "half"]),
        ({"hold_out": 100.0}, ["hold_out", "alternate"]),
        ({"locked": ["elbow"]}, ["elbow", "joint"]),
        ({"undetermined": "guess"}, ["undetermined", "prior"]),
        ({"missing": "invent"}, ["missing", "drop"]),
        ({"reduction": [1, 2]}, ["reduction", "(7, 7)"]),
        ({"gain": [0.0] * 7}, ["gain", "zero"]),
    ],
)
def test_options_that_make_no_sense_are_named(robot, columns, options, words):
    refused(robot, columns, *words, error=cf.ClosedFormError, **{"friction": None, **options})


def test_floating_bases_are_refused():
    with pytest.raises(cf.ClosedFormError, match="floating base"):
        identify(cf.load("quadruped"), {"t": [0.0], "q": [[0.0]], "tau": [[0.0]]})


def test_times_that_are_dates_are_refused_in_one_file_and_in_several(robot, tmp_path):
    dates = np.datetime64("2024-01-01") + np.arange(200) * np.timedelta64(1_000_000, "ns")
    files = {"position": tmp_path / "position.parquet", "effort": tmp_path / "effort.parquet"}
    for quantity, path in files.items():
        joints = {f"{name} {quantity}": np.zeros(200) for name in robot.joint_names}
        parquet.write_table(pa.table({"time": dates, **joints}), path)
    for source in (files["position"], files):
        with pytest.raises(LogError, match=r"'time' holds datetime64\[ns\], not numbers"):
            read_log(source, robot)


def test_friction_terms_are_plain_numbers_and_flags():
    terms = FrictionTerms(np.True_, np.float32(0.5), np.int64(2), np.False_)
    assert json.dumps(asdict(terms)) == json.dumps(asdict(FrictionTerms(True, 0.5, 2.0, False)))


def test_friction_and_gears_that_make_no_sense_are_named():
    with pytest.raises(cf.ClosedFormError, match="coulomb"):
        FrictionTerms(coulomb=-1.0)
    with pytest.raises(cf.ClosedFormError, match="presliding"):
        FrictionTerms(presliding="long")
    with pytest.raises(cf.ClosedFormError, match="singular"):
        Transmission.of(2, reduction=[[1, 1], [1, 1]])
    with pytest.raises(cf.ClosedFormError, match="order the motors"):
        Transmission.of(2, reduction=[[0, 1], [1, 0]])


WRIST = """<robot name="r"><link name="base"/>
<link name="arm"><inertial><mass value="1"/>
<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
<link name="hand"><inertial><origin xyz="0 0 0.1"/><mass value="0.2"/></inertial></link>
<joint name="elbow" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/></joint>
<joint name="wrist" type="continuous"><parent link="arm"/><child link="hand"/><axis xyz="0 0 1"/></joint>
</robot>"""


def test_a_wrist_whose_inertia_was_rounded_away_loads_with_a_warning(tmp_path):
    (tmp_path / "arm.urdf").write_text(WRIST)
    with pytest.warns(cf.ModelWarning, match="'wrist' moves no inertia"):
        robot = cf.load(tmp_path / "arm.urdf")
    assert robot.nv == 2
