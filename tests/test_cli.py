"""The command line: what it writes, what it says, and how it fails."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from lxml import html

import closedform as cf
from closedform.cli.tables import motion as read_motion
from closedform.cli.wording import as_options
from command_line import run
from tolerances import ROUNDING, worst


def test_report_writes_a_page_named_after_the_robot(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    code, out, _ = run(capsys, "report", "2r", "--samples", "30", "--no-pinocchio")
    assert (code, out.strip()) == (0, "2r-report.html")
    page = html.document_fromstring((tmp_path / "2r-report.html").read_text())
    assert page.xpath("string(//h1)") == "2r"
    assert "No comparison with Pinocchio" in page.text_content()
    assert [entry.name for entry in tmp_path.iterdir()] == ["2r-report.html"]


def test_report_takes_a_floating_base_and_an_output(tmp_path, capsys):
    target = tmp_path / "page.html"
    code, out, _ = run(
        capsys,
        "report",
        "pendulum",
        "--floating-base",
        "--samples",
        "5",
        "--duration",
        "2",
        "-o",
        str(target),
    )
    assert (code, out.strip()) == (0, str(target))
    page = html.document_fromstring(target.read_text())
    assert "floating_base" in page.xpath("string(//section[@id='robot'])")


def test_doubts_about_a_robot_are_warnings(tmp_path, capsys):
    target, arm = tmp_path / "page.html", tmp_path / "arm.toml"
    cf.load("iiwa14").save(arm)
    code, _, err = run(capsys, "report", str(arm), "--samples", "5", "--duration", "-1", "-o", str(target))
    assert code == 2
    assert "warning: iiwa14: links 'link4'" in err
    assert "error: report: --duration is -1.0" in err
    assert not target.exists()


def test_an_unknown_robot_lists_the_known_ones(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    code, out, err = run(capsys, "report", "iiwa15")
    assert (code, out) == (2, "")
    assert err.startswith("error: unknown robot 'iiwa15'")
    assert all(name in err for name in cf.catalogue())
    assert "Traceback" not in err
    assert not list(tmp_path.iterdir())


def test_an_unwritable_output_leaves_nothing(tmp_path, capsys):
    code, _, err = run(capsys, "report", "2r", "--output", str(tmp_path / "no" / "page.html"))
    assert code == 2
    assert "error: " in err
    assert "cannot be written" in err
    assert not list(tmp_path.iterdir())


def test_robots_lists_the_catalogue_one_line_each(capsys):
    code, out, _ = run(capsys, "robots")
    head, *lines = out.strip().splitlines()
    assert code == 0
    assert head.split() == ["robot", "nv", "kind", "source"]
    assert [line.split()[0] for line in lines] == list(cf.catalogue())
    for line in lines:
        name, nv = line.split()[:2]
        assert int(nv) == cf.load(name).nv
    assert "floating tree" in next(line for line in lines if line.startswith("quadruped"))


def test_version(capsys):
    assert run(capsys, "--version") == (0, f"closedform {cf.__version__}\n", "")


def test_help_does_not_wait_for_pages_or_pictures():
    slow = {"plotly", "jinja2", "rich.progress", "numpy", "casadi", "llvmlite", "lxml"}
    code = f"import sys, closedform.cli; print({slow} & set(sys.modules))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "set()"


def test_warnings_are_one_plain_line(capsys):
    code, _, err = run(capsys, "equations", "2r", "mass_matrix", "--seconds", "0")
    assert code == 0
    (line,) = err.splitlines()
    assert line.startswith("warning: mass_matrix: ")
    assert ".py" not in line


def test_errors_name_options(capsys):
    code, _, err = run(capsys, "equations", "2r", "mass_matrix", "--seconds", "-1")
    assert (code, err) == (2, "error: --seconds is -1; expected a number from 0\n")


def test_equations_take_a_reference_and_the_frame_that_sees(capsys):
    code, out, _ = run(capsys, "equations", "2r", "jacobian", "--reference", "world", "--symbolic")
    assert (code, out.splitlines()[2]) == (0, "J[4,2] = L1*sin(q1)")
    code, out, _ = run(capsys, "equations", "2r", "relative_jacobian", "--relative-to", "link1", "--symbolic")
    assert (code, out.splitlines()) == (0, ["Jrel[3,2] = 1", "Jrel[5,2] = L2"])
    code, _, err = run(capsys, "equations", "2r", "jacobian", "--reference", "wrld")
    assert code != 0
    assert "did you mean 'world'" in err


def test_equations_take_velocity_coordinates(capsys):
    words = ("equations", "spherical_pendulum", "velocity_map", "--coordinates")
    code, out, _ = run(capsys, *words, "world_aligned")
    assert (code, len(out.splitlines())) == (0, 9)
    code, _, err = run(capsys, *words, "world_alinged")
    assert code != 0
    assert "did you mean 'world_aligned'" in err


def test_equations_take_a_factorisation(capsys):
    words = ("equations", "2r", "coriolis_matrix", "--symbolic", "--factorisation")
    code, out, _ = run(capsys, *words, "mueller-kumar-22")
    assert (code, out.splitlines()[0]) == (0, "C[1,1] = -2*L1*L2*m2*qd2*sin(q2)")
    code, _, err = run(capsys, *words, "garofolo")
    assert code != 0
    assert "did you mean 'garofalo'" in err


def test_equations_take_a_frame_and_an_order(capsys):
    code, out, _ = run(capsys, "equations", "2r", "pose", "--frame", "link2")
    assert (code, out.splitlines()[2]) == (0, "T[1,4] = cos(q1)")
    code, out, _ = run(capsys, "equations", "2r", "gravity_torque_rates", "--order", "1")
    assert code == 0
    assert "Gd[1] = " in out


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ('are the angles in degrees? Say units={"position": "deg"}', "Say --units position=deg"),
        ('Say units={"position": "deg"} or {"time": "ms"}', "Say --units position=deg or time=ms"),
        (
            'say locked={joint: coordinate} or locked="absent" (all',
            "say --locked joint=coordinate or --locked absent (all",
        ),
        ("locked={'wrist': 0.25}", "--locked wrist=0.25"),
        ("or plausible=False if", "or --no-plausible if"),
        ("Say gain=[...] or reduction=[...] (", "Say --gain ... or --reduction ... ("),
        ("Say reduction=[...], or check", "Say --reduction ..., or check"),
        (
            'hold_out is -1.0; expected None, "half", the seconds of alternating blocks, ...',
            "--hold-out is -1.0; expected none, half or seconds; or --hold-out-files, names or a number",
        ),
        ("hold_out: blocks of 100 s", "--hold-out: blocks of 100 s"),
        ('units={"time": "min"}, or give rate= in Hz', "--units time=min, or give --rate in Hz"),
        ("the units: as said", "the units: as said"),
        ('or say columns={"effort": [...]}', "or say --columns effort=..."),
        (
            'say columns={"time": 0, "position": [1, ...], "effort": [...]} by',
            "say --columns time=0 --columns position=1-2 --columns effort=3-4 by",
        ),
        ('or say missing="drop", which', "or say --missing drop, which"),
    ],
)
def test_the_command_line_speaks_of_its_options(said, told):
    assert told in as_options(said)
    assert "=[" not in as_options(said)


def test_export_makes_a_folder_that_ends_in_a_slash(tmp_path, capsys):
    code, out, err = run(capsys, "export", "2r", "gravity_torque", "-o", f"{tmp_path}/new/")
    assert (code, err) == (0, "")
    assert [entry.name for entry in tmp_path.iterdir()] == ["new"]
    assert len(list((tmp_path / "new").iterdir())) == len(out.split()) == 2


def test_export_takes_a_short_output(tmp_path, capsys):
    code, out, _ = run(capsys, "export", "2r", "mass_matrix", "-o", str(tmp_path / "inertia"))
    assert code == 0
    assert [line.rsplit("/", 1)[-1] for line in out.splitlines()] == ["inertia.h", "inertia.c"]


def test_export_takes_several_forms_with_choices(tmp_path, capsys):
    forms = ("inverse_dynamics", "jacobian:frame=tool", "mass_matrix_rates:order=1,phi")
    code, out, err = run(capsys, "export", "2r", *forms, "-o", str(tmp_path / "gen"))
    assert (code, err) == (0, "")
    names = [line.rsplit("/", 1)[-1] for line in out.splitlines()]
    assert names[:4] == [
        "robot_2r.h",
        "robot_2r_inverse_dynamics.c",
        "robot_2r_jacobian_tool.c",
        "robot_2r_mass_matrix_rates_1_phi.c",
    ]
    assert sorted(names) == sorted(path.name for path in (tmp_path / "gen").iterdir())


@pytest.mark.parametrize(
    ("forms", "told"),
    [
        (("mass_matrix", "pose:farme=tool"), "unknown choice 'farme'"),
        (("mass_matrix", "nothing"), "unknown form 'nothing'"),
        (("pose:order=x",), "order"),
        (("mass_matrix", "mass_matrix"), "would both be robot_2r_mass_matrix"),
        (("mass_matrix", "--library", "--language", "rust"), "unknown language 'rust'"),
    ],
)
def test_export_tells_what_is_wrong_with_forms(forms, told, tmp_path, capsys):
    code, out, err = run(capsys, "export", "2r", *forms, "-o", str(tmp_path / "gen"))
    assert (code, out) == (2, "")
    assert told in err
    assert list(tmp_path.iterdir()) == []


def test_export_makes_a_library_of_one_form(tmp_path, capsys):
    code, out, _ = run(capsys, "export", "2r", "pose:frame=tool", "--library", "-o", str(tmp_path / "gen"))
    assert code == 0
    assert "self_check.c" in out


@pytest.mark.parametrize("robot", ["", "a\0b", "nope", "/", "x" * 5000])
def test_a_robot_that_is_none_is_told_without_a_traceback(robot, capsys):
    code, _, err = run(capsys, "base-parameters", robot)
    assert code == 2
    assert err.startswith("error: ")
    assert len(err) < 3000


def test_base_parameters_write_a_page_if_asked(tmp_path, capsys):
    target = tmp_path / "base.html"
    code, out, _ = run(capsys, "base-parameters", "2r", "--page", str(target))
    assert code == 0
    assert out.splitlines()[-1] == str(target)
    page = html.document_fromstring(target.read_text())
    assert [section.get("id") for section in page.xpath("//section")] == ["robot", "base"]


def test_a_motion_file_is_read_by_the_names_of_the_joints(tmp_path):
    robot = cf.load("2r")
    rows = np.column_stack([[0.0, 1.0, 2.0], [0.1, 0.2, 0.3], [0.5, 0.4, 0.5]])
    names = [f"{joint}_position [rad]" for joint in robot.joint_names]
    path = tmp_path / "motion.csv"
    header = ",".join(["time [s]", *names[::-1]])
    np.savetxt(path, rows[:, [0, 2, 1]], delimiter=",", header=header, comments="")
    motion = read_motion(path, robot)
    assert worst(motion([0.0, 1.0, 2.0]), rows[:, 1:]) < ROUNDING
    path.write_text("0,1,2,3\n1,2,3,4\n")
    with pytest.raises(cf.ArgumentError, match="has 4 columns; expected the time and 2 joint"):
        read_motion(path, robot)
    path.write_text("t,a,b\n0,1,2\n1,x,3\n")
    with pytest.raises(cf.ArgumentError, match="row 3 is '1,x,3'; expected 3 numbers"):
        read_motion(path, robot)
