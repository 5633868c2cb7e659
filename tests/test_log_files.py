"""Files of a log: whatever kind they are of, the same numbers come out; damaged ones are named."""

from __future__ import annotations

import io
import struct
import zipfile

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet
from scipy import io as matlab
from scipy import sparse

import closedform as cf
from closedform.cli.reading import reading_options
from closedform.identification import LogError, read_log
from closedform.identification.logs import errors
from closedform.identification.logs.matlab import read_mat

T = np.arange(500) / 250
Q = np.stack([np.sin(T) + np.sin(2.7 * T), np.cos(1.3 * T)], axis=1)
TAU = np.stack([np.sin(3 * T), np.cos(T)], axis=1)
ROWS = np.column_stack([T, Q, TAU])
NAMES = ["t", "q1", "q2", "tau1", "tau2"]
INDICES = {"time": 0, "position": [1, 2], "effort": range(3, 5)}


@pytest.fixture(scope="module")
def arm():
    return cf.load("2r")


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def text(name, rows=ROWS, **options):
    np.savetxt(name, rows, fmt="%.17g", **{"comments": "", **options})
    return name


def structured():
    return np.rec.fromarrays(ROWS.T, names=NAMES)


def header_four(code=0, rows=500, columns=2, parts=0, length=2, order="<"):
    return struct.pack(f"{order}5i", code, rows, columns, parts, length) + b"q\0"


def reversed_four(name, matrices, code=1000, kind=">f8"):
    """Write matrices as MATLAB 4 did on a machine with the high byte first."""
    with open(name, "wb") as file:
        for label, values in matrices.items():
            x = np.atleast_2d(values)
            file.write(struct.pack(">5i", code, *x.shape, 0, len(label) + 1) + label.encode() + b"\0")
            file.write(x.astype(kind).tobytes("F"))


WRITERS = {
    "log.csv": lambda name: text(name, delimiter=",", header=",".join(NAMES)),
    "semicolons.csv": lambda name: text(name, delimiter=";", header=";".join(NAMES)),
    "log.tsv": lambda name: text(name, delimiter="\t", header="\t".join(NAMES)),
    "spaces.dat": lambda name: np.savetxt(name, ROWS, fmt="%25.17g", header="  ".join(NAMES), comments=""),
    "comment.txt": lambda name: text(name, header="a robot\n" + " ".join(NAMES), comments="# "),
    "percent.txt": lambda name: text(name, header=" ".join(NAMES), comments="% "),
    "log.parquet": lambda name: parquet.write_table(pa.table(dict(zip(NAMES, ROWS.T, strict=True))), name),
    "fields.npy": lambda name: np.save(name, np.asarray(structured())),
    "log.npz": lambda name: np.savez(name, t=T, q=Q, tau=np.asfortranarray(TAU), more=np.array("text")),
    "packed.npz": lambda name: np.savez_compressed(name, t=T, q=Q, tau=TAU),
    "log.mat": lambda name: matlab.savemat(name, {"t": T, "q": Q, "tau": TAU, "more": {"a": 1}}),
    "turned.mat": lambda name: matlab.savemat(
        name, {"t": T[:, None], "q": Q.T, "tau": TAU.T}, do_compression=True
    ),
    "four.mat": lambda name: matlab.savemat(name, {"t": T, "q": Q, "tau": TAU.T}, format="4"),
    "others.mat": lambda name: matlab.savemat(
        name,
        {"s": sparse.eye_array(9), "t": T, "w": 1j * Q, "q": Q, "note": "a robot", "tau": TAU},
        format="4",
    ),
    "reversed.mat": lambda name: reversed_four(name, {"t": T, "q": Q, "tau": TAU}),
}
BY_INDEX = {
    "headerless.csv": lambda name: text(name, delimiter=","),
    "headerless.txt": text,
    "note.txt": lambda name: text(name, header="recorded on a Monday", comments="#"),
    "headerless.npy": lambda name: np.save(name, ROWS),
    "log.csv": WRITERS["log.csv"],
}


