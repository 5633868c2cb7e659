"""Trees that are none, names that cannot be kept and what is missing: one error names every culprit."""

from __future__ import annotations

import re

import numpy as np
import pytest

import closedform as cf
from tolerances import LAST_DIGITS, PROMISED
from urdf_texts import ARM, AXIS, INERTIAL, Load, joint, link, refusal, urdf


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
    assert robot.phi[9] == pytest.approx(10_001, rel=PROMISED)  # 1e4 roundings of the sum of masses


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


# ------------------------------------------------------------------ what is missing


@pytest.mark.parametrize(
    ("old", "new", "parts"),
    [
        ('<parent link="base"/>', "", ("joint 'hinge'", "<parent")),
        ('<child link="arm"/>', "", ("joint 'hinge'", "<child")),
        ('<parent link="base"/>', "<parent/>", ("joint 'hinge'", "link")),
        ('<parent link="base"/>', '<parent link="nowhere"/>', ("joint 'hinge'", "'nowhere'")),
        ('<child link="arm"/>', '<child link="nowhere"/>', ("joint 'hinge'", "'nowhere'")),
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
    assert turned[0, 0] == pytest.approx(np.cos(angle), abs=LAST_DIGITS)
    assert turned[1, 0] == pytest.approx(np.sin(angle), abs=LAST_DIGITS)


# ------------------------------------------------------------------ all at once


def test_every_mistake_in_the_file_comes_in_one_message(load: Load) -> None:
    text = urdf(
        link("base", ""),
        link("b", INERTIAL.replace('value="1"', 'value="nan"')),
        link("c", INERTIAL.replace('ixx="0.1"', "")),
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
