"""Exported files: any names are safe, refusals leave nothing behind, and the text is always the same."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import closedform as cf
from closedform.emit import LANGUAGES, export, form_subject
from closedform.emit.names import LONGEST, comment, distinct, identifier
from closedform.forms import form
from closedform.programs import trace
from conftest import make
from emitted import CC, STRICT, program, write

GOLDEN = Path(__file__).parent / "golden"

HOSTILE = (
    "*/ int main(void) { return 1; } /*",
    'x"""\nimport os\nos._exit(3)\n"""',
    "line one\r\nline two\x00\x1b[31m\u2028three",
    "ends with a backslash \\",
    "trigraph ??/\n#error no",
    "%{\n%}\nsystem('true')",
    "while",
    "\u202eevil \U0001f916 \ud800",
    "",
    "9" * 500,
    "${HOME} `id` $(id) {0} %s %n",
    "../../etc/passwd",
)


def hostile_model(text: str):
    """Return the 2R robot with every name replaced."""
    model = make("2r").model
    bodies = tuple(replace(body, name=text + "b", joint_name=text) for body in model.bodies)
    frames = tuple(replace(frame, name=text) for frame in model.frames)
    return replace(model, name=text, bodies=bodies, frames=frames)


def code_only(path: Path) -> str:
    """Return a file without its comments, docstrings and line breaks, the function called f."""
    text = path.read_text()
    if path.suffix == ".m":
        text = re.sub(r"(?m)^%.*\n", "", text)
    elif path.suffix == ".py":
        text = re.sub(r'""".*?"""', "", text, flags=re.DOTALL)
    else:
        text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    text = re.sub(path.stem, "f", text, flags=re.IGNORECASE)
    if path.suffix == ".hpp":  # the namespace is the robot, the function the form and its frame
        text = re.sub(r"namespace (?!eigen)\w+", "namespace n", text)
        text = re.sub(r"\b(pose|external_torque)\w*\(", "f(", text)
    return re.sub(r"\s+", " ", text).replace("( ", "(")


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_names_stay_in_comments(text, tmp_path):
    for language in LANGUAGES:
        for form_name in ("external_torque", "pose"):
            plain = write("2r", form_name, language, tmp_path)
            frame = None if form_name == "external_torque" else text
            traced, model = program("2r", form_name), hostile_model(text)
            nasty = export(traced, form_subject(form(form_name, frame=frame), model), language, tmp_path)
            for one, other in zip(plain, nasty, strict=True):
                assert other.parent == tmp_path
                assert re.fullmatch(rf"[A-Za-z]\w{{0,{LONGEST - 1}}}", other.stem, re.ASCII)
                assert one.stem != other.stem
                assert code_only(one) == code_only(other)
                assert re.fullmatch(r"[\n -~]*", other.read_text())
            if language == "numpy":
                module = ast.parse(nasty[0].read_text())
                assert [type(node).__name__ for node in module.body] == ["Expr", "Import", "FunctionDef"]
            if language == "c" and CC:
                flags = ["-std=c99", *STRICT, "-trigraphs", "-fsyntax-only"]
                subprocess.run([CC, *flags, *nasty], check=True)


def test_different_names_give_different_functions():
    names = [identifier(text, 20) for text in HOSTILE]
    assert len(set(names)) == len(names)
    assert identifier("Panda arm v2.1", 20) == "Panda_arm_v2_1"
    assert identifier("2r", 20) == "robot_2r"
    assert identifier("x" * 40, 20) != identifier("x" * 41, 20)
    for name in names:
        assert len(name) <= 20


def test_comments_cannot_be_closed_by_any_text():
    rng = np.random.default_rng(0)
    for _ in range(2000):
        text = comment("".join(rng.choice(list('*/?\\"\n\x07a ='), size=12)))
        assert not re.search(r'\*/|/\*|\?\?|\\|"|[^ -~]', text)


def test_parameters_are_renamed_where_a_language_needs_the_word():
    names = distinct(["q", "lambda", "q", "v3", "s", "w"], LANGUAGES["numpy"].reserved)
    assert names == ["q", "lambda_", "q_", "v3_", "s_", "w_"]


@pytest.mark.parametrize(
    ("language", "stem", "reason"),
    [
        ("c", "for", "is a word of C itself"),
        ("c", "class", "is a word of C itself"),
        ("c", "sinf", "is a word of C itself"),
        ("cuda", "threadIdx", "is a word of CUDA itself"),
        ("matlab", "end", "is a word of MATLAB itself"),
        ("numpy", "lambda", "is a word of Python itself"),
        ("numpy", "print", "is a word of Python itself"),
        ("c", "1st", "cannot name a C function"),
        ("c", "_hidden", "cannot name a C function"),
        ("matlab", "my-arm", "cannot name a MATLAB function"),
        ("c", "arm.v2", "cannot name a C function"),
        ("c", "a" * 55, "too long for a C function"),
    ],
)
def test_names_a_language_cannot_take_are_refused(language, stem, reason, tmp_path):
    with pytest.raises(cf.ArgumentError, match=reason):
        write("2r", "pose", language, tmp_path / stem)
    assert list(tmp_path.iterdir()) == []


def test_a_file_names_the_function_and_a_folder_takes_the_robots_name(tmp_path):
    assert [path.name for path in write("2r", "pose", "c", tmp_path)] == [
        "robot_2r_pose.h",
        "robot_2r_pose.c",
    ]
    assert write("2r", "pose", "c", tmp_path / "tip.c") == (tmp_path / "tip.h", tmp_path / "tip.c")
    (path,) = write("2r", "pose", "matlab", str(tmp_path / "tip"))
    assert path.read_text().startswith("function T = tip(q)\n%TIP  Compute")
    (path,) = write("panda", "pose", "numpy", tmp_path, frame=make("panda").frame_names[0])
    assert path.stem == f"panda_pose_{make('panda').frame_names[0]}"
    assert write("2r", "inverse_dynamics_rates", "cuda", tmp_path)[0].stem.endswith("_rates_2")


def test_unknown_languages_and_precisions_are_refused(tmp_path):
    with pytest.raises(
        cf.UnknownNameError, match="unknown language 'rust'; known: c, c\\+\\+, cuda, matlab, simulink, numpy"
    ):
        write("2r", "pose", "rust", tmp_path)
    with pytest.raises(cf.UnknownNameError, match="unknown language"):
        write("2r", "pose", ["c"], tmp_path)
    with pytest.raises(cf.ArgumentError, match="precision is 'half'; expected 'double' or 'float'"):
        write("2r", "pose", "c", tmp_path, precision="half")
    with pytest.raises(cf.ArgumentError, match="MATLAB: precision is 'float'; expected 'double'"):
        write("2r", "pose", "matlab", tmp_path, precision="float")
    with pytest.raises(cf.ArgumentError, match="mass_matrix is not a form of a frame; 'tool' given"):
        make("2r").export("mass_matrix", "c", tmp_path, frame="tool")
    with pytest.raises(cf.UnknownNameError, match="unknown frame 'nowhere'"):
        write("2r", "pose", "c", tmp_path, frame="nowhere")
    with pytest.raises(cf.ArgumentError, match="path is 3"):
        write("2r", "pose", "c", 3)
    assert list(tmp_path.iterdir()) == []


def test_targets_that_cannot_be_written_leave_nothing_behind(tmp_path, monkeypatch):
    (tmp_path / "arm.c").mkdir()
    (tmp_path / "file").write_text("kept")
    for path in (
        tmp_path / "arm",
        tmp_path / "missing" / "arm",
        tmp_path / "file" / "arm",
        tmp_path / ("n" * 40) / "arm",
    ):
        with pytest.raises(cf.ClosedFormError, match="cannot be written"):
            write("2r", "pose", "c", path)
    with pytest.raises(cf.ClosedFormError):
        write("2r", "pose", "c", "nul\0byte")

    def fail(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(cf.ClosedFormError, match="No space left on device"):
        write("2r", "pose", "c", tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["arm.c", "file"]
    assert list((tmp_path / "arm.c").iterdir()) == []


def test_constants_beyond_single_precision_are_refused(tmp_path):
    robot = make("2r")
    heavy = robot.with_phi(robot.phi * 1e40).model
    traced = trace(heavy, "mass_matrix")
    subject = form_subject(form("mass_matrix"), heavy)
    with pytest.raises(cf.ClosedFormError, match="beyond single precision; export in double"):
        export(traced, subject, "c", tmp_path, precision="float")
    assert list(tmp_path.iterdir()) == []


REPEAT = """
import sys
import closedform as cf
from closedform.emit import LANGUAGES, export, form_subject
from closedform.forms import form
from closedform.programs import trace
model = cf.load("panda").model
for language in LANGUAGES:
    traced = trace(model, "mass_matrix_ddot")
    export(traced, form_subject(form("mass_matrix_ddot"), model), language, f"{sys.argv[1]}/{language}/")
"""


def test_text_is_the_same_every_time(tmp_path):
    here, there = tmp_path / "here", tmp_path / "there"
    subprocess.run(
        [sys.executable, "-c", REPEAT, there], check=True, env={**os.environ, "PYTHONHASHSEED": "12345"}
    )
    for language in LANGUAGES:
        first = [path.read_bytes() for path in write("panda", "mass_matrix_ddot", language, f"{here}/")]
        paths = write("panda", "mass_matrix_ddot", language, here)
        assert [path.read_bytes() for path in paths] == first
        assert [(there / language / path.name).read_bytes() for path in paths] == first


@pytest.mark.parametrize(
    ("name", "language"), [*(("2r", language) for language in LANGUAGES), ("panda", "c")]
)
def test_golden_files(name, language, tmp_path, update):
    for path in write(name, "inverse_dynamics", language, tmp_path):
        text = path.read_text().replace(f"closedform {cf.__version__}", "closedform <version>")
        golden = GOLDEN / f"{path.name}.{'simulink.' * (language == 'simulink')}golden"
        if update:
            golden.parent.mkdir(exist_ok=True)
            golden.write_text(text)
        assert golden.read_text() == text, f"{golden.name} is stale; run with --update"
