"""The bench of GPUs without one: its rows, figures and page, the robot files, the text for LLVM's NVPTX."""

from __future__ import annotations

import ctypes
import io
import re

import llvmlite.binding as llvm
import numpy as np
import pytest

import closedform as cf
from bench.gpu.figures import Figure, figures, ratios
from bench.gpu.job import base_has_mass, error, moved, prepared, read_job, reference
from bench.gpu.measuring import Contestant, guarded, measure
from bench.gpu.nvptx_part import kernel_text, ptx
from bench.gpu.page import figures_text, outcomes_text, replaced, write_page
from bench.gpu.rows import OURS, Row, Sink, found, read_csv, read_lines, roof, share, write_csv
from bench.gpu.run import chosen, run
from closedform.kernels import machine
from closedform.programs import evaluate

FACTS = {"date": "2026-11-16", "card": "a card", "versions": "torch 2, numpy 2"}


def row(
    library, arrays, how, microseconds, form="ID", count=1024, error=1e-6, robot="iiwa14", dtype="float32"
):
    size = moved(7, form, count, dtype) if form in ("ID", "M", "dID") else 0
    return Row(robot, form, dtype, count, library, arrays, how, microseconds * 1e-6, size, error)


ROWS = [
    Row("-", "copy", "float32", 2**28, "torch", "", "events", 0.5e-3, 2 * 2**30),
    row(OURS, "torch", "graph", 2.0),
    row(OURS, "torch", "eager", 16.0),
    row("grid-rbd", "torch", "graph", 12.0),
    row("grid-rbd", "torch", "graph", 9.0, form="dID"),
    row(OURS, "torch", "graph", 3.0, form="dID"),
    row(OURS, "torch", "graph", 4.0, form="M"),
    row("grid-rbd", "torch", "graph", 40.0, form="M", error=0.5),
    row(OURS, "nvrtc", "compile", 3e5, count=1, error=-1.0),
    row(OURS, "nvrtc", "graph", 2.0),
    row(OURS, "nvrtc", "graph", 50.0, count=2**20),
]


def verdicts(rows):
    return {each.what: each.verdict for each in figures(rows, ["iiwa14", "g1"])}


def test_figures_are_met_missed_or_not_measured():
    found_verdicts = verdicts(ROWS)
    assert found_verdicts["iiwa14 ID, N = 1024, in a graph, against GRiD"] == "met"
    assert found_verdicts["iiwa14 dID, N = 1024, in a graph, against GRiD"] == "missed"
    assert found_verdicts["iiwa14 ID, N = 1024, eager call with PyTorch"] == "missed"
    assert found_verdicts["g1 dID, N = 65536, in a graph"] == "not measured"
    assert set(verdicts([]).values()) == {"not measured"}


def test_wrong_results_of_a_peer_do_not_count():
    assert verdicts(ROWS)["iiwa14 M, N = 1024, in a graph, against GRiD"] == "not measured"
    assert not any(" M " in line for line in ratios(ROWS))
    assert [line.split()[-2] for line in ratios(ROWS)] == ["6.0", "3.0"]


def test_a_bound_counts_as_reached():
    assert Figure("x", 5.0, 5.0, "times", least=True).verdict == "met"
    assert Figure("x", 15.0, 15.0, "us").verdict == "met"


def test_rows_survive_files(tmp_path):
    rows, facts = read_csv(io.StringIO(write_csv(ROWS, FACTS)))
    assert rows == ROWS
    assert facts == FACTS
    sink = Sink(tmp_path / "rows")
    for each in ROWS:
        sink.add(each)
    with (tmp_path / "rows").open("a") as file:
        file.write('{"robot": "cut o')
    assert read_lines(tmp_path / "rows") == ROWS
    assert read_lines(tmp_path / "none") == []


def test_the_roof_is_the_copy():
    assert roof(ROWS) == pytest.approx(2 * 2**30 / 0.5e-3)
    assert share(ROWS[1], roof(ROWS)) == pytest.approx(4 * 7 * 4 * 1024 / 2e-6 / roof(ROWS))
    assert share(ROWS[1], 0.0) == 0.0


def test_pages_change_between_their_markers_only(tmp_path):
    page = tmp_path / "gpu.md"
    marked = "<!-- {0} -->\nold\n<!-- /{0} -->"
    page.write_text(f"a\n{marked.format('figures')}\nb\n{marked.format('tests')}\nc\n")
    case = '<testcase classname="tests.test_torch_cuda" name="test_x">{}</testcase>'
    cases = [case.format(""), case.format("<skipped/>"), case.format("<failure/>")]
    (tmp_path / "tests.xml").write_text(f"<all><testsuites>{''.join(cases)}</testsuites></all>")
    write_page(page, ROWS, FACTS, tmp_path / "tests.xml")
    text = page.read_text()
    assert "old" not in text
    assert text.startswith("a\n<!-- figures -->\nMeasured 2026-11-16 on a card")
    assert text.endswith("<!-- /tests -->\nc\n")
    assert "| test_torch_cuda | 1 | 1 | 1 |" in text
    assert "| iiwa14 ID, N = 1024 | 2.0 | 16.0 |" in text
    with pytest.raises(ValueError, match="no markers <!-- other -->"):
        replaced(text, "other", "")
    assert "NVRTC | 0.30 | 2.0 | 50.0 |" in figures_text(ROWS, FACTS)
    assert "a card" in outcomes_text(tmp_path / "tests.xml", FACTS)


