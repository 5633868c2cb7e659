"""Bad robot descriptions end in one error that names every culprit; nothing hangs, crashes or leaks."""

from __future__ import annotations

import os
import random
import re
import socket
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

import closedform as cf
from basic_forms import BASIC

SECONDS = 5.0
"""No description may take longer to load or to refuse."""

INERTIAL = (
    '<inertial><origin xyz="0 0 0.1" rpy="0.1 0.2 0.3"/><mass value="1"/>'
    '<inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial>'
)
AXIS = '<axis xyz="0 0 1"/>'


def link(name: str, inertial: str = INERTIAL) -> str:
    return f'<link name="{name}">{inertial}</link>'


def joint(name: str, parent: str, child: str, kind: str = "revolute", more: str = AXIS) -> str:
    return (
        f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>{more}</joint>'
    )


def urdf(*elements: str) -> str:
    return '<robot name="r">\n' + "\n".join(elements) + "\n</robot>\n"


ARM = urdf(link("base", ""), link("arm"), joint("hinge", "base", "arm"))


@pytest.fixture(name="load")
def fixture_load(tmp_path: Path) -> Iterator[Callable[..., cf.Robot]]:
    """Return a function that loads a URDF text, and check its time and that it leaves no files."""
    seconds: list[float] = []

    def load(text: str | bytes, **options: object) -> cf.Robot:
        path = tmp_path / "robot.urdf"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        start = time.process_time()
        try:
            return cf.load(path, **options)
        finally:
            seconds.append(time.process_time() - start)

    yield load
    assert max(seconds, default=0) < SECONDS
    assert os.listdir(tmp_path) == ["robot.urdf"], "reading a file writes no other"


Load = Callable[..., cf.Robot]


def refusal(load: Load, text: str | bytes, **options: object) -> str:
    """Return the message with which a text is refused."""
    with pytest.raises(cf.DescriptionError) as caught:
        load(text, **options)
    message = str(caught.value)
    assert "robot.urdf" in message
    assert caught.value.problems[0] in message
    return message


def test_the_plain_arm_loads(load: Load) -> None:
    assert load(ARM).nv == 1


# ------------------------------------------------------------------ XML


@pytest.mark.parametrize("cut", [20, 60, 150, 250, len(ARM) - 12])
def test_a_truncated_file_names_the_line(load: Load, cut: int) -> None:
    line = ARM[:cut].count("\n") + 1
    assert re.search(rf"line {line}\b", refusal(load, ARM[:cut]))


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b" \n ",
        b"\0" * 100,
        bytes(range(256)) * 10,
        random.Random(0).randbytes(1000),
        b"\x89PNG\r\n\x1a\n" + b"\0" * 50,
        b"hello",
        b"{}",
        ARM.encode() + b"<more/>",
        b"<robot>" * 100_000,
        b"<robot>" + b"\xff\xfe" + b"</robot>",
        b'<?xml version="1.0" encoding="bogus"?>' + ARM.encode(),
        ARM.encode("utf-16")[2:],
        b'<robot name="r" name="r"/>',
        b"<robot>&undefined;</robot>",
        b'<robot name="&#0;"/>',
    ],
    ids=lambda data: str(data[:12]),
)
def test_what_is_not_xml_is_refused(load: Load, data: bytes) -> None:
    assert "XML" in refusal(load, data)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])
def test_unicode_files_with_a_byte_order_mark_load(load: Load, encoding: str) -> None:
    assert load(ARM.encode(encoding)).nv == 1


def bomb(reference: str) -> str:
    entities = '<!ENTITY a0 "ha">' + "".join(f'<!ENTITY a{i + 1} "{f"&a{i};" * 10}">' for i in range(12))
    return f"<!DOCTYPE robot [{entities}]>" + ARM.replace('name="r"', f'name="{reference}"')


@pytest.mark.parametrize(
    "text",
    [
        bomb("&a12;"),
        bomb("r").replace("</robot>", "&a12;</robot>"),
        f'<!DOCTYPE robot [<!ENTITY a "{"a" * 100_000}">]>'
        + ARM.replace("</robot>", "&a;" * 5000 + "</robot>"),
        '<!DOCTYPE robot [<!ENTITY a "&b;"><!ENTITY b "&a;">]>' + ARM.replace("</robot>", "&a;</robot>"),
        "<!DOCTYPE robot>" + ARM,
    ],
    ids=["attribute", "text", "quadratic", "recursive", "doctype"],
)
def test_entity_bombs_and_document_types_are_refused(load: Load, text: str) -> None:
    assert len(refusal(load, text)) < 1000


@pytest.mark.parametrize(
    "template",
    [
        '<!DOCTYPE r [<!ENTITY x SYSTEM "{url}">]>' + ARM.replace("</robot>", "&x;</robot>"),
        '<!DOCTYPE r [<!ENTITY x SYSTEM "{url}">]>' + ARM.replace('"arm"', '"&x;"'),
        '<!DOCTYPE r [<!ENTITY % x SYSTEM "{url}"> %x;]>' + ARM,
        '<!DOCTYPE r SYSTEM "{url}">' + ARM,
        '<!DOCTYPE r PUBLIC "-//x//y" "{url}">' + ARM,
    ],
    ids=["text", "attribute", "parameter", "system", "public"],
)
def test_external_entities_are_never_read(load: Load, template: str, tmp_path_factory) -> None:
    secret = tmp_path_factory.mktemp("secret") / "secret.txt"
    secret.write_text("do-not-read-me")
    assert "do-not-read-me" not in refusal(load, template.replace("{url}", secret.as_uri()))


