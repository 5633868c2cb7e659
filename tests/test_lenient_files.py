"""Files that the peers read load with one warning that names the line, and give the same robot."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import closedform as cf
from closedform.description.doubts import Doubts
from closedform.description.repair import repaired
from closedform.description.xml import parse_xml
from urdf_texts import ARM, AXIS, INERTIAL, Load, joint, link, refusal, urdf

LIMITED = ARM.replace(AXIS, AXIS + '<limit lower="-1" upper="1" effort="1" velocity="1"/>')


def told(load: Load, text: str | bytes) -> tuple[cf.Robot, list[str]]:
    """Return the robot of a text and the warnings it gives."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        robot = load(text)
    assert all(issubclass(each.category, cf.ModelWarning) for each in caught)
    return robot, [str(each.message) for each in caught]


SLIPS = {
    "version 0.0": ('<?xml version="0.0"?>' + LIMITED, "line 1"),
    "blank lines": ('\n\n<?xml version="1.0"?>' + LIMITED, "line 3"),
    "one blank line": ('\n<?xml version="1.0"?>' + LIMITED, "line 2"),
    "zero after the end": (LIMITED + "\0", "line 6"),
    "text before": ("hello\n" + LIMITED, "line 1"),
    "unknown encoding": ('<?xml version="1.0" encoding="bogus"?>\n' + LIMITED, "line 1"),
    "prefix": (LIMITED.replace("</robot>", "<foo:bar baz:x='1'/></robot>"), "'foo' in line 5"),
    "no space": (LIMITED.replace('ixx="0.1" ixy', 'ixx="0.1"ixy'), "line 3"),
    "comment": (LIMITED.replace("\n<link", "\n<!-- a -- b\n c -- d -->\n<link", 1), "line 2"),
    "latin-1": (LIMITED.replace("\n<link", "\n<!-- \xe9 -->\n<link", 1).encode("latin-1"), "line 2"),
    "doctype": ("<!DOCTYPE robot>\n" + LIMITED, "line 1"),
    "doctype with a file": ('\n<!DOCTYPE robot SYSTEM "robot.dtd">\n' + LIMITED, "line 2"),
}


@pytest.mark.parametrize("slip", SLIPS)
def test_a_slip_that_peers_read_is_one_warning_and_the_same_robot(load: Load, slip: str, tmp_path) -> None:
    text, place = SLIPS[slip]
    digest = load(LIMITED).model.digest
    robot, said = told(load, text)
    assert robot.model.digest == digest
    assert len(said) == 1
    assert place in said[0]
    if slip != "zero after the end":  # which MuJoCo reads
        assert pin.buildModelFromUrdf(str(tmp_path / "robot.urdf")).nv == 1


def test_a_default_namespace_does_not_matter(load: Load) -> None:
    robot, said = told(load, LIMITED.replace('name="r"', 'name="r" xmlns="http://example.org"'))
    assert (robot.model.digest, said) == (load(LIMITED).model.digest, [])


def test_problems_after_mended_lines_keep_their_lines(load: Load) -> None:
    text = "<?xml version='0.0'?>\n<!-- a -- \n b -->" + ARM.replace('value="1"', 'value="x"')
    line = text[: text.index('value="x"')].count("\n") + 1
    assert f"line {line}:" in refusal(load, text)


@pytest.mark.parametrize(
    "text",
    [
        ARM.replace('value="1"', 'value="1" value="2"'),
        ARM.replace('value="1"', "value=1"),
        ARM.replace("</inertial>", ""),
        ARM.replace('name="base"', 'name="a & b"'),
        ARM.replace('name="base"', 'name="a < b"'),
        ARM + "<robot/>",
        '<?xml version="0.0"?>' + ARM.replace("</robot>", "&foo;</robot>"),
        ARM.replace("<link", "<!-- never closed <link", 1),
        ARM.replace("</robot>", "".join(f"<p{i}:a/>" for i in range(60)) + "</robot>"),
    ],
)
def test_slips_that_could_change_a_number_stay_refused(load: Load, text: str) -> None:
    assert "XML" in refusal(load, text)


