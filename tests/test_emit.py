"""Exported source code computes what the library computes, in every language."""

from __future__ import annotations

import ctypes
import importlib.util
import re
import subprocess
from functools import cache
from pathlib import Path

import mpmath
import numpy as np
import pytest

from closedform.emit import export, form_subject
from closedform.emit.c_sincos import LIMIT, sincos_function
from closedform.forms import Variant, form
from closedform.programs import evaluate, trace
from conftest import make
from emitted import CC, CXX, NVCC, OCTAVE, STRICT, offered, program, write
from tolerances import ROUNDING, SOLVE, worst

ROBOTS = ("2r", "panda", "quadruped")
CORE = ("inverse_dynamics", "forward_dynamics", "mass_matrix")
STATE = ("inverse_dynamics_derivatives", "forward_dynamics_derivatives", "coriolis_matrix_dq", "regressor")
FLOATING = (
    "jacobian_ddot",
    "com_jacobian",
    "coriolis_matrix",
    "external_torque_ddot",
    "potential_energy",
    "mass_matrix_dq",
    "inverse_dynamics_derivatives",
    "regressor",
    *CORE,
)
"""Forms of every kind, for a robot whose whole catalogue takes a minute."""

INVERSES = ("forward_dynamics", "mass_matrix_inverse", "task_inertia", "dynamically_consistent", "nullspace")
"""What goes through the inverse of the mass matrix."""

SINGLE = {ROUNDING: 2e-4, SOLVE: 2e-2}
"""The same tolerances in single precision: rounding is 5e8 times coarser, chains are as long."""

needs_cc = pytest.mark.skipif(CC is None, reason="no C compiler")
needs_cxx = pytest.mark.skipif(CXX is None, reason="no C++ compiler")


def on(*robots):
    """Parametrise by robot."""
    return pytest.mark.parametrize("name", robots)


def tolerance(form_name: str) -> float:
    return SOLVE if form_name.startswith(INVERSES) else ROUNDING


def arguments(name: str, form_name: str, *batch: int):
    """Return random inputs of a form."""
    robot, rng = make(name), np.random.default_rng(7)
    (q,) = robot.random_state(rng, batch=batch, order=0)
    shapes = form(form_name).input_shapes(robot.model)
    return [
        q if each == "q" else rng.normal(size=(*batch, *shape))
        for each, shape in zip(form(form_name).inputs, shapes, strict=True)
    ]


def as_tuple(results) -> tuple:
    return results if isinstance(results, tuple) else (results,)


def errors(results, references) -> float:
    """Return the worst error over all outputs."""
    pairs = zip(as_tuple(results), as_tuple(references), strict=True)
    return max(worst(value, reference) for value, reference in pairs)


def build(*sources: Path, flags: tuple[str, ...] = ("-O1",)):
    """Return the shared library of C files, compiled without a word of complaint."""
    library = sources[0].with_suffix(".so")
    command = [CC, "-std=c99", *STRICT, *flags, "-shared", "-fPIC", "-o", library, *sources, "-lm"]
    subprocess.run(command, check=True)
    return ctypes.CDLL(str(library))


def call(function, inputs, shapes, dtype=np.float64) -> tuple:
    """Call a C function of arrays; outputs start as NaN, so that none may be left out."""
    given = [np.ascontiguousarray(each, dtype) for each in inputs]
    results = [np.full(shape, np.nan, dtype) for shape in shapes]
    function(*(ctypes.c_void_p(each.ctypes.data) for each in (*given, *results)))
    return tuple(results)


def output_shapes(name: str, form_name: str):
    return [shape for _, shape in program(name, form_name).outputs]