def test_includes_and_style_sheets_are_never_followed(load: Load, tmp_path_factory) -> None:
    secret = tmp_path_factory.mktemp("secret") / "secret.xml"
    secret.write_text('<link name="do-not-read-me"/>')
    text = f'<?xml-stylesheet href="{secret.as_uri()}"?>' + ARM.replace(
        'name="r">',
        f'name="r" xmlns:xi="http://www.w3.org/2001/XInclude"><xi:include href="{secret.as_uri()}"/>',
    )
    assert "do-not-read-me" not in load(text).frame_names


def test_no_file_reaches_the_network(load: Load) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.2)
        url = f"http://127.0.0.1:{server.getsockname()[1]}/x.dtd"
        for head in (f'<!DOCTYPE robot SYSTEM "{url}">', f'<!DOCTYPE r [<!ENTITY % x SYSTEM "{url}"> %x;]>'):
            refusal(load, head + ARM)
        with pytest.raises(TimeoutError):
            server.accept()


def test_another_root_element_says_what_is_expected(load: Load) -> None:
    assert re.search("<sdf>.*<robot>.*<mujoco>", refusal(load, "<sdf/>"))


def test_comments_and_instructions_are_ignored(load: Load) -> None:
    text = ARM.replace('<axis xyz="0 0 1"/>', '<!-- <axis xyz="0 0 0"/> --><?run rm?><axis xyz="0 0 1"/>')
    assert load(text).nv == 1


# ------------------------------------------------------------------ files


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    for path in (tmp_path / "nope.urdf", tmp_path / "no" / "folder.urdf"):
        with pytest.raises(cf.DescriptionError, match="no such file"):
            cf.load(path)


def test_a_folder_is_not_a_file(tmp_path: Path) -> None:
    (tmp_path / "folder.urdf").mkdir()
    with pytest.raises(cf.DescriptionError, match=r"folder\.urdf"):
        cf.load(tmp_path / "folder.urdf")
    with pytest.raises(cf.ClosedFormError):
        cf.load(tmp_path)


def test_a_link_to_itself_is_not_a_file(tmp_path: Path) -> None:
    (tmp_path / "loop.urdf").symlink_to(tmp_path / "loop.urdf")
    with pytest.raises(cf.DescriptionError, match=r"loop\.urdf"):
        cf.load(tmp_path / "loop.urdf")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes on this system")
