"""Several forms in one folder: a library that builds without a warning and checks itself."""

from __future__ import annotations

import os
import re
import subprocess
from dataclasses import replace
from pathlib import Path

import casadi as ca
import numpy as np
import pytest

import closedform as cf
from closedform.emit import LANGUAGES, Subject, export, export_library, form_subject
from closedform.emit.library import library_name
from closedform.emit.self_check import stored
from closedform.emit.source import source
from closedform.emit.subject import WHAT
from closedform.forms import Variant, form
from closedform.kernels import compiled
from closedform.programs import trace
from conftest import make
from emitted import CC, CMAKE, CXX, EIGEN, SEVERAL, STRICT, build_check, library, program, run
from test_emit_files import GOLDEN, HOSTILE, hostile_model
from tolerances import ROUNDING, worst

needs_cc = pytest.mark.skipif(CC is None, reason="no C compiler")
needs_cxx = pytest.mark.skipif(CXX is None, reason="no C++ compiler")


def test_a_list_of_forms_makes_a_folder_with_everything(tmp_path):
    forms = ["inverse_dynamics", ("jacobian", {"frame": "tool"}), ("mass_matrix_rates", {"order": 1})]
    paths = make("2r").export(forms, "c++", tmp_path / "new" / "gen")
    assert [path.name for path in paths] == [
        "robot_2r.h",
        "robot_2r.hpp",
        "robot_2r_inverse_dynamics.c",
        "robot_2r_jacobian_tool.c",
        "robot_2r_mass_matrix_rates_1.c",
        "self_check.c",
        "CMakeLists.txt",
        "README.md",
    ]
    assert sorted(paths) == sorted((tmp_path / "new" / "gen").iterdir())
    header = paths[0].read_text()
    assert "#define ROBOT_2R_NQ 2\n" in header
    assert "#define ROBOT_2R_JACOBIAN_TOOL_J_SIZE 12\n" in header
    assert header.count("Joints, in order:") == 1


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_takes_several_forms(language, tmp_path):
    names = {path.name for path in make("2r").export(["mass_matrix", "pose"], language, f"{tmp_path}/gen")}
    assert names == {path.name for path in (tmp_path / "gen").iterdir()}
    for each in ("mass_matrix", "pose"):
        assert f"robot_2r_{each}{LANGUAGES[language].endings[-1]}".replace(".hpp", ".c") in names


def test_choices_go_to_the_forms_that_take_them(tmp_path):
    forms = ["mass_matrix", "jacobian", ("pose", {"frame": "link1"}), "mass_matrix_rates"]
    names = library(tmp_path, forms=forms, frame="tool", phi=True, order=1)
    assert [name for name in names if name.startswith("robot_2r_")] == [
        "robot_2r_mass_matrix_phi.c",
        "robot_2r_jacobian_tool.c",
        "robot_2r_pose_link1.c",
        "robot_2r_mass_matrix_rates_1_phi.c",
    ]


def test_choices_give_different_names():
    variants = [
        Variant("world"),
        Variant(reference="world"),
        Variant(relative_to="world"),
        Variant(wrenches=("world",)),
        Variant(wrenches=True),
        Variant(friction=True),
        Variant(phi=True),
        Variant(geometry=True),
        Variant(phi=True, geometry=True),
        Variant(rows=("x", "rz")),
        Variant(rows="xyz"),
        Variant(wrenches=("a" * 16, "b" * 16, "c" * 16)),
        Variant(wrenches=("a" * 16, "b" * 16, "d" * 16)),
    ]
    plain, model = cf.FORMS["mass_matrix"], hostile_model("world")
    subjects = [form_subject(replace(plain, variant=each), model) for each in (Variant(), *variants)]
    assert len({each.function for each in subjects}) == len(subjects)
    assert max(len(each.what) for each in subjects) <= WHAT


@needs_cc
def test_a_library_takes_inertias_and_geometry(tmp_path):
    names = library(tmp_path, forms=["inverse_dynamics", "pose"], phi=True, geometry=True)
    assert "robot_2r_inverse_dynamics_phi_geometry.c" in names
    code, out = run(build_check(tmp_path))
    assert code == 0
    assert out.count(": ok\n") == 2