def test_a_stored_run_is_shown_without_a_gpu(tmp_path, capsys):
    (tmp_path / "gpu.csv").write_text(write_csv(ROWS, FACTS))
    shown = run(tmp_path, read=str(tmp_path / "gpu.csv"))
    assert shown["facts"] == FACTS
    assert "6.0 times" in capsys.readouterr().out


def test_parts_are_chosen_by_name():
    assert chosen("grid,torch", quick=False) == ["torch", "grid"]
    assert "nvptx" in chosen("", quick=False)
    assert "nvptx" not in chosen("", quick=True)
    with pytest.raises(SystemExit, match="unknown part"):
        chosen("grit", quick=False)


def test_what_fails_says_why_and_the_rest_goes_on(capsys):
    with guarded("a part"):
        raise ImportError("no module named x\nmore")
    assert capsys.readouterr().out == "a part: not measured: ImportError: no module named x\n"


@pytest.fixture(scope="module")
def job(tmp_path_factory):
    folder = tmp_path_factory.mktemp("job")
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("bench.gpu.job.FORMS", {"M": "mass_matrix"})  # the others compile for seconds
        job = prepared(folder, ["2r"], quick=True)
    assert read_job(str(folder)) == job
    return job


def test_all_libraries_read_the_same_robot(job):
    ours, again = cf.load("iiwa14"), job.load("iiwa14")
    assert again.program("mass_matrix").counts == ours.program("mass_matrix").counts
    text = job.file("iiwa14").read_text()
    assert text.count("<inertial>") == text.count("<link ")
    base_has_mass(job.file("iiwa14"))
    assert job.file("iiwa14").read_text() == text


def stand_in(scale):
    """Return a contestant that computes `scale` times the mass matrix with NumPy."""
    robot = cf.load("2r")
    return Contestant(
        "peer",
        "numpy",
        lambda q: scale * robot.mass_matrix(q),
        lambda array: array,
        lambda count: [np.zeros((count, 2))],
        lambda results: results,
        lambda: None,
        graphs=False,
    )


def test_results_are_compared_before_they_are_timed(job, tmp_path, capsys):
    sink = Sink(tmp_path / "rows")
    for scale in (1.0, 1.1):
        measure(job, sink, "2r", 2, "M", "float64", stand_in(scale), (16,))
    right, wrong = sink.rows[0], sink.rows[-1]
    assert right.right
    assert wrong.error == pytest.approx(0.1)
    assert "WRONG" in capsys.readouterr().out
    assert found(sink.rows, form="M").error == right.error


def test_an_error_is_infinite_for_other_shapes_and_nan():
    one = np.ones((3, 2))
    assert error([one], [one]) == 0.0
    assert error([one[:2]], [one]) == float("inf")
    assert error([one * np.nan], [one]) == float("inf")


def test_references_are_those_of_the_library(job):
    (q,), (M,) = reference(job, "2r", "M")
    assert np.abs(cf.load("2r").mass_matrix(q) - M).max() < 1e-12


def on_the_cpu(text, thread, threads, block):
    """Return the LLVM text of one thread of a GPU, as a function of this CPU."""
    text = text.replace("addrspace(1) ", "").replace("ptx_kernel ", "")
    for name, value in {"tid": thread, "ntid": threads, "ctaid": block}.items():
        text = re.sub(rf"declare i32 @\S+\.{name}\.x\(\)\n", "", text)
        text = re.sub(rf"call i32 @\S+\.{name}\.x\(\)", f"add i32 0, {value}", text)
    return machine.Machine(machine.compile_text(text), "evaluate")


@pytest.mark.parametrize("form", ["inverse_dynamics", "inverse_dynamics_derivatives"])
def test_the_text_for_nvptx_computes_a_sample_of_a_structure_of_arrays(form):
    program = cf.load("2r").program(form)
    text = kernel_text(program, "double")
    rng = np.random.default_rng(0)
    count, stride, sample = 5, 8, 4
    inputs = [rng.normal(size=(2, stride)) for _ in program.inputs]
    outputs = [np.full((int(np.prod(shape)), stride), np.nan) for _, shape in program.outputs]
    addresses = [each.ctypes.data for each in (*inputs, *outputs)]
    for thread in (sample % 3, 2):  # the second one has no sample: 1 * 3 + 2 = count
        loaded = on_the_cpu(text, thread, 3, 1)
        kinds = [ctypes.c_longlong] * 2 + [ctypes.c_void_p] * len(addresses)
        ctypes.CFUNCTYPE(None, *kinds)(loaded.address("evaluate"))(count, stride, *addresses)
    expected = evaluate(program, *[each[:, sample] for each in inputs])
    for ours, theirs in zip(outputs, expected if isinstance(expected, tuple) else [expected], strict=True):
        assert np.abs(ours[:, sample] - np.ravel(theirs)).max() < 1e-12
        ours[:, sample] = np.nan
        assert np.isnan(ours).all()


def test_llvm_makes_ptx_of_it():
    llvm.initialize_all_targets()
    try:
        llvm.Target.from_triple("nvptx64-nvidia-cuda")
    except RuntimeError:
        pytest.skip("this LLVM has no NVPTX")
    made = ptx(kernel_text(cf.load("2r").program("inverse_dynamics"), "float"), "sm_90")
    assert ".entry evaluate" in made
    assert "call" not in made