def test_a_named_pipe_does_not_hang(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.urdf")
    code = "import sys, closedform as cf\ntry: cf.load(sys.argv[1])\nexcept cf.ClosedFormError as e: print(e)"
    done = subprocess.run(
        [sys.executable, "-c", code, tmp_path / "pipe.urdf"],
        capture_output=True,
        text=True,
        timeout=10,
        check=True,
        env={**os.environ, "PYTHONPATH": str(Path(cf.__file__).parents[1])},
    )
    assert "pipe.urdf" in done.stdout


def test_a_file_beyond_the_size_limit_is_refused(load: Load) -> None:
    assert re.search("bytes.*limit", refusal(load, b"<robot>" + b" " * (65 * 2**20)))


# ------------------------------------------------------------------ trees


def chain(count: int, kind: str = "revolute", more: str = AXIS) -> list[str]:
    links = [link(f"l{i}") for i in range(count + 1)]
    return links + [joint(f"j{i}", f"l{i}", f"l{i + 1}", kind, more) for i in range(count)]


def test_ten_thousand_moving_links_are_refused_quickly(load: Load) -> None:
    assert "10000" in refusal(load, urdf(*chain(10_000)))


def test_ten_thousand_links_from_tip_to_root_are_refused_quickly(load: Load) -> None:
    refusal(load, urdf(*reversed(chain(10_000))))


def test_ten_thousand_fixed_links_make_one_body(load: Load) -> None:
    robot = load(urdf(*chain(10_000, "fixed"), link("world", ""), joint("root", "world", "l0")))
    assert robot.nv == 1
    assert len(robot.frame_names) == 10_002
    assert robot.phi[9] == pytest.approx(10_001, rel=1e-9)  # 1e4 roundings of the sum of masses


def test_a_mimic_chain_of_ten_thousand_is_refused_quickly(load: Load) -> None:
    more = [AXIS + f'<mimic joint="j{i + 1}"/>' for i in range(9_999)] + [AXIS]
    joints = [joint(f"j{i}", f"l{i}", f"l{i + 1}", more=more[i]) for i in range(10_000)]
    refusal(load, urdf(*(link(f"l{i}", "") for i in range(10_001)), *joints))


def test_ten_thousand_loops_are_refused_quickly(load: Load) -> None:
    joints = [joint(f"j{k}_{i}", f"l{i}", f"l{i + 1}") for i in range(10_000) for k in range(2)]
    refusal(load, urdf(*(link(f"l{i}", "") for i in range(10_001)), *joints))


def test_a_hundred_thousand_links_are_refused_quickly_and_shortly(load: Load) -> None:
    message = refusal(load, urdf(*(link(f"l{i}") for i in range(100_000))))
    assert len(message) < 20_000


def test_a_message_of_many_problems_is_cut_short_and_says_how_many(load: Load) -> None:
    message = refusal(load, urdf(*(link(f"l{i // 2}", "") for i in range(4000))))
    assert len(message) < 20_000
    assert "3999 problem" in message, "2000 names used twice, 1999 links that nothing joins to the first"


@pytest.mark.parametrize("floating_base", [False, True])
def test_a_loop_names_its_links(load: Load, floating_base: bool) -> None:
    text = urdf(*map(link, "abc"), joint("ab", "a", "b"), joint("bc", "b", "c"), joint("ca", "c", "a"))
    message = refusal(load, text, floating_base=floating_base)
    assert re.search(r"'a'|'b'|'c'", message)
    assert "nv = 0" not in message, "the joints do move; the loop is the problem"


def test_a_loop_beside_the_tree_names_its_links(load: Load) -> None:
    text = urdf(
        *map(link, ("root", "tip", "a", "b")),
        joint("j", "root", "tip"),
        joint("k", "a", "b"),
        joint("m", "b", "a"),
    )
    message = refusal(load, text)
    assert "'a'" in message
    assert "'b'" in message


def test_a_joint_from_a_link_to_itself_is_named(load: Load) -> None:
    assert "'knot'" in refusal(
        load, urdf(link("a"), link("b"), joint("j", "a", "b"), joint("knot", "b", "b"))
    )


def test_a_link_with_two_parents_names_the_joints(load: Load) -> None:
    text = urdf(*map(link, "abc"), joint("ac", "a", "c"), joint("bc", "b", "c"), joint("ab", "a", "b"))
    assert re.search("(?s)'c'.*ac.*bc", refusal(load, text))


def test_links_that_nothing_joins_are_named(load: Load) -> None:
    message = refusal(load, ARM.replace("</robot>", link("stray") + link("lost", "") + "</robot>"))
    assert "'stray'" in message
    assert "'lost'" in message


def test_names_used_twice_are_named(load: Load) -> None:
    text = urdf(*map(link, ("a", "b", "b", "c")), joint("twin", "a", "b"), joint("twin", "b", "c"))
    message = refusal(load, text)
    assert "link 'b'" in message
    assert "joint 'twin'" in message


def test_a_floating_base_does_not_clash_with_names_of_the_file(load: Load) -> None:
    taken = ("world", "ground", "closedform_world")
    joints = [joint("floating_base", "world", "ground"), joint("universe", "ground", "closedform_world")]
    robot = load(urdf(*map(link, taken), *joints), floating_base=True)
    assert robot.nv == 8
    assert len(set(robot.joint_names)) == len(robot.joint_names) == 3
    assert len(set(robot.frame_names)) == len(robot.frame_names) == 4


@pytest.mark.parametrize("text", [urdf(link("a")), urdf(link("a"), link("b"), joint("j", "a", "b", "fixed"))])
def test_an_object_that_cannot_move_loads_and_may_float(load: Load, text: str) -> None:
    assert load(text).nv == 0
    assert load(text, floating_base=True).nv == 6


def test_a_robot_without_links_is_refused(load: Load) -> None:
    assert "link" in refusal(load, urdf())
    assert "link" in refusal(load, "<robot/>", floating_base=True)


# ------------------------------------------------------------------ names


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("it's", "it's"),
        ("say &quot;hi&quot;", 'say "hi"'),
        ("&lt;b&gt;&amp;", "<b>&"),
        ("{0} %s %(x)d", "{0} %s %(x)d"),
        ("back\\slash", "back\\slash"),
        ("$(rm -rf)", "$(rm -rf)"),
        ("µ ロボット 🤖", "µ ロボット 🤖"),
        ("; DROP", "; DROP"),
        ("a,b(c)->d", "a,b(c)->d"),
    ],
)
def test_strange_names_are_kept_as_they_are(load: Load, written: str, name: str) -> None:
    robot = load(urdf(link("base", ""), link(written), joint(written, "base", written)))
    assert robot.frame_names == ("base", name)
    assert robot.joint_names == (name,)
    assert repr(robot)
    assert robot.pose([0.3], name).shape == (4, 4)
    with pytest.raises(cf.UnknownNameError) as caught:
        robot.pose([0.3], name + "?")
    assert name in str(caught.value)


@pytest.mark.parametrize("written", ["", " ", "a&#10;b", "a&#9;b", "a&#13;b", "&#127;"])
def test_names_without_visible_characters_or_with_control_characters_are_refused(
    load: Load, written: str
) -> None:
    message = refusal(load, ARM.replace('"arm"', f'"{written}"'))
    assert "name" in message
    assert "\r" not in message
    assert all(line.strip() for line in message.splitlines())


def test_a_name_of_a_million_letters_is_cut_in_messages(load: Load) -> None:
    name = "x" * 1_000_000
    assert len(refusal(load, urdf(link("a"), link(name), link(name), joint("j", "a", name)))) < 10_000


# ------------------------------------------------------------------ numbers


@pytest.mark.parametrize("value", ["nan", "NaN", "inf", "-inf", "Infinity", "1e999"])
@pytest.mark.parametrize(
    ("attribute", "element"),
    [
        ('value="1"', "link 'arm'"),
        ('ixx="0.1"', "link 'arm'"),
        ('iyz="0"', "link 'arm'"),
        ('xyz="0 0 0.1"', "link 'arm'"),
        ('rpy="0.1 0.2 0.3"', "link 'arm'"),
        ('xyz="0 0 1"', "joint 'hinge'"),
    ],
)
def test_numbers_that_are_not_finite_name_their_element(
    load: Load, attribute: str, element: str, value: str
) -> None:
    key, numbers = attribute[:-1].split('="')
    words = numbers.split()
    words[-1] = value
    message = refusal(load, ARM.replace(attribute, f'{key}="{" ".join(words)}"'))
    assert element in message
    assert key in message
    assert value in message
    assert "finite" in message


@pytest.mark.parametrize("value", ["", "one", "1 2", "1,0", "0x10", "1_0", "١", "--1", "1e", "${mass}"])
def test_what_is_not_a_number_is_quoted(load: Load, value: str) -> None:
    message = refusal(load, ARM.replace('value="1"', f'value="{value}"'))
    assert "link 'arm'" in message
    assert repr(value) in message