def same(log):
    assert np.array_equal(log.time, T)
    assert np.array_equal(log.samples().position, Q)
    assert np.array_equal(log.samples().effort, TAU)


@pytest.mark.parametrize("name", WRITERS)
def test_every_kind_of_file_gives_the_same_numbers(arm, here, name):
    WRITERS[name](name)
    same(read_log(name, arm))


@pytest.mark.parametrize("name", BY_INDEX)
def test_columns_without_names_are_given_by_index(arm, here, name):
    BY_INDEX[name](name)
    same(read_log(name, arm, columns=INDICES))
    same(read_log(name, arm, columns=INDICES | {"position": {"joint2": 2, "joint1": 1}}))
    with pytest.raises(LogError, match=rf"{name}: columns: effort has index 5; there are 5 columns"):
        read_log(name, arm, columns=INDICES | {"effort": [4, 5]})
    if name != "log.csv":
        with pytest.raises(LogError, match=rf'{name}: no header names the 5 columns.*columns={{"time": 0'):
            read_log(name, arm)


@pytest.mark.parametrize(
    ("position", "effort"),
    [("q1,q2", "tau1,tau2"), ("Joint_1,Joint_2", "Joint_1,Joint_2"), ("joint1,joint2", "joint1,joint2")],
)
def test_plain_files_of_one_quantity_each(arm, here, position, effort):
    files = {
        "position": text("p.csv", Q, delimiter=",", header=position),
        "effort": text("e.csv", TAU, delimiter=",", header=effort),
    }
    log = read_log(files, arm, rate=250)
    same(log)
    assert log.notes == ()
    np.save("t.npy", T)
    same(read_log(files | {"time": "t.npy"}, arm))
    swapped = {"position": files["effort"], "effort": files["position"]}
    if "q1" in position:
        with pytest.raises(LogError, match=r"e.csv: column 'tau1' is of effort"):
            read_log(swapped, arm, rate=250)


def test_columns_taken_in_order_are_noted(arm, here):
    np.save("p.npy", Q)
    files = {"position": "p.npy", "effort": text("e.txt", np.column_stack([T, TAU]))}  # time comes first
    log = read_log(files, arm)
    same(log)
    assert all("in the robot's order" in note for note in log.notes)
    assert len(log.notes) == 2
    same(read_log(files, arm, columns={"time": 0, "position": [0, 1], "effort": [1, 2]}))
    np.save("p.npy", Q[:, [0, 1, 1, 1]])
    with pytest.raises(LogError, match=r"p.npy: 4 columns .* position of 2 joints"):
        read_log(files, arm)


@pytest.mark.parametrize(("rate", "accuracy"), [(100, 1e-6), (400, 1e-5)])
def test_a_clock_of_its_own_is_led_over_to_that_of_the_positions(arm, here, rate, accuracy):
    """Of efforts sampled faster it is the mean over a row: smaller by (w h)^2 / 24."""
    t = 0.1 + np.arange(2 * rate) / rate
    t = t[(t < 0.5) | (t > 0.6)]
    files = {
        "position": text("p.csv", np.column_stack([T, Q]), delimiter=",", header="t,q1,q2"),
        "effort": text(
            "e.csv", np.column_stack([1e3 * t, np.sin(3 * t), np.cos(t)]), header="t [ms],a,b", delimiter=","
        ),
    }
    log = read_log(files, arm)
    assert np.array_equal(log.position, Q[np.isin(T, log.time)])
    assert np.abs(log.effort - np.stack([np.sin(3 * log.time), np.cos(log.time)], axis=1)).max() < accuracy
    assert log.time[0] >= 0.1
    assert not ((log.time > 0.52) & (log.time < 0.58)).any()
    assert any(f"effort has a clock of its own (e.csv, {rate} Hz)" in note for note in log.notes)