@needs_cc
@pytest.mark.parametrize("precision", ["double", "float"])
def test_a_library_checks_itself(precision, tmp_path):
    library(tmp_path, precision=precision)
    code, out = run(build_check(tmp_path, *(["-Wdouble-promotion"] if precision == "float" else [])))
    assert code == 0
    assert [line.split()[0] for line in out.splitlines()] == [f"robot_2r_{each}" for each in SEVERAL]
    assert out.count(": ok\n") == len(SEVERAL)


@needs_cc
@pytest.mark.parametrize(("precision", "change"), [("double", 1e-10), ("float", 1e-2)])
def test_one_stored_number_that_is_wrong_is_found(precision, change, tmp_path):
    path = library(tmp_path, precision=precision)["self_check.c"]
    text = path.read_text()
    start = text.index("static const real M_1[")
    block = text[start : text.index("};\n", start)]
    largest = max(re.findall(r"-?\d+\.\d+", block), key=lambda each: abs(float(each)))
    wrong = block.replace(largest, repr(float(largest) * (1 + change)), 1)
    path.write_text(text.replace(block, wrong))
    code, out = run(build_check(tmp_path))
    assert code == 1
    (failed,) = (line for line in out.splitlines() if line.endswith("FAILED"))
    assert failed.startswith("robot_2r_mass_matrix ")


@needs_cc
@pytest.mark.parametrize("spoilt", ["M[0] = 0.0/0.0;", "return;", "M[3] = -M[3];"])
def test_a_function_that_is_wrong_is_found(spoilt, tmp_path):
    path = library(tmp_path, forms=["mass_matrix"])["robot_2r_mass_matrix.c"]
    body, _ = path.read_text().rsplit("}", 1)
    if spoilt == "return;":  # before anything is written
        body, written = body.rsplit("{", 1)
        path.write_text(f"{body}{{\n    if (q[0] < 1e9) return;\n{written}}}\n")
    else:
        path.write_text(f"{body}    {spoilt}\n}}\n")
    code, out = run(build_check(tmp_path))
    assert (code, "FAILED" in out) == (1, True)


@needs_cc
def test_firmware_asks_the_self_check_without_printing(tmp_path):
    library(tmp_path)
    (tmp_path / "firmware.c").write_text(
        "int robot_2r_self_check(void);\nint main(void) { return robot_2r_self_check(); }\n"
    )
    assert run(build_check(tmp_path, "-DCLOSEDFORM_NO_MAIN")) == (0, "")


@pytest.mark.parametrize(("name", "form_name"), [("2r", "inverse_dynamics"), ("panda", "mass_matrix")])
def test_what_is_stored_is_what_the_library_computes(name, form_name):
    robot = make(name)
    written = source(
        "f", program(name, form_name), form_subject(form(form_name), robot.model), "double", frozenset()
    )
    known = stored(written)
    expected = getattr(robot, form_name)(*known.inputs)
    assert worst(known.outputs[0].reshape(expected.shape), expected) < ROUNDING
    assert known.allowed == 1e-12
    assert np.ptp(known.inputs[0], axis=0).min() > 0


CHOSEN = [
    ("jacobian", {"reference": "world"}),
    ("relative_pose", {"frame": "tool", "relative_to": "link1"}),
    ("inverse_dynamics", {"wrenches": ["tool"], "reference": "world_aligned", "friction": True}),
    ("forward_dynamics", {"wrenches": True}),
    ("task_inertia", {"rows": "xy"}),
]


@needs_cc
def test_forms_with_choices_are_exported_as_chosen(tmp_path):
    robot = make("2r").with_friction(0.3)
    paths = robot.export(CHOSEN, "c", tmp_path)
    names = [path.stem.removeprefix("robot_2r_") for path in paths if path.suffix == ".c"]
    assert names[:2] == ["jacobian_in_world", "relative_pose_tool_relative_link1"]
    assert names[2].startswith("inverse_dynamics_wrenches_")  # the rest is too long for a name: a digest
    assert names[3:] == ["forward_dynamics_wrenches", "task_inertia_rows_x_y", "self_check"]
    header = paths[0].read_text()
    assert " * Chosen: reference world.\n" in header
    assert " * Chosen: reference world_aligned; wrenches tool; friction.\n" in header
    code, out = run(build_check(tmp_path))
    assert (code, out.count(": ok")) == (0, len(CHOSEN))