@pytest.mark.parametrize("xyz", ["", "1", "1 0", "1 0 0 0", "a b c", "1;0;0"])
@pytest.mark.parametrize("old", ['xyz="0 0 1"', 'xyz="0 0 0.1"', 'rpy="0.1 0.2 0.3"'])
def test_a_vector_has_three_numbers(load: Load, old: str, xyz: str) -> None:
    message = refusal(load, ARM.replace(old, f'{old[:3]}="{xyz}"'))
    assert "3 number" in message
    assert message.count("\n") == 1, "one mistake is one problem"


def test_a_long_attribute_is_quoted_in_part(load: Load) -> None:
    assert len(refusal(load, ARM.replace('value="1"', f'value="{"9 " * 100_000}"'))) < 1000


@pytest.mark.parametrize("xyz", ["0 0 0", "0 -0 0.0", "1e-12 0 0"])
@pytest.mark.parametrize("kind", ["revolute", "continuous", "prismatic", "planar"])
def test_a_zero_axis_names_the_joint(load: Load, kind: str, xyz: str) -> None:
    message = refusal(load, ARM.replace('xyz="0 0 1"', f'xyz="{xyz}"').replace("revolute", kind))
    assert re.search("joint 'hinge'.*axis.*zero", message)


def test_the_axis_of_a_fixed_or_floating_joint_does_not_matter(load: Load) -> None:
    assert load(ARM.replace("revolute", "floating").replace('xyz="0 0 1"', 'xyz="0 0 0"')).nv == 6


@pytest.mark.parametrize("xyz", ["3 0 0", "1e200 0 0", "0 -1e-5 0", "1e300 1e300 1e300"])
def test_an_axis_of_any_length_is_normalised(load: Load, xyz: str) -> None:
    robot = load(ARM.replace('xyz="0 0 1"', f'xyz="{xyz}"'))
    w = robot.jacobian([0.0], "arm")[:3, 0]
    assert np.linalg.norm(w) == pytest.approx(1, abs=1e-14)


def test_a_negative_mass_names_the_link(load: Load) -> None:
    assert re.search("link 'arm'.*mass.*-2", refusal(load, ARM.replace('value="1"', 'value="-2"')))


@pytest.mark.parametrize(
    "change", [('ixx="0.1"', 'ixx="-0.1"'), ('ixy="0"', 'ixy="0.2"'), ('izz="0.1"', 'izz="-1e-3"')]
)
def test_an_inertia_that_is_not_positive_names_the_link(load: Load, change: tuple[str, str]) -> None:
    assert re.search("link 'arm'.*inertia.*positive", refusal(load, ARM.replace(*change)))


def test_an_inertia_beyond_the_triangle_inequality_is_a_warning(load: Load) -> None:
    with pytest.warns(cf.ModelWarning, match="link 'arm'.*triangle"):
        robot = load(ARM.replace('ixx="0.1"', 'ixx="0.3"'))
    assert robot.nv == 1


def test_a_physical_inertia_is_no_warning(load: Load) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        load(ARM)
        load(ARM.replace('izz="0.1"', 'izz="0.2"'))  # a flat plate: exactly on the bound


@pytest.mark.parametrize(
    "changes",
    [
        [('value="1"', 'value="1e200"'), ('xyz="0 0 0.1"', 'xyz="1e200 0 0"')],
        [('xyz="0 0 0.1"', 'xyz="1e200 1e200 0"')],
        [('ixx="0.1"', 'ixx="1e308"'), ('iyy="0.1"', 'iyy="1e308"'), ('izz="0.1"', 'izz="1e308"')],
    ],
)
def test_inertias_that_overflow_name_the_link(load: Load, changes: list[tuple[str, str]]) -> None:
    text = ARM
    for change in changes:
        text = text.replace(*change)
    assert "link 'arm'" in refusal(load, text)


@pytest.mark.parametrize(
    "inertial", ["", INERTIAL.replace('value="1"', 'value="0"').replace('="0.1"', '="0"')]
)
def test_a_massless_moving_leaf_loads_and_forward_dynamics_names_its_joint(load: Load, inertial: str) -> None:
    text = ARM.replace("</robot>", link("tip", inertial) + joint("wrist", "arm", "tip") + "</robot>")
    with pytest.warns(cf.ModelWarning, match="joint 'wrist' moves no inertia"):
        robot = load(text)
    with pytest.raises(cf.ClosedFormError, match="forward_dynamics: joint 'wrist' moves no inertia"):
        _ = robot.forward_dynamics


def test_a_massless_link_between_masses_is_fine(load: Load) -> None:
    elements = [
        link("a", ""),
        link("b", ""),
        link("c"),
        joint("ab", "a", "b"),
        joint("bc", "b", "c", more="<axis xyz='1 0 0'/>"),
    ]
    assert load(urdf(*elements)).nv == 2


def test_a_point_mass_on_the_axis_of_its_joint_moves_nothing(load: Load) -> None:
    point = '<inertial><origin xyz="0 0 2"/><mass value="1"/></inertial>'
    with pytest.warns(cf.ModelWarning, match="joint 'j' moves no inertia"):
        load(urdf(link("a", ""), link("b", point), joint("j", "a", "b")))
    assert load(urdf(link("a", ""), link("b", point), joint("j", "a", "b", "prismatic"))).nv == 1


@pytest.mark.parametrize(
    "numbers", ['damping="-1"', 'friction="-1"', 'damping="nan"', 'friction="inf"', 'damping="x"']
)
def test_bad_friction_names_the_joint(load: Load, numbers: str) -> None:
    message = refusal(load, ARM.replace(AXIS, AXIS + f"<dynamics {numbers}/>"))
    assert "joint 'hinge'" in message
    assert numbers.split("=", maxsplit=1)[0] in message