def test_many_slips_are_still_one_short_warning(load: Load) -> None:
    text = LIMITED.replace("\n<link", "\n" + "<!-- a -- b -->\n" * 300 + "<link", 1)
    _, said = told(load, text)
    assert len(said) == 1
    assert "295 more" in said[0]


@given(st.text(alphabet="<>/!?-[]\"' =:ax\n&;", max_size=200))
@settings(max_examples=300, deadline=None)
def test_repair_keeps_lines_and_never_fails_otherwise(text: str) -> None:
    data = ("<robot>" + text + "</robot>").encode()
    notes = Doubts()
    assert repaired(data, notes).count("\n") == text.count("\n")
    try:
        root, _ = parse_xml("robot.urdf", data)
        assert root.tag == "robot"
    except cf.DescriptionError:
        pass


# ------------------------------------------------------------------ other files


@pytest.mark.parametrize(
    "text",
    [
        ARM.replace('name="r"', 'name="r" xmlns:xacro="http://ros.org/wiki/xacro"').replace(
            "</robot>", '<xacro:property name="mass" value="3"/></robot>'
        ),
        '<robot xmlns:xacro="http://www.ros.org/wiki/xacro"><link name="a"/><xacro:arm/></robot>',
        '<robot xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:include filename="a"/></robot>',
        ARM.replace('name="r"', 'name="r" xmlns:xacro="http://ros.org/wiki/xacro"').replace(
            '"base"', '"${prefix}base"'
        ),
    ],
)
def test_a_template_is_named_as_one(load: Load, text: str) -> None:
    assert "run xacro first" in refusal(load, text)


def test_calls_that_xacro_left_in_a_whole_robot_are_named(load: Load) -> None:
    robot, said = told(load, ARM.replace("</robot>", '<xacro:sensor xmlns:xacro="x"/></robot>'))
    assert robot.nv == 1
    assert "line 5: <xacro:sensor>" in said[0]


def test_what_xacro_has_expanded_loads(load: Load) -> None:
    assert load(ARM.replace('name="r"', 'name="r" xmlns:xacro="http://ros.org/wiki/xacro"')).nv == 1


@pytest.mark.parametrize(("root", "word"), [("sdf", "SDF"), ("COLLADA", "mesh"), ("launch", "launch file")])
def test_files_of_other_kinds_are_named(load: Load, root: str, word: str) -> None:
    assert word in refusal(load, f"<{root}/>")


# ------------------------------------------------------------------ elements


@pytest.mark.parametrize(
    ("old", "new", "part"),
    [
        ("</robot>", '<constraint name="cut"/></robot>', "<constraint>"),
        ("</robot>", "<drake:ball_constraint xmlns:drake='d'/></robot>", "<drake:ball_constraint>"),
        ("<origin", "<orgin", "<orgin>"),
        ("<axis", "<Axis", "<Axis>"),
        ("rpy=", "rpi=", "'rpi'"),
        (AXIS, AXIS + '<limit lower="0" uper="1"/>', "'uper'"),
        ('value="1"', 'value="1" unit="kg"', "'unit'"),
        (AXIS, AXIS + '<limit velocity="-1"/>', "velocity"),
        (AXIS, AXIS + '<limit effort="-1"/>', "effort"),
        (AXIS, AXIS + '<dynamics damping="-1"/>', "damping"),
        (AXIS, AXIS + '<dynamics spring_stiffness="5"/>', "'spring_stiffness'"),
        ("</inertial>", '</inertial><inertial><mass value="2"/></inertial>', "more than one <inertial>"),
        ('<mass value="1"/>', "", "no <mass"),
        ('ixy="0" ixz="0" iyy="0.1" iyz="0"', 'iyy="0.1"', "products of inertia"),
    ],
)
def test_what_is_read_otherwise_than_written_is_named(load: Load, old: str, new: str, part: str) -> None:
    assert old in ARM
    _, said = told(load, ARM.replace(old, new))
    assert part in said[0]
    assert "line " in said[0]


