"""Numbers of a URDF that are none, or that no robot has, name their element."""

from __future__ import annotations

import re
import warnings

import numpy as np
import pytest

import closedform as cf
from tolerances import LAST_DIGITS
from urdf_texts import ARM, AXIS, INERTIAL, Load, joint, link, refusal, urdf


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
    assert np.linalg.norm(w) == pytest.approx(1, abs=LAST_DIGITS)


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
    "numbers", ['damping="-1e60"', 'friction="-1e60"', 'damping="nan"', 'friction="inf"', 'damping="x"']
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