def test_wrenches_and_friction_are_in_what_is_stored():
    robot = make("2r").with_friction(0.3)
    variant = Variant(wrenches=("tool",), reference="world_aligned", friction=True)
    it = form("inverse_dynamics").at(variant)
    traced = trace(robot.model, "inverse_dynamics", variant)
    known = stored(source("f", traced, form_subject(it, robot.model), "double", frozenset()))
    q, qd, qdd, wrench = known.inputs
    expected = robot.inverse_dynamics(
        q, qd, qdd, wrenches={"tool": wrench}, reference="world_aligned", friction=True
    )
    assert worst(known.outputs[0], expected) < ROUNDING
    assert worst(known.outputs[0], robot.inverse_dynamics(q, qd, qdd)) > 1e-3


@needs_cc
def test_sources_may_be_compiled_as_one(tmp_path):
    files = library(tmp_path)
    sources = [f'#include "{name}"' for name in files if name.endswith(".c") and name != "self_check.c"]
    (tmp_path / "one.c").write_text("\n".join(sources) + "\n")
    subprocess.run([CC, "-std=c99", *STRICT, "-fsyntax-only", tmp_path / "one.c"], check=True)


USER = """
#include "robot_2r.hpp"
#include "robot_2r.hpp"
#include <cmath>
int main()
{
    const std::array<double, robot_2r::nq> q{0.3, -0.7};
    const double qd[robot_2r::nv] = {1.0, 2.0};
    std::array<double, 4> M;
    robot_2r::mass_matrix(q, M);
    const auto again = robot_2r::mass_matrix(q);
    const double T = robot_2r::kinetic_energy(q, qd);
    const auto all = robot_2r::dynamic_matrices(q, qd);
    double twice = 0;
    for (int i = 0; i < 2; ++i) {
        for (int j = 0; j < 2; ++j) {
            if (M[2*i + j] != again[2*i + j] || std::fabs(M[2*i + j] - all.M[2*i + j]) > 1e-14) {
                return 1;
            }
            twice += qd[i]*M[2*i + j]*qd[j];
        }
    }
    if (std::fabs(twice/2 - T) > 1e-14*T) {
        return 2;
    }
#ifdef EIGEN_WORLD_VERSION
    const Eigen::Map<const Eigen::Vector2d> eq(q.data()), ev(qd);
    const Eigen::Matrix2d columns = robot_2r::eigen::mass_matrix(eq);
    double buffer[4];
    robot_2r::eigen::mass_matrix(eq, Eigen::Map<robot_2r::eigen::matrix<2, 2>>(buffer));
    const Eigen::VectorXd any = eq;
    const Eigen::Vector2d tau = robot_2r::eigen::inverse_dynamics(any, 0*ev, Eigen::Vector2d::Zero());
    const Eigen::Matrix<double, 4, 2> dq = robot_2r::eigen::mass_matrix_dq(eq);
    if (std::fabs(ev.dot(columns*ev)/2 - T) > 1e-14*T || columns(0, 1) != buffer[1]
        || std::fabs(tau[0] - all.G[0]) > 1e-12 || dq(1, 1) != robot_2r::mass_matrix_dq(q)[3]) {
        return 3;
    }
    return 10;
#else
    return 0;
#endif
}
"""


@needs_cxx
@pytest.mark.parametrize("eigen", [False, True])
def test_cpp_calls_with_spans_and_with_eigen(eigen, tmp_path):
    if eigen and EIGEN is None:
        pytest.skip("no Eigen")
    library(tmp_path, language="c++")
    (tmp_path / "user.cpp").write_text(USER)
    include = ["-isystem", EIGEN] if eigen else []
    objects = []
    for path in tmp_path.glob("robot_2r_*.c"):
        objects.append(path.with_suffix(".o"))
        subprocess.run([CC, "-c", path, "-o", objects[-1]], check=True)
    flags = ["-std=c++20", *STRICT, "-Wshadow", *include]
    subprocess.run([CXX, *flags, tmp_path / "user.cpp", *objects, "-o", tmp_path / "user"], check=True)
    assert run(tmp_path / "user")[0] in ((10,) if eigen else (0, 10))  # it may be found without being named