def test_a_number_that_urdfdom_cannot_read_is_read_with_a_warning(load: Load) -> None:
    robot, said = told(load, LIMITED.replace('ixz="0"', 'ixz="0\n"', 1))
    assert "inertias with a blank after a number" in said[0]
    np.testing.assert_array_equal(robot.phi, load(LIMITED).phi)


def test_one_cause_is_one_warning(load: Load) -> None:
    more = AXIS + '<dynamics damping="-1"/>'
    links = [link(f"l{i}") for i in range(9)]
    _, said = told(load, urdf(*links, *(joint(f"j{i}", f"l{i}", f"l{i + 1}", more=more) for i in range(8))))
    assert len(said) == 1
    assert "3 more" in said[0]


def test_negative_figures_are_kept_or_count_as_none(load: Load) -> None:
    text = ARM.replace(AXIS, AXIS + '<limit velocity="-1" effort="-2"/><dynamics damping="-3"/>')
    robot, _ = told(load, text)
    assert (robot.velocity_limits[0], robot.effort_limits[0], robot.damping[0]) == (np.inf, np.inf, -3)


@pytest.mark.parametrize("key", ["ixx", "ixy", "ixz", "iyy", "iyz", "izz"])
@pytest.mark.parametrize("new", ["", "{KEY}", "x{key}"])
def test_inertias_that_are_missing_or_misspelt_are_refused(load: Load, key: str, new: str) -> None:
    word = new.format(key=key, KEY=key.upper())
    value = "0.1" if key[1] == key[2] else "0"
    text = ARM.replace(f'{key}="{value}"', f'{word}="{value}"' if word else "")
    assert "line 3: link 'arm' <inertial> <inertia>" in refusal(load, text)


# ------------------------------------------------------------------ quaternions


@pytest.mark.parametrize("scale", [1.0, 1e160, 1e-160, 5e-324])
def test_quaternions_of_any_length_turn_the_joint(load: Load, scale: float, tmp_path: Path) -> None:
    origin = f'<origin xyz="1 2 3" quat_xyzw="0 0 {scale!r} {scale!r}"/>'
    text = LIMITED.replace(AXIS, AXIS + origin).replace('name="r"', 'name="r" version="1.1"')
    robot, said = told(load, text)
    assert not said
    turned = robot.model.bodies[0].placement
    np.testing.assert_allclose(turned, [[0, -1, 0, 1], [1, 0, 0, 2], [0, 0, 1, 3], [0, 0, 0, 1]], atol=1e-15)
    if scale == 1:
        model = pin.buildModelFromXML(text)
        np.testing.assert_allclose(model.jointPlacements[1].homogeneous, turned, atol=1e-15)


def test_a_quaternion_is_read_in_files_of_the_first_version_with_a_warning(load: Load) -> None:
    text = ARM.replace(AXIS, AXIS + '<origin quat_xyzw="0 0 1 1"/>')
    robot, said = told(load, text)
    assert robot.model.bodies[0].placement[1, 0] == 1
    assert "quat_xyzw" in said[0]


@pytest.mark.parametrize(
    "more", ['quat_xyzw="0 0 0 0"', 'quat_xyzw="0 0 1"', 'rpy="0 0 1" quat_xyzw="0 0 0 1"']
)
def test_quaternions_that_say_nothing_or_too_much_are_refused(load: Load, more: str) -> None:
    assert "joint 'hinge' <origin>" in refusal(load, ARM.replace(AXIS, AXIS + f"<origin {more}/>"))


def test_inertial_origins_take_quaternions_too(load: Load) -> None:
    turned = INERTIAL.replace('rpy="0.1 0.2 0.3"', 'quat_xyzw="0 0 1 1"').replace('ixx="0.1"', 'ixx="0.15"')
    robot, _ = told(load, urdf(link("base", ""), link("arm", turned), joint("hinge", "base", "arm")))
    assert robot.phi[3] - robot.phi[0] == pytest.approx(0.05), "yy is the turned xx"