def test_rates_may_be_given_by_quantity(arm, here):
    np.save("p.npy", Q)
    np.save("e.npy", TAU[::2])
    files = {"position": "p.npy", "effort": "e.npy"}
    log = read_log(files, arm, rate={"position": 250, "effort": 125})
    assert np.array_equal(log.position, Q[: len(log)])
    assert np.abs(log.effort - TAU[: len(log)]).max() < 1e-7
    with pytest.raises(LogError, match=r"e.npy: 250 rows without a clock.*has 500.*rate="):
        read_log(files, arm, rate={"position": 250})
    with pytest.raises(cf.ArgumentError, match="rate is a mapping"):
        read_log({"q": Q, "tau": TAU, "t": T}, arm, rate={"position": 250})
    np.save("e.npy", np.column_stack([T + 100, TAU]))
    with pytest.raises(LogError, match=r"e.npy: its clock runs from 100 .* no row in common"):
        read_log(files, arm, rate={"position": 250})


def test_a_window_is_a_part_of_the_log(arm, here):
    WRITERS["log.csv"]("log.csv")
    part = (T >= 0.5) & (T <= 1.5)
    log = read_log("log.csv", arm, window=(0.5, 1.5))
    assert np.array_equal(log.time, T[part])
    assert np.array_equal(log.position, Q[part])
    assert len(read_log({"q": Q, "tau": TAU}, arm, rate=250, window=[None, 1.0])) == 251
    (here / "log.toml").write_text('file = "log.csv"\nwindow = [0.5, 1.5]\n')
    assert np.array_equal(read_log("log.toml", arm).effort, TAU[part])
    with pytest.raises(LogError, match=r"log.csv: no row from 5 to 6 s; its clock runs from 0 to 1.996 s"):
        read_log("log.csv", arm, window=(5, 6))
    for wrong in ((1,), 3, "ab", (2, 1), (np.nan, 1), {1: 2}):
        with pytest.raises(cf.ArgumentError, match="window"):
            read_log("log.csv", arm, window=wrong)


def header(shape, kind="<f8"):
    stream = io.BytesIO()
    np.lib.format.write_array_header_1_0(stream, {"descr": kind, "fortran_order": False, "shape": shape})
    return stream.getvalue()


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("a.npy", b"not an array", "not a NumPy array"),
        ("a.npy", header((10**12, 5)), "announces 40000000000000 bytes but 0 follow"),
        ("a.npy", header((-5, -5)) + bytes(200), "announces|not a NumPy array"),
        ("a.npy", header((3,), "|O") + b"cos\nsystem\n.", "pickled objects"),
        ("a.npy", header((2, 2, 2)) + bytes(64), "shape"),
        ("a.npz", b"PK\3\4 and no more", "damaged"),
        ("a.npz", b"text", "damaged"),
        ("a.mat", b"text", "not a MATLAB file"),
        ("a.mat", b"MATLAB 5.0 MAT-file".ljust(124) + b"\0\1IM" + b"\7" * 50, "damaged|no matrix"),
        ("a.mat", b"MATLAB 7.3 MAT-file, Platform", r"7\.3.*save\(\.\.\., '-v7'\)"),
        ("a.mat", b"\x89HDF\r\n\x1a\n", r"7\.3"),
        (
            "a.mat",
            header_four(rows=2**31 - 1, columns=2**31 - 1),
            "damaged.*ends within a matrix of 2147483647",
        ),
        ("a.mat", header_four(rows=2**31 - 1, columns=2**31 - 1, parts=1), "damaged.*ends within"),
        ("a.mat", header_four(rows=2) + bytes(31), "damaged.*ends within"),
        ("a.mat", header_four(rows=-500), "damaged.*-500 rows"),
        ("a.mat", header_four(parts=7) + bytes(8000), "damaged"),
        ("a.mat", header_four(length=0) + bytes(8000), "damaged"),
        ("a.mat", header_four(length=-20) + bytes(8000), "damaged"),
        ("a.mat", header_four(length=2**31 - 1) + bytes(8000), "damaged"),
        ("a.mat", header_four(code=60) + bytes(8000), "damaged.*type 60"),
        ("a.mat", header_four(code=100) + bytes(8000), "damaged.*type 100"),
        ("a.mat", header_four(code=1000) + bytes(8000), "not a MATLAB file"),
        ("a.mat", header_four(code=2000, order=">") + bytes(8000), "not a MATLAB file"),
        ("a.mat", header_four(order=">") + bytes(8000), "damaged"),
        ("a.mat", bytes(3), "not a MATLAB file"),
        ("a.mat", bytes(19), "damaged"),
        ("a.mat", header_four(rows=2, parts=1) + bytes(64), "'q' is of another kind"),
        ("a.mat", header_four(code=1, rows=2) + bytes(32), "'q' is of another kind"),
        ("a.mat", header_four(rows=0, columns=0) * 5000, "more than 4096 matrices"),
        ("a.log", b"1 2 3", "unknown kind"),
        ("a.txt", b"# only\n# comments\n", "no row"),
        ("a.txt", b"1 2 3\n4 5\n", "line 2: 2 fields; expected 3"),
        ("a.txt", b"1 2 3\n4 5 x\n", "line 2: field 3 is 'x'"),
    ],
)
def test_damaged_files_are_named(arm, here, name, content, words):
    (here / name).write_bytes(content)
    with pytest.raises(LogError, match=rf"(?s){name}.*({words})"):
        read_log(name, arm)