@pytest.mark.parametrize("numbers", ['lower="nan"', 'upper="x"', 'velocity="nan"', 'effort="1 2"'])
def test_bad_limits_name_the_joint(load: Load, numbers: str) -> None:
    message = refusal(load, ARM.replace(AXIS, AXIS + f"<limit {numbers}/>"))
    assert "joint 'hinge'" in message
    assert numbers.split("=", maxsplit=1)[0] in message


@pytest.mark.parametrize("bound", ["1e308", "1.7e308"])
def test_random_states_within_enormous_limits_are_finite(load: Load, bound: str) -> None:
    robot = load(ARM.replace(AXIS, AXIS + f'<limit lower="-{bound}" upper="{bound}"/>'))
    assert np.isfinite(robot.random_state(0)[0]).all()


# ------------------------------------------------------------------ what is missing


@pytest.mark.parametrize(
    ("old", "new", "parts"),
    [
        ('<parent link="base"/>', "", ("joint 'hinge'", "<parent")),
        ('<child link="arm"/>', "", ("joint 'hinge'", "<child")),
        ('<parent link="base"/>', "<parent/>", ("joint 'hinge'", "link")),
        ('<parent link="base"/>', '<parent link="nowhere"/>', ("joint 'hinge'", "'nowhere'")),
        ('<child link="arm"/>', '<child link="nowhere"/>', ("joint 'hinge'", "'nowhere'")),
        ('<mass value="1"/>', "", ("link 'arm'", "<mass")),
        ('<mass value="1"/>', "<mass/>", ("link 'arm'", "value")),
        (' type="revolute"', "", ("joint 'hinge'", "type")),
        ("revolute", "wobbly", ("joint 'hinge'", "'wobbly'", "revolute", "prismatic")),
        ("revolute", "", ("joint 'hinge'", "type")),
        ('<joint name="hinge"', "<joint", ("<joint>", "name")),
        ('<link name="arm"', "<link", ("<link>", "name")),
        ('<axis xyz="0 0 1"/>', "<axis/>", ("joint 'hinge'", "xyz")),
    ],
)
def test_what_is_missing_is_named(load: Load, old: str, new: str, parts: tuple[str, ...]) -> None:
    assert old in ARM
    message = refusal(load, ARM.replace(old, new))
    assert all(part in message for part in parts), message


def test_problems_carry_the_line_they_stand_on(load: Load) -> None:
    text = ARM.replace('value="1"', 'value="x"')
    line = text[: text.index('value="x"')].count("\n") + 1
    assert f"line {line}:" in refusal(load, text)


# ------------------------------------------------------------------ mimic joints


def coupled(first: str, second: str, third: str = AXIS) -> str:
    names = ("one", "two", "three")
    return urdf(
        *(link(f"l{i}") for i in range(4)),
        *(
            joint(n, f"l{i}", f"l{i + 1}", more=m)
            for i, (n, m) in enumerate(zip(names, (first, second, third), strict=True))
        ),
    )


def mimic(name: str, more: str = "") -> str:
    return AXIS + f'<mimic joint="{name}" {more}/>'


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        (coupled(mimic("nobody"), AXIS), ("'one'", "'nobody'")),
        (coupled(mimic(""), AXIS), ("'one'", "''")),
        (coupled(mimic("one"), AXIS), ("'one'", "mimic")),
        (coupled(mimic("two"), mimic("one")), ("'one'", "mimic")),
        (coupled(mimic("two"), mimic("three"), mimic("two")), ("'two'", "mimic")),
        (coupled(mimic("two", 'multiplier="nan"'), AXIS), ("'one'", "multiplier")),
        (coupled(mimic("two", 'offset="x"'), AXIS), ("'one'", "offset")),
        (coupled(AXIS + "<mimic/>", AXIS), ("'one'", "joint")),
        (
            coupled(mimic("two"), AXIS).replace('"two" type="revolute"', '"two" type="fixed"'),
            ("'one'", "one-dof"),
        ),
        (
            coupled(mimic("two"), AXIS).replace('"two" type="revolute"', '"two" type="planar"'),
            ("'one'", "one-dof"),
        ),
        (
            coupled(mimic("two"), AXIS).replace('"one" type="revolute"', '"one" type="floating"'),
            ("'one'", "one-dof"),
        ),
    ],
)
def test_a_mimic_joint_that_follows_nothing_is_named(load: Load, text: str, parts: tuple[str, ...]) -> None:
    message = refusal(load, text)
    assert all(part in message for part in parts), message


def test_a_chain_of_mimic_joints_follows_its_driver(load: Load) -> None:
    text = coupled(
        mimic("two", 'multiplier="2" offset="0.1"'), mimic("three", 'multiplier="-3" offset="0.2"')
    )
    robot = load(text)
    assert robot.joint_names == ("three",)
    q = 0.3
    turned = robot.pose([q], "l3")
    angle = 2 * (-3 * q + 0.2) + 0.1 + (-3 * q + 0.2) + q
    assert turned[0, 0] == pytest.approx(np.cos(angle), abs=1e-14)
    assert turned[1, 0] == pytest.approx(np.sin(angle), abs=1e-14)


# ------------------------------------------------------------------ all at once


def test_every_mistake_in_the_file_comes_in_one_message(load: Load) -> None:
    text = urdf(
        link("base", ""),
        link("b", INERTIAL.replace('value="1"', 'value="nan"')),
        link("c", INERTIAL.replace('<mass value="1"/>', "")),
        joint("first", "base", "b", more='<axis xyz="0 0 0"/>'),
        joint("second", "b", "c", "wobbly"),
    )
    message = refusal(load, text)
    for name in ("link 'b'", "link 'c'", "joint 'first'", "joint 'second'"):
        assert name in message
    assert message.count("\n") == 4