@needs_cc
@on(*ROBOTS)
def test_c_equals_the_library(name, tmp_path):
    smaller = offered("2r")
    names = {
        "2r": smaller,
        "panda": [*CORE, *STATE, *(each for each in offered(name) if each not in smaller)],
        "quadruped": FLOATING,
    }[name]
    sources = {each: write(name, each, "c", tmp_path)[1] for each in names}
    library = build(*sources.values(), flags=("-O0",))
    for form_name, source in sources.items():
        inputs = arguments(name, form_name)
        results = call(library[source.stem], inputs, output_shapes(name, form_name))
        reference = evaluate(program(name, form_name), *inputs)
        assert errors(results, reference) < tolerance(form_name), form_name
        if name == "2r" or form_name in CORE:
            compiled = make(name).kernel(form_name)(*inputs)
            assert errors(results, compiled) < tolerance(form_name), form_name


@needs_cc
@on("2r", "panda")
def test_single_precision_c_equals_the_library(name, tmp_path):
    names = offered(name) if name == "2r" else CORE
    sources = {each: write(name, each, "c", tmp_path, precision="float")[1] for each in names}
    library = build(*sources.values(), flags=("-O1", "-Wdouble-promotion"))
    for form_name, source in sources.items():
        assert "double" not in re.sub(r"/\*.*?\*/", "", source.read_text(), flags=re.DOTALL)
        inputs = [each.astype(np.float32) for each in arguments(name, form_name)]
        results = call(library[source.stem], inputs, output_shapes(name, form_name), np.float32)
        reference = evaluate(program(name, form_name), *inputs)
        assert errors(results, reference) < SINGLE[tolerance(form_name)], form_name


@needs_cc
def test_inertial_parameters_may_be_an_input(tmp_path):
    robot = make("2r")
    traced = trace(robot.model, "mass_matrix", Variant(phi=True))
    subject = form_subject(form("mass_matrix", phi=True), robot.model)
    header, source = export(traced, subject, "c", tmp_path)
    assert source.stem == "robot_2r_mass_matrix_phi"
    assert "const double phi[20]" in header.read_text()
    phi = robot.phi * 1.25
    (q,) = arguments("2r", "mass_matrix")
    results = call(build(source)[source.stem], [q, phi], [(2, 2)])
    assert errors(results, robot.with_phi(phi).mass_matrix(q)) < ROUNDING


@needs_cxx
def test_c_files_are_cpp_too(tmp_path):
    for name, form_name in (("2r", "inverse_dynamics"), ("panda", "mass_matrix_ddot")):
        header, source = write(name, form_name, "c", tmp_path)
        user = tmp_path / "user.cpp"
        user.write_text(f'#include "{header.name}"\n#include "{header.name}"\n')
        for each in (user, source):
            subprocess.run([CXX, "-x", "c++", "-fsyntax-only", *STRICT, each], check=True)


@needs_cc
def test_long_programs_are_split_and_keep_within_their_workspace(tmp_path):
    _, source = write("panda", "coriolis_matrix_ddot", "c", tmp_path)
    text = source.read_text()
    assert text.count("static void panda_coriolis_matrix_ddot_part") > 5
    (size,) = set(map(int, re.findall(r"double w\[(?:restrict )?(\d+)\]", text)))
    assert max(map(int, re.findall(r"\bw\[(\d+)\] =", text))) == size - 1
    (stack,) = re.findall(r"Stack: at most (\d+) bytes", source.with_suffix(".h").read_text())
    assert 8 * size < int(stack) < 16 * size + 4096
    inputs = arguments("panda", "coriolis_matrix_ddot")
    results = call(build(source)[source.stem], inputs, [(7, 7)])
    assert errors(results, evaluate(program("panda", "coriolis_matrix_ddot"), *inputs)) < ROUNDING