@pytest.mark.parametrize("delimiter", [",", " "])
def test_a_last_row_that_is_cut_off_is_left_out_and_told(arm, here, delimiter):
    """The robot was switched off while the row was written; its last number may lack digits."""
    whole = text("log.csv", delimiter=delimiter, header=delimiter.join(NAMES))
    lines = (here / whole).read_text().splitlines()
    cut = delimiter.join(lines[-1].split(delimiter)[:-1])
    (here / "cut.csv").write_text("\n".join([*lines[:-1], cut[:-2]]))
    found = read_log("cut.csv", arm)
    assert len(found) == len(T) - 1
    assert np.array_equal(found.samples().position, Q[:-1])
    assert "cut off" in found.notes[0]
    with pytest.raises(LogError, match="time is not finite in row 500"):
        read_log("cut.csv", arm, missing="error")
    (here / "inside.csv").write_text("\n".join([*lines[:-2], cut, lines[-1]]))
    with pytest.raises(LogError, match="line 500: 4 fields; expected 5"):
        read_log("inside.csv", arm)


def test_archives_are_not_unpacked_beyond_the_limit(arm, here, monkeypatch):
    monkeypatch.setattr(errors, "LARGEST_TEXT", 100_000)
    np.savez_compressed("bomb.npz", t=np.zeros(10**6))
    matlab.savemat("bomb.mat", {"t": np.zeros(10**6)}, do_compression=True)
    for name in ("bomb.npz", "bomb.mat"):
        with pytest.raises(LogError, match=rf"{name}: .*100000 bytes"):
            read_log(name, arm)
    np.savez("objects.npz", t=T, q=np.array([{}] * 500, dtype=object), tau=TAU)
    with pytest.raises(LogError, match=r"objects.npz: array 'q' holds pickled objects"):
        read_log("objects.npz", arm)
    with zipfile.ZipFile("twice.npz", "w") as archive:
        archive.writestr("q.npy", header((0,)))
        with pytest.warns(UserWarning, match="Duplicate name"):
            archive.writestr("q.npy", header((0,)))
    with pytest.raises(LogError, match="'q' appears twice"):
        read_log("twice.npz", arm)


@pytest.mark.parametrize("kind", ["f8", "f4", "i4", "i2", "u2", "u1"])
def test_matlab_4_stores_numbers_of_six_types(here, kind):
    """SciPy reads the same from files with the low byte first, which it writes, and the high one."""
    whole = np.arange(60).reshape(20, 3).astype(kind)
    matlab.savemat("log.mat", {"q": whole}, format="4")
    assert np.array_equal(read_mat(here / "log.mat")["q"], whole)
    code = 1000 + 10 * ["f8", "f4", "i4", "i2", "u2", "u1"].index(kind)
    reversed_four("log.mat", {"q": whole}, code, f">{kind}")
    assert np.array_equal(matlab.loadmat("log.mat")["q"], whole)
    assert np.array_equal(read_mat(here / "log.mat")["q"], whole)