def test_mistakes_in_the_file_and_in_its_tree_come_in_one_message(load: Load) -> None:
    text = urdf(
        link("base", ""),
        link("b", INERTIAL.replace('value="1"', 'value="-1"')),
        link("c", INERTIAL.replace('ixx="0.1"', 'ixx="-0.1"')),
        link("d", ""),
        link("stray"),
        link("twin"),
        link("twin"),
        joint("unwell", "base", "b", more='<axis xyz="0 0 0"/>'),
        joint("bc", "b", "c"),
        joint("massless", "c", "d"),
        joint("dangling", "d", "nowhere"),
        joint("copycat", "d", "twin", more=mimic("nobody")),
    )
    message = refusal(load, text)
    wanted = (
        "link 'b'",
        "'stray'",
        "'twin'",
        "joint 'unwell'",
        "joint 'dangling'",
        "'nowhere'",
        "joint 'copycat'",
    )
    missing = [name for name in wanted if name not in message]
    assert not missing, message


def test_bad_inertias_of_several_links_come_in_one_message(load: Load) -> None:
    bad = INERTIAL.replace('ixx="0.1"', 'ixx="-0.1"')
    text = urdf(
        link("a", ""),
        link("b", bad),
        link("c", bad),
        joint("ab", "a", "b"),
        joint("bc", "b", "c"),
    )
    message = refusal(load, text)
    assert all(name in message for name in ("link 'b'", "link 'c'"))


# ------------------------------------------------------------------ fuzzing

RICH = urdf(
    link("base", ""),
    link("pillar"),
    link("rail"),
    link("arm", INERTIAL.replace('ixy="0"', 'ixy="0.01"')),
    link("hand"),
    link("finger"),
    link("thumb"),
    link("puck"),
    link("ball"),
    joint("pan", "base", "pillar", "continuous", '<origin xyz="0 0 1" rpy="1.5708 0 0.3"/>' + AXIS),
    joint(
        "slide", "pillar", "rail", "prismatic", AXIS + '<limit lower="-1" upper="1" effort="5" velocity="2"/>'
    ),
    joint(
        "lift", "rail", "arm", "revolute", '<axis xyz="0.6 0.8 0"/><dynamics damping="0.1" friction="0.2"/>'
    ),
    joint("flange", "arm", "hand", "fixed", '<origin xyz="0.1 0 0"/>'),
    joint("grip", "hand", "finger", "prismatic", AXIS),
    joint(
        "follow", "hand", "thumb", "prismatic", AXIS + '<mimic joint="grip" multiplier="-1" offset="0.01"/>'
    ),
    joint("table", "base", "puck", "planar", AXIS),
    joint("throw", "base", "ball", "floating", ""),
)

NUMBERS = (
    "0",
    "-1",
    "1e308",
    "-1e308",
    "1e200",
    "1e-320",
    "-0.0",
    "nan",
    "-inf",
    "1e309",
    "9" * 400,
    "0x1",
    "1_0",
)
VECTORS = ("0 0 0", "1 0 0", "1e200 1e200 1e200", "-1e308 1e308 0", "nan 0 0", "1 2", "1 0 0 0", "0,0,1")
TEXTS = (
    "",
    " ",
    "base",
    "arm",
    "grip",
    "follow",
    "fixed",
    "floating",
    "revolute",
    "planar",
    "'",
    "&quot;",
    "&#10;",
    "x" * 300,
)


def mangled_attribute(rng: random.Random, text: str) -> str:
    """Return the text with the value of one attribute changed, mostly for one of its own kind."""
    at = rng.choice(list(re.finditer(r'(\w+)="([^"]*)"', text)))
    own = VECTORS if " " in at[2] else NUMBERS if re.match(r"[-+.\d]", at[2]) else TEXTS
    value = rng.choice(rng.choice((own, own, own, NUMBERS, VECTORS, TEXTS)))
    new = rng.choice([f'{at[1]}="{value}"'] * 8 + ["", f'x{at[1]}="{value}"'])
    return text[: at.start()] + new + text[at.end() :]


def mangled_element(rng: random.Random, text: str) -> str:
    """Return the text with one element dropped, doubled, hidden, wrapped or replaced by another."""
    leaf, branch = r"<(\w+)[^>]*/>", r"<(link|joint|inertial)\b.*?</\1>"
    at = rng.choice(list(re.finditer(rng.choice((leaf, leaf, branch)), text)))
    other = rng.choice(list(re.finditer(leaf, text)))
    new = rng.choice(("", at[0] * 2, other[0], f"<!-- {at[0]} -->", f"<wrap>{at[0]}</wrap>", at[0].upper()))
    return text[: at.start()] + new + text[at.end() :]


def mangled_bytes(rng: random.Random, text: str) -> str:
    """Return the text with some characters overwritten, dropped, repeated or added."""
    data = bytearray(text.encode())
    printable = [rng.randrange(32, 127) for _ in range(50)]
    for _ in range(rng.randint(1, 2)):
        at, length = rng.randrange(len(data)), rng.choice((1, 1, 1, 2, 50))
        kind = rng.randrange(5)
        if kind == 0:
            data[at] = rng.choice(b"0123456789.-e ")
        elif kind == 1:
            del data[at : at + length]
        elif kind == 2:
            data[at:at] = data[at : at + length]
        elif kind == 3:
            data[at:at] = bytes(printable[:length])
        else:
            data[at] = rng.randrange(256)
    return data.decode("latin-1")