@needs_cxx
@pytest.mark.skipif(EIGEN is None, reason="no Eigen")
def test_the_page_shows_cpp_that_compiles(tmp_path):
    library(tmp_path, "panda", ["mass_matrix"], "c++")
    page = (Path(__file__).parents[1] / "docs" / "export.md").read_text(encoding="utf-8")
    (shown,) = re.findall(r"```cpp\n(.*?)```", page, flags=re.DOTALL)
    (tmp_path / "shown.cpp").write_text(shown)
    command = [CXX, "-std=c++20", *STRICT, "-isystem", EIGEN, "-fsyntax-only", tmp_path / "shown.cpp"]
    subprocess.run(command, check=True)


WRONG = """
#include "robot_2r.hpp"
std::array<double, 4> wrong(std::array<double, SIZE> q) { return robot_2r::mass_matrix(q); }
"""


@needs_cxx
def test_cpp_refuses_arrays_of_another_size(tmp_path):
    library(tmp_path, language="c++")
    (tmp_path / "user.cpp").write_text(WRONG)
    for size, code in ((2, 0), (3, 1)):
        command = [CXX, "-std=c++20", f"-DSIZE={size}", "-fsyntax-only", tmp_path / "user.cpp"]
        assert run(*command)[0] == code


@needs_cc
@pytest.mark.skipif(CMAKE is None, reason="no CMake")
def test_cmake_builds_the_library_and_its_self_check(tmp_path):
    library(tmp_path, forms=SEVERAL[:2], language="c++", precision="float")
    there = tmp_path / "build"
    configure = [CMAKE, "-S", tmp_path, "-B", there, "-DCMAKE_C_FLAGS=-Wall -Wextra -Werror"]
    subprocess.run(configure, check=True, capture_output=True)
    subprocess.run([CMAKE, "--build", there], check=True, capture_output=True)
    assert (there / "librobot_2r.a").exists()
    code, out = run(there / "robot_2r_self_check")
    assert (code, out.count(": ok")) == (0, 2)


@needs_cc
@pytest.mark.parametrize("text", [HOSTILE[0], HOSTILE[9], "math", "new", "test", "robot_2r_mass_matrix"])
def test_libraries_of_robots_of_any_name_compile(text, tmp_path):
    model, folder = hostile_model(text), tmp_path / "gen"
    functions = [(program("2r", each), form_subject(form(each), model)) for each in ("mass_matrix", "pose")]
    paths = export_library(functions, "c++", folder)
    for path in paths:
        assert re.fullmatch(r"[\n -~]*", path.read_text())
    flags = [*STRICT, "-fsyntax-only", "-I", folder]  # which must not hide a header of the system
    sources = (path for path in paths if path.suffix == ".c")
    subprocess.run([CC, "-std=c99", *flags, "-trigraphs", *sources], check=True)
    if CXX:
        (header,) = (path for path in paths if path.suffix == ".hpp")
        (tmp_path / "user.cpp").write_text(f'#include "{header.name}"\n')
        subprocess.run([CXX, "-std=c++20", *flags, tmp_path / "user.cpp"], check=True)
    if CMAKE and text == "test":
        configure = [CMAKE, "-S", folder, "-B", tmp_path / "build"]
        subprocess.run(configure, check=True, capture_output=True)


def test_library_names_hide_no_header_and_no_word():
    assert [library_name(each) for each in ("panda", "math", "new", "test")] == [
        "panda",
        "math_",
        "new_",
        "test_",
    ]