@pytest.mark.parametrize("name", ["four.mat", "others.mat"])
def test_matlab_4_that_ends_within_a_matrix_is_refused(arm, here, name):
    WRITERS[name](name)
    whole = (here / name).read_bytes()
    for size in range(1, len(whole), 97):
        (here / "cut.mat").write_bytes(whole[:size])
        with pytest.raises(LogError, match=r"cut.mat: (damaged|not a MATLAB)"):
            read_log("cut.mat", arm)


def test_matlab_4_holds_no_more_numbers_than_the_limit(arm, here, monkeypatch):
    monkeypatch.setattr(errors, "MOST_CELLS", 2000)
    WRITERS["four.mat"]("four.mat")
    with pytest.raises(LogError, match=r"four.mat: more than 2000 numbers; cut it"):
        read_log("four.mat", arm)


def test_a_lone_matrix_may_have_its_clock_before_the_joints(arm, here):
    """Simulink's blocks write a file each: one matrix, its first row the time."""
    for name, values in (("p.mat", Q), ("e.mat", TAU)):
        matlab.savemat(name, {"ans": np.vstack([T, values.T])}, format="4")
    same(read_log({"position": "p.mat", "effort": "e.mat"}, arm))
    matlab.savemat("e.mat", {"ans": np.vstack([TAU[:, 0], TAU.T])}, format="4")
    with pytest.raises(LogError, match="3 columns of effort for 2 joints"):
        read_log({"position": "p.mat", "effort": "e.mat"}, arm)


def test_structures_of_matlab_are_refused_with_a_remedy(arm, here):
    matlab.savemat("log.mat", {"data": {"t": T, "q": Q, "tau": TAU}})
    with pytest.raises(LogError, match=r"'data' is of another kind.*'-struct'"):
        read_log("log.mat", arm)


SAID = {
    "rate": None,
    "units": "",
    "columns": None,
    "window": None,
    "topic": None,
    "reduction": None,
    "offset": None,
}
SAID |= {"gain": None, "motor_positions": True, "missing": "few"}


def test_the_command_line_takes_what_read_log_takes(arm, here):
    said = SAID | {
        "columns": ["time=0", "position=1-2", "effort=3,4"],
        "window": "0.5:",
        "units": "position=deg",
        "reduction": "50,0;32,32",
        "offset": "0.1,0.2",
        "gain": "2,3",
        "missing": "drop",
    }
    options = {
        "columns": {"time": 0, "position": [1, 2], "effort": [3, 4]},
        "window": (0.5, None),
        "units": {"position": "deg"},
        "reduction": [[50, 0], [32, 32]],
        "offset": [0.1, 0.2],
        "gain": [2, 3],
        "missing": "drop",
    }
    text("log.txt")
    one, other = (read_log("log.txt", arm, **each).samples() for each in (reading_options(**said), options))
    assert np.array_equal(one.position, other.position)
    assert np.array_equal(one.effort, other.effort)
    assert reading_options(**SAID | {"rate": "position=250,effort=5"})["rate"] == {
        "position": 250,
        "effort": 5,
    }


@pytest.mark.parametrize(
    ("option", "given"),
    [
        ("rate", "fast"),
        ("rate", "1,2"),
        ("rate", "position=x"),
        ("columns", ["position"]),
        ("columns", ["time=0", "time=1"]),
        ("window", "3"),
        ("window", "a:b"),
        ("reduction", "1,2;3"),
        ("gain", "1,,2"),
    ],
)
def test_mistakes_on_the_command_line_name_their_option(option, given):
    with pytest.raises(cf.ArgumentError, match=f"^--{option}"):
        reading_options(**SAID | {option: given})