@needs_cc
def test_sines_and_cosines_are_good_to_two_and_a_half_units(tmp_path):
    source = tmp_path / "turns.c"
    lines = sincos_function("turns", 4, "double")
    many = "for (long i = 0; i < n; i += 4) turns(x + i, s + i, c + i);"
    head = "void many(const double *x, double *s, double *c, long n)"
    source.write_text(
        "\n".join(["#include <float.h>", "#include <math.h>", *lines, f"{head};", f"{head} {{ {many} }}"])
    )
    many = build(source, flags=("-O2",))["many"]
    rng = np.random.default_rng(3)
    quarters = np.arange(-200, 200) * (np.pi / 2)
    small = 10.0 ** rng.uniform(-300, 0, 200)
    x = np.concatenate([rng.uniform(-7, 7, 1000), rng.uniform(-LIMIT, LIMIT, 1000), quarters, small])
    x = np.concatenate([x, [0.0, -0.0, LIMIT, -LIMIT, 1e22, np.inf, np.nan, 1.0]])
    s, c = np.empty_like(x), np.empty_like(x)
    with np.errstate(invalid="ignore"):
        many(*(ctypes.c_void_p(each.ctypes.data) for each in (x, s, c)), ctypes.c_long(x.size))
    finite = np.isfinite(x)
    assert np.isnan(s[~finite]).all()
    assert np.isnan(c[~finite]).all()
    with mpmath.workprec(300):
        for values, exact in ((s, mpmath.sin), (c, mpmath.cos)):
            for angle, value in zip(x[finite], values[finite], strict=True):
                true = exact(mpmath.mpf(float(angle)))
                assert abs(value - true) <= 2.5 * np.spacing(abs(float(true))), angle