def test_files_that_hold_something_else_are_kept(tmp_path):
    robot = make("2r")
    robot.export("inverse_dynamics", "c", tmp_path / "gen")
    with pytest.raises(
        cf.ArgumentError, match=r"gen\.h: holds inverse_dynamics of 2r, not mass_matrix of 2r; choose"
    ):
        robot.export("mass_matrix", "c", tmp_path / "gen")
    robot.export("inverse_dynamics", "c", tmp_path / "gen", precision="float")
    (tmp_path / "CMakeLists.txt").write_text("project(mine)\n")
    before = sorted(path.name for path in tmp_path.iterdir())
    with pytest.raises(cf.ArgumentError, match=r"CMakeLists\.txt: was not written by export; choose another"):
        robot.export(["mass_matrix"], "c", tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == before
    there = tmp_path / "there"
    robot.export(["mass_matrix"], "c", there)
    robot.export(["mass_matrix", "pose"], "c", there)
    with pytest.raises(cf.ArgumentError, match="holds library of 2r, not library of pendulum"):
        make("pendulum").export(["mass_matrix"], "c", there)


@pytest.mark.parametrize(
    ("forms", "options", "reason"),
    [
        ([], {}, r"forms are \[\]; expected the name of a form, or a list"),
        ({"mass_matrix"}, {}, "expected the name of a form, or a list"),
        (["mass_matrix", 3], {}, "form is 3; expected a name, or a pair such as"),
        (["mass_matrix", ("pose", "tool")], {}, "expected a name, or a pair such as"),
        (["mass_matrix", ("pose", {"farme": "tool"})], {}, "unknown choice 'farme'"),
        (["mass_matrix", ("pose", {"frame": "nowhere"})], {}, "unknown frame 'nowhere'"),
        (["mass_matrix", "nothing"], {}, "unknown form 'nothing'"),
        (["mass_matrix"], {"frame": "tool"}, "none of mass_matrix takes frame; 'tool' given"),
        (["mass_matrix", ("gravity_torque", {"frame": "tool"})], {}, "is not a form of a frame"),
        (["pose", ("pose", {})], {}, "pose and pose would both be robot_2r_pose; leave one out"),
        (["pose"], {"precision": "half"}, "precision is 'half'"),
        ("pose", {"bogus": 1}, "unknown choice 'bogus'"),
    ],
)
def test_wrong_requests_are_refused_and_leave_nothing(forms, options, reason, tmp_path):
    with pytest.raises(cf.ClosedFormError, match=reason):
        make("2r").export(forms, "c", tmp_path / "gen" / "deep", **options)
    assert list(tmp_path.iterdir()) == []


def test_folders_that_cannot_be_filled_vanish(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("kept")
    with pytest.raises(cf.ClosedFormError, match="cannot be written"):
        make("2r").export(["pose"], "c", tmp_path / "file")
    robot = make("2r")
    heavy = robot.with_phi(robot.phi * 1e40)
    with pytest.raises(cf.ClosedFormError, match="beyond single precision"):
        heavy.export(["mass_matrix"], "c", tmp_path / "gen", precision="float")

    def fail(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(cf.ClosedFormError, match="No space left on device"):
        robot.export(["pose"], "c", tmp_path / "gen" / "deep")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def law():
    """Return PD control with gravity compensation of the 2R arm as a kernel, which is no form."""
    robot = make("2r")
    (q,), (g,) = cf.FORMS["gravity_torque"].expression(robot.model)
    qd, goal = ca.SX.sym("qd", 2), ca.SX.sym("goal", 2)
    inputs = [("q", q), ("qd", qd), ("goal", goal)]
    return compiled("pd_gravity", inputs, [("tau", 30 * (goal - q) - 4 * qd + g)])


@needs_cc
def test_laws_are_exported_like_forms(tmp_path):
    kernel, robot = law(), make("2r")
    subject = Subject("pd_gravity", "2r", "Return the torques of PD control with gravity compensation.")
    header, _ = export(kernel.program, subject, "c", tmp_path)
    assert "const double goal[2]," in header.read_text()
    functions = [(kernel.program, subject), (program("2r", "pose"), form_subject(form("pose"), robot.model))]
    export_library(functions, "c++", tmp_path / "gen")
    code, out = run(build_check(tmp_path / "gen"))
    assert (code, out.count(": ok")) == (0, 2)


def test_programs_without_a_finite_result_have_no_self_check(tmp_path):
    x = ca.SX.sym("x", 1)
    kernel = compiled("root", [("x", x)], [("y", ca.sqrt(-1 - x * x))])
    subject = Subject("root", "numbers", "Return what is not real.")
    with pytest.raises(cf.ClosedFormError, match="no result at random inputs is finite"):
        export_library([(kernel.program, subject)], "c", tmp_path / "gen")
    assert list(tmp_path.iterdir()) == []


def test_golden_library(tmp_path, update):
    files = library(tmp_path, forms=["mass_matrix", ("pose", {"frame": "tool"})], language="c++")
    for name in ("robot_2r.h", "robot_2r.hpp", "CMakeLists.txt", "README.md"):
        text = files[name].read_text().replace(f"closedform {cf.__version__}", "closedform <version>")
        golden = GOLDEN / "library" / f"{name}.golden"
        if update:
            golden.parent.mkdir(exist_ok=True)
            golden.write_text(text)
        assert golden.read_text() == text, f"{golden.name} is stale; run with --update"