@pytest.mark.parametrize("mangle", [mangled_attribute, mangled_element, mangled_bytes])
def test_a_mangled_file_gives_a_robot_or_a_closed_form_error(
    mangle: Callable[[random.Random, str], str], tmp_path: Path
) -> None:
    path = tmp_path / "robot.urdf"
    rng = random.Random(20240607)
    robots, surprises = 0, []
    for number in range(250):
        text = RICH
        for _ in range(rng.choice((1, 1, 2, 3))):
            text = mangle(rng, text)
        path.write_bytes(text.encode("latin-1"))
        start = time.process_time()
        try:
            robot = cf.load(path, floating_base=rng.random() < 0.2)
            assert robot.neutral().shape == robot.random_state(number)[0].shape == (robot.nq,)
            assert np.isfinite(robot.phi).all()
            robots += 1
        except cf.ClosedFormError:
            pass
        except Exception as error:
            surprises.append(f"case {number}: {type(error).__name__}: {error}")
        assert time.process_time() - start < SECONDS
    assert not surprises
    assert 5 <= robots < 250, "the mangling should neither spoil nor spare every file"


def test_the_file_to_mangle_is_a_good_one(load: Load) -> None:
    assert load(RICH).nv == 1 + 1 + 1 + 1 + 3 + 6


# ------------------------------------------------------------------ modified DH tables

ROW = (0, 0, 0, 0, 0)
BODY = cf.Inertial.of(1.0, (0.1, 0, 0), 0.1 * np.eye(3))


@pytest.mark.parametrize(
    "rows",
    [
        [],
        None,
        3,
        "x",
        [()],
        [1, 2, 3],
        [[1, 2, 3]],
        [[0] * 6],
        np.zeros((2, 5, 1)),
        [["a"] * 5],
        [[0, 0, 0, 0, 0], [0]],
        [[0, 1j, 0, 0, 0]],
        [[None] * 5],
        {},
    ],
)
def test_a_table_that_is_not_n_by_5_is_refused(rows: object) -> None:
    with pytest.raises(cf.DescriptionError, match="sigma, alpha, d, theta, r"):
        cf.Robot.from_mdh(rows)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("column", range(5))
def test_a_table_entry_that_is_not_finite_names_its_row(column: int, value: float) -> None:
    rows = np.zeros((3, 5))
    rows[1, column] = value
    with pytest.raises(cf.DescriptionError, match=r"row 2.*finite"):
        cf.Robot.from_mdh(rows)


@pytest.mark.parametrize("sigma", [2, -1, 0.5])
def test_sigma_is_zero_or_one(sigma: float) -> None:
    with pytest.raises(cf.DescriptionError, match=r"row 2: sigma"):
        cf.Robot.from_mdh([ROW, (sigma, 0, 0, 0, 0)])


@pytest.mark.parametrize(
    "parents",
    [
        [-1],
        [-1, 0, 1],
        [0, 0],
        [-1, 1],
        [-1, 5],
        [-2, 0],
        [-1, 0.5],
        [-1, np.nan],
        [-1, None],
        [-1, "a"],
        "ab",
        3,
    ],
)
def test_parents_are_earlier_rows(parents: object) -> None:
    with pytest.raises(cf.DescriptionError, match=r"antecedent|parents"):
        cf.Robot.from_mdh([ROW, ROW], parents=parents)


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("inertials", [BODY]),
        ("inertials", BODY),
        ("inertials", [1, 2]),
        ("inertials", [BODY, (1, 2, 3)]),
        ("armature", [1]),
        ("armature", [np.nan, 1]),
        ("armature", [-1, 1]),
        ("armature", ["a", 1]),
        ("joint_names", ["a"]),
        ("joint_names", ["a", "a"]),
        ("joint_names", ["a", ""]),
        ("joint_names", [1, 2]),
        ("tool", np.eye(3)),
        ("tool", np.full((4, 4), np.nan)),
        ("tool", 2 * np.eye(4)),
        ("tool", np.diag([1.0, 1, -1, 1])),
        ("tool", "x"),
    ],
)
def test_options_of_a_table_that_do_not_fit_are_named(option: str, value: object) -> None:
    part = {"inertials": "inertial|link", "armature": "armature", "joint_names": "joint", "tool": "tool"}[
        option
    ]
    with pytest.raises(cf.DescriptionError, match=part):
        cf.Robot.from_mdh([ROW, ROW], **{option: value})


@pytest.mark.parametrize(
    "arguments",
    [
        (np.nan,),
        (np.inf,),
        (-1.0,),
        ("a",),
        ([1, 2],),
        (1j,),
        (None,),
        (1.0, (1, 2)),
        (1.0, "abc"),
        (1.0, (0, np.nan, 0)),
        (1.0, (0, 0, 0), np.eye(2)),
        (1.0, (0, 0, 0), np.ones(9)),
        (1.0, (0, 0, 0), np.full(6, np.inf)),
        (1.0, (0, 0, 0), -np.eye(3)),
        (1.0, (0, 0, 0), [[1, 0.1, 0], [0, 1, 0], [0, 0, 1]]),
    ],
)
def test_an_inertial_that_is_none_is_a_closed_form_error(arguments: tuple[object, ...]) -> None:
    with pytest.raises(cf.ClosedFormError):
        cf.Robot.from_mdh([ROW], inertials=[cf.Inertial.of(*arguments)])


def test_a_table_of_too_many_rows_is_refused() -> None:
    with pytest.raises(cf.DescriptionError, match="10000 moving bodies"):
        cf.Robot.from_mdh(np.zeros((10_000, 5)))


# ------------------------------------------------------------------ screws

