"""URDF texts to spoil, and the messages with which they are refused."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import closedform as cf

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


Load = Callable[..., cf.Robot]


def refusal(load: Load, text: str | bytes, **options: object) -> str:
    """Return the message with which a text is refused."""
    with pytest.raises(cf.DescriptionError) as caught:
        load(text, **options)
    message = str(caught.value)
    assert "robot.urdf" in message
    assert caught.value.problems[0] in message
    return message