@cache
def load_module(path: Path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@on(*ROBOTS)
def test_numpy_code_equals_the_library_over_batches(name, tmp_path):
    for form_name in (
        offered(name) if name == "2r" else ("pose", "external_torque", "dynamic_matrices", *CORE)
    ):
        (path,) = write(name, form_name, "numpy", tmp_path)
        function = getattr(load_module(path), path.stem)
        inputs = arguments(name, form_name, 2, 3)
        reference = evaluate(program(name, form_name), *inputs)
        assert errors(function(*inputs), reference) < tolerance(form_name), form_name
        one = [each[1, 2] for each in inputs]
        picked = tuple(each[1, 2] for each in as_tuple(reference))
        assert errors(function(*one), picked) < tolerance(form_name), form_name


def test_numpy_code_broadcasts_keeps_single_precision_and_names_bad_shapes(tmp_path):
    (path,) = write("2r", "inverse_dynamics", "numpy", tmp_path)
    function = getattr(load_module(path), path.stem)
    q, qd, qdd = arguments("2r", "inverse_dynamics", 5)
    assert function(q[:, None], qd, qdd[0]).shape == (5, 5, 2)
    assert function(q[:0], qd[:0], qdd[:0]).shape == (0, 2)
    assert function(*(each.astype(np.float32) for each in (q, qd, qdd))).dtype == np.float32
    assert function([1, 2], [0, 0], [0, 0]).dtype == np.float64
    with pytest.raises(ValueError, match=re.escape("qd has shape (3,); expected (..., 2)")):
        function(q[0], [1.0, 2.0, 3.0], qdd[0])


class Columns:
    """An array that is read as MATLAB does: called with indices from one."""

    def __init__(self, array):
        self.array = np.asarray(array, float)

    def __call__(self, *indices):
        return self.array[tuple(index - 1 for index in indices)]


def run_matlab_as_python(text: str, inputs) -> tuple:
    """Return the outputs of generated MATLAB, whose arithmetic Python reads alike."""
    results, names = re.match(r"function \[?([\w, ]+?)\]? = \w+\(([\w, ]+)\)", text).groups()
    known = dict(zip(names.split(", "), map(Columns, inputs), strict=True))
    known |= {"sin": np.sin, "cos": np.cos, "sqrt": np.sqrt, "zeros": lambda *size: np.zeros(size)}
    for line in text.split("\n\n", 1)[1].splitlines()[:-1]:
        target = re.fullmatch(r"    (\w+)(?:\(([\d, ]+)\))? = (.*);", line)
        array, indices, value = target.groups()
        if indices is None:
            known[array] = eval(value, {}, known)
        else:
            known[array][tuple(int(each) - 1 for each in indices.split(", "))] = eval(value, {}, known)
    return tuple(known[each] for each in results.split(", "))


def as_matlab(result, shape):
    """Return an output as MATLAB shapes it: vectors are columns, scalars 1 x 1."""
    return np.reshape(result, shape if len(shape) > 1 else (*(shape or (1,)), 1))


@on("2r", "panda")
def test_matlab_code_equals_the_library(name, tmp_path):
    for form_name in offered(name) if name == "2r" else ("pose", "external_torque", "mass_matrix_dq", *CORE):
        (path,) = write(name, form_name, "matlab", tmp_path)
        inputs = arguments(name, form_name)
        reference = as_tuple(evaluate(program(name, form_name), *inputs))
        shaped = map(as_matlab, reference, output_shapes(name, form_name))
        results = run_matlab_as_python(path.read_text(), inputs)
        # One entry of a column suffices for a vector; Python wants the second index only for that.
        flat = tuple(each[:, 0] if each.shape[1:] == (1,) else each for each in shaped)
        results = tuple(each[:, 0] if each.shape[1:] == (1,) else each for each in results)
        assert errors(results, flat) < tolerance(form_name), form_name


@pytest.mark.parametrize(("precision", "kind"), [("double", "double"), ("float", "single")])
def test_simulink_code_is_matlab_code_with_declared_types_and_sizes(precision, kind, tmp_path):
    for form_name in ("pose", "external_torque", "inverse_dynamics", "dynamic_matrices"):
        (path,) = write("2r", form_name, "simulink", tmp_path, precision=precision)
        lines = path.read_text().splitlines()
        declared = [line.strip() for line in lines if line.startswith("    assert(")]
        names = re.search(r"\(([\w, ]+)\) %#codegen$", lines[0])[1].split(", ")
        sizes = [as_matlab(each, each.shape).shape for each in arguments("2r", form_name)]
        assert declared == [
            line
            for name, (rows, columns) in zip(names, sizes, strict=True)
            for line in (
                f"assert(isa({name}, '{kind}'));",
                f"assert(all(size({name}) == [{rows} {columns}]));",
            )
        ]
        rest = "\n".join(line for line in lines if line.strip() not in declared) + "\n"
        (path,) = write("2r", form_name, "matlab", tmp_path)
        plain = path.read_text()
        if kind == "single":
            plain = re.sub(r"( = zeros\(.*)\);", r"\1, 'single');", plain)
        assert rest.replace(" %#codegen", "", 1) == plain


@pytest.mark.skipif(OCTAVE is None, reason="no Octave")
def test_simulink_code_refuses_other_sizes_and_types_in_octave(tmp_path):
    (path,) = write("2r", "mass_matrix", "simulink", tmp_path, precision="float")
    tries = {
        "single([1; 2])": "single",
        "[1; 2]": "refused",
        "single([1 2])": "refused",
        "single(1)": "refused",
    }
    script = [f"addpath('{tmp_path}');"]
    for given in tries:
        script.append(f"try, disp(class({path.stem}({given}))); catch, disp('refused'); end")
    assert octave(script, tmp_path) == list(tries.values())


@pytest.mark.skipif(OCTAVE is None, reason="no Octave")
@on("2r", "panda", "quadruped")
def test_matlab_code_runs_in_octave(name, tmp_path):
    names = ("pose", "external_torque", "kinetic_energy", "mass_matrix_dq", "dynamic_matrices", *CORE)
    script, expected = [f"addpath('{tmp_path}');", "format long;"], []
    for form_name in names:
        (path,) = write(name, form_name, "matlab", tmp_path)
        inputs = arguments(name, form_name)
        reference = as_tuple(evaluate(program(name, form_name), *inputs))
        shapes = output_shapes(name, form_name)
        results = ", ".join(f"r{k}" for k in range(len(shapes)))
        literals = ", ".join(matlab_literal(each) for each in inputs)
        script.append(f"[{results}] = {path.stem}({literals});")
        for k, (each, shape) in enumerate(zip(reference, shapes, strict=True)):
            size = " ".join(map(str, as_matlab(each, shape).shape))
            script.append(f"assert(isequal(size(r{k}), [{size}]));")
            # permute: row-major order, as NumPy's
            script.append(f"printf('%.17g ', permute(r{k}, ndims(r{k}):-1:1)); printf('\\n');")
            expected.append((form_name, np.ravel(each)))
    lines = octave(script, tmp_path)
    for line, (form_name, reference) in zip(lines, expected, strict=True):
        assert worst(np.array(line.split(), float), reference) < tolerance(form_name), form_name


def octave(script: list[str], folder: Path) -> list[str]:
    """Return the lines that a script prints."""
    (folder / "run.m").write_text("\n".join(script) + "\n")
    run = [OCTAVE, "--no-gui", "--no-init-file", "--quiet", str(folder / "run.m")]
    return subprocess.run(run, check=True, capture_output=True, text=True).stdout.splitlines()


def matlab_literal(array) -> str:
    rows = np.atleast_2d(array if array.ndim > 1 else array[:, None])
    return "[" + "; ".join(" ".join(map(repr, map(float, row))) for row in rows) + "]"


SHIM = """
#include <math.h>
#define __device__
#define __global__
#define __forceinline__ inline
#define __noinline__
extern "C" { struct Index { unsigned x; }; Index blockIdx, blockDim, gridDim, threadIdx; }
"""


@needs_cxx
@pytest.mark.parametrize(
    ("name", "form_name"), [("2r", "pose"), ("panda", "inverse_dynamics"), ("panda", "mass_matrix_ddot")]
)
def test_cuda_threads_cover_every_sample_of_a_strided_batch(name, form_name, tmp_path):
    """The device code is C++ but for a few words: run it thread by thread on the processor."""
    (path,) = write(name, form_name, "cuda", tmp_path)
    (tmp_path / "shim.h").write_text(SHIM)
    library = path.with_suffix(".so")
    options = ["-x", "c++", "-include", tmp_path / "shim.h", "-O1", "-Wall", "-Wextra", "-Werror"]
    subprocess.run([CXX, *options, "-shared", "-fPIC", "-o", library, path], check=True)
    loaded = ctypes.CDLL(str(library))
    count, stride, blocks, threads = 11, 13, 2, 3
    inputs = arguments(name, form_name, count)
    padded = [np.full((each[0].size, stride), np.nan) for each in inputs]
    for target, each in zip(padded, inputs, strict=True):
        target[:, :count] = each.reshape(count, -1).T
    (shape,) = output_shapes(name, form_name)
    result = np.full((int(np.prod(shape)), stride), np.nan)
    pointers = [ctypes.c_void_p(each.ctypes.data) for each in (*padded, result)]
    for variable, value in (("blockDim", threads), ("gridDim", blocks)):
        ctypes.c_uint.in_dll(loaded, variable).value = value
    for block in range(blocks):
        for thread in range(threads):
            ctypes.c_uint.in_dll(loaded, "blockIdx").value = block
            ctypes.c_uint.in_dll(loaded, "threadIdx").value = thread
            loaded[f"{path.stem}_batch"](ctypes.c_longlong(count), ctypes.c_longlong(stride), *pointers)
    reference = evaluate(program(name, form_name), *inputs)
    assert worst(result[:, :count].T.reshape(reference.shape), reference) < ROUNDING
    assert np.isnan(result[:, count:]).all()


@pytest.mark.skipif(NVCC is None, reason="no nvcc")
@pytest.mark.parametrize(("form_name", "precision"), [("inverse_dynamics", "float"), ("jacobian", "double")])
def test_cuda_code_compiles(form_name, precision, tmp_path):
    (path,) = write("panda", form_name, "cuda", tmp_path, precision=precision)
    ptx = path.with_suffix(".ptx")
    subprocess.run([NVCC, "-arch=sm_90", "-ptx", "-Werror", "all-warnings", "-o", ptx, path], check=True)
    assert f".visible .entry {path.stem}_batch(" in ptx.read_text()