HOME = np.eye(4)
TURN = (0, 0, 1, 0, 0, 0)


def columns(*screws: tuple[float, ...]) -> np.ndarray:
    return np.array(screws, dtype=float).T


@pytest.mark.parametrize(
    "screw",
    [
        "x",
        None,
        3,
        (0, 0, 1),
        (0,) * 7,
        [1, 2, [3]],
        np.zeros((2, 6)),
        np.zeros((6, 0)),
        np.ones((6, 7)),
        np.zeros((1, 6, 1)),
        (0, 0, 0, 0, 0, 0),
        np.full(6, np.nan),
        (0, 0, np.inf, 0, 0, 0),
        (0, 0, 1j, 0, 0, 0),
        (0, 0, 2, 0, 0, 0),
        (0, 0, 1.001, 0, 0, 0),
        (0, 0, 0, 0, 0, 3),
        (1, 1, 0, 0, 0, 0),
        columns(TURN, TURN),
        columns(TURN, (0, 0, 2, 0, 0, 0)),
        columns(TURN, (0, 0, 0, 0, 0, 0)),
        columns(TURN, (0, 1, 0, 0, 0, 0)),
        columns(TURN, (0, 0, 0, 1, 0, 0)),
        columns((0, 0, 2, 0, 0, 0), (0, 0, 0, 0, 0, 1)),
        2 * np.eye(6),
        2 * np.eye(6)[:, :3],
        np.eye(6)[:, :4],
    ],
)
def test_a_screw_that_is_none_names_the_joint(screw: object) -> None:
    with pytest.raises(cf.DescriptionError, match="joint 'shoulder'"):
        cf.Robot.from_screws([HOME], [screw], joint_names=["shoulder"])


@pytest.mark.parametrize(
    "placement",
    [
        "x",
        None,
        np.eye(3),
        np.zeros((4, 4)),
        2 * np.eye(4),
        -np.eye(4),
        np.diag([1.0, 1, -1, 1]),
        np.full((4, 4), np.nan),
        np.eye(4) + np.triu(np.full((4, 4), 1e-3), 1) * np.array([1, 1, 1, 0]),
        np.array([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [1, 2, 3, 1.0]]),
        np.diag([1.0, 1, 1, 2]),
    ],
)
def test_a_placement_that_is_no_pose_names_the_joint(placement: object) -> None:
    with pytest.raises(cf.DescriptionError, match="joint 'shoulder'"):
        cf.Robot.from_screws([placement], [TURN], joint_names=["shoulder"])


@pytest.mark.parametrize(
    ("placements", "screws"),
    [([], []), (None, None), ([HOME], []), ([HOME], [TURN, TURN]), (3, [TURN]), (HOME, TURN)],
)
def test_as_many_screws_as_placements(placements: object, screws: object) -> None:
    with pytest.raises(cf.DescriptionError, match=r"placement|screw"):
        cf.Robot.from_screws(placements, screws)


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("parents", [0, 0]),
        ("parents", [-1, 1]),
        ("parents", [-1, 0.5]),
        ("parents", [-1, "a"]),
        ("inertials", [BODY]),
        ("inertials", [1, 2]),
        ("limits", [cf.Limits()]),
        ("limits", [(0, 1), (0, 1)]),
        ("limits", [None, None]),
        ("armature", [1, np.inf]),
        ("body_names", ["a", "a"]),
        ("body_names", ["base", "b"]),
        ("body_names", [1, 2]),
        ("joint_names", ["a", "a"]),
    ],
)
def test_options_of_screws_that_do_not_fit_are_named(option: str, value: object) -> None:
    part = {
        "parents": "parent",
        "body_names": "link|body_names",
        "joint_names": "joint",
        "inertials": "inertial|link",
    }
    with pytest.raises(cf.DescriptionError, match=part.get(option, option)):
        cf.Robot.from_screws([HOME, HOME], [TURN, TURN], **{option: value})


# ------------------------------------------------------------------ geometry without inertias


@pytest.mark.parametrize(
    "robot",
    [
        cf.Robot.from_mdh([ROW, (1, 0.3, 1.0, 0, 0)]),
        cf.Robot.from_screws([HOME, HOME], [TURN, (0, 0, 1, 0, -1, 0)]),
    ],
    ids=["mdh", "screws"],
)
@pytest.mark.parametrize("form", BASIC)
def test_geometry_alone_gives_kinematics_and_asks_for_inertias_by_name(robot: cf.Robot, form: str) -> None:
    it = BASIC[form]
    arrays = [np.full(shape, 0.3) for shape in it.input_shapes(robot.model)]
    if it.dynamic:
        with pytest.raises(cf.ClosedFormError, match=rf"{form}.*inertia"):
            getattr(robot, form)(*arrays)
    else:
        assert np.isfinite(getattr(robot, form)(*arrays)).all()


def test_geometry_from_a_file_without_inertials(load: Load) -> None:
    robot = load(urdf(link("a", ""), link("b", ""), joint("j", "a", "b")))
    assert robot.pose([0.1]).shape == (4, 4)
    with pytest.raises(cf.ClosedFormError, match="inertia"):
        robot.mass_matrix([0.1])


def test_geometry_with_parameters_added_has_dynamics() -> None:
    robot = cf.Robot.from_mdh([ROW])
    heavy = robot.with_phi([0, 0, 0, 0, 0, 2.5, 0, 0, 0, 1])
    np.testing.assert_allclose(heavy.mass_matrix([0.1]), [[2.5]])


def test_a_missing_file_is_said_once(tmp_path):
    with pytest.raises(cf.DescriptionError) as caught:
        cf.load(tmp_path / "missing.urdf")
    assert caught.value.problems == ("no such file",)
